/* SPDX-License-Identifier: MIT */
/* Threads and descriptors without an event: each is looked up in /proc once. */
#include "sinsp/state/lookup.h"

#include <string.h>

#include "sinsp/state/load.h"
#include "sinsp/state/event_path.h"
#include "sinsp/state/program.h"

enum {
	/*
	 * The maximum number of lookups of descriptors in a period: one may take longer than the
	 * call.
	 */
	FD_LOOKUPS_MAX = 500,
	FD_LOOKUPS_SPAN_NS = 100000000,
	/* Of a process that is looked up: others are when they are used. */
	FDS_LOADED_MAX = 256,
};

static void note_unknown(struct sinsp *sinsp, int64_t tid)
{
	struct sinsp_thread_entry *entry = sinsp_threads_add(&sinsp->threads, tid, tid);

	if (!entry)
		return;
	entry->unknown = true;
	sinsp->threads.unknown++;
}

/* Adds an unknown thread from /proc, and first the main one of its process. */
static struct sinsp_thread *ask_for_thread(struct sinsp *sinsp, int64_t tid)
{
	struct scap_thread found;
	struct sinsp_thread *thread;
	int r;

	sinsp->stats.thread_lookups++;
	r = scap_proc_thread(sinsp->proc, tid, &found);
	if (r == 0 && found.pid != tid && !sinsp_threads_find(&sinsp->threads, found.pid)) {
		state_thread(sinsp, found.pid);
		/* That call reused the memory of `found`. */
		r = scap_proc_thread(sinsp->proc, tid, &found);
	}
	if (r < 0) {
		sinsp->stats.thread_lookups_failed++;
		note_unknown(sinsp, tid);
		return NULL;
	}
	thread = state_load_thread(sinsp, &found);
	if (thread && sinsp_thread_is_main(thread) && !(sinsp->lacks & SINSP_DESCRIPTORS))
		state_load_fds(sinsp, thread, FDS_LOADED_MAX);
	return thread;
}

struct sinsp_thread *state_thread(struct sinsp *sinsp, int64_t tid)
{
	struct sinsp_thread_entry *entry = sinsp_threads_find(&sinsp->threads, tid);

	if (entry)
		return entry->unknown ? NULL : &entry->thread;
	return sinsp->proc && tid > 0 ? ask_for_thread(sinsp, tid) : NULL;
}

/*
 * Whether one more descriptor may be looked up in /proc: events must not pile up while lookups run,
 * whatever calls a process makes. A rejected lookup is not remembered, so the next event may try
 * again.
 */
static bool may_ask_for_fd(struct sinsp *sinsp)
{
	if (sinsp->now_ns - sinsp->lookups_since_ns >= FD_LOOKUPS_SPAN_NS) {
		sinsp->lookups_since_ns = sinsp->now_ns;
		sinsp->lookups = 0;
	}
	if (sinsp->lookups < FD_LOOKUPS_MAX) {
		sinsp->lookups++;
		return true;
	}
	sinsp->stats.fd_lookups_rejected++;
	return false;
}

/*
 * Whether /proc has found the file that the kernel says it is. Its mount and inode are the kernel's;
 * where only stat(2) is known, some file systems show other devices there.
 */
static bool is_found(const struct scap_fd *found, const struct frame_file *file)
{
	if (!file || !file->ino)
		return true;
	return found->ino == file->ino &&
	       (found->mount ? found->mount == file->mount : found->dev == file->dev);
}

/* The number has become another file since: what is known of this one has no name. */
static struct sinsp_fd *open_unsure(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num)
{
	sinsp->stats.names_unsure++;
	return sinsp_fds_open(thread->fds, num, "", 0);
}

/* file: which one it is by the kernel; NULL: not known. */
static struct sinsp_fd *ask_for_fd(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num,
				   const struct frame_file *file)
{
	struct scap_fd found;

	if (!sinsp->proc || num < 0 || sinsp_fds_asked(thread->fds, num) || !may_ask_for_fd(sinsp))
		return NULL;
	sinsp_fds_note_asked(thread->fds, num);
	sinsp->stats.fd_lookups++;
	if (scap_proc_fd(sinsp->proc, thread->tid, num, &found) < 0) {
		sinsp->stats.fd_lookups_failed++;
		return NULL;
	}
	return is_found(&found, file) ? state_load_fd(sinsp, thread->fds, &found)
				      : open_unsure(sinsp, thread, num);
}

struct sinsp_fd *state_fd(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num)
{
	struct sinsp_fd *fd = sinsp_fds_find(thread->fds, num);

	/* Nothing asks for a descriptor that is not kept. */
	return fd || (sinsp->lacks & SINSP_DESCRIPTORS) ? fd : ask_for_fd(sinsp, thread, num, NULL);
}

struct sinsp_fd *state_replace_fd(struct sinsp *sinsp, struct state_event *event, int64_t num)
{
	sinsp_fds_close(event->thread->fds, num);
	return ask_for_fd(sinsp, event->thread, num, NULL);
}

/* Whether an entry is of another file. Of many kinds the inode or the device is not known. */
static bool is_another(const struct sinsp_fd *fd, const struct frame_file *file)
{
	uint64_t ino = sinsp_fd_ino(fd);

	return (ino && ino != file->ino) || (fd->dev && fd->dev != file->dev);
}

struct sinsp_fd *state_fd_of_file(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num,
				  const struct frame_file *file)
{
	struct sinsp_fd *fd = sinsp_fds_find(thread->fds, num);

	if ((sinsp->lacks & SINSP_DESCRIPTORS) || !file->ino)
		return fd ? fd : state_fd(sinsp, thread, num);
	if (fd && is_another(fd, file)) {
		sinsp_fds_close(thread->fds, num);
		fd = NULL;
	}
	if (!fd)
		fd = ask_for_fd(sinsp, thread, num, file);
	if (fd)
		state_note_file(fd, file);
	return fd;
}

void state_note_file(struct sinsp_fd *fd, const struct frame_file *file)
{
	sinsp_fd_set_ino(fd, file->ino);
	/* Others are on devices that nobody has heard of. */
	if (fd->type == SCAP_FD_UNKNOWN || fd->type == SCAP_FD_FILE || fd->type == SCAP_FD_DIRECTORY)
		fd->dev = file->dev;
}

bool state_look_up_cwd(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	const char *cwd;

	if (!sinsp->proc || scap_proc_cwd(sinsp->proc, thread->tid, &cwd) < 0)
		return false;
	sinsp_fs_set(&sinsp->pool, thread->fs, cwd, strlen(cwd));
	return true;
}

void state_look_up_base(struct sinsp *sinsp, struct state_event *event, int64_t dirfd)
{
	struct sinsp_thread *thread = event->thread;

	if (dirfd != AT_FDCWD_STORED) {
		if (sinsp->lacks & SINSP_DESCRIPTORS)
			state_replace_fd(sinsp, event, dirfd);
	} else if (!may_ask_for_fd(sinsp) || !state_look_up_cwd(sinsp, thread)) {
		sinsp_fs_set(&sinsp->pool, thread->fs, "", 0);
	}
}
