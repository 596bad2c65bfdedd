/* SPDX-License-Identifier: MIT */
/* Finds or makes the entry of a thread's control groups, and joins and splits containers by it. */
#include "sinsp/state/containers/containers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "sinsp/state/containers/container.h"
#include "util/buf.h"
#include "util/count.h"
#include "util/hash.h"

enum { DIGITS = STATE_CONTAINER_SHORT_LEN };

/* Whether an id begins with as many digits as its short form has. */
static bool has_digits(const char *id, size_t len)
{
	for (size_t i = 0; i < DIGITS; i++)
		if (i == len || !((id[i] >= '0' && id[i] <= '9') || (id[i] >= 'a' && id[i] <= 'f')))
			return false;
	return true;
}

/* By its first digits, so that an id and its short form are in the same bucket. */
static struct state_container **container_bucket(const struct state_containers *table,
						 const char *id, size_t len)
{
	uint32_t hash = hash_bytes(id, has_digits(id, len) ? DIGITS : len);

	return (struct state_container **)&table->containers[hash % STATE_CONTAINERS_BUCKETS];
}

static bool has_id(const struct state_container *container, const char *id, size_t len)
{
	return container->id_len == len && memcmp(container->id, id, len) == 0;
}

struct state_container *state_containers_find(const struct state_containers *table, const char *id,
					      size_t len, uint32_t owner)
{
	struct state_container *container = *container_bucket(table, id, len);

	while (container && (container->owner != owner || !has_id(container, id, len)))
		container = container->next;
	return container;
}

/* Root's, as long as nothing else is said. */
static struct state_container *add_container(struct state_containers *table, const char *id,
					     size_t len, enum state_container_type type)
{
	struct state_container **bucket = container_bucket(table, id, len);
	struct state_container *container = calloc(1, sizeof(*container) + len + 1);

	if (!container)
		return NULL;
	container->revisions = &table->revisions;
	container->type = type;
	container->is_named = !has_digits(id, len); /* until its control groups are seen */
	container->id_len = len;
	memcpy(container->id, id, len);
	container->next = *bucket;
	*bucket = container;
	table->count++;
	return container;
}

static void free_told(struct state_container *container)
{
	state_container_info_destroy((struct state_container_info *)container->runtime_info);
	container->runtime_info = NULL;
	container->runtime_info_bytes = 0;
}

/* To be called when what is known of a container has changed. */
static void update_info(struct state_containers *table, struct state_container *container)
{
	state_container_set_pod(&table->pods, container);
	if (state_container_is_described(container))
		state_container_list_add(&table->lists, container, STATE_CONTAINERS_CHANGED);
	else
		state_container_list_remove(&table->lists, container, STATE_CONTAINERS_CHANGED);
}

static void remove_container(struct state_containers *table, struct state_container *container)
{
	struct state_container **link = container_bucket(table, container->id, container->id_len);

	while (*link != container)
		link = &(*link)->next;
	*link = container->next;
	for (int which = 0; which < STATE_CONTAINERS_LISTS; which++)
		state_container_list_remove(&table->lists, container, which);
	state_container_leave_pod(&table->pods, container);
	free_told(container);
	table->declared -= container->path != NULL;
	free(container->outer_ids);
	free(container->path);
	state_container_users_destroy(container->users);
	holder_group_unref(container->holder);
	free(container);
	table->count--;
}

static void unused_remove(struct state_containers *table, struct state_container *container)
{
	state_container_list_remove(&table->lists, container, STATE_CONTAINERS_UNUSED);
	table->unused_bytes -= container->runtime_info_bytes;
}

static void containers_drop_unused(struct state_containers *table,
				   struct state_container *container)
{
	unused_remove(table, container);
	remove_container(table, container);
}

static void unused_add(struct state_containers *table, struct state_container *container)
{
	const struct state_container_list *unused = &table->lists.of[STATE_CONTAINERS_UNUSED];

	state_container_list_add(&table->lists, container, STATE_CONTAINERS_UNUSED);
	table->unused_bytes += container->runtime_info_bytes;
	while (unused->count > STATE_CONTAINERS_UNUSED_MAX ||
	       table->unused_bytes > STATE_CONTAINERS_UNUSED_BYTES_MAX) {
		containers_drop_unused(table, unused->oldest);
		table->unused_dropped++;
	}
}

