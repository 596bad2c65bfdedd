/* SPDX-License-Identifier: MIT */
/* The table of files that were made: hashes of names in chains, files in a list of their owner's.
 */
#include "sinsp/state/created.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { BUCKETS = CREATED_MAX * CREATED_NAMES };

/* Indexes are those of files, of names (file * CREATED_NAMES + which), + 1: 0 is none. */
struct created_file {
	uint64_t keys[CREATED_NAMES]; /* 0: none */
	uint64_t ns;
	uint64_t maker; /* a hash */
	uint32_t chain[CREATED_NAMES];
	uint32_t older, newer; /* of the owner; of a free one the next free one is `newer` */
	uint16_t owner;
	bool is_unsure; /* others made one of that name */
};

void created_finish(struct created *created)
{
	free(created->files);
	free(created->buckets);
	*created = (struct created){0};
}

static bool created_begin(struct created *created)
{
	if (created->files)
		return true;
	/* Without a secret, who knows this file can make others' files unknown, and no more. */
	if (getrandom(&created->key, sizeof(created->key), GRND_NONBLOCK) < 0)
		created->key = (struct hash_key){{(uintptr_t)created}};
	created->buckets = calloc(BUCKETS, sizeof(created->buckets[0]));
	created->files = calloc(CREATED_MAX, sizeof(created->files[0]));
	if (!created->buckets || !created->files) {
		created_finish(created);
		return false;
	}
	for (uint32_t i = 0; i < CREATED_MAX; i++)
		created->files[i].newer = i + 1 < CREATED_MAX ? i + 2 : 0;
	created->free = 1;
	return true;
}

static uint64_t created_hash(const struct created *created, const char *text, size_t len)
{
	return text ? hash_sip(&created->key, text, len) : 0;
}

/* Never 0. */
static uint64_t created_key(const struct created *created, const struct created_scope *scope,
			    const struct created_name *name)
{
	const uint64_t parts[] = {
		created_hash(created, scope->container, scope->container_len),
		created_hash(created, scope->root, scope->root ? strlen(scope->root) : 0),
		created_hash(created, name->text, name->len),
	};
	uint64_t key = hash_sip(&created->key, parts, sizeof(parts));

	return key + !key;
}

static uint64_t maker_of(const struct created *created, const struct created_scope *scope)
{
	const uint64_t parts[] = {scope->uid,
				  created_hash(created, scope->group, scope->group_len)};

	return hash_sip(&created->key, parts, sizeof(parts));
}

/* A container has one share, however many users it has. */
static uint16_t owner_of(const struct created *created, const struct created_scope *scope)
{
	const uint64_t parts[] = {created_hash(created, scope->container, scope->container_len),
				  scope->container ? 0 : scope->uid};

	return hash_sip(&created->key, parts, sizeof(parts)) % CREATED_OWNERS;
}

static uint32_t *link_of(struct created *created, uint32_t name)
{
	return &created->files[(name - 1) / CREATED_NAMES].chain[(name - 1) % CREATED_NAMES];
}

/* The link to a name of that key; its value is 0 if there is none. */
static uint32_t *created_place(struct created *created, uint64_t key)
{
	uint32_t *place = &created->buckets[key % BUCKETS];

	while (*place) {
		const struct created_file *file = &created->files[(*place - 1) / CREATED_NAMES];

		if (file->keys[(*place - 1) % CREATED_NAMES] == key)
			break;
		place = link_of(created, *place);
	}
	return place;
}

static struct created_file *created_find(struct created *created, uint64_t key)
{
	uint32_t name = *created_place(created, key);

	return name ? &created->files[(name - 1) / CREATED_NAMES] : NULL;
}

static uint32_t index_of(const struct created *created, const struct created_file *file)
{
	return (uint32_t)(file - created->files) + 1;
}

static void created_remove(struct created *created, struct created_file *file)
{
	uint16_t owner = file->owner;

	for (unsigned int i = 0; i < CREATED_NAMES; i++) {
		uint32_t *place = file->keys[i] ? created_place(created, file->keys[i]) : NULL;

		if (place)
			*place = file->chain[i];
	}
	*(file->older ? &created->files[file->older - 1].newer : &created->oldest[owner]) =
		file->newer;
	*(file->newer ? &created->files[file->newer - 1].older : &created->newest[owner]) =
		file->older;
	created->counts[owner]--;
	created->count--;
	*file = (struct created_file){.newer = created->free};
	created->free = index_of(created, file);
}

