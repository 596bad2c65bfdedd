/* SPDX-License-Identifier: MIT */
/* Joining and normalising of paths. */
#include "sinsp/state/path.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whenever a component may follow, the path so far ends in '/' or is empty. */
struct joined {
	char *text;
	size_t len;
	size_t root; /* 1 if it starts with '/', which ".." never removes */
};

static bool is(const char *component, size_t len, const char *name)
{
	return len == strlen(name) && memcmp(component, name, len) == 0;
}

static void drop_component(struct joined *out)
{
	if (out->len > out->root)
		out->len--;
	while (out->len > out->root && out->text[out->len - 1] != '/')
		out->len--;
}

static void append_component(struct joined *out, const char *component, size_t len)
{
	if (len == 0 || is(component, len, "."))
		return;
	if (is(component, len, "..")) {
		drop_component(out);
		return;
	}
	memcpy(out->text + out->len, component, len);
	out->len += len;
	out->text[out->len++] = '/';
}

typedef uint8_t vector __attribute__((vector_size(16)));

/*
 * Whether no component has to be removed: none is empty, or begins with a dot, as "." and ".." do.
 * The vectors reach beyond the path: zeros are written there.
 */
static bool path_is_plain(char *path, size_t len)
{
	uint64_t found[2] = {0};
	vector bytes, next, odd = {0};

	memset(path + len, 0, sizeof(vector) + 1);
	for (size_t at = 0; at < len; at += sizeof(vector)) {
		memcpy(&bytes, path + at, sizeof(bytes));
		memcpy(&next, path + at + 1, sizeof(next));
		odd |= (bytes == '/') & ((next == '/') | (next == '.'));
	}
	memcpy(found, &odd, sizeof(found));
	return !(found[0] | found[1]);
}

/* Copies a whole absolute path if it is plain. Returns its length, or 0. */
static size_t path_copy_plain(const char *path, size_t len, char text[STATE_PATH_MAX])
{
	if (len < 2 || path[0] != '/' || len + sizeof(vector) + 1 > STATE_PATH_MAX)
		return 0;
	memcpy(text, path, len);
	if (!path_is_plain(text, len))
		return 0;
	if (text[len - 1] == '/')
		text[--len] = '\0';
	return len;
}

size_t state_path_join(const char *base, size_t base_len, const char *path, size_t path_len,
		       char text[STATE_PATH_MAX])
{
	static const char too_long[] = "/DIR_TOO_LONG/FILENAME_TOO_LONG";
	struct joined out = {.text = text};
	size_t plain = path_copy_plain(path, path_len, text);
	bool separate;

	if (plain)
		return plain;
	if (path_len == 0 || path[0] == '/') {
		base = "/";
		base_len = path_len ? 1 : 0;
	}
	out.root = base_len && base[0] == '/';
	separate = out.root && base[base_len - 1] != '/';
	if (base_len + separate + path_len + 1 > STATE_PATH_MAX) {
		memcpy(text, too_long, sizeof(too_long));
		return sizeof(too_long) - 1;
	}
	memcpy(text, base, base_len);
	out.len = base_len;
	if (separate)
		text[out.len++] = '/';

	for (const char *end = path + path_len; path < end;) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t len = (size_t)((slash ? slash : end) - path);

		append_component(&out, path, len);
		path += len + 1;
	}
	if (out.len > out.root && text[out.len - 1] == '/')
		out.len--;
	text[out.len] = '\0';
	return out.len;
}

size_t state_path_collapse(const char *path, char text[STATE_PATH_MAX])
{
	const char *twice = strstr(path, "//");
	size_t len = twice ? (size_t)(twice - path) : strlen(path);

	if (len >= STATE_PATH_MAX)
		len = STATE_PATH_MAX - 1;
	memcpy(text, path, len);
	for (path += len; *path && len + 1 < STATE_PATH_MAX; path++)
		if (*path != '/' || !len || text[len - 1] != '/')
			text[len++] = *path;
	text[len] = '\0';
	return len;
}

const char *state_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
