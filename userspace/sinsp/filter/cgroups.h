/* SPDX-License-Identifier: MIT */
/*
 * Which control groups a filter means: what its fields of containers and pods alone decide for all
 * events of the threads in a group. See state/cgroups.h for the groups and their changes.
 */
#ifndef SINSP_FILTER_CGROUPS_H
#define SINSP_FILTER_CGROUPS_H

#include "sinsp/filter/filter.h"

struct sinsp_cgroups;

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
enum filter_decision filter_decide(struct filter *filter, const struct sinsp_cgroups *cgroups);

#endif