void state_containers_finish(struct state_containers *table)
{
	state_containers_forget_unused(table);
	state_pods_finish(&table->pods);
}

/* Gives a new container the description that came before it by the first digits of its id. */
static void take_description(struct state_containers *table, struct state_container *container)
{
	struct state_container *short_one = NULL;

	if (container->id_len > DIGITS && has_digits(container->id, container->id_len))
		short_one = state_containers_find(table, container->id, DIGITS, STATE_OWNER_ROOT);
	if (!short_one || short_one->refs || container->owner != STATE_OWNER_ROOT)
		return;
	container->runtime_info = short_one->runtime_info;
	container->runtime_info_bytes = short_one->runtime_info_bytes;
	container->state = short_one->state;
	if (short_one->links[STATE_CONTAINERS_CHANGED].listed)
		state_container_list_add(&table->lists, container, STATE_CONTAINERS_CHANGED);
	unused_remove(table, short_one);
	short_one->runtime_info = NULL;
	remove_container(table, short_one);
}

static struct state_container *add_seen(struct state_containers *table,
					const struct state_cgroup_match *match, uint32_t owner)
{
	struct state_container *container =
		add_container(table, match->id, match->id_len, match->type);

	if (!container)
		return NULL;
	container->owner = owner;
	state_container_list_add(&table->lists, container, STATE_CONTAINERS_NEW);
	state_container_list_add(&table->lists, container, STATE_CONTAINERS_USERS);
	take_description(table, container);
	return container;
}

/* Sets the pod of a container that was found, which may be known since before. */
static void containers_find_pod(struct state_containers *table, struct state_container *container)
{
	state_container_set_pod(&table->pods, container);
	if (container->pod && container->pod->info)
		state_container_list_add(&table->lists, container, STATE_CONTAINERS_CHANGED);
}

static uint32_t containers_owner_of(const struct state_containers *table,
				    const struct state_cgroup_match *match)
{
	if (!table->owner_of)
		return STATE_OWNER_ROOT;
	return match->place ? table->owner_of(table->owner_context, match->place, match->place_len)
			    : STATE_OWNER_ANYBODY;
}

/* The container of a match, with a reference for the caller; NULL if out of memory. */
static struct state_container *get_container(struct state_containers *table,
					     const struct state_cgroup_match *match)
{
	uint32_t owner = containers_owner_of(table, match);
	struct state_container *container =
		state_containers_find(table, match->id, match->id_len, owner);
	bool has_new_uid;

	if (!container)
		container = add_seen(table, match, owner);
	else if (container->refs == 0)
		unused_remove(table, container);
	if (!container)
		return NULL;
	container->type = match->type;
	container->is_named = match->is_name;
	/* Other groups of the container may be outside of the pod's. */
	has_new_uid = !*container->pod_uid && *match->pod_uid;
	if (has_new_uid)
		memcpy(container->pod_uid, match->pod_uid, sizeof(match->pod_uid));
	if (!container->outer_ids && *match->outer_ids)
		container->outer_ids = strdup(match->outer_ids);
	state_container_changed(container);
	if (container->refs++ == 0 || has_new_uid)
		containers_find_pod(table, container);
	return container;
}

/* The declared container of a group of `len` bytes, "name=/path", or NULL. */
static struct state_container *containers_find_declared(const struct state_containers *table,
							const char *group, size_t len)
{
	const char *path = memchr(group, '/', len);
	size_t end = path ? (size_t)(group + len - path) : 0;

	while (end > 0) {
		const char *slash = memrchr(path, '/', end);
		size_t at = slash ? (size_t)(slash - path) : 0;
		struct state_container *container =
			*container_bucket(table, path + at + 1, end - at - 1);

		for (; container; container = container->next)
			if (container->path && strlen(container->path) == end &&
			    memcmp(container->path, path, end) == 0)
				return container;
		end = at;
	}
	return NULL;
}

/* The container of the groups; NULL for those of the host. Returns 0 or -ENOMEM. */
static int find_container(struct state_containers *table, const char *text, size_t len,
			  struct state_container **container)
{
	struct state_cgroup_match match;

