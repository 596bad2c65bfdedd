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

#include "util/buf.h"
#include "util/count.h"

/* Larger files are no kernel's. */
enum { FILE_BYTES_MAX = 256 << 20, KINDS = 32 };

/* Where a type names those that it consists of. */
enum parts { NO_PARTS, THE_TYPE, ITS_ELEMENTS, ITS_MEMBERS };

/* The bytes that follow a type: some, and some for each of its members. */
static const struct {
	uint8_t known, own, of_member;
	uint8_t parts; /* enum parts */
} kinds[KINDS] = {
	[BTF_KIND_INT] = {1, sizeof(uint32_t), 0},
	[BTF_KIND_PTR] = {1, 0, 0},
	[BTF_KIND_ARRAY] = {1, sizeof(struct btf_array), 0, ITS_ELEMENTS},
	[BTF_KIND_STRUCT] = {1, 0, sizeof(struct btf_member), ITS_MEMBERS},
	[BTF_KIND_UNION] = {1, 0, sizeof(struct btf_member), ITS_MEMBERS},
	[BTF_KIND_ENUM] = {1, 0, sizeof(struct btf_enum)},
	[BTF_KIND_FWD] = {1, 0, 0},
	[BTF_KIND_TYPEDEF] = {1, 0, 0, THE_TYPE},
	[BTF_KIND_VOLATILE] = {1, 0, 0, THE_TYPE},
	[BTF_KIND_CONST] = {1, 0, 0, THE_TYPE},
	[BTF_KIND_RESTRICT] = {1, 0, 0, THE_TYPE},
	[BTF_KIND_FUNC] = {1, 0, 0},
	[BTF_KIND_FUNC_PROTO] = {1, 0, sizeof(struct btf_param)},
	[BTF_KIND_VAR] = {1, sizeof(struct btf_var), 0},
	[BTF_KIND_DATASEC] = {1, 0, sizeof(struct btf_var_secinfo)},
	[BTF_KIND_FLOAT] = {1, 0, 0},
	[BTF_KIND_DECL_TAG] = {1, sizeof(struct btf_decl_tag), 0},
	[BTF_KIND_TYPE_TAG] = {1, 0, 0, THE_TYPE},
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

/* A type, as it stands in the description. */
struct described {
	struct btf_type type;
	const uint8_t *bytes; /* of the type, and of what follows it */
	size_t len;
	uint32_t kind;
};

/* Takes the next type, and moves on. Returns 1; 0 at the end; -EBADMSG. */
static int kernel_types_next(const struct description *description, const uint8_t **at,
			     struct described *found)
{
	size_t left = (size_t)(description->types_end - *at), len = sizeof(found->type);

	if (!left)
		return 0;
	if (left < len)
		return -EBADMSG;
	memcpy(&found->type, *at, len);
	found->kind = BTF_INFO_KIND(found->type.info);
	len += kinds[found->kind].own +
	       (size_t)BTF_INFO_VLEN(found->type.info) * kinds[found->kind].of_member;
	if (!kinds[found->kind].known || left < len ||
	    found->type.name_off >= description->names_bytes)
		return -EBADMSG;
	found->bytes = *at;
	found->len = len;
	*at += len;
	return 1;
}

static int walk(const struct description *description, struct live_kernel_type *types, size_t count)
{
	const uint8_t *at = description->types;
	struct described type;
	uint32_t wanted = 0;
	int r;

	for (size_t i = 0; i < count; i++)
		wanted |= 1U << types[i].kind;
	for (uint32_t id = 1; (r = kernel_types_next(description, &at, &type)) > 0; id++) {
		struct live_kernel_type *found;

		if (!(wanted & 1U << type.kind))
			continue;
		found = kernel_types_find(types, count, type.kind,
					  description->names + type.type.name_off);
		/* Functions may have the same name: libbpf takes the first one, too. */
		if (found && !found->id)
			found->id = id;
	}
	return r;
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

/* The type of that id, by a walk up to it. */
static int kernel_types_at(const struct description *description, uint32_t id,
			   struct described *type)
{
	const uint8_t *at = description->types;
	int r;

	for (uint32_t i = 1; (r = kernel_types_next(description, &at, type)) > 0; i++)
		if (i == id)
			return 0;
	return r < 0 ? r : -ENOENT;
}

/* A typedef of a pointer to a function. */
static int arguments_of(const struct description *description, uint32_t id)
{
	static const uint32_t ways[] = {BTF_KIND_TYPEDEF, BTF_KIND_PTR, BTF_KIND_FUNC_PROTO};
	struct described type = {0};

	for (size_t i = 0; i < COUNT(ways); i++) {
		int r = kernel_types_at(description, id, &type);

		if (r < 0)
			return r;
		if (type.kind != ways[i])
			return -EBADMSG;
		id = type.type.type;
	}
	return (int)BTF_INFO_VLEN(type.type.info);
}

int live_kernel_types_arguments(const char *path, const char *name)
{
	struct live_kernel_type wanted = {.kind = BTF_KIND_TYPEDEF};
	struct description description;
	struct contents contents;
	int r = kernel_types_read_file(path, &contents);

	strncat(wanted.name, name, sizeof(wanted.name) - 1);
	if (r == 0)
		r = kernel_types_parse(contents.bytes, contents.len, &description);
	if (r == 0)
		r = walk(&description, &wanted, 1);
	if (r == 0)
		r = wanted.id ? arguments_of(&description, wanted.id) : -ENOENT;
	kernel_types_release(&contents);
	return r;
}

/* Returns whether the enumeration has it. */
static bool constant_of(const struct description *description, const struct described *type,
			const char *name, uint32_t *value)
{
	const uint8_t *at = type->bytes + sizeof(type->type);
	struct btf_enum constant;

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->type.info); i++, at += sizeof(constant)) {
		memcpy(&constant, at, sizeof(constant));
		if (constant.name_off >= description->names_bytes ||
		    strcmp(description->names + constant.name_off, name) != 0)
			continue;
		*value = (uint32_t)constant.val;
		return true;
	}
	return false;
}

