/* SPDX-License-Identifier: MIT */
/*
 * Decompresses the object, drops the lines of its source where they are not needed, and opens it.
 */
#include "scap/live/skeleton.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zstd.h>

#include "event/event.h"
#include "lanner.skel.h"

/* The beginning of the section .BTF.ext: see the kernel's Documentation/bpf/btf.rst. */
struct ext_header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t header_bytes;
	uint32_t functions_at, functions_bytes;
	uint32_t lines_at, lines_bytes;
};

/* Gives pages of constants back: they are read again from the agent's own file. */
static void skeleton_release(const void *constants, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = ((uintptr_t)constants + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)constants + bytes) & ~(page - 1);

	/* A failure costs memory, nothing else. */
	if (begin < end)
		(void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

/* Decompresses the object's file. Returns NULL with errno; the caller frees it. */
static void *skeleton_read_file(size_t *bytes)
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
		skeleton_release(compressed, compressed_bytes);
		return file;
	}
	free(file);
	errno = EBADMSG;
	return NULL;
}

/* The file is that of the build: its offsets are right. */
static void drop_lines(uint8_t *file)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
	const char *names = (const char *)file + sections[header->e_shstrndx].sh_offset;

	for (unsigned int i = 0; i < header->e_shnum; i++)
		if (strcmp(names + sections[i].sh_name, ".BTF.ext") == 0)
			((struct ext_header *)(file + sections[i].sh_offset))->lines_bytes = 0;
}

/* Returns NULL with errno. */
static struct lanner *skeleton_create(void)
{
	struct lanner *made = calloc(1, sizeof(*made));

	if (!made || lanner__create_skeleton(made) == 0)
		return made;
	free(made);
	errno = ENOMEM;
	return NULL;
}

static struct lanner *skeleton_open_object(const struct bpf_object_open_opts *options,
					   bool with_lines)
{
	struct lanner *made = skeleton_create();
	struct bpf_object_skeleton *skeleton;
	uint8_t *file;
	int r;

	if (!made)
		return NULL;
	skeleton = made->skeleton;
	file = skeleton_read_file(&skeleton->data_sz);
	if (file && !with_lines)
		drop_lines(file);
	skeleton->data = file;
	r = file ? bpf_object__open_skeleton(skeleton, options) : -errno;
	/* libbpf has copied what it needs, also for a load. */
	skeleton->data = NULL;
	free(file);
	if (r == 0)
		return made;
	lanner__destroy(made);
	errno = -r;
	return NULL;
}

struct lanner *live_skeleton_open(const struct bpf_object_open_opts *options)
{
	return skeleton_open_object(options, true);
}

struct lanner *live_skeleton_open_without_lines(const struct bpf_object_open_opts *options)
{
	return skeleton_open_object(options, false);
}
