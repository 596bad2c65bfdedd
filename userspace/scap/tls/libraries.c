/* SPDX-License-Identifier: MIT */
/* Writes to a file are told by the kernel; where that failed its times have to do. */
#include "scap/tls/libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "abi.h"

enum {
	LINK_BYTES = 32,
	WRITES_BYTES = 4096,
};

static uint64_t ns_of(const struct statx_timestamp *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

int tls_file_look(int fd, struct tls_file *file)
{
	struct statx now;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &now))
		return -errno;
	*file = (struct tls_file){
		.dev = makedev(now.stx_dev_major, now.stx_dev_minor),
		.ino = now.stx_ino,
		.size = now.stx_size,
		.written_ns = ns_of(&now.stx_mtime),
		.changed_ns = ns_of(&now.stx_ctime),
		.uid = now.stx_uid,
	};
	return 0;
}

void tls_libraries_begin(struct tls_libraries *libraries)
{
	libraries->count = 0;
	libraries->watches = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

void tls_libraries_end(struct tls_libraries *libraries)
{
	while (libraries->count)
		tls_libraries_forget(libraries, &libraries->all[libraries->count - 1]);
	if (libraries->watches >= 0)
		close(libraries->watches);
	libraries->watches = -1;
}

struct tls_followed *tls_libraries_find(struct tls_libraries *libraries,
					const struct tls_file *file)
{
	for (size_t i = 0; i < libraries->count; i++)
		if (libraries->all[i].file.dev == file->dev &&
		    libraries->all[i].file.ino == file->ino)
			return &libraries->all[i];
	return NULL;
}

struct tls_followed *tls_libraries_find_noted(struct tls_libraries *libraries,
					      const struct tls_note *note)
{
	for (size_t i = 0; i < libraries->count; i++)
		if (libraries->all[i].note_ino == note->ino &&
		    libraries->all[i].note_dev == note->dev)
			return &libraries->all[i];
	return NULL;
}

/* How many places the owner of a file has. */
static size_t places_of(const struct tls_libraries *libraries, uint64_t owner)
{
	size_t count = 0;

	for (size_t i = 0; i < libraries->count; i++)
		count += libraries->all[i].owner == owner && !libraries->all[i].is_usual;
	return count;
}

/* What nobody has is worth less than what somebody has, and that less than what is in the usual
 * places. */
static bool goes_before(const struct tls_libraries *libraries, const struct tls_followed *one,
			const struct tls_followed *other)
{
	size_t own = places_of(libraries, one->owner);
	size_t others = places_of(libraries, other->owner);

	if (!one->unheld_ms != !other->unheld_ms)
		return one->unheld_ms;
	return own > others;
}

/* Makes room for a library of that owner. Returns 0, or -ENOSPC. */
static int evict(struct tls_libraries *libraries, uint64_t owner)
{
	struct tls_followed *worst = NULL;

	for (size_t i = 0; i < libraries->count; i++) {
		struct tls_followed *library = &libraries->all[i];

		if (!library->is_usual && (!worst || goes_before(libraries, library, worst)))
			worst = library;
	}
	if (!worst || (!worst->unheld_ms &&
		       places_of(libraries, worst->owner) <= places_of(libraries, owner) + 1))
		return -ENOSPC;
	tls_libraries_forget(libraries, worst);
	return 0;
}

int tls_libraries_watch(const struct tls_libraries *libraries, int fd)
{
	char path[LINK_BYTES];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return libraries->watches < 0 ? -1 : inotify_add_watch(libraries->watches, path, IN_MODIFY);
}

void tls_libraries_unwatch(const struct tls_libraries *libraries, int watch)
{
	if (watch >= 0)
		inotify_rm_watch(libraries->watches, watch);
}

struct tls_followed *tls_libraries_add(struct tls_libraries *libraries, int fd, int watch,
				       const struct tls_file *file, uint64_t owner,
				       const struct tls_library *functions)
{
	struct tls_followed *library;
	int copy;

	if (libraries->count == TLS_LIBRARIES_MAX && evict(libraries, owner)) {
		errno = ENOSPC;
		return NULL;
	}
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return NULL;
	library = &libraries->all[libraries->count++];
	*library = (struct tls_followed){
		.fd = copy, .watch = watch, .file = *file, .owner = owner, .functions = *functions};
	return library;
}

void tls_library_own(const struct tls_libraries *libraries, struct tls_followed *library,
		     uint64_t owner)
{
	if (places_of(libraries, owner) + 1 < places_of(libraries, library->owner))
		library->owner = owner;
}

void tls_library_unset(struct tls_followed *library, unsigned int capture)
{
	struct tls_probes *probes = &library->probes[capture];

	while (probes->count)
		close(probes->fds[--probes->count]);
	probes->are_set = false;
}

void tls_libraries_forget(struct tls_libraries *libraries, struct tls_followed *library)
{
	size_t i = (size_t)(library - libraries->all);

	for (unsigned int capture = 0; capture < TLS_CAPTURES_MAX; capture++)
		tls_library_unset(library, capture);
	tls_libraries_unwatch(libraries, library->watch);
	close(library->fd);
	libraries->count--;
	memmove(library, library + 1, (libraries->count - i) * sizeof(*library));
}

bool tls_library_is_changed(struct tls_followed *library, const struct tls_file *now)
{
	const struct tls_file *then = &library->file;
	const uint64_t read_ns = then->changed_ns;

	if (now->size != then->size || now->written_ns != then->written_ns ||
	    (library->watch < 0 && now->changed_ns != then->changed_ns))
		return true;
	library->file = *now;
	library->file.changed_ns = read_ns;
	return false;
}

static size_t forget_watch(struct tls_libraries *libraries, int watch)
{
	for (size_t i = 0; i < libraries->count; i++)
		if (libraries->all[i].watch == watch) {
			tls_libraries_forget(libraries, &libraries->all[i]);
			return 1;
		}
	return 0;
}

/* What was not told may have been written to, and its time set back: that changes its status. */
static size_t forget_doubtful(struct tls_libraries *libraries)
{
	size_t forgotten = 0;

	for (size_t i = libraries->count; i > 0; i--) {
		struct tls_followed *library = &libraries->all[i - 1];
		struct tls_file now;

		if (tls_file_look(library->fd, &now) == 0 &&
		    now.changed_ns == library->file.changed_ns &&
		    !tls_library_is_changed(library, &now))
			continue;
		tls_libraries_forget(libraries, library);
		forgotten++;
	}
	return forgotten;
}

size_t tls_libraries_take_writes(struct tls_libraries *libraries)
{
	char bytes[WRITES_BYTES];
	ssize_t n = read(libraries->watches, bytes, sizeof(bytes));
	size_t forgotten = 0;

	for (ssize_t i = 0; i + (ssize_t)sizeof(struct inotify_event) <= n;) {
		struct inotify_event event;

		memcpy(&event, bytes + i, sizeof(event));
		i += (ssize_t)(sizeof(event) + event.len);
		if (event.mask & IN_Q_OVERFLOW)
			forgotten += forget_doubtful(libraries);
		else if (event.mask & IN_MODIFY)
			forgotten += forget_watch(libraries, event.wd);
	}
	return forgotten;
}

/* Whether it is to be forgotten, as it changed or cannot be looked at. */
static bool is_stale(struct tls_followed *library)
{
	struct tls_file now;

	return tls_file_look(library->fd, &now) || tls_library_is_changed(library, &now);
}

size_t tls_libraries_forget_changed(struct tls_libraries *libraries)
{
	size_t forgotten = 0;

	for (size_t i = libraries->count; i > 0; i--)
		if (is_stale(&libraries->all[i - 1])) {
			tls_libraries_forget(libraries, &libraries->all[i - 1]);
			forgotten++;
		}
	return forgotten;
}

void tls_library_hold(struct tls_followed *library, int32_t pid)
{
	int32_t *place = &library->holders[(uint32_t)pid % TLS_HOLDERS];

	library->is_seen = true;
	library->unseen = 0;
	if (pid <= 0)
		return;
	library->unheld_ms = 0;
	library->seen_by = pid;
	for (size_t i = 0; i < TLS_HOLDERS; i++) {
		if (library->holders[i] == pid)
			return;
		if (!library->holders[i])
			place = &library->holders[i];
	}
	*place = pid;
}

static void let_go(struct tls_followed *library, int32_t pid)
{
	for (size_t k = 0; k < TLS_HOLDERS; k++)
		if (library->holders[k] == pid)
			library->holders[k] = 0;
}

void tls_libraries_let_go(struct tls_libraries *libraries, int32_t pid)
{
	for (size_t i = 0; i < libraries->count; i++)
		let_go(&libraries->all[i], pid);
}

void tls_libraries_see_anew(struct tls_libraries *libraries)
{
	for (size_t i = 0; i < libraries->count; i++)
		libraries->all[i].seen_by = 0;
}

void tls_libraries_let_go_unseen(struct tls_libraries *libraries, int32_t pid)
{
	for (size_t i = 0; i < libraries->count; i++)
		if (libraries->all[i].seen_by != pid)
			let_go(&libraries->all[i], pid);
}

/* One that has ended executes nothing, also if nobody has waited for it yet. */
static bool has_ended(const char *proc, int32_t pid)
{
	char path[PATH_MAX], link[1];

	snprintf(path, sizeof(path), "%s/%" PRId32 "/exe", proc, pid);
	return readlink(path, link, sizeof(link)) < 0 && (errno == ENOENT || errno == ESRCH);
}

void tls_libraries_drop_ended(struct tls_libraries *libraries, const char *proc, uint64_t now_ms)
{
	for (size_t i = 0; i < libraries->count; i++) {
		struct tls_followed *library = &libraries->all[i];
		bool is_held = false;

		for (size_t k = 0; k < TLS_HOLDERS; k++) {
			if (library->holders[k] && has_ended(proc, library->holders[k]))
				library->holders[k] = 0;
			is_held |= library->holders[k] != 0;
		}
		if (is_held)
			library->unheld_ms = 0;
		else if (!library->unheld_ms)
			library->unheld_ms = now_ms;
	}
}
