/* SPDX-License-Identifier: MIT */
#include "sinsp/tables/containers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

int sinsp_containers_init(struct sinsp_containers *table)
{
	*table = (struct sinsp_containers){.nothing = sinsp_container_info_create()};
	return table->nothing ? 0 : -ENOMEM;
}

void sinsp_containers_finish(struct sinsp_containers *table)
{
	sinsp_container_info_destroy(table->nothing);
	table->nothing = NULL;
}

static struct sinsp_container **container_bucket(const struct sinsp_containers *table,
						 const char *id, size_t len)
{
	return (struct sinsp_container **)&table
		->containers[hash_bytes(id, len) % SINSP_CONTAINERS_BUCKETS];
}

struct sinsp_container *sinsp_containers_find(const struct sinsp_containers *table, const char *id,
					      size_t len)
{
	struct sinsp_container *container = *container_bucket(table, id, len);

	while (container && (container->id_len != len || memcmp(container->id, id, len) != 0))
		container = container->next;
	return container;
}

static struct sinsp_container *add_container(struct sinsp_containers *table,
					     const struct sinsp_cgroup_match *match)
{
	struct sinsp_container **bucket = container_bucket(table, match->id, match->id_len);
	struct sinsp_container *container = calloc(1, sizeof(*container) + match->id_len + 1);

	if (!container)
		return NULL;
	container->type = match->type;
	container->info = table->nothing;
	container->id_len = match->id_len;
	memcpy(container->id, match->id, match->id_len);
	container->next = *bucket;
	*bucket = container;
	container->next_new = table->fresh;
	table->fresh = container;
	table->count++;
	return container;
}

static void free_info(struct sinsp_containers *table, struct sinsp_container *container)
{
	if (container->info != table->nothing)
		sinsp_container_info_destroy((struct sinsp_container_info *)container->info);
}

static void remove_container(struct sinsp_containers *table, struct sinsp_container *container)
{
	struct sinsp_container **link = container_bucket(table, container->id, container->id_len);

	while (*link != container)
		link = &(*link)->next;
	*link = container->next;
	for (link = &table->fresh; *link; link = &(*link)->next_new) {
		if (*link != container)
			continue;
		*link = container->next_new;
		break;
	}
	free_info(table, container);
	free(container);
	table->count--;
}

/* The container of the groups; NULL for those of the host. Returns 0 or -ENOMEM. */
static int find_container(struct sinsp_containers *table, const char *text, size_t len,
			  struct sinsp_container **container)
{
	struct sinsp_cgroup_match match = sinsp_cgroup_match(text, len);

	*container = NULL;
	if (!match.type)
		return 0;
	*container = sinsp_containers_find(table, match.id, match.id_len);
	if (!*container)
		*container = add_container(table, &match);
	if (!*container)
		return -ENOMEM;
	(*container)->refs++;
	return 0;
}

static struct sinsp_cgroups *add_cgroups(struct sinsp_containers *table, const char *text,
					 size_t len, uint32_t hash)
{
	struct sinsp_cgroups **bucket = &table->cgroups[hash % SINSP_CONTAINERS_BUCKETS];
	struct sinsp_cgroups *cgroups = malloc(sizeof(*cgroups) + len + 1);

	if (!cgroups)
		return NULL;
	*cgroups = (struct sinsp_cgroups){
		.next = *bucket, .table = table, .refs = 1, .hash = hash, .len = len};
	if (len)
		memcpy(cgroups->text, text, len);
	cgroups->text[len] = '\0';
	if (find_container(table, cgroups->text, len, &cgroups->container)) {
		free(cgroups);
		return NULL;
	}
	*bucket = cgroups;
	return cgroups;
}

struct sinsp_cgroups *sinsp_cgroups_get(struct sinsp_containers *table, const char *text,
					size_t len)
{
	uint32_t hash = hash_bytes(text, len);
	struct sinsp_cgroups *cgroups = table->cgroups[hash % SINSP_CONTAINERS_BUCKETS];

	while (cgroups && (cgroups->hash != hash || cgroups->len != len ||
			   (len && memcmp(cgroups->text, text, len) != 0)))
		cgroups = cgroups->next;
	return cgroups ? sinsp_cgroups_ref(cgroups) : add_cgroups(table, text, len, hash);
}

void sinsp_cgroups_unref(struct sinsp_cgroups *cgroups)
{
	struct sinsp_cgroups **link;

	if (!cgroups || --cgroups->refs)
		return;
	link = &cgroups->table->cgroups[cgroups->hash % SINSP_CONTAINERS_BUCKETS];
	while (*link != cgroups)
		link = &(*link)->next;
	*link = cgroups->next;
	if (cgroups->container && --cgroups->container->refs == 0)
		remove_container(cgroups->table, cgroups->container);
	free(cgroups);
}

struct sinsp_container *sinsp_containers_take_new(struct sinsp_containers *table)
{
	struct sinsp_container *container = table->fresh;

	if (container) {
		table->fresh = container->next_new;
		container->next_new = NULL;
	}
	return container;
}

void sinsp_container_set_info(struct sinsp_containers *table, struct sinsp_container *container,
			      enum sinsp_meta_state state, struct sinsp_container_info *info)
{
	free_info(table, container);
	container->info = info ? info : table->nothing;
	container->state = state;
}

void sinsp_containers_each(const struct sinsp_containers *table,
			   void (*visit)(struct sinsp_container *container, void *context),
			   void *context)
{
	for (size_t i = 0; i < SINSP_CONTAINERS_BUCKETS; i++)
		for (struct sinsp_container *c = table->containers[i]; c; c = c->next)
			visit(c, context);
}