static int find_constant(const struct description *description, const char *name, uint32_t *value)
{
	const uint8_t *at = description->types;
	struct described type;
	int r;

	while ((r = kernel_types_next(description, &at, &type)) > 0)
		if (type.kind == BTF_KIND_ENUM && constant_of(description, &type, name, value))
			return 0;
	return r < 0 ? r : -ENOENT;
}

int live_kernel_types_constant(const char *path, const char *name, uint32_t *value)
{
	struct description description;
	struct contents contents;
	int r = kernel_types_read_file(path, &contents);

	if (r == 0)
		r = kernel_types_parse(contents.bytes, contents.len, &description);
	if (r == 0)
		r = find_constant(&description, name, value);
	kernel_types_release(&contents);
	return r;
}

/* What is kept of a description. */
struct reduction {
	const struct description *description;
	uint32_t *offsets; /* owned; of each type, in the description */
	uint32_t *stack; /* owned; ids that are kept, and whose parts are not yet */
	bool *kept; /* owned; by id */
	uint32_t count, depth, last; /* ids; those on the stack; the last that is kept */
};

/* A type is 12 bytes at least: so there are no more, and 0 is none. */
static int reduction_begin(struct reduction *reduction, const struct description *description)
{
	size_t types = (size_t)(description->types_end - description->types);
	size_t most = types / sizeof(struct btf_type) + 1;

	*reduction = (struct reduction){
		.description = description,
		.offsets = malloc(most * sizeof(*reduction->offsets)),
		.stack = malloc(most * sizeof(*reduction->stack)),
		.kept = calloc(most, sizeof(*reduction->kept)),
		.count = 1,
	};
	return reduction->offsets && reduction->stack && reduction->kept ? 0 : -ENOMEM;
}

static void reduction_end(struct reduction *reduction)
{
	free(reduction->offsets);
	free(reduction->stack);
	free(reduction->kept);
}

static void reduction_keep(struct reduction *reduction, uint32_t id)
{
	if (!id || id >= reduction->count || reduction->kept[id])
		return;
	reduction->kept[id] = true;
	reduction->stack[reduction->depth++] = id;
	if (id > reduction->last)
		reduction->last = id;
}

/* Of enumerations there are two kinds, of which the kernel takes the one that their values need. */
static uint32_t kind_of_name(uint32_t kind)
{
	return kind == BTF_KIND_ENUM64 ? BTF_KIND_ENUM : kind;
}

