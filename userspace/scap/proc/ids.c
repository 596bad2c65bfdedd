/* SPDX-License-Identifier: MIT */
/*
 * Translates ids by the fdinfo of a pidfd, and tells whether /proc is that of the initial
 * namespace.
 */
#include "scap/proc/ids.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "scap/proc/impl.h"
#include "scap/proc/text.h"

/* Of the initial pid namespace, in include/linux/proc_ns.h. */
#define PROC_PID_INIT_INO 0xEFFFFFFCU

#define PF_KTHREAD 0x00200000U /* in include/linux/sched.h */

enum {
	ID_BYTES = 32,
	PATH_BYTES = 64,
	FDINFO_BYTES_MAX = 4096,
	STAT_BYTES_MAX = 4096,
	STATUS_BYTES_MAX = 1 << 16,
	STAT_FLAGS = 6
};

int scap_proc_self(const struct scap_proc *proc, pid_t *self)
{
	char target[ID_BYTES];
	int len = proc_read_link(proc->dir, "self", target, sizeof(target));
	int64_t id;

	if (len < 0)
		return len;
	if (!proc_name_number(target, &id) || id > INT_MAX)
		return -EBADMSG;
	*self = (pid_t)id;
	return 0;
}

/* From the line "Pid:" of a descriptor: 0 if the process is not shown there, -1 if it exited. */
static int ids_find_pid(const struct buf *text, int64_t *id)
{
	struct proc_text rest = proc_text_of(text), line, word;

	while (proc_text_line(&rest, &line))
		if (proc_text_prefix(&line, "Pid:") && proc_text_word(&line, &word) &&
		    proc_word_i64(word, id) && *id <= INT_MAX)
			return *id > 0 ? 0 : -ESRCH;
	return -EBADMSG;
}

int scap_proc_translate(const struct scap_proc *proc, pid_t pid, pid_t *translated)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), r;
	struct buf text = {0};
	char path[PATH_BYTES];
	int64_t id;

	if (fd < 0)
		return -errno;
	snprintf(path, sizeof(path), "self/fdinfo/%d", fd);
	r = proc_read_file(proc->dir, path, FDINFO_BYTES_MAX, &text);
	if (r == 0)
		r = ids_find_pid(&text, &id);
	if (r == 0)
		*translated = (pid_t)id;
	buf_finish(&text);
	close(fd);
	return r;
}

/* Whether the caller is in the initial namespace, which is the only one if there is no such file.
 */
static bool is_initial(const struct scap_proc *proc)
{
	struct stat namespace;

	return fstatat(proc->dir, "self/ns/pid", &namespace, 0) < 0 ||
	       namespace.st_ino == PROC_PID_INIT_INO;
}

/* From proc_pid_stat(5): the flags are the seventh word behind the name in brackets. */
static bool is_kernel_thread(const struct buf *stat)
{
	const char *name_end = memrchr(stat->data, ')', stat->len);
	struct proc_text rest, word;
	uint64_t flags;

	if (!name_end)
		return false;
	rest = (struct proc_text){name_end + 1, stat->data + stat->len};
	return proc_text_skip(&rest, STAT_FLAGS) && proc_text_word(&rest, &word) &&
	       proc_text_u64(&word, 10, &flags) && (flags & PF_KTHREAD);
}

int scap_proc_check_initial(const struct scap_proc *proc)
{
	struct buf text = {0};
	pid_t self;
	int r = scap_proc_self(proc, &self);

	/* Only the namespaces around a process's own show it. */
	if (r < 0 || is_initial(proc))
		return r;
	/* Kernel threads are in the initial one alone, as number 2 the one that creates the others.
	 */
	r = proc_read_file(proc->dir, "2/stat", STAT_BYTES_MAX, &text);
	if (r == -ENOENT || (r == 0 && !is_kernel_thread(&text)))
		r = -EXDEV;
	buf_finish(&text);
	return r;
}

uint32_t proc_owner_in(const struct buf *status)
{
	struct proc_text rest = proc_text_of(status), line, word;
	uint64_t uid;

	while (proc_text_line(&rest, &line))
		if (proc_text_prefix(&line, "Uid:"))
			return proc_text_word(&line, &word) && proc_text_u64(&word, 10, &uid) &&
					       uid <= UINT32_MAX
				       ? (uint32_t)uid
				       : 0;
	return 0;
}

uint32_t proc_owner(int task)
{
	struct buf status = {0};
	uint32_t owner = 0;

	if (proc_read_file(task, "status", STATUS_BYTES_MAX, &status) == 0)
		owner = proc_owner_in(&status);
	buf_finish(&status);
	return owner;
}
