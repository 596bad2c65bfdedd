/* SPDX-License-Identifier: MIT */
#include "scap/live/skeleton.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zstd.h>

#include "event/event.h"
#include "lanner.skel.h"

/* Gives pages of constants back: they are read again from the agent's own file. */
static void release(const void *constants, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = ((uintptr_t)constants + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)constants + bytes) & ~(page - 1);

	/* A failure costs memory, nothing else. */
	if (begin < end)
		(void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

/* Decompresses the object's file. Returns NULL with errno; the caller frees it. */
static void *read_file(size_t *bytes)
{
	size_t compressed_bytes;
	const void *compressed = lanner__compressed_bytes(&compressed_bytes);
	void *file;

	*bytes = (size_t)ZSTD_getFrameContentSize(compressed, compressed_bytes);
	file = malloc(*bytes);
	if (!file) {
		errno = ENOMEM;
		return NULL;
	}
	if (ZSTD_decompress(file, *bytes, compressed, compressed_bytes) == *bytes) {
		release(compressed, compressed_bytes);
		return file;
	}
	free(file);
	errno = EBADMSG;
	return NULL;
}

/* Returns NULL with errno. */
static struct lanner *create(void)
{
	struct lanner *made = calloc(1, sizeof(*made));

	if (!made || lanner__create_skeleton(made) == 0)
		return made;
	free(made);
	errno = ENOMEM;
	return NULL;
}

struct lanner *live_skeleton_open(const struct bpf_object_open_opts *options)
{
	struct lanner *made = create();
	struct bpf_object_skeleton *skeleton;
	void *file;
	int code;

	if (!made)
		return NULL;
	skeleton = made->skeleton;
	file = read_file(&skeleton->data_sz);
	skeleton->data = file;
	code = file ? bpf_object__open_skeleton(skeleton, options) : -errno;
	/* libbpf has copied what it needs, also for a load. */
	skeleton->data = NULL;
	free(file);
	if (code == 0)
		return made;
	lanner__destroy(made);
	errno = -code;
	return NULL;
}
