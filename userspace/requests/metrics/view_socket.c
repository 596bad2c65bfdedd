/* SPDX-License-Identifier: MIT */
/* The parameters of events of sockets as numbers and texts. */
#include "requests/metrics/view.h"

#include <string.h>

#include "event/address.h"
#include "event/event.h"
#include "sinsp/state/peer.h"
#include "util/count.h"
#include "util/error.h"

enum { NS_PER_US = 1000 };

/* What is measured of a type of event. Parameters are indexes plus 1, 0 for none. */
struct measured {
	uint16_t event;
	uint8_t class; /* enum view_class */
	uint8_t role, tuple;
	uint8_t result, time, srtt, sent, received, reason, segments, protocol;
	const char *direction;
};

#define EVERY(name) .event = EVENT_##name, .role = name##__role + 1, .tuple = name##__tuple + 1

static const struct measured rows[] = {
	{EVERY(tcp_connect), .class = VIEW_CONNECT, .result = tcp_connect__res + 1,
	 .time = tcp_connect__time + 1},
	{EVERY(tcp_close), .class = VIEW_CONNECTION, .srtt = tcp_close__srtt + 1,
	 .sent = tcp_close__bytes_sent + 1, .received = tcp_close__bytes_received + 1},
	{EVERY(tcp_sample), .class = VIEW_CONNECTION, .srtt = tcp_sample__srtt + 1},
	{EVERY(tcp_retransmit), .class = VIEW_RETRANSMIT, .reason = tcp_retransmit__reason + 1,
	 .segments = tcp_retransmit__segments + 1},
	{EVERY(tcp_reset_sent), .class = VIEW_RESET, .reason = tcp_reset_sent__reason + 1,
	 .direction = "transmit"},
	{EVERY(tcp_reset_received), .class = VIEW_RESET, .direction = "receive"},
	{EVERY(skb_drop), .class = VIEW_TCP_DROP, .reason = skb_drop__reason + 1,
	 .protocol = skb_drop__protocol + 1},
};

static const struct measured *measured_find(unsigned int event)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].event == event)
			return &rows[i];
	return NULL;
}

bool view_is_of_sockets(unsigned int event)
{
	return measured_find(event) != NULL;
}

/* The value of a parameter; 0 if it is absent, as it is if there is none. */
static int64_t socket_number(const struct state_event *event, uint8_t param)
{
	const struct event *ev = &event->ev;

	return param ? event_value_i64(ev->desc->params[param - 1].type, &ev->params[param - 1])
		     : 0;
}

/* The name of one of a set, or the text; "" if it is absent. */
static const char *socket_text(const struct state_event *event, uint8_t param)
{
	const struct event_param *value = param ? &event->ev.params[param - 1] : NULL;
	const struct param_flag *name;

	if (!value || !value->len)
		return "";
	if (event->ev.desc->params[param - 1].type == PT_CHARBUF)
		return (const char *)value->data;
	name = event->ev.desc->params[param - 1].set;
	while (name->name && name->value != value->data[0])
		name++;
	return name->name ? name->name : "";
}

/* A socket of IPv6 that is connected by IPv4 has the address of that. */
static void unmap(struct view_end *end)
{
	end->address = address_unmapped(end->address, &end->len);
}

static void view_set_ends(struct view *view, const struct measured *row)
{
	if (!view_ends(&view->event->ev.params[row->tuple - 1], &view->local, &view->remote))
		return;
	unmap(&view->local);
	unmap(&view->remote);
	if (view->is_client) {
		view->client = view->local;
		view->server = view->remote;
	} else if (view->is_server) {
		view->client = view->remote;
		view->server = view->local;
	}
}

static void view_set_peer(struct view *view)
{
	struct state_place place = {.address_len = view->remote.len, .l4 = SCAP_L4_TCP};
	struct state_peer peer;

	if (!view->is_client || !view->remote.len)
		return;
	memcpy(place.end.address, view->remote.address, view->remote.len);
	place.end.port = view->remote.port;
	state_peer_at(view->event, &place, &peer);
	view->peer_pod = peer.pod;
	view->peer_workload = peer.workload;
	view->service = peer.service;
	if (peer.domain)
		view->domain = peer.domain;
}

/* Of failed connections the error; how long it took, or a round trip. */
static void view_set_outcome(struct view *view, const struct measured *row)
{
	int64_t result = socket_number(view->event, row->result);
	int64_t time_ns = socket_number(view->event, row->time);
	int64_t srtt_us = socket_number(view->event, row->srtt);

	if (result < 0) {
		const char *name = error_errno_name(result);

		view->error = name ? name : "_OTHER";
		view->status = name ? (int32_t)-result : 0;
	}
	view->is_timed = time_ns > 0 || srtt_us > 0;
	view->total_ns = (uint64_t)(time_ns > 0 ? time_ns : srtt_us * NS_PER_US);
}

bool view_make_of_socket(const struct state_event *event, struct view *view)
{
	const struct measured *row = measured_find(event->ev.desc->id);
	int64_t role = row ? socket_number(event, row->role) : 0;

	if (!row)
		return false;
	*view = (struct view){
		.event = event,
		.protocol = {row->class, "tcp"},
		.is_client = role == request_roles__client,
		.is_server = role == request_roles__server,
		.method = "",
		.target = "",
		.host = "",
		.error = "",
		.trace_id = "",
		.domain = "",
		.reason = socket_text(event, row->reason),
		.direction = row->direction ? row->direction : "",
		.request_bytes = (uint64_t)socket_number(event, row->sent),
		.response_bytes = (uint64_t)socket_number(event, row->received),
		.amount = row->segments ? (uint64_t)socket_number(event, row->segments) : 1,
	};
	if (socket_number(event, row->protocol) == ip_protocols__udp)
		view->protocol = (struct view_protocol){VIEW_UDP_DROP, "udp"};
	if (event->thread)
		view->container = event->thread->cgroups->container;
	view_set_outcome(view, row);
	view_set_ends(view, row);
	view_set_peer(view);
	return true;
}
