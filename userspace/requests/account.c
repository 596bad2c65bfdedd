/* SPDX-License-Identifier: MIT */
/* The account of requests as text. */
#include <inttypes.h>

#include "requests/requests.h"

static void append_of_protocol(const char *name, const struct requests_protocol_stats *stats,
			       struct buf *text)
{
	if (!stats->seen)
		return;
	buf_printf(text,
		   "agent: requests of %s: seen %" PRIu64 " = reported %" PRIu64
		   " + unknown %" PRIu64 " + lost %" PRIu64,
		   name, stats->seen, stats->reported, stats->unknown, stats->lost);
	if (stats->unwanted)
		buf_printf(text, " + not wanted %" PRIu64, stats->unwanted);
	if (stats->open)
		buf_printf(text, " + open %" PRIu64, stats->open);
	buf_append_char(text, '\n');
}

/* Versions of a protocol share its number. */
static bool was_before(const struct protocol *const *protocol)
{
	for (const struct protocol *const *other = protocols; other < protocol; other++)
		if ((*other)->number == (*protocol)->number)
			return true;
	return false;
}

void requests_append_account(const struct requests *requests, struct buf *text)
{
	struct requests_stats stats;

	requests_stats(requests, &stats);
	for (const struct protocol *const *protocol = protocols; *protocol; protocol++)
		if (!was_before(protocol))
			append_of_protocol((*protocol)->name, &stats.protocols[(*protocol)->number],
					   text);
	append_of_protocol("unknown", &stats.protocols[request_protocols__unknown], text);
	buf_printf(text,
		   "agent: sockets for requests: %" PRIu64 ", recognised %" PRIu64
		   ", of other protocols %" PRIu64 ", given up %" PRIu64,
		   stats.sockets, stats.recognised, stats.opaque, stats.given_up);
	if (stats.unwanted)
		buf_printf(text, ", not wanted %" PRIu64, stats.unwanted);
	buf_append_char(text, '\n');
	if (stats.no_room)
		buf_printf(text,
			   "agent: %" PRIu64 " sockets or requests were not followed: no room\n",
			   stats.no_room);
	if (stats.undecoded)
		buf_printf(text,
			   "agent: %" PRIu64 " requests lack headers that were said before their "
			   "connection was captured\n",
			   stats.undecoded);
	if (stats.unexplained)
		buf_printf(
			text,
			"agent: of %" PRIu64 " requests it is not known where all of their time "
			"went: several threads moved their bytes, or there were too many threads "
			"to count\n",
			stats.unexplained);
	if (stats.hurried_of_one || stats.hurried_for_room)
		buf_printf(
			text,
			"agent: reads that did not wait for earlier writes, whose requests may be "
			"unknown: %" PRIu64 " of connections with several, %" PRIu64
			" as others needed the room\n",
			stats.hurried_of_one, stats.hurried_for_room);
	if (stats.hurried_closes)
		buf_printf(text,
			   "agent: %" PRIu64
			   " connections under TLS ended before it was seen whether "
			   "they were answered, as others needed the room\n",
			   stats.hurried_closes);
	if (stats.untranslated)
		buf_printf(text,
			   "agent: %" PRIu64 " requests have no real address of the server: what "
			   "was asked of it gave way to others\n",
			   stats.untranslated);
}
