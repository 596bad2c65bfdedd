/* SPDX-License-Identifier: MIT */
/* One thread from the files of its directory in /proc. Called by the walks of proc.c. */
#include "scap/proc/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi.h"
#include "event/event.h"
#include "scap/proc/ids.h"
#include "scap/proc/text.h"
#include "util/count.h"

enum {
	TEXT_BYTES_MAX = 1 << 16,
	LOGINUID_UNSET = -1,
};

static const char memfd_prefix[] = "/memfd:";

/* Lines of status: a name, the number to read, counted from 1 (0: the last one), and its member. */
#define STATUS(name, column, base, member)                                                         \
	{                                                                                          \
		name, column, base, offsetof(struct scap_thread, member),                          \
			sizeof(((struct scap_thread *)0)->member)                                  \
	}
static const struct status_line {
	const char *name;
	unsigned int column;
	unsigned int base;
	size_t offset;
	size_t size;
} status_lines[] = {
	STATUS("Tgid:", 1, 10, pid),
	STATUS("Pid:", 1, 10, tid),
	STATUS("PPid:", 1, 10, ptid),
	STATUS("Uid:", 2, 10, uid),
	STATUS("Gid:", 2, 10, gid),
	STATUS("NStgid:", 0, 10, vpid),
	STATUS("NSpid:", 0, 10, vtid),
	STATUS("NSpgid:", 0, 10, vpgid),
	STATUS("VmSize:", 1, 10, vm_size_kib),
	STATUS("VmRSS:", 1, 10, vm_rss_kib),
	STATUS("VmSwap:", 1, 10, vm_swap_kib),
	STATUS("CapInh:", 1, 16, caps_inheritable),
	STATUS("CapPrm:", 1, 16, caps_permitted),
	STATUS("CapEff:", 1, 16, caps_effective),
};

static bool pick_number(struct proc_text line, const struct status_line *row, uint64_t *value)
{
	struct proc_text word;
	unsigned int column = 0;

	while (proc_text_word(&line, &word)) {
		if (!proc_text_u64(&word, row->base, value) || word.at != word.end)
			return false;
		if (++column == row->column)
			return true;
	}
	return row->column == 0 && column > 0;
}

static void read_status_line(struct proc_text line, struct scap_thread *thread)
{
	for (size_t i = 0; i < COUNT(status_lines); i++) {
		const struct status_line *row = &status_lines[i];
		struct proc_text rest = line;
		uint64_t value;

		if (!proc_text_prefix(&rest, row->name))
			continue;
		/* On machines of either byte order: the members are of 4 or 8 bytes. */
		if (pick_number(rest, row, &value)) {
			uint32_t narrow = (uint32_t)value;

			memcpy((char *)thread + row->offset,
			       row->size == sizeof(narrow) ? (void *)&narrow : (void *)&value,
			       row->size);
		}
		return;
	}
}

static int read_status(struct scap_proc *proc, int task_dir, struct scap_thread *thread)
{
	struct proc_text text, line;
	int r = proc_read_file(task_dir, "status", TEXT_BYTES_MAX, &proc->text);

	if (r < 0)
		return r;
	text = proc_text_of(&proc->text);
	while (proc_text_line(&text, &line))
		read_status_line(line, thread);
	proc->owner = proc_owner_in(&proc->text);
	return thread->tid > 0 && thread->pid > 0 ? 0 : -EBADMSG;
}

/* Words of stat after the name, counted from 0: the third word of proc_pid_stat(5) is the first.
 */
enum {
	STAT_PGRP = 2,
	STAT_SESSION = 3,
	STAT_TTY = 4,
	STAT_MINOR_FAULTS = 7,
	STAT_MAJOR_FAULTS = 9,
	STAT_START = 19,
	STAT_WORDS,
	STAT_START_STACK = 25,
};

