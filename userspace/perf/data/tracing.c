/* SPDX-License-Identifier: MIT */
/* Lengths and texts, one after the other, in the order of perf(1). */
#include "perf/data/tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf/tracepoint.h"

enum { NAME_BYTES = 256, PATH_BYTES = 640 };

static const char magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g', '0', '.', '6', 0};

struct tracepoint_name {
	const char *group, *name; /* not terminated */
	int group_len, name_len;
};

static struct tracepoint_name divide(const char *text)
{
	size_t group = strcspn(text, ":");
	const char *name = text + group + (text[group] == ':');

	return (struct tracepoint_name){text, name, (int)group, (int)strcspn(name, ":/")};
}

static void append_u32(struct buf *out, uint32_t value)
{
	buf_append(out, &value, sizeof(value));
}

/* Its length, then what a file of tracefs says. */
static int append_file(const struct perf_machine *machine, const char *path, struct buf *out)
{
	int fd = openat(machine->tracefs, path, O_RDONLY | O_CLOEXEC);
	size_t at = out->len;
	uint64_t len = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	buf_append(out, &len, sizeof(len));
	while (len <= PERF_TRACEPOINT_FORMAT_BYTES_MAX && buf_reserve(out, NAME_BYTES)) {
		n = read(fd, out->data + out->len, NAME_BYTES);
		if (n <= 0)
			break;
		out->len += (size_t)n;
		len += (uint64_t)n;
	}
	close(fd);
	if (!out->failed)
		memcpy(out->data + at, &len, sizeof(len));
	return n < 0 ? -EIO : 0;
}

static int append_head(const struct perf_machine *machine, struct buf *out)
{
	static const char little_endian = 0, long_bytes = sizeof(long);
	int r;

	buf_append(out, magic, sizeof(magic));
	buf_append_char(out, little_endian);
	buf_append_char(out, long_bytes);
	append_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
	BUF_LITERAL(out, "header_page\0");
	r = append_file(machine, "events/header_page", out);
	if (r)
		return r;
	BUF_LITERAL(out, "header_event\0");
	r = append_file(machine, "events/header_event", out);
	append_u32(out, 0); /* formats of ftrace itself */
	return r;
}

static bool same_group(const struct tracepoint_name *a, const struct tracepoint_name *b)
{
	return a->group_len == b->group_len &&
	       memcmp(a->group, b->group, (size_t)a->group_len) == 0;
}

static bool same_name(const struct tracepoint_name *a, const struct tracepoint_name *b)
{
	return same_group(a, b) && a->name_len == b->name_len &&
	       memcmp(a->name, b->name, (size_t)a->name_len) == 0;
}

/* Whether the i-th one is of a group, or a tracepoint, that an earlier one is of as well. */
static bool is_repeated(const char *const *names, size_t i,
			bool (*same)(const struct tracepoint_name *a,
				     const struct tracepoint_name *b))
{
	struct tracepoint_name name = divide(names[i]);

	for (size_t k = 0; k < i; k++) {
		struct tracepoint_name earlier = divide(names[k]);

		if (same(&earlier, &name))
			return true;
	}
	return false;
}

static int append_group(const struct perf_machine *machine, const char *const *names, size_t count,
			const struct tracepoint_name *group, struct buf *out)
{
	size_t at;
	uint32_t members = 0;
	int r = 0;

	buf_append(out, group->group, (size_t)group->group_len);
	buf_append_char(out, '\0');
	at = out->len;
	append_u32(out, members);
	for (size_t i = 0; i < count && r == 0; i++) {
		struct tracepoint_name name = divide(names[i]);
		char path[PATH_BYTES];

		if (!same_group(&name, group) || is_repeated(names, i, same_name))
			continue;
		snprintf(path, sizeof(path), "events/%.*s/%.*s/format", name.group_len, name.group,
			 name.name_len, name.name);
		r = append_file(machine, path, out);
		members++;
	}
	if (!out->failed)
		memcpy(out->data + at, &members, sizeof(members));
	return r;
}

