/* SPDX-License-Identifier: MIT */
/* The rules by which events change the state, and what several of them need. */
#include "sinsp/state.h"

#include <string.h>

#include "sinsp/program.h"

const struct state_rule state_rules[EVENT_ID_MAX] = {
	[EVENT_open] = {state_open},
	[EVENT_openat] = {state_openat},
	[EVENT_openat2] = {state_openat2},
	[EVENT_creat] = {state_creat},
	[EVENT_chdir] = {state_chdir},
	[EVENT_fchdir] = {state_fchdir},

	[EVENT_close] = {state_close},
	[EVENT_close_range] = {state_close_range},
	[EVENT_dup] = {state_dup},
	[EVENT_dup2] = {state_dup2},
	[EVENT_dup3] = {state_dup3},
	[EVENT_fcntl] = {state_fcntl},
	[EVENT_pipe] = {state_pipe},
	[EVENT_pipe2] = {state_pipe2},

	[EVENT_read] = {state_io},
	[EVENT_write] = {state_io},
	[EVENT_readv] = {state_io},
	[EVENT_writev] = {state_io},

	[EVENT_socket] = {state_socket},
	[EVENT_socketpair] = {state_socketpair},
	[EVENT_bind] = {state_bind},
	[EVENT_connect] = {state_connect},
	[EVENT_accept] = {state_accept},
	[EVENT_accept4] = {state_accept4},
	[EVENT_shutdown] = {state_shutdown},
	[EVENT_sendto] = {state_sendto},
	[EVENT_sendmsg] = {state_sendmsg},
	[EVENT_recvfrom] = {state_recvfrom},
	[EVENT_recvmsg] = {state_recvmsg},
	[EVENT_send] = {state_send},
	[EVENT_recv] = {state_recv},
	[EVENT_sendmmsg] = {state_sendmmsg},
	[EVENT_recvmmsg] = {state_recvmmsg},
	[EVENT_getsockopt] = {state_getsockopt},

	[EVENT_clone] = {state_clone, .finds_thread = true},
	[EVENT_clone3] = {state_clone, .finds_thread = true},
	[EVENT_fork] = {state_clone, .finds_thread = true},
	[EVENT_vfork] = {state_clone, .finds_thread = true},
	[EVENT_execve] = {state_exec, .finds_thread = true},
	[EVENT_execveat] = {state_exec, .finds_thread = true},
	[EVENT_procexit] = {state_exit},

	[EVENT_setuid] = {state_setuid},
	[EVENT_setgid] = {state_setgid},
	[EVENT_setreuid] = {state_setreuid},
	[EVENT_setregid] = {state_setregid},
	[EVENT_setresuid] = {state_setresuid},
	[EVENT_setresgid] = {state_setresgid},
	[EVENT_setsid] = {state_setsid},
	[EVENT_setpgid] = {state_setpgid},
	[EVENT_unshare] = {state_unshare},
	[EVENT_prctl] = {state_prctl},
};

void state_unshare_fs(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	struct sinsp_fs *own;

	if (thread->fs->refs == 1)
		return;
	own = sinsp_fs_create(&sinsp->pool, thread->fs->cwd, thread->fs->cwd_len);
	if (!own)
		return;
	sinsp_fs_unref(&sinsp->pool, thread->fs);
	thread->fs = own;
}

void state_unshare_fds(struct sinsp_thread *thread)
{
	struct sinsp_fds *own;

	if (!sinsp_fds_shared(thread->fds))
		return;
	own = sinsp_fds_copy(thread->fds);
	if (!own)
		return;
	sinsp_fds_unref(thread->fds);
	thread->fds = own;
}

void state_set_comm(struct sinsp_thread *thread, const char *comm)
{
	size_t len = comm ? strnlen(comm, sizeof(thread->comm) - 1) : 0;

	if (!comm)
		return;
	memcpy(thread->comm, comm, len);
	memset(thread->comm + len, 0, sizeof(thread->comm) - len);
}

void state_share(struct sinsp *sinsp, struct sinsp_thread *thread,
		 const struct sinsp_thread *creator, uint32_t flags)
{
	struct sinsp_fs *fs = creator->fs;
	struct sinsp_fds *fds = creator->fds;

	fs = flags & clone_flags__CLONE_FS ? sinsp_fs_ref(fs)
					   : sinsp_fs_create(&sinsp->pool, fs->cwd, fs->cwd_len);
	fds = flags & clone_flags__CLONE_FILES ? sinsp_fds_ref(fds) : sinsp_fds_copy(fds);
	if (fs) {
		sinsp_fs_unref(&sinsp->pool, thread->fs);
		thread->fs = fs;
	}
	if (fds) {
		sinsp_fds_unref(thread->fds);
		thread->fds = fds;
	}
	sinsp_program_ref(creator->program);
	sinsp_program_unref(&sinsp->pool, thread->program);
	thread->program = creator->program;
}

void state_set_fd(struct sinsp_event *event, int64_t num, struct sinsp_fd *fd)
{
	event->has_fd = true;
	event->fd_num = num;
	event->fd = fd;
}

void state_rename_fd(struct sinsp *sinsp, struct sinsp_fd *fd, const char *name, size_t len)
{
	if (len == fd->name_len && memcmp(name, fd->name, len) == 0)
		return;
	if (!sinsp_fd_rename(&sinsp->fd_store, fd, name, len))
		return;
	fd->name_changed = true;
	sinsp->after.renamed = fd;
}
