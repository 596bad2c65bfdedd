/* SPDX-License-Identifier: MIT */
/* The format is that of the kernel's Documentation/bpf/btf.rst. */
#include "scap/live/kernel_types.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger files are no kernel's. */
enum { FILE_BYTES_MAX = 256 << 20, KINDS = 32 };

/* The bytes that follow a type: some, and some for each of its members. */
static const struct {
	uint8_t known, own, of_member;
} kinds[KINDS] = {
	[BTF_KIND_INT] = {1, sizeof(uint32_t), 0},
	[BTF_KIND_PTR] = {1, 0, 0},
	[BTF_KIND_ARRAY] = {1, sizeof(struct btf_array), 0},
	[BTF_KIND_STRUCT] = {1, 0, sizeof(struct btf_member)},
	[BTF_KIND_UNION] = {1, 0, sizeof(struct btf_member)},
	[BTF_KIND_ENUM] = {1, 0, sizeof(struct btf_enum)},
	[BTF_KIND_FWD] = {1, 0, 0},
	[BTF_KIND_TYPEDEF] = {1, 0, 0},
	[BTF_KIND_VOLATILE] = {1, 0, 0},
	[BTF_KIND_CONST] = {1, 0, 0},
	[BTF_KIND_RESTRICT] = {1, 0, 0},
	[BTF_KIND_FUNC] = {1, 0, 0},
	[BTF_KIND_FUNC_PROTO] = {1, 0, sizeof(struct btf_param)},
	[BTF_KIND_VAR] = {1, sizeof(struct btf_var), 0},
	[BTF_KIND_DATASEC] = {1, 0, sizeof(struct btf_var_secinfo)},
	[BTF_KIND_FLOAT] = {1, 0, 0},
	[BTF_KIND_DECL_TAG] = {1, sizeof(struct btf_decl_tag), 0},
	[BTF_KIND_TYPE_TAG] = {1, 0, 0},
	[BTF_KIND_ENUM64] = {1, 0, sizeof(struct btf_enum64)},
};

struct description {
	const uint8_t *types, *types_end;
	const char *names;
	uint32_t names_bytes;
};

/* The contents of a file. */
struct contents {
	uint8_t *bytes; /* owned */
	size_t len;
	bool is_mapped;
};

static int kernel_types_read_all(int fd, size_t size, struct contents *contents)
{
	ssize_t got = 1;

	contents->bytes = malloc(size);
	if (!contents->bytes)
		return -ENOMEM;
	while (got && contents->len < size) {
		got = read(fd, contents->bytes + contents->len, size - contents->len);
		if (got < 0 && errno != EINTR)
			return -errno;
		contents->len += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/* The kernel's own pages, where its file can be mapped (since 6.16). */
static bool map(int fd, size_t size, struct contents *contents)
{
	void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		return false;
	*contents = (struct contents){.bytes = bytes, .len = size, .is_mapped = true};
	return true;
}

/* Release it in any case. */
static int kernel_types_read_file(const char *path, struct contents *contents)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r = 0;
	struct stat st;

	*contents = (struct contents){0};
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (st.st_size <= 0 || st.st_size > FILE_BYTES_MAX)
		r = -EBADMSG;
	else if (!map(fd, (size_t)st.st_size, contents))
		r = kernel_types_read_all(fd, (size_t)st.st_size, contents);
	close(fd);
	return r;
}

static void kernel_types_release(struct contents *contents)
{
	if (contents->is_mapped)
		munmap(contents->bytes, contents->len);
	else
		free(contents->bytes);
}

/* Finds the parts of the file. Returns whether they lie in it. */
static int kernel_types_parse(const uint8_t *bytes, size_t len, struct description *description)
{
	struct btf_header header;
	const uint8_t *begin;
	size_t rest;

	if (len < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != BTF_MAGIC || header.hdr_len < sizeof(header) || header.hdr_len > len)
		return -EBADMSG;
	begin = bytes + header.hdr_len;
	rest = len - header.hdr_len;
	if (header.type_off > rest || header.type_len > rest - header.type_off ||
	    header.str_off > rest || header.str_len > rest - header.str_off || !header.str_len ||
	    header.type_off % sizeof(uint32_t) || header.hdr_len % sizeof(uint32_t) ||
	    begin[header.str_off + header.str_len - 1] != '\0')
		return -EBADMSG;
	*description = (struct description){
		.types = begin + header.type_off,
		.types_end = begin + header.type_off + header.type_len,
		.names = (const char *)begin + header.str_off,
		.names_bytes = header.str_len,
	};
	return 0;
}

static int kernel_types_compare(const void *left, const void *right)
{
	const struct live_kernel_type *a = left, *b = right;

	return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : strcmp(a->name, b->name);
}

/* The one of that kind and name, or NULL; the list is sorted. */
static struct live_kernel_type *kernel_types_find(struct live_kernel_type *types, size_t count,
						  uint32_t kind, const char *name)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = types[middle].kind != kind ? (kind < types[middle].kind ? -1 : 1)
						       : strcmp(name, types[middle].name);

		if (order == 0)
			return &types[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static int walk(const struct description *description, struct live_kernel_type *types, size_t count)
{
	const uint8_t *at = description->types;
	uint32_t wanted = 0;

	for (size_t i = 0; i < count; i++)
		wanted |= 1U << types[i].kind;
	for (uint32_t id = 1; at < description->types_end; id++) {
		size_t left = (size_t)(description->types_end - at),
		       bytes = sizeof(struct btf_type);
		struct live_kernel_type *found;
		struct btf_type type;
		uint32_t kind;

		if (left < bytes)
			return -EBADMSG;
		memcpy(&type, at, sizeof(type));
		kind = BTF_INFO_KIND(type.info);
		bytes += kinds[kind].own + (size_t)BTF_INFO_VLEN(type.info) * kinds[kind].of_member;
		if (!kinds[kind].known || left < bytes || type.name_off >= description->names_bytes)
			return -EBADMSG;
		at += bytes;
		if (!(wanted & 1U << kind))
			continue;
		found = kernel_types_find(types, count, kind, description->names + type.name_off);
		/* Functions may have the same name: libbpf takes the first one, too. */
		if (found && !found->id)
			found->id = id;
	}
	return 0;
}

int live_kernel_types_find(const char *path, struct live_kernel_type *types, size_t count)
{
	struct description description;
	struct contents contents;
	int r = kernel_types_read_file(path, &contents);

	for (size_t i = 0; i < count; i++)
		types[i].id = 0;
	qsort(types, count, sizeof(*types), kernel_types_compare);
	if (r == 0)
		r = kernel_types_parse(contents.bytes, contents.len, &description);
	if (r == 0)
		r = walk(&description, types, count);
	kernel_types_release(&contents);
	return r;
}