	*container = NULL;
	if (state_cgroup_match(text, len, &match)) {
		*container = get_container(table, &match);
		return *container ? 0 : -ENOMEM;
	}
	for (size_t at = 0, n; table->declared && at < len && !*container; at += n + 1) {
		n = strnlen(text + at, len - at);
		*container = containers_find_declared(table, text + at, n);
	}
	if (*container)
		(*container)->refs++;
	return 0;
}

static void unref_container(struct state_containers *table, struct state_container *container)
{
	if (!container || --container->refs)
		return;
	if (table->keeps_unused && container->runtime_info && !container->removed)
		unused_add(table, container);
	else
		remove_container(table, container);
}

/* What holds the memory of these groups: a container may have many. */
static struct holder_group *get_holder(struct state_container *container)
{
	if (!container)
		return holder_group_create();
	if (!container->holder)
		container->holder = holder_group_create();
	if (container->holder)
		container->holder->refs++;
	return container->holder;
}

static size_t cgroups_bytes(size_t len)
{
	return sizeof(struct state_cgroups) + len + 1 + sizeof(struct holder_group);
}

static struct state_cgroups *add_cgroups(struct state_containers *table, const char *text,
					 size_t len, uint32_t hash)
{
	struct state_cgroups **bucket = &table->cgroups[hash % STATE_CONTAINERS_BUCKETS];
	struct state_cgroups *cgroups = malloc(sizeof(*cgroups) + len + 1);

	if (!cgroups)
		return NULL;
	*cgroups = (struct state_cgroups){
		.next = *bucket, .table = table, .refs = 1, .hash = hash, .len = len};
	if (len)
		memcpy(cgroups->text, text, len);
	cgroups->text[len] = '\0';
	if (find_container(table, cgroups->text, len, &cgroups->container)) {
		free(cgroups);
		return NULL;
	}
	cgroups->holder = get_holder(cgroups->container);
	table->cgroups_bytes += cgroups_bytes(len);
	/* Without a text they are not known yet. */
	if (len)
		cgroups->revision = ++table->revisions;
	*bucket = cgroups;
	return cgroups;
}

struct state_cgroups *state_cgroups_get(struct state_containers *table, const char *text,
					size_t len)
{
	uint32_t hash = hash_bytes(text, len);
	struct state_cgroups *cgroups = table->cgroups[hash % STATE_CONTAINERS_BUCKETS];

	while (cgroups && (cgroups->hash != hash || cgroups->len != len ||
			   (len && memcmp(cgroups->text, text, len) != 0)))
		cgroups = cgroups->next;
	return cgroups ? state_cgroups_ref(cgroups) : add_cgroups(table, text, len, hash);
}

static const struct subsystem {
	const char *name;
	uint32_t bit;
} subsystems_by_name[] = {
#define FLAG_SET(set)
#define FLAG(set, name, value) {#name, value},
#define FLAG_SET_END(set)
#include "events/flags/extension/cgroup.def"
#undef FLAG_SET
#undef FLAG
#undef FLAG_SET_END
};

enum { SUBSYSTEMS_COUNT = COUNT(subsystems_by_name) };

static void append_group(struct buf *text, const char *subsystem, const char *path)
{
	buf_append_string(text, subsystem);
	buf_append_char(text, '=');
	buf_append(text, path, strlen(path) + 1);
}

/* The subsystem of "name=/path", if it is one of those. */
static const struct subsystem *find_subsystem(const char *group, size_t len, uint32_t among)
{
	const char *equals = memchr(group, '=', len);
	size_t n = equals ? (size_t)(equals - group) : 0;

	for (size_t i = 0; i < SUBSYSTEMS_COUNT; i++)
		if ((subsystems_by_name[i].bit & among) &&
		    n == strlen(subsystems_by_name[i].name) &&
		    memcmp(group, subsystems_by_name[i].name, n) == 0)
			return &subsystems_by_name[i];
	return NULL;
}

