/* SPDX-License-Identifier: MIT */
/* The account of requests by protocol, and what became of the sockets that were seen. */
#include <stddef.h>

#include "event/event.h"
#include "requests/metrics/request_metrics.h"
#include "util/count.h"

struct account_row {
	struct exposition_family family;
	size_t offset; /* of a uint64_t */
};

#define OF(type, member) offsetof(struct type, member)

static const struct account_row by_protocol[] = {
	{{"lanner_requests_seen", METRIC_COUNTER, NULL,
	  "Requests of which any byte was seen, or any of their response."},
	 OF(requests_protocol_stats, seen)},
	{{"lanner_requests_reported", METRIC_COUNTER, NULL,
	  "Of these, events that were given out."},
	 OF(requests_protocol_stats, reported)},
	{{"lanner_requests_unknown", METRIC_COUNTER, NULL,
	  "Of these, requests without their response, or responses without their request."},
	 OF(requests_protocol_stats, unknown)},
	{{"lanner_requests_lost", METRIC_COUNTER, NULL,
	  "Of these, those of which bytes were missing, or that had no room."},
	 OF(requests_protocol_stats, lost)},
	{{"lanner_requests_unwanted", METRIC_COUNTER, NULL,
	  "Of these, those that were open when their socket was left out: no filter wants them."},
	 OF(requests_protocol_stats, unwanted)},
	{{"lanner_requests_open", METRIC_GAUGE, NULL, "Of these, those that go on."},
	 OF(requests_protocol_stats, open)},
};

static const struct account_row of_sockets[] = {
	{{"lanner_requests_sockets", METRIC_COUNTER, NULL, "Sockets whose bytes were looked at."},
	 OF(requests_stats, sockets)},
	{{"lanner_requests_sockets_recognised", METRIC_COUNTER, NULL,
	  "Of these, those of a known protocol."},
	 OF(requests_stats, recognised)},
	{{"lanner_requests_sockets_opaque", METRIC_COUNTER, NULL,
	  "Of these, those of no known protocol."},
	 OF(requests_stats, opaque)},
	{{"lanner_requests_sockets_given_up", METRIC_COUNTER, NULL,
	  "Of these, those whose protocol was known, until it was not followed any more."},
	 OF(requests_stats, given_up)},
	{{"lanner_requests_sockets_unwanted", METRIC_COUNTER, NULL,
	  "Of these, those that were recognised and left out: no filter wants their requests."},
	 OF(requests_stats, unwanted)},
	{{"lanner_requests_sockets_followed", METRIC_GAUGE, NULL, "Sockets that are followed."},
	 OF(requests_stats, followed)},
	{{"lanner_requests_gaps", METRIC_COUNTER, NULL,
	  "Places where bytes were missing that mattered."},
	 OF(requests_stats, gaps)},
	{{"lanner_requests_no_room", METRIC_COUNTER, NULL,
	  "Sockets and requests that were not followed for want of room."},
	 OF(requests_stats, no_room)},
	{{"lanner_requests_undecoded", METRIC_COUNTER, NULL,
	  "Requests without headers that were said before their connection was captured."},
	 OF(requests_stats, undecoded)},
	{{"lanner_requests_hurried_of_one", METRIC_COUNTER, NULL,
	  "Times that reads stopped waiting for earlier writes: too many of their connection did."},
	 OF(requests_stats, hurried_of_one)},
	{{"lanner_requests_hurried_for_room", METRIC_COUNTER, NULL,
	  "Times that reads stopped waiting for earlier writes: those of others needed the room."},
	 OF(requests_stats, hurried_for_room)},
	{{"lanner_requests_hurried_closes", METRIC_COUNTER, NULL,
	  "Connections under TLS that ended without waiting for calls that went on, for want of "
	  "room."},
	 OF(requests_stats, hurried_closes)},
	{{"lanner_requests_untranslated", METRIC_COUNTER, NULL,
	  "Requests without the real address of the server: what was asked of it gave way."},
	 OF(requests_stats, untranslated)},
};

static uint64_t account_value(const struct account_row *row, const void *stats)
{
	return *(const uint64_t *)((const char *)stats + row->offset);
}

void request_metrics_append_account(const struct requests_stats *stats,
				    struct exposition *exposition)
{
	const struct param_flag *names =
		event_desc_get(EVENT_request)->params[request__protocol].set;

	for (size_t i = 0; i < COUNT(by_protocol); i++) {
		exposition_begin(exposition, &by_protocol[i].family);
		for (const struct param_flag *name = names; name->name; name++) {
			const struct exposition_label labels[] = {{"protocol", name->name}, {0}};

			if (name->value < COUNT(stats->protocols))
				exposition_sample(exposition, labels,
						  account_value(&by_protocol[i],
								&stats->protocols[name->value]));
		}
	}
	for (size_t i = 0; i < COUNT(of_sockets); i++)
		exposition_add(exposition, &of_sockets[i].family,
			       account_value(&of_sockets[i], stats));
}
