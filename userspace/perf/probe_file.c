/* SPDX-License-Identifier: MIT */
/* Such a descriptor gives no access to the file. */
#include "perf/probe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int look(int fd, struct statx *found)
{
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MTIME | STATX_SIZE, found)
		       ? -errno
		       : 0;
}

int perf_probe_file_hold(const char *path, struct arena *arena, struct perf_probe_file **list)
{
	struct perf_probe_file *file = arena_alloc(arena, sizeof(*file));
	struct statx found;
	int fd, r;

	if (!file)
		return -ENOMEM;
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = look(fd, &found);
	if (r) {
		close(fd);
		return r;
	}
	*file = (struct perf_probe_file){
		.next = *list,
		.fd = fd,
		.written_s = found.stx_mtime.tv_sec,
		.written_ns = found.stx_mtime.tv_nsec,
		.bytes = found.stx_size,
	};
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", fd);
	*list = file;
	return 0;
}

bool perf_probe_file_is_same(const struct perf_probe_file *file)
{
	struct statx now;

	return look(file->fd, &now) == 0 && now.stx_mtime.tv_sec == file->written_s &&
	       now.stx_mtime.tv_nsec == file->written_ns && now.stx_size == file->bytes;
}

void perf_probe_files_close(struct perf_probe_file *list, const struct perf_probe_file *end)
{
	for (; list != end; list = list->next)
		close(list->fd);
}
