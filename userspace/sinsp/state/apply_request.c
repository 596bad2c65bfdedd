/* SPDX-License-Identifier: MIT */
/* Requests: what answers of DNS say of addresses. */
#include <arpa/inet.h>
#include <string.h>

#include "sinsp/state/apply.h"
#include "sinsp/state/core.h"

#define NS_PER_S UINT64_C(1000000000)

/* The next word of a text, which it takes; its length in *len, 0: there is none. */
static const char *next_word(const char **text, size_t *len)
{
	const char *word = *text + strspn(*text, " ");

	*len = strcspn(word, " ");
	*text = word + *len;
	return word;
}

static void put_answer(struct state *state, const struct resolved_scope *scope, const char *word,
		       size_t len, const char *name, uint64_t until_ns)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t bytes[sizeof(struct in6_addr)];
	struct resolved_address address = {bytes, sizeof(struct in_addr)};

	if (len >= sizeof(text))
		return;
	memcpy(text, word, len);
	text[len] = '\0';
	if (inet_pton(AF_INET, text, bytes) != 1) {
		if (inet_pton(AF_INET6, text, bytes) != 1)
			return;
		address.len = sizeof(struct in6_addr);
	}
	resolved_put(&state->resolved, scope, &address, name, until_ns);
}

/* Who asked for a name knows its addresses by it. */
void apply_request(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	const char *answer = event_param_string(ev, request__answer), *word;
	const char *name = event_param_string(ev, request__target);
	const struct state_container *container;
	struct resolved_scope scope = {0};
	uint64_t ttl_s = event_param_u64(ev, request__ttl);
	size_t len;

	if (!event->thread || !answer || !name ||
	    event_param_u64(ev, request__protocol) != request_protocols__dns ||
	    event_param_u64(ev, request__role) != request_roles__client)
		return;
	container = event->thread->cgroups->container;
	if (container)
		scope = (struct resolved_scope){container->id, container->id_len};
	if (ttl_s < RESOLVED_LEAST_S)
		ttl_s = RESOLVED_LEAST_S;
	while ((word = next_word(&answer, &len)) && len)
		put_answer(state, &scope, word, len, name, ev->ts_ns + ttl_s * NS_PER_S);
}
