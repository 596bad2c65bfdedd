/* SPDX-License-Identifier: MIT */
/* By the rows of the programs, whose order is that of enum tls_program. */
#include "scap/live/live_tls.h"

#include <string.h>

#include "event/event.h"
#include "scap/live/programs.h"
#include "scap/tls/follower.h"
#include "util/clock.h"

#define LEAVE_NS UINT64_C(2000000000)

enum { MOMENT_MS = 10 };

static void find_programs(const struct live_loaded *loaded, struct tls_programs *programs)
{
	unsigned int kind = 0;

	programs->notes = live_loaded_find(loaded, LIVE_MAP, LIVE_MAP_TLS_NOTES);
	for (size_t i = 0; i < live_programs_count && kind < TLS_PROGRAMS; i++)
		if (live_programs[i].at_probes)
			programs->fds[kind++] = live_loaded_find(loaded, LIVE_PROGRAM, (uint16_t)i);
}

int live_tls_begin(struct live_tls *tls, const struct live_loaded *loaded,
		   const struct scap_live_config *config, struct error *err)
{
	struct tls_programs programs;
	int r;

	if (!config->tls || !config->tls_chosen.wanted || !config->events[EVENT_tls_data] ||
	    loaded->rejected[EVENT_tls_data])
		return 0;
	find_programs(loaded, &programs);
	programs.chosen = config->tls_chosen;
	r = tls_follower_join(config->tls, &programs, &tls->capture);
	if (r)
		return error_set(err, r, "setting programs in TLS libraries: %s", strerror(-r));
	tls->follower = config->tls;
	return 0;
}

void live_tls_leave(struct live_tls *tls)
{
	if (!tls->follower || tls->until_ns)
		return;
	tls_follower_leave(tls->follower, tls->capture);
	tls->until_ns = clock_ns(CLOCK_BOOTTIME) + LEAVE_NS;
}

bool live_tls_awaits(struct live_tls *tls)
{
	if (!tls->follower || !tls->until_ns)
		return false;
	if (clock_ns(CLOCK_BOOTTIME) < tls->until_ns &&
	    tls_follower_is_leaving(tls->follower, tls->capture, MOMENT_MS))
		return true;
	live_wait_for_programs();
	tls->follower = NULL;
	return false;
}
