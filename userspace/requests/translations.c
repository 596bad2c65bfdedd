/* SPDX-License-Identifier: MIT */
/* A ring of entries, which are found by their sockets. */
#include "requests/translations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/address.h"

enum { MASK = TRANSLATIONS_MAX - 1, IPV4_LOOPBACK = 127 };

#define NS_PER_MS UINT64_C(1000000)

int translations_begin(struct translations *translations)
{
	translations->entries = calloc(TRANSLATIONS_MAX, sizeof(*translations->entries));
	translations->buckets = calloc(TRANSLATIONS_MAX, sizeof(*translations->buckets));
	if (translations->entries && translations->buckets)
		return 0;
	translations_finish(translations);
	return -ENOMEM;
}

void translations_finish(struct translations *translations)
{
	free(translations->entries);
	free(translations->buckets);
	*translations = (struct translations){0};
}

/* Inode numbers follow each other: they fill the buckets evenly. */
static uint32_t *bucket_of(const struct translations *translations, uint64_t ino)
{
	return &translations->buckets[ino & MASK];
}

static void translation_remove(struct translations *translations, struct translation *entry)
{
	uint32_t *link = bucket_of(translations, entry->ino);
	uint32_t number = (uint32_t)(entry - translations->entries) + 1;

	while (*link != number)
		link = &translations->entries[*link - 1].chain;
	*link = entry->chain;
	entry->ino = 0;
}

void translations_forget(struct translations *translations, uint64_t ino)
{
	struct translation *entry;
	uint32_t next;

	if (!translations->entries)
		return;
	for (uint32_t at = *bucket_of(translations, ino); at; at = next) {
		entry = &translations->entries[at - 1];
		next = entry->chain;
		if (entry->ino == ino)
			translation_remove(translations, entry);
	}
}

/* A place in a chain, where the oldest entry gives way. */
static void make_room(struct translations *translations, const uint32_t *bucket)
{
	struct translation *oldest = NULL;
	unsigned int count = 0;

	for (uint32_t at = *bucket; at; at = oldest->chain, count++)
		oldest = &translations->entries[at - 1];
	if (count >= TRANSLATIONS_CHAIN_MAX)
		translation_remove(translations, oldest);
}

static struct translation *entry_of(const struct translations *translations, uint64_t ino,
				    const struct scap_endpoint *to)
{
	if (!translations->entries || !ino)
		return NULL;
	for (uint32_t at = *bucket_of(translations, ino); at;) {
		struct translation *entry = &translations->entries[at - 1];

		if (entry->ino == ino && scap_endpoint_is_same(&entry->question.to, to))
			return entry;
		at = entry->chain;
	}
	return NULL;
}

static void read_end(const uint8_t *at, size_t address_len, struct scap_endpoint *end)
{
	memcpy(end->address, at, address_len);
	memcpy(&end->port, at + address_len, sizeof(end->port));
}

/* Packets of the socket go from its own end to the other one. */
static bool read_ends(const struct translation_ends *ends, struct requests_question *question)
{
	size_t address = ends->len == ADDRESS_TUPLE_IPV6_BYTES ? 16 : 4;
	size_t server = 1 + address + sizeof(question->to.port);

	if (ends->len != ADDRESS_TUPLE_IPV4_BYTES && ends->len != ADDRESS_TUPLE_IPV6_BYTES)
		return false;
	question->address_len = (uint8_t)address;
	read_end(ends->tuple + (ends->is_server ? server : 1), address, &question->from);
	read_end(ends->tuple + (ends->is_server ? 1 : server), address, &question->to);
	return true;
}

const struct translation *translations_find(const struct translations *translations, uint64_t ino,
					    const struct translation_ends *ends)
{
	struct requests_question question = {0};

	return translations->asked && read_ends(ends, &question)
		       ? entry_of(translations, ino, &question.to)
		       : NULL;
}

/* Packets to it do not leave the namespace, or have no port. */
static bool is_left_out(const struct requests_question *question)
{
	static const uint8_t loopback[16] = {[15] = 1};
	uint8_t len = question->address_len;
	const uint8_t *address = address_unmapped(question->to.address, &len);

	if (!question->from.port || !question->to.port)
		return true;
	return len == 4 ? address[0] == IPV4_LOOPBACK
			: memcmp(address, loopback, sizeof(loopback)) == 0;
}

bool translations_is_missing(const struct translations *translations, uint64_t ino,
			     const struct translation_ends *ends)
{
	struct requests_question question = {0};

	return translations->entries && ino && read_ends(ends, &question) &&
	       !is_left_out(&question) && !entry_of(translations, ino, &question.to);
}

/* Whether an entry is still true. */
static bool is_valid(const struct translation *entry, uint64_t now_ns)
{
	return entry->question.l4 != SCAP_L4_UDP || entry->state == TRANSLATION_ASKED ||
	       now_ns < entry->asked_ns + TRANSLATIONS_DATAGRAM_MS * NS_PER_MS;
}

static void translation_add(struct translations *translations, uint64_t ino,
			    const struct requests_question *question, uint64_t now_ns)
{
	struct translation *entry = &translations->entries[translations->asked & MASK];
	uint32_t *bucket;

	if (entry->ino)
		translation_remove(translations, entry);
	bucket = bucket_of(translations, ino);
	make_room(translations, bucket);
	*entry = (struct translation){
		.question = *question, .ino = ino, .asked_ns = now_ns, .chain = *bucket};
	entry->question.id = translations->asked;
	*bucket = (translations->asked++ & MASK) + 1;
}

void translations_ask(struct translations *translations, const struct translation_socket *socket,
		      const struct translation_ends *ends, uint64_t now_ns)
{
	struct requests_question question = {
		.pid = socket->pid, .netns = socket->netns, .l4 = (uint8_t)socket->l4};
	struct translation *entry;

	if (!translations->entries || !socket->ino || !read_ends(ends, &question) ||
	    is_left_out(&question))
		return;
	entry = entry_of(translations, socket->ino, &question.to);
	if (entry && is_valid(entry, now_ns))
		return;
	if (entry)
		translation_remove(translations, entry);
	translation_add(translations, socket->ino, &question, now_ns);
}

bool translations_next(struct translations *translations, struct requests_question *question)
{
	const struct translation *entry;

	/* Those that gave way were not given out. */
	if (translations->asked - translations->given > TRANSLATIONS_MAX)
		translations->given = translations->asked - TRANSLATIONS_MAX;
	while (translations->given != translations->asked) {
		uint32_t id = translations->given++;

		entry = &translations->entries[id & MASK];
		if (!entry->ino || entry->question.id != id)
			continue;
		*question = entry->question;
		return true;
	}
	return false;
}

void translations_answer(struct translations *translations, uint32_t id,
			 const struct scap_endpoint *real, uint8_t address_len)
{
	struct translation *entry =
		translations->entries ? &translations->entries[id & MASK] : NULL;

	if (!entry || !entry->ino || entry->question.id != id)
		return;
	entry->state = real ? TRANSLATION_KNOWN : TRANSLATION_NONE;
	if (!real)
		return;
	entry->real = *real;
	entry->address_len = address_len;
}
