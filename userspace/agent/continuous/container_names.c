/* SPDX-License-Identifier: MIT */
/* Keeps what was found; what was not found is looked for again each time. */
#include "agent/continuous/container_names.h"

#include <stdlib.h>
#include <string.h>

#include "meta/runtimes/files.h"
#include "util/count.h"

/* All are forgotten where there are more. */
enum { NAMES_KEPT = 1024 };

struct container_names {
	struct meta_source *files;
	struct container_name {
		char *id; /* owned */
		struct state_container_info *info; /* owned */
	} list[NAMES_KEPT];
	size_t count;
};

struct container_names *container_names_create(const char *host_root)
{
	struct container_names *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->files = meta_files_create(host_root);
	if (made->files)
		return made;
	free(made);
	return NULL;
}

static void names_forget(struct container_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		free(names->list[i].id);
		state_container_info_destroy(names->list[i].info);
	}
	names->count = 0;
}

void container_names_destroy(struct container_names *names)
{
	if (!names)
		return;
	names_forget(names);
	meta_source_destroy(names->files);
	free(names);
}

/* The type is not known here: one of each family of files is tried. NULL: nobody says its name. */
static struct state_container_info *names_ask(struct container_names *names, const char *id)
{
	static const enum state_container_type types[] = {STATE_CONTAINER_CRI,
							  STATE_CONTAINER_PODMAN};
	struct state_container_info *info = state_container_info_create();
	struct error err = {""};

	for (size_t i = 0; info && i < COUNT(types) && !info->name; i++) {
		const struct meta_request request = {.id = id,
						     .type = types[i],
						     .owner = STATE_OWNER_ROOT,
						     .rank = META_OF_ROOT};

		(void)names->files->ops->describe(names->files, &request, info, &err);
	}
	if (info && info->name)
		return info;
	state_container_info_destroy(info);
	return NULL;
}

static const struct state_container_info *names_get(struct container_names *names, const char *id)
{
	struct container_name made;

	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->list[i].id, id) == 0)
			return names->list[i].info;
	made = (struct container_name){strdup(id), names_ask(names, id)};
	if (!made.id || !made.info) {
		free(made.id);
		state_container_info_destroy(made.info);
		return NULL;
	}
	if (names->count == NAMES_KEPT)
		names_forget(names);
	names->list[names->count++] = made;
	return made.info;
}

struct stack_container container_names_find(struct container_names *names, const char *id)
{
	/* Whoever made the group of a container with a user could have written its files. */
	const struct state_container_info *info = strchr(id, '@') ? NULL : names_get(names, id);

	return info ? (struct stack_container){id, info->name, info->image.name, info->pod.name,
					       info->pod.ns}
		    : (struct stack_container){.id = id};
}

int container_names_set(struct container_names *names, struct stacks *stacks)
{
	struct stack_container last = {0};
	int r = 0;

	/* Processes of a container often follow each other. */
	for (uint32_t i = 0; i < stacks->processes_count && r == 0; i++) {
		const char *id = stacks->processes[i].container_id;

		if (!id)
			continue;
		if (!last.id || strcmp(last.id, id) != 0)
			last = container_names_find(names, id);
		if (last.name)
			r = stacks_name_container(stacks, i, &last);
	}
	return r;
}