int perf_tracing_append(const struct perf_machine *machine, const char *const *names, size_t count,
			struct buf *out)
{
	const uint64_t no_command_names = 0;
	uint32_t groups = 0;
	int r;

	if (machine->tracefs < 0)
		return machine->tracefs;
	r = append_head(machine, out);
	for (size_t i = 0; i < count; i++)
		groups += !is_repeated(names, i, same_group);
	append_u32(out, groups);
	for (size_t i = 0; i < count && r == 0; i++) {
		struct tracepoint_name group = divide(names[i]);

		if (!is_repeated(names, i, same_group))
			r = append_group(machine, names, count, &group, out);
	}
	append_u32(out, 0); /* symbols of the kernel */
	append_u32(out, 0); /* formats of its printk */
	buf_append(out, &no_command_names, sizeof(no_command_names));
	return r ? r : out->failed ? -ENOMEM : 0;
}

/* What is left. */
struct tracing_rest {
	const char *at;
	size_t len;
};

static bool tracing_take(struct tracing_rest *rest, void *to, size_t bytes)
{
	if (rest->len < bytes)
		return false;
	if (to)
		memcpy(to, rest->at, bytes);
	rest->at += bytes;
	rest->len -= bytes;
	return true;
}

/* A string with its NUL; NULL: there is none. */
static const char *take_word(struct tracing_rest *rest)
{
	const char *text = rest->at, *end = memchr(text, '\0', rest->len);

	if (!end || !tracing_take(rest, NULL, (size_t)(end - text) + 1))
		return NULL;
	return text;
}

/* A length of 64 bits and so many bytes. */
static bool take_text(struct tracing_rest *rest, const char **text, size_t *len)
{
	uint64_t bytes;

	if (!tracing_take(rest, &bytes, sizeof(bytes)) || bytes > rest->len)
		return false;
	*text = rest->at;
	*len = bytes;
	return tracing_take(rest, NULL, bytes);
}

static bool skip_head(struct tracing_rest *rest)
{
	uint32_t page, count;
	char bytes[2];
	const char *text;
	size_t len;

	if (rest->len < sizeof(magic) || memcmp(rest->at, magic, sizeof(magic) - 4) != 0)
		return false;
	tracing_take(rest, NULL, sizeof(magic) - 4);
	if (!take_word(rest) || !tracing_take(rest, bytes, sizeof(bytes)) ||
	    !tracing_take(rest, &page, sizeof(page)))
		return false;
	for (int i = 0; i < 2; i++)
		if (!take_word(rest) || !take_text(rest, &text, &len))
			return false;
	if (!tracing_take(rest, &count, sizeof(count)))
		return false;
	while (count--)
		if (!take_text(rest, &text, &len))
			return false;
	return true;
}

/* Whether a format has a line "ID: NUMBER" with this one. */
static bool has_number(const char *format, size_t len, uint64_t number)
{
	static const char key[] = "\nID: ";
	const char *at = memmem(format, len, key, sizeof(key) - 1);
	const char *end = format + len;
	uint64_t found = 0;

	if (!at)
		return false;
	for (at += sizeof(key) - 1; at < end && *at >= '0' && *at <= '9'; at++)
		found = 10 * found + (uint64_t)(*at - '0');
	return found == number;
}

int perf_tracing_find(const void *bytes, size_t len, uint64_t number, const char **group,
		      const char **format, size_t *format_len)
{
	struct tracing_rest rest = {bytes, len};
	uint32_t groups;

	if (!skip_head(&rest) || !tracing_take(&rest, &groups, sizeof(groups)))
		return -EBADMSG;
	while (groups--) {
		const char *name = take_word(&rest);
		uint32_t count;

		if (!name || !tracing_take(&rest, &count, sizeof(count)))
			return -EBADMSG;
		while (count--) {
			if (!take_text(&rest, format, format_len))
				return -EBADMSG;
			*group = name;
			if (has_number(*format, *format_len, number))
				return 1;
		}
	}
	return 0;
}
