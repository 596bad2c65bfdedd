/* SPDX-License-Identifier: MIT */
/* What is known of the other end of a request, from the tables of the state. */
#include "sinsp/state/peer.h"

#include <string.h>

#include "event/address.h"
#include "sinsp/state/core.h"

/* The end of the tuple that the role has not: the client's is the first. */
static void set_end(const struct event *ev, struct state_peer *peer)
{
	const struct event_param *tuple = &ev->params[request__tuple];
	uint64_t role = event_param_u64(ev, request__role);
	size_t address, end;
	const uint8_t *at;

	if ((tuple->len != ADDRESS_TUPLE_IPV4_BYTES && tuple->len != ADDRESS_TUPLE_IPV6_BYTES) ||
	    (role != request_roles__client && role != request_roles__server))
		return;
	address = tuple->len == ADDRESS_TUPLE_IPV4_BYTES ? 4 : 16;
	end = address + sizeof(peer->end.port);
	at = tuple->data + 1 + (role == request_roles__client ? end : 0);
	memcpy(peer->end.address, at, address);
	memcpy(&peer->end.port, at + address, sizeof(peer->end.port));
	peer->address_len = (uint8_t)address;
}

/* A SOCKADDR of IP: family, address, port. */
static void set_real_end(const struct event *ev, struct state_peer *peer)
{
	const struct event_param *real = &ev->params[request__real];
	const size_t others = 1 + sizeof(peer->real.port);

	if (real->len != others + 4 && real->len != others + 16)
		return;
	peer->real_len = (uint8_t)(real->len - others);
	memcpy(peer->real.address, real->data + 1, peer->real_len);
	memcpy(&peer->real.port, real->data + 1 + peer->real_len, sizeof(peer->real.port));
}

static void set_process(const struct state_event *event, struct state_peer *peer)
{
	int64_t pid = event_param_present(&event->ev, request__peer)
			      ? event_param_i64(&event->ev, request__peer)
			      : 0;

	peer->process = pid > 0 ? state_thread_find(event->state, pid) : NULL;
	if (!peer->process)
		return;
	peer->container = peer->process->cgroups->container;
	if (peer->container && (peer->container->info.pod.uid || peer->container->info.pod.name))
		peer->pod = &peer->container->info.pod;
}

static void set_domain(const struct state_event *event, bool is_client, struct state_peer *peer)
{
	const struct resolved_address address = {peer->end.address, peer->address_len};
	const struct state_container *container;
	struct resolved_scope scope = {0};

	if (!event->thread || !peer->address_len || !is_client)
		return;
	container = event->thread->cgroups->container;
	if (container)
		scope = (struct resolved_scope){container->id, container->id_len};
	peer->domain = resolved_name(&event->state->resolved, &scope, &address, event->ev.ts_ns);
}

/* Whether the event's process is where addresses of the cluster mean what they do. */
static bool is_in_cluster(const struct state_event *event)
{
	const struct state_container *container = event->thread->cgroups->container;

	return container && (container->info.pod.uid || container->info.pod.name);
}

/* What a client asks at a place; returns the pod there, NULL: it is not known. */
static const struct state_pod *find_server(const struct state_event *event,
					   const struct state_place *place, struct state_peer *peer)
{
	struct state_service_match match;

	if (!state_services_find(&event->state->services, place, &match))
		return NULL;
	if (!peer->service)
		peer->service = match.service;
	return match.pod;
}

/*
 * What the cluster says of the address: a Service of the one that a client has, a pod of the one
 * behind it. A server sees a client, which called from any port.
 */
static void set_service(const struct state_event *event, bool is_client, enum scap_l4 l4,
			struct state_peer *peer)
{
	struct state_place place = {.end = peer->end, .address_len = peer->address_len, .l4 = l4};
	struct state_service_match match;
	const struct state_pod *pod = NULL;

	if (!event->thread || !peer->address_len || !is_in_cluster(event))
		return;
	if (is_client)
		pod = find_server(event, &place, peer);
	if (peer->real_len) {
		place.end = peer->real;
		place.address_len = peer->real_len;
		if (is_client)
			pod = find_server(event, &place, peer);
	}
	place.end.port = 0;
	place.l4 = SCAP_L4_UNKNOWN;
	if (!pod && state_services_find(&event->state->services, &place, &match))
		pod = match.pod;
	/* A process at the other end is known better. */
	if (!peer->process)
		peer->pod = pod;
}

/* Of a pod on this node its description has it, of others what was asked for. */
static void set_workload(const struct state *state, struct state_peer *peer)
{
	if (!peer->pod)
		return;
	peer->workload = peer->pod->workload.name
				 ? &peer->pod->workload
				 : workloads_find(&state->workloads, peer->pod->uid);
}

bool state_peer_of(const struct state_event *event, struct state_peer *peer)
{
	bool is_client;

	*peer = (struct state_peer){0};
	if (event->ev.desc->id != EVENT_request)
		return false;
	is_client = event_param_u64(&event->ev, request__role) == request_roles__client;
	set_end(&event->ev, peer);
	set_real_end(&event->ev, peer);
	set_process(event, peer);
	set_service(event, is_client, event->fd ? event->fd->l4 : SCAP_L4_TCP, peer);
	set_workload(event->state, peer);
	set_domain(event, is_client, peer);
	return peer->address_len || peer->process;
}

void state_peer_at(const struct state_event *event, const struct state_place *place,
		   struct state_peer *peer)
{
	*peer = (struct state_peer){.end = place->end, .address_len = place->address_len};
	set_service(event, true, place->l4, peer);
	set_workload(event->state, peer);
	set_domain(event, true, peer);
}