/* Who has most loses what is oldest of it. */
static void created_make_room(struct created *created)
{
	unsigned int most = 0;

	for (unsigned int i = 1; i < CREATED_OWNERS; i++)
		if (created->counts[i] > created->counts[most])
			most = i;
	created_remove(created, &created->files[created->oldest[most] - 1]);
	created->dropped++;
}

/* A file without names. */
static struct created_file *created_add(struct created *created, uint16_t owner)
{
	struct created_file *file;
	uint32_t index;

	if (!created->free)
		created_make_room(created);
	index = created->free;
	file = &created->files[index - 1];
	created->free = file->newer;
	*file = (struct created_file){.owner = owner, .older = created->newest[owner]};
	*(file->older ? &created->files[file->older - 1].newer : &created->oldest[owner]) = index;
	created->newest[owner] = index;
	created->counts[owner]++;
	created->count++;
	return file;
}

static void put_name(struct created *created, struct created_file *file, unsigned int which,
		     uint64_t key)
{
	uint32_t *bucket = &created->buckets[key % BUCKETS];

	file->keys[which] = key;
	file->chain[which] = *bucket;
	*bucket = (index_of(created, file) - 1) * CREATED_NAMES + which + 1;
}

/* Removes what has a name. Returns whether somebody else made it. */
static bool replace(struct created *created, uint64_t key, uint64_t maker)
{
	struct created_file *file = created_find(created, key);
	bool is_other = file && (file->maker != maker || file->is_unsure);

	if (file)
		created_remove(created, file);
	return is_other;
}

void created_put(struct created *created, const struct created_scope *scope,
		 const struct created_name names[CREATED_NAMES], uint64_t ns)
{
	uint64_t keys[CREATED_NAMES] = {0}, maker;
	struct created_file *file;
	bool is_unsure = false;

	if (!created_begin(created)) {
		created->dropped++;
		return;
	}
	maker = maker_of(created, scope);
	for (unsigned int i = 0; i < CREATED_NAMES; i++) {
		if (!names[i].len)
			continue;
		keys[i] = created_key(created, scope, &names[i]);
		is_unsure |= replace(created, keys[i], maker);
	}
	file = created_add(created, owner_of(created, scope));
	file->ns = ns;
	file->maker = maker;
	file->is_unsure = is_unsure;
	for (unsigned int i = 0; i < CREATED_NAMES; i++)
		if (keys[i] && (i == 0 || keys[i] != keys[0]))
			put_name(created, file, i, keys[i]);
}

/*
 * Takes a file out that the same user made, in the same control groups. ns 0: there is none; of one
 * that others made, who may have another file of that name, the age is not sure any more.
 */
static struct created_file take_own(struct created *created, const struct created_scope *scope,
				    uint64_t key)
{
	struct created_file *file = created_find(created, key), taken = {0};

	if (file && file->maker != maker_of(created, scope)) {
		file->is_unsure = true;
		file = NULL;
	}
	if (!file)
		return taken;
	taken = *file;
	created_remove(created, file);
	return taken;
}

uint64_t created_take(struct created *created, const struct created_scope *scope,
		      const struct created_name *name)
{
	struct created_file taken;

	if (!created->files || !name->len)
		return 0;
	taken = take_own(created, scope, created_key(created, scope, name));
	return taken.is_unsure ? 0 : taken.ns;
}

static void put_moved(struct created *created, const struct created_file *moved, uint64_t key)
{
	struct created_file *file;
	bool is_other;

	if (!moved->ns)
		return;
	is_other = replace(created, key, moved->maker);
	file = created_add(created, moved->owner);
	file->ns = moved->ns;
	file->maker = moved->maker;
	file->is_unsure = moved->is_unsure || is_other;
	put_name(created, file, 0, key);
}

void created_move(struct created *created, const struct created_scope *scope,
		  const struct created_name *from, const struct created_name *to, bool exchanged)
{
	struct created_file first, second;
	uint64_t from_key, to_key;

	if (!created->files)
		return;
	from_key = from->len ? created_key(created, scope, from) : 0;
	to_key = to->len ? created_key(created, scope, to) : 0;
	/* Nothing happens. */
	if (from_key == to_key)
		return;
	first = from_key ? take_own(created, scope, from_key) : (struct created_file){0};
	second = to_key ? take_own(created, scope, to_key) : (struct created_file){0};
	if (to_key)
		put_moved(created, &first, to_key);
	if (exchanged && from_key)
		put_moved(created, &second, from_key);
}
