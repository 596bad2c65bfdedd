/* SPDX-License-Identifier: MIT */
/* Which events are worth more than others where not all can be kept. */
#ifndef EVENT_IMPORTANCE_H
#define EVENT_IMPORTANCE_H

#include <stdbool.h>

#include "abi.h"

/* Whether room of the rings is reserved for events of an id: events/important.def. */
bool event_is_important(unsigned int id);

/* When events of an id are lost for a budget; SHED_NEVER also if there is no such event. */
enum shed_class event_shed_class(unsigned int id);

#endif