uint64_t scap_proc_start_ns(const struct scap_proc *proc, uint64_t ticks)
{
	return proc->boot_offset_ns + ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* The numbers before it may exceed a signed 64-bit number. 0 if the kernel does not report it. */
static uint64_t start_stack_of(struct proc_text rest)
{
	struct proc_text word;
	uint64_t address;

	if (!proc_text_skip(&rest, STAT_START_STACK - STAT_WORDS) ||
	    !proc_text_word(&rest, &word) || !proc_text_u64(&word, 10, &address))
		return 0;
	return address;
}

static int read_stat(struct scap_proc *proc, int task_dir, struct scap_thread *thread)
{
	int64_t numbers[STAT_WORDS] = {0};
	struct proc_text text, word;
	const char *open, *close;
	size_t len;
	int r = proc_read_file(task_dir, "stat", TEXT_BYTES_MAX, &proc->text);

	if (r < 0)
		return r;
	text = proc_text_of(&proc->text);
	/*
	 * A name may contain any character, brackets and newlines included, but no bracket follows
	 * it.
	 */
	open = memchr(text.at, '(', proc->text.len);
	close = memrchr(text.at, ')', proc->text.len);
	if (!open || !close || close < open)
		return -EBADMSG;
	len = (size_t)(close - open - 1);
	if (len >= sizeof(thread->comm))
		len = sizeof(thread->comm) - 1;
	memcpy(thread->comm, open + 1, len);
	text.at = close + 1;
	for (int i = 0; i < STAT_WORDS; i++)
		if (!proc_text_word(&text, &word) || (i > 0 && !proc_word_i64(word, &numbers[i])))
			return -EBADMSG;
	thread->pgid = numbers[STAT_PGRP];
	thread->sid = numbers[STAT_SESSION];
	thread->tty = (uint32_t)numbers[STAT_TTY];
	thread->faults_minor = (uint64_t)numbers[STAT_MINOR_FAULTS];
	thread->faults_major = (uint64_t)numbers[STAT_MAJOR_FAULTS];
	thread->exec_id = exec_id_of((uint64_t)numbers[STAT_START], start_stack_of(text));
	thread->start_ns = scap_proc_start_ns(proc, (uint64_t)numbers[STAT_START]);
	return 0;
}

/* Strings that each end in NUL; too many of them end with "...". */
static int thread_read_strings(struct scap_proc *proc, int task_dir,
			       const struct scap_thread *thread, enum proc_read_what what,
			       struct buf *strings)
{
	const struct proc_target target = {thread->pid, thread->tid, proc->owner};
	int r = proc_readers_read_or_here(proc->readers, proc->dir, task_dir, &target, what,
					  strings);

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		buf_clear(strings);
	if (strings->len && strings->data[strings->len - 1] != '\0')
		buf_append_char(strings, '\0');
	if (strings->len > PROC_STRINGS_BYTES_MAX && !strings->failed) {
		strings->len = PROC_STRINGS_BYTES_MAX;
		memcpy(strings->data + strings->len - sizeof("..."), "...", sizeof("..."));
	}
	return strings->failed ? -ENOMEM : 0;
}

/*
 * Whether a thread may write its executable, as in events of exec, except for what is expensive to
 * find out: supplementary groups, read-only file systems, ids of user namespaces.
 */
static bool is_writable(const struct statx *exe, const struct scap_thread *thread)
{
	const uint64_t caps = UINT64_C(1) << CAP_DAC_OVERRIDE | UINT64_C(1) << CAP_FOWNER;
	uint16_t mode = thread->gid == exe->stx_gid ? S_IWGRP : S_IWOTH;

	if (exe->stx_attributes & STATX_ATTR_IMMUTABLE)
		return false;
	return thread->uid == exe->stx_uid || exe->stx_mode & mode || thread->caps_effective & caps;
}

static uint64_t ns_of(struct statx_timestamp time)
{
	return (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void read_exe(struct scap_proc *proc, int task_dir, const struct scap_thread *thread)
{
	int len = proc_read_link(task_dir, "exe", proc->exepath, sizeof(proc->exepath));
	unsigned int wanted = STATX_BASIC_STATS;
	struct statx exe;

	proc->exe_ino = proc->exe_ctime_ns = proc->exe_mtime_ns = 0;
	proc->exe_flags = 0;
	if (len < 0) {
		proc->exepath[0] = '\0';
		return;
	}
	proc_cut_deleted(proc->exepath, (size_t)len);
	/* From the cache: a file server may hang. */
	if (statx(task_dir, "exe", AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, wanted, &exe) < 0)
		return;
	proc->exe_ino = exe.stx_ino;
	proc->exe_ctime_ns = ns_of(exe.stx_ctime);
	proc->exe_mtime_ns = ns_of(exe.stx_mtime);
	if (is_writable(&exe, thread))
		proc->exe_flags |= execve_flags__EXE_WRITABLE;
	if (strncmp(proc->exepath, memfd_prefix, sizeof(memfd_prefix) - 1) == 0)
		proc->exe_flags |= execve_flags__EXE_FROM_MEMFD;
}

/* "Max open files            1024                 524288               files" */
static void read_fd_limit(struct scap_proc *proc, int task_dir)
{
	struct proc_text text, line, word;

	proc->fd_limit = -1;
	if (proc_read_file(task_dir, "limits", TEXT_BYTES_MAX, &proc->text) < 0)
		return;
	text = proc_text_of(&proc->text);
	while (proc_text_line(&text, &line))
		if (proc_text_prefix(&line, "Max open files ") && proc_text_word(&line, &word) &&
		    proc_word_i64(word, &proc->fd_limit))
			return;
}

/* The data that all threads of a process share. */
static int read_program(struct scap_proc *proc, int task_dir, const struct scap_thread *thread)
{
	int r;

	proc->program_pid = 0;
	r = thread_read_strings(proc, task_dir, thread, PROC_READ_ARGUMENTS, &proc->args);
	if (r == 0)
		r = thread_read_strings(proc, task_dir, thread, PROC_READ_ENVIRONMENT, &proc->env);
	if (r < 0)
		return r;
	read_exe(proc, task_dir, thread);
	read_fd_limit(proc, task_dir);
	proc->program_pid = thread->pid;
	return 0;
}

static void thread_take_program(struct scap_proc *proc, struct scap_thread *thread)
{
	size_t exe_len = proc->args.len ? strlen(proc->args.data) + 1 : 0;

	thread->exe = exe_len ? proc->args.data : "";
	thread->args = exe_len ? proc->args.data + exe_len : "";
	thread->args_len = proc->args.len - exe_len;
	thread->env = proc->env.len ? proc->env.data : "";
	thread->env_len = proc->env.len;
	thread->exepath = proc->exepath;
	thread->exe_ino = proc->exe_ino;
	thread->exe_ctime_ns = proc->exe_ctime_ns;
	thread->exe_mtime_ns = proc->exe_mtime_ns;
	thread->exe_flags = proc->exe_flags;
	thread->fd_limit = proc->fd_limit;
}

static void read_loginuid(struct scap_proc *proc, int task_dir, struct scap_thread *thread)
{
	struct proc_text text;
	uint64_t value;

	thread->loginuid = (uint32_t)LOGINUID_UNSET;
	if (proc_read_file(task_dir, "loginuid", TEXT_BYTES_MAX, &proc->text) < 0)
		return;
	text = proc_text_of(&proc->text);
	if (proc_text_u64(&text, 10, &value) && value <= UINT32_MAX)
		thread->loginuid = (uint32_t)value;
}

static void read_directory(int task_dir, const char *name, char *path, size_t size)
{
	int len = proc_read_link(task_dir, name, path, size);

	if (len < 0)
		path[0] = '\0';
	else
		proc_cut_deleted(path, (size_t)len);
}

int proc_thread_fill(struct scap_proc *proc, int task_dir, bool same_program,
		     struct scap_thread *thread)
{
	int r;

	*thread = (struct scap_thread){0};
	r = read_stat(proc, task_dir, thread);
	if (r == 0)
		r = read_status(proc, task_dir, thread);
	if (r < 0)
		return r == -ENOENT ? -ESRCH : r;
	/* For others of its namespace their ancestors would have to be read. */
	if (thread->vpid == 1 && thread->tid == thread->pid)
		thread->pidns_start_ns = thread->start_ns;
	if (thread->tid != thread->pid)
		thread->exec_id = 0; /* that thread started later than its process */
	/* Kernels that do not report ids of inner namespaces have none. */
	thread->vtid = thread->vtid ? thread->vtid : thread->tid;
	thread->vpid = thread->vpid ? thread->vpid : thread->pid;
	thread->vpgid = thread->vpgid ? thread->vpgid : thread->pgid;
	if (!same_program || proc->program_pid != thread->pid || thread->tid == thread->pid)
		r = read_program(proc, task_dir, thread);
	if (r == 0)
		r = proc_cgroups_read(proc, task_dir);
	if (r < 0)
		return r;
	thread_take_program(proc, thread);
	thread->cgroups = proc->cgroups.len ? proc->cgroups.data : "";
	thread->cgroups_len = proc->cgroups.len;
	read_loginuid(proc, task_dir, thread);
	read_directory(task_dir, "cwd", proc->cwd, sizeof(proc->cwd));
	read_directory(task_dir, "root", proc->root, sizeof(proc->root));
	thread->cwd = proc->cwd;
	thread->root = proc->root[0] ? proc->root : "/";
	return 0;
}