struct state_cgroups *state_cgroups_moved(const struct state_cgroups *from, uint32_t subsystems,
					  const char *path)
{
	struct state_cgroups *cgroups = NULL;
	uint32_t left = subsystems;
	struct buf text = {0};

	for (size_t at = 0, n; at < from->len; at += n + 1) {
		const struct subsystem *subsystem;

		n = strnlen(from->text + at, from->len - at);
		subsystem = find_subsystem(from->text + at, n, subsystems);
		if (subsystem) {
			append_group(&text, subsystem->name, path);
			left &= ~subsystem->bit;
		} else {
			buf_append(&text, from->text + at, n);
			buf_append_char(&text, '\0');
		}
	}
	for (size_t i = 0; i < SUBSYSTEMS_COUNT; i++)
		if (subsystems_by_name[i].bit & left)
			append_group(&text, subsystems_by_name[i].name, path);
	if (!text.failed)
		cgroups = state_cgroups_get(from->table, text.data, text.len);
	buf_finish(&text);
	return cgroups;
}

/* Where the group of that path is: in the hierarchy in which the groups have it, or one below. */
static void containers_set_place(struct state_cgroup_match *match,
				 const struct state_cgroups *cgroups, const char *path,
				 const char *slash)
{
	for (size_t at = 0; at < cgroups->len; at += strlen(cgroups->text + at) + 1) {
		const char *equals = strchr(cgroups->text + at, '=');
		size_t len = strlen(path);

		if (!equals || strncmp(equals + 1, path, len) != 0 ||
		    (equals[1 + len] && equals[1 + len] != '/'))
			continue;
		match->place = cgroups->text + at;
		match->place_len = (size_t)(equals + 1 - match->place + (slash - path));
		return;
	}
}

void state_cgroups_declare(struct state_cgroups *cgroups, const char *path,
			   enum state_container_type type)
{
	struct state_cgroup_match match = {.type = type, .is_name = true};
	struct state_containers *table = cgroups->table;
	const char *slash = strrchr(path, '/');

	match.id_len = slash ? strlen(slash + 1) : 0;
	if (cgroups->container || !match.id_len || match.id_len >= sizeof(match.id))
		return;
	memcpy(match.id, slash + 1, match.id_len);
	containers_set_place(&match, cgroups, path, slash);
	cgroups->container = get_container(table, &match);
	cgroups->revision = ++table->revisions;
	if (!cgroups->container || cgroups->container->path)
		return;
	cgroups->container->path = strdup(path);
	table->declared += cgroups->container->path != NULL;
}

void state_cgroups_each(const struct state_containers *table, uint64_t since,
			void (*visit)(const struct state_cgroups *cgroups, void *context),
			void *context)
{
	for (size_t i = 0; i < STATE_CONTAINERS_BUCKETS; i++)
		for (const struct state_cgroups *c = table->cgroups[i]; c; c = c->next)
			if (state_cgroups_revision(c) > since)
				visit(c, context);
}

void state_cgroups_unref(struct state_cgroups *cgroups)
{
	struct state_cgroups **link;

	if (!cgroups || --cgroups->refs)
		return;
	link = &cgroups->table->cgroups[cgroups->hash % STATE_CONTAINERS_BUCKETS];
	while (*link != cgroups)
		link = &(*link)->next;
	cgroups->table->forgotten += cgroups->revision != 0;
	cgroups->table->cgroups_bytes -= cgroups_bytes(cgroups->len);
	*link = cgroups->next;
	unref_container(cgroups->table, cgroups->container);
	holder_group_unref(cgroups->holder);
	free(cgroups);
}

struct state_container *state_containers_take_new(struct state_containers *table)
{
	struct state_container *container = table->lists.of[STATE_CONTAINERS_NEW].newest;

	if (container)
		state_container_list_remove(&table->lists, container, STATE_CONTAINERS_NEW);
	return container;
}

void state_container_set_info(struct state_containers *table, struct state_container *container,
			      enum state_meta state, struct state_container_info *info)
{
	free_told(container);
	container->runtime_info = info;
	container->state = state;
	update_info(table, container);
}

void state_container_set_state(struct state_containers *table, struct state_container *container,
			       enum state_meta state)
{
	container->state = state;
	update_info(table, container);
}

