/* SPDX-License-Identifier: MIT */
/* The accounts that the kernel keeps of perf events. */
#include "scap/rings/enabled.h"

#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"

/* In less time the account and the clock say nothing about each other. */
#define APART_NS UINT64_C(100000000)

/* The part of the time for which it was not enabled, at least, if it has ended. */
enum { ENDED_DIVISOR = 4 };

void scap_enabled_begin(struct scap_enabled *last)
{
	*last = (struct scap_enabled){.looked_ns = clock_ns(CLOCK_MONOTONIC)};
}

bool scap_enabled_judge(struct scap_enabled *last, uint64_t enabled_ns, uint64_t began_ns,
			uint64_t over_ns)
{
	uint64_t passed_ns, least_ns;

	if (began_ns < last->looked_ns + APART_NS)
		return false;
	/* However long the reader was stopped in a look, that time is part of no other one. */
	passed_ns = began_ns - last->looked_ns;
	least_ns = last->enabled_ns + passed_ns - passed_ns / ENDED_DIVISOR;
	*last = (struct scap_enabled){over_ns, enabled_ns};
	return enabled_ns < least_ns;
}

bool scap_enabled_has_ended(struct scap_enabled *last, int fd)
{
	uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
	struct {
		uint64_t value, enabled_ns, lost;
	} account;

	return read(fd, &account, sizeof(account)) >= (ssize_t)offsetof(typeof(account), lost) &&
	       scap_enabled_judge(last, account.enabled_ns, began_ns, clock_ns(CLOCK_MONOTONIC));
}
