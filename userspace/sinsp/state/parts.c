/* SPDX-License-Identifier: MIT */
/* The parts that threads share, and attributes that several events change. */
#include "sinsp/state/parts.h"

#include <string.h>

#include "sinsp/state/program.h"

enum { CAPABILITIES = 41 };

void state_unshare_fs(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	struct sinsp_fs *own;

	if (thread->fs->refs == 1)
		return;
	own = sinsp_fs_copy(&sinsp->pool, thread->fs);
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

	fs = flags & clone_flags__CLONE_FS ? sinsp_fs_ref(fs) : sinsp_fs_copy(&sinsp->pool, fs);
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

void state_set_unix_ends(struct sinsp *sinsp, struct sinsp_fd *fd, uint64_t own, uint64_t peer)
{
	bool known = own || peer || fd->has_ends;
	union sinsp_ends *ends = known ? sinsp_fd_make_ends(&sinsp->fd_store, fd) : NULL;

	if (!ends)
		return;
	ends->unix_socket = own;
	ends->unix_peer = peer;
}

void state_enter_userns(struct sinsp_thread *thread)
{
	thread->caps_permitted = thread->caps_effective = (UINT64_C(1) << CAPABILITIES) - 1;
	thread->caps_inheritable = 0;
}
