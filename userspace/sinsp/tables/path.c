/* SPDX-License-Identifier: MIT */
/* Joining and normalising of paths. */
#include "sinsp/tables/path.h"

#include <stdbool.h>
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

size_t sinsp_path_join(const char *base, size_t base_len, const char *path, size_t path_len,
		       char text[SINSP_PATH_MAX])
{
	static const char too_long[] = "/DIR_TOO_LONG/FILENAME_TOO_LONG";
	struct joined out = {.text = text};
	bool separate;

	if (path_len == 0 || path[0] == '/') {
		base = "/";
		base_len = path_len ? 1 : 0;
	}
	out.root = base_len && base[0] == '/';
	separate = out.root && base[base_len - 1] != '/';
	if (base_len + separate + path_len + 1 > SINSP_PATH_MAX) {
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

size_t sinsp_path_collapse(const char *path, char text[SINSP_PATH_MAX])
{
	size_t len = 0;

	for (; *path && len + 1 < SINSP_PATH_MAX; path++)
		if (*path != '/' || !len || text[len - 1] != '/')
			text[len++] = *path;
	text[len] = '\0';
	return len;
}

const char *sinsp_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
