/* SPDX-License-Identifier: MIT */
/* The state that runc and crun keep of a container, in a folder with its id as name. */
#include "meta/files/named.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "meta/files/document.h"
#include "sinsp/state/container.h"

static const struct place {
	const char *pattern;
	const char *pid; /* member of the file */
} places[] = {
	{"/run/runc/*/state.json", "init_process_pid"},
	{"/run/crun/*/status", "pid"},
};

/* The folder of a file, as text in `id`. Returns whether it is one. */
static bool take_id(const char *path, char id[SINSP_CONTAINER_ID_BYTES])
{
	const char *end = strrchr(path, '/'), *begin = end;
	size_t len;

	while (begin && begin > path && begin[-1] != '/')
		begin--;
	len = begin ? (size_t)(end - begin) : 0;
	if (!len || len >= SINSP_CONTAINER_ID_BYTES)
		return false;
	memcpy(id, begin, len);
	id[len] = '\0';
	return true;
}

static int64_t read_pid(const char *host_root, const char *path, const char *member)
{
	struct document document;
	struct error err;
	int64_t pid = 0;

	if (document_load(host_root, path, SINSP_OWNER_ROOT, &document_of_one, &document, &err))
		return 0;
	pid = json_integer_value(json_object_get(document.value, member));
	json_decref(document.value);
	return pid;
}

void named_each(const char *host_root, void (*found)(void *data, const struct named *named),
		void *data)
{
	const char *root = host_root ? host_root : "";
	char pattern[PATH_MAX], id[SINSP_CONTAINER_ID_BYTES];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct place *place = &places[i];
		glob_t files;

		if (snprintf(pattern, sizeof(pattern), "%s%s", root, place->pattern) >= PATH_MAX ||
		    glob(pattern, GLOB_NOSORT, NULL, &files))
			continue;
		for (size_t n = 0; n < files.gl_pathc && n < NAMED_MAX; n++) {
			const char *path = files.gl_pathv[n] + strlen(root);
			struct named named = {id, read_pid(root, path, place->pid),
					      SINSP_CONTAINER_CUSTOM};

			if (named.pid > 0 && take_id(path, id))
				found(data, &named);
		}
		globfree(&files);
	}
}