/* Keeps what is asked for. */
static int reduction_find(struct reduction *reduction, struct live_kernel_type *types, size_t count)
{
	const struct description *description = reduction->description;
	const uint8_t *at = description->types;
	struct described type;
	int r;

	for (size_t i = 0; i < count; i++)
		types[i].kind = kind_of_name(types[i].kind);
	qsort(types, count, sizeof(*types), kernel_types_compare);
	while ((r = kernel_types_next(description, &at, &type)) > 0) {
		uint32_t id = reduction->count++, kind = kind_of_name(type.kind);

		reduction->offsets[id] = (uint32_t)(type.bytes - description->types);
		if (kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION && kind != BTF_KIND_ENUM)
			continue;
		if (kernel_types_find(types, count, kind, description->names + type.type.name_off))
			reduction_keep(reduction, id);
	}
	return r;
}

/* The type of that id, which was read before. */
static struct described reduction_type(const struct reduction *reduction, uint32_t id)
{
	const uint8_t *at = reduction->description->types + reduction->offsets[id];
	struct described type = {0};

	(void)kernel_types_next(reduction->description, &at, &type);
	return type;
}

static void reduction_keep_parts(struct reduction *reduction, uint32_t id)
{
	const struct described type = reduction_type(reduction, id);
	const uint8_t *parts = type.bytes + sizeof(type.type);

	if (kinds[type.kind].parts == THE_TYPE) {
		reduction_keep(reduction, type.type.type);
	} else if (kinds[type.kind].parts == ITS_ELEMENTS) {
		const struct btf_array *array = (const void *)parts;

		reduction_keep(reduction, array->type);
		reduction_keep(reduction, array->index_type);
	} else if (kinds[type.kind].parts == ITS_MEMBERS) {
		const struct btf_member *members = (const void *)parts;

		for (uint32_t i = 0; i < BTF_INFO_VLEN(type.type.info); i++)
			reduction_keep(reduction, members[i].type);
	}
}

static void reduction_append(const struct reduction *reduction, uint32_t id, struct buf *out)
{
	static const struct btf_type none = {.info = BTF_KIND_VOLATILE << 24};
	static const struct btf_type pointer = {.info = BTF_KIND_PTR << 24};
	struct described type;

	if (!reduction->kept[id]) {
		buf_append(out, &none, sizeof(none));
		return;
	}
	type = reduction_type(reduction, id);
	if (type.kind == BTF_KIND_PTR)
		buf_append(out, &pointer, sizeof(pointer));
	else
		buf_append(out, type.bytes, type.len);
}

static int reduction_write_all(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t written = write(fd, at, len);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			at += written;
			len -= (size_t)written;
		}
	}
	return 0;
}

/* All names stay, where they are: they are copied sooner than sorted out. */
static int reduction_write(const struct reduction *reduction, int fd)
{
	const struct description *description = reduction->description;
	struct btf_header header = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(header),
		.str_len = description->names_bytes,
	};
	struct buf types = {0};
	int r;

	for (uint32_t id = 1; id <= reduction->last; id++)
		reduction_append(reduction, id, &types);
	header.type_len = header.str_off = (uint32_t)types.len;
	r = types.failed ? -ENOMEM : reduction_write_all(fd, &header, sizeof(header));
	if (r == 0)
		r = reduction_write_all(fd, types.data, types.len);
	if (r == 0)
		r = reduction_write_all(fd, description->names, description->names_bytes);
	buf_finish(&types);
	return r;
}

int live_kernel_types_reduce(const char *path, struct live_kernel_type *types, size_t count, int fd)
{
	struct description description;
	struct reduction reduction = {0};
	struct contents contents;
	int r = kernel_types_read_file(path, &contents);

	if (r == 0)
		r = kernel_types_parse(contents.bytes, contents.len, &description);
	if (r == 0)
		r = reduction_begin(&reduction, &description);
	if (r == 0)
		r = reduction_find(&reduction, types, count);
	while (r == 0 && reduction.depth)
		reduction_keep_parts(&reduction, reduction.stack[--reduction.depth]);
	if (r == 0)
		r = reduction_write(&reduction, fd);
	reduction_end(&reduction);
	kernel_types_release(&contents);
	return r;
}
