/* SPDX-License-Identifier: MIT */
/* The parameters of a request as numbers and texts. */
#include "requests/metrics/view.h"

#include <string.h>

#include "event/event.h"
#include "sinsp/state/peer.h"

static const struct event_param *view_param(const struct state_event *event, unsigned int param)
{
	return &event->ev.params[param];
}

static uint8_t view_byte(const struct state_event *event, unsigned int param)
{
	const struct event_param *value = view_param(event, param);

	return value->len ? value->data[0] : 0;
}

static const char *view_text(const struct state_event *event, unsigned int param)
{
	const struct event_param *value = view_param(event, param);

	return value->len ? (const char *)value->data : "";
}

/* 0 if it is not known. */
static uint64_t view_number(const struct state_event *event, unsigned int param)
{
	const struct event_param *value = view_param(event, param);
	uint64_t number = 0;

	if (value->len == sizeof(number))
		memcpy(&number, value->data, sizeof(number));
	return number;
}

static void set_protocol(struct view *view, uint8_t number)
{
	const struct protocol *protocol = protocol_of(number);
	const struct param_flag *name =
		event_desc_get(EVENT_request)->params[request__protocol].set;

	if (protocol) {
		view->protocol =
			(struct view_protocol){protocol->class, protocol->name,
					       protocol->has_statements, protocol->status_name};
		return;
	}
	while (name->name && name->value != number)
		name++;
	view->protocol = (struct view_protocol){VIEW_OTHER, name->name ? name->name : ""};
}

static void set_status(struct view *view, const struct event_param *status)
{
	view->has_status = status->len == sizeof(view->status);
	if (view->has_status)
		memcpy(&view->status, status->data, sizeof(view->status));
}

bool view_ends(const struct event_param *tuple, struct view_end *first, struct view_end *second)
{
	uint8_t family = tuple->len ? tuple->data[0] : 0;
	uint8_t len = family == socket_families__AF_INET6 ? 16 : 4;
	const uint8_t *at;

	if (family != socket_families__AF_INET && family != socket_families__AF_INET6)
		return false;
	if (tuple->len != 1 + 2 * (len + sizeof(uint16_t)))
		return false;
	at = tuple->data + 1;
	*first = (struct view_end){.address = at, .len = len};
	memcpy(&first->port, at + len, sizeof(uint16_t));
	at += len + sizeof(uint16_t);
	*second = (struct view_end){.address = at, .len = len};
	memcpy(&second->port, at + len, sizeof(uint16_t));
	return true;
}

/* Who asks a server is in no label: there may be any number of clients. */
static void set_peer(struct view *view)
{
	struct state_peer peer;

	if (view->is_server || !state_peer_of(view->event, &peer))
		return;
	view->peer = peer.container;
	view->peer_pod = peer.pod;
	view->peer_workload = peer.workload;
	view->service = peer.service;
	if (peer.domain)
		view->domain = peer.domain;
}

bool view_make(const struct state_event *event, struct view *view)
{
	uint8_t role = view_byte(event, request__role);

	if (role != request_roles__client && role != request_roles__server)
		return false;
	*view = (struct view){
		.event = event,
		.is_client = role == request_roles__client,
		.is_server = role == request_roles__server,
		.method = view_text(event, request__method),
		.target = view_text(event, request__target),
		.host = view_text(event, request__host),
		.error = view_text(event, request__error),
		.trace_id = view_text(event, request__trace_id),
		.domain = "",
		.reason = "",
		.direction = "",
		.is_timed = true,
		.amount = 1,
		.total_ns = view_number(event, request__total_time),
		.request_bytes = view_number(event, request__request_size),
		.response_bytes = view_number(event, request__response_size),
	};
	if (event->thread)
		view->container = event->thread->cgroups->container;
	set_protocol(view, view_byte(event, request__protocol));
	set_status(view, view_param(event, request__status));
	/* The end that called connect() is the first one. */
	view->is_tls = event_param_u64(&event->ev, request__is_tls);
	view_ends(view_param(event, request__tuple), &view->client, &view->server);
	set_peer(view);
	return true;
}