struct state_container *state_containers_find_shown(const struct state_containers *table,
						    const char *id)
{
	size_t len = strlen(id);
	struct state_container *container = state_containers_find(table, id, len, STATE_OWNER_ROOT);

	if (container || len != DIGITS || !has_digits(id, len))
		return container;
	container = *container_bucket(table, id, len);
	while (container && (container->owner != STATE_OWNER_ROOT || container->id_len < len ||
			     memcmp(container->id, id, len) != 0))
		container = container->next;
	return container;
}

/* Whether a description in that state says less than what is known. */
static bool knows_more(enum state_meta known, enum state_meta state)
{
	if (known == STATE_META_PARTIAL)
		return state != STATE_META_PARTIAL && state != STATE_META_OK;
	return known == STATE_META_OK && state != STATE_META_OK;
}

int state_containers_describe(struct state_containers *table,
			      const struct state_description *description)
{
	const char *id = description->id;
	struct state_container *container = state_containers_find_shown(table, id);

	if (container && knows_more(container->state, description->state)) {
		state_container_info_destroy(description->info);
		return 0;
	}
	if (container && container->refs == 0)
		unused_remove(table, container);
	if (!container)
		container = add_container(table, id, strlen(id), description->info->type);
	if (!container) {
		state_container_info_destroy(description->info);
		return -ENOMEM;
	}
	state_container_set_info(table, container, description->state, description->info);
	container->runtime_info_bytes = description->bytes;
	container->removed = false;
	if (container->refs == 0)
		unused_add(table, container);
	return 0;
}

void state_containers_forget(struct state_containers *table, const char *id)
{
	struct state_container *container = state_containers_find_shown(table, id);

	if (container && container->refs)
		container->removed = true;
	else if (container)
		containers_drop_unused(table, container);
}

void state_containers_forget_unused(struct state_containers *table)
{
	const struct state_container_list *unused = &table->lists.of[STATE_CONTAINERS_UNUSED];

	while (unused->oldest)
		containers_drop_unused(table, unused->oldest);
}

static const struct state_container *containers_take_oldest(struct state_containers *table,
							    enum state_container_listing which)
{
	struct state_container *container = table->lists.of[which].oldest;

	if (container)
		state_container_list_remove(&table->lists, container, which);
	return container;
}

const struct state_container *state_containers_take_changed(struct state_containers *table)
{
	return containers_take_oldest(table, STATE_CONTAINERS_CHANGED);
}

const struct state_container *state_containers_take_users_changed(struct state_containers *table)
{
	return containers_take_oldest(table, STATE_CONTAINERS_USERS);
}

void state_containers_describe_pod(struct state_containers *table, struct state_pod_info *info)
{
	struct state_pod_entry *pod = state_pods_describe(&table->pods, info);

	if (!pod)
		return;
	for (size_t i = 0; i < pod->info->containers.count; i++) {
		const char *id = pod->info->containers.items[i].id;
		struct state_container *container =
			state_containers_find(table, id, strlen(id), STATE_OWNER_ROOT);

		if (container && container->pod != pod)
			state_container_set_pod(&table->pods, container);
	}
	/* A container that the API no longer lists in this pod may be in another. */
	for (struct state_container *c = pod->containers, *next; c; c = next) {
		next = c->pod_next;
		update_info(table, c);
	}
}

void state_containers_forget_pod(struct state_containers *table, const char *uid)
{
	state_pods_forget(&table->pods, uid);
}

void state_container_set_users(struct state_containers *table, struct state_container *container,
			       struct state_container_users *users)
{
	state_container_users_destroy(container->users);
	container->users = users ? state_container_users_share(&table->users, users) : NULL;
}

struct state_container_users *state_containers_own_users(struct state_containers *table,
							 const char *id)
{
	struct state_container *container = state_containers_find_shown(table, id);

	if (!container || !container->refs)
		return NULL;
	if (!container->users)
		container->users = state_container_users_create();
	return container->users;
}

void state_containers_each(const struct state_containers *table,
			   void (*visit)(struct state_container *container, void *context),
			   void *context)
{
	for (size_t i = 0; i < STATE_CONTAINERS_BUCKETS; i++)
		for (struct state_container *c = table->containers[i]; c; c = c->next)
			visit(c, context);
}
