/* SPDX-License-Identifier: MIT */
/* The table of names by answers: sets of a few places each, none of which is searched further. */
#include "sinsp/state/resolved.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { PLACES = 4, SETS = RESOLVED_MAX / PLACES, IPV6_BYTES = 16 };

struct resolved_entry {
	uint64_t key; /* of who asked and the address */
	uint64_t until_ns; /* 0: the place is free */
	uint64_t put; /* the number of the answer: the lowest is the oldest */
	char *name; /* owned: of the pool, with a NUL */
};

static void free_name(struct resolved *resolved, struct resolved_entry *entry)
{
	if (!entry->name)
		return;
	pool_free(resolved->pool, entry->name, strlen(entry->name) + 1);
	entry->name = NULL;
	entry->until_ns = 0;
	resolved->names--;
}

void resolved_finish(struct resolved *resolved)
{
	for (size_t i = 0; resolved->entries && i < RESOLVED_MAX; i++)
		free_name(resolved, &resolved->entries[i]);
	free(resolved->entries);
	resolved->entries = NULL;
}

/* Letters, digits, `-` and `_` in labels; and not an address. */
static bool is_host(const char *name, size_t len)
{
	bool has_letter = false;
	size_t label = 0;

	if (len == 0 || len > RESOLVED_NAME_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = name[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (c == '.' && label == 0)
			return false;
		if (!is_letter && !(c >= '0' && c <= '9') && c != '-' && c != '_' && c != '.')
			return false;
		has_letter |= is_letter;
		label = c == '.' ? 0 : label + 1;
	}
	return has_letter && label > 0;
}

static uint64_t key_of(const struct resolved *resolved, const struct resolved_scope *scope,
		       const struct resolved_address *address)
{
	struct {
		uint64_t scope, len;
		uint8_t address[IPV6_BYTES];
	} key = {.len = address->len};

	if (scope->container)
		key.scope = hash_sip(&resolved->key, scope->container, scope->len);
	memcpy(key.address, address->bytes, address->len);
	return hash_sip(&resolved->key, &key, sizeof(key));
}

static struct resolved_entry *set_of(const struct resolved *resolved, uint64_t key)
{
	return &resolved->entries[key % SETS * PLACES];
}

static struct resolved_entry *resolved_find(const struct resolved *resolved, uint64_t key)
{
	struct resolved_entry *entry = set_of(resolved, key);

	for (unsigned int i = 0; i < PLACES; i++, entry++)
		if (entry->until_ns && entry->key == key)
			return entry;
	return NULL;
}

/* A free place, or that of the oldest answer. */
static struct resolved_entry *resolved_place(const struct resolved *resolved, uint64_t key)
{
	struct resolved_entry *set = set_of(resolved, key), *oldest = set;

	for (unsigned int i = 0; i < PLACES; i++) {
		if (!set[i].until_ns)
			return &set[i];
		if (set[i].put < oldest->put)
			oldest = &set[i];
	}
	return oldest;
}

static bool begin(struct resolved *resolved)
{
	if (resolved->entries)
		return true;
	/* Without a secret, who knows this file can make names give way, and no more. */
	if (getrandom(&resolved->key, sizeof(resolved->key), GRND_NONBLOCK) < 0)
		resolved->key = (struct hash_key){{(uintptr_t)resolved}};
	resolved->entries = calloc(RESOLVED_MAX, sizeof(*resolved->entries));
	return resolved->entries;
}

static char *copy_name(struct resolved *resolved, const char *name, size_t len)
{
	char *copy = pool_alloc(resolved->pool, len + 1);

	if (copy)
		memcpy(copy, name, len + 1);
	return copy;
}

void resolved_put(struct resolved *resolved, const struct resolved_scope *scope,
		  const struct resolved_address *address, const char *name, uint64_t until_ns)
{
	size_t len = strnlen(name, RESOLVED_NAME_MAX + 1);
	struct resolved_entry *entry;
	uint64_t key;
	char *copy;

	if (!is_host(name, len)) {
		resolved->invalid++;
		return;
	}
	if (!begin(resolved) || !(copy = copy_name(resolved, name, len))) {
		resolved->dropped++;
		return;
	}
	key = key_of(resolved, scope, address);
	entry = resolved_find(resolved, key);
	if (!entry) {
		entry = resolved_place(resolved, key);
		resolved->dropped += entry->until_ns != 0;
	}
	free_name(resolved, entry);
	resolved->names++;
	*entry = (struct resolved_entry){
		.key = key, .until_ns = until_ns, .put = ++resolved->puts, .name = copy};
}

const char *resolved_name(const struct resolved *resolved, const struct resolved_scope *scope,
			  const struct resolved_address *address, uint64_t now_ns)
{
	const struct resolved_entry *entry;

	if (!resolved->entries)
		return NULL;
	entry = resolved_find(resolved, key_of(resolved, scope, address));
	return entry && entry->until_ns >= now_ns ? entry->name : NULL;
}
