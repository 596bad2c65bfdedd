/* SPDX-License-Identifier: MIT */
/* The facts are copied one after the other; equal bytes are equal facts. */
#include "requests/metrics/memo.h"

#include <string.h>

#include "util/count.h"

static bool put(struct memo_facts *facts, const void *bytes, size_t len)
{
	if (len > MEMO_BYTES_MAX - facts->len)
		return false;
	/* What is not known is NULL. */
	if (len)
		memcpy(facts->bytes + facts->len, bytes, len);
	facts->len += (uint32_t)len;
	return true;
}

static bool put_text(struct memo_facts *facts, const char *text)
{
	return put(facts, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* A pod on another node has no container here; what is said of it may change. */
static bool put_peer(struct memo_facts *facts, const struct view *view)
{
	bool fits = put_text(facts, view->domain);

	if (view->service)
		fits = fits && put_text(facts, view->service->ns) &&
		       put_text(facts, view->service->name);
	if (view->peer_pod && !view->peer)
		fits = fits && put_text(facts, view->peer_pod->ns) &&
		       put_text(facts, view->peer_pod->name) &&
		       put_text(facts, view->peer_workload ? view->peer_workload->kind : NULL) &&
		       put_text(facts, view->peer_workload ? view->peer_workload->name : NULL);
	return fits;
}

/* Fast, and of no use to who would choose collisions: these only cost the entry. */
static uint64_t hash_of(const struct memo_facts *facts)
{
	uint64_t hash = facts->len, word;
	uint32_t at = 0;

	for (; at + sizeof(word) <= facts->len; at += sizeof(word)) {
		memcpy(&word, facts->bytes + at, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, facts->bytes + at, facts->len - at);
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* What is no text. */
struct numbers {
	/* Each number is of one of them, as it was at one time. */
	uint64_t program, container, peer;
	int32_t status;
	uint16_t port;
	uint8_t protocol, role, has_status, address_len, has_service, has_remote_pod, unused[2];
};

bool memo_gather(const struct view *view, struct memo_facts *facts)
{
	static const uint8_t texts[] = {request__method, request__target, request__host,
					request__error};
	const struct event_param *params = view->event->ev.params;
	const struct state_thread *thread = view->event->thread;
	const struct numbers numbers = {
		.program = thread ? thread->program->id : 0,
		.container = view->container ? view->container->revision : 0,
		.peer = view->peer ? view->peer->revision : 0,
		.status = view->status,
		.port = view->server.port,
		.protocol = params[request__protocol].len ? params[request__protocol].data[0] : 0,
		.role = view->is_server,
		.has_status = view->has_status,
		.address_len = view->server.len,
		.has_service = view->service != NULL,
		.has_remote_pod = view->peer_pod && !view->peer,
	};
	bool fits = true;

	if (view->protocol.class >= VIEW_OF_SOCKETS)
		return false; /* there are fewer of them, and they have other parameters */
	facts->len = 0;
	put(facts, &numbers, sizeof(numbers));
	fits = put(facts, view->server.address, view->server.len) && put_peer(facts, view);
	for (size_t i = 0; fits && i < COUNT(texts); i++)
		fits = put(facts, params[texts[i]].len ? (const void *)params[texts[i]].data : "",
			   params[texts[i]].len ? params[texts[i]].len : 1);
	if (fits)
		facts->hash = hash_of(facts);
	return fits;
}

struct series *memo_find(const struct memo *memo, const struct memo_facts *facts)
{
	const struct memo_facts *entry = &memo->entries[facts->hash % MEMO_ENTRIES];

	return entry->hash == facts->hash && entry->len == facts->len &&
			       memcmp(entry->bytes, facts->bytes, facts->len) == 0
		       ? entry->series
		       : NULL;
}

void memo_note(struct memo *memo, const struct memo_facts *facts, struct series *series)
{
	struct memo_facts *entry = &memo->entries[facts->hash % MEMO_ENTRIES];

	entry->hash = facts->hash;
	entry->len = facts->len;
	memcpy(entry->bytes, facts->bytes, facts->len);
	entry->series = series;
}

void memo_clear(struct memo *memo)
{
	for (size_t i = 0; i < MEMO_ENTRIES; i++)
		memo->entries[i].series = NULL;
}
