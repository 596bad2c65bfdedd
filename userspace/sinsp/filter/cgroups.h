/* SPDX-License-Identifier: MIT */
/*
 * Which control groups and threads a filter means: what its fields of containers and pods alone, or
 * with those of the process and its user, decide for all events of a group or a thread. See
 * state/cgroups.h for the groups and their changes.
 */
#ifndef SINSP_FILTER_CGROUPS_H
#define SINSP_FILTER_CGROUPS_H

#include "sinsp/filter/filter.h"

struct state;
struct state_cgroups;
struct state_thread;

enum filter_decision {
	FILTER_UNDECIDED, /* it depends on other fields */
	FILTER_REJECTED, /* no event passes */
	FILTER_ACCEPTED, /* all events pass whose type can */
	FILTER_DECISIONS_COUNT,
};

/*
 * Valid until the revision of the groups changes. FILTER_UNDECIDED may also be returned for an
 * expression whose other fields contradict each other. Takes time in proportion to the filter: not
 * for each event.
 */
enum filter_decision filter_decide(struct filter *filter, const struct state_cgroups *cgroups);

/*
 * What the filter says of a thread as it is now: valid until a field with FIELD_OF_PROCESS or
 * FIELD_OF_CONTAINER may have another value. FILTER_UNDECIDED also if a part of such a value is
 * missing.
 */
enum filter_decision filter_decide_thread(struct filter *filter, const struct state *state,
					  const struct state_thread *thread);

#endif
