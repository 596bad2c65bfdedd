/* SPDX-License-Identifier: MIT */
/* From what the event table says of them. */
#include "event/importance.h"

#include "event/event.h"

bool event_is_important(unsigned int id)
{
	static const bool important[EVENT_ID_MAX] = {
#define IMPORTANT(name) [EVENT_##name] = true,
#include "events/important.def"
#undef IMPORTANT
	};

	return id < EVENT_ID_MAX && important[id];
}

static bool is_transfer(const struct event_desc *desc)
{
	enum { SUBJECT = 0xff };

	/* Of some of these the agent takes an address, which others tell as well. */
	if (desc->flags & (EF_READS_FROM_FD | EF_WRITES_TO_FD))
		return true;
	return !(desc->flags & EF_MODIFIES_STATE) &&
	       (desc->flags & EF_WAITS || (desc->category & SUBJECT) >= EC_IO_READ);
}

enum shed_class event_shed_class(unsigned int id)
{
	const struct event_desc *desc = id < EVENT_ID_MAX ? event_desc_get((uint16_t)id) : NULL;

	if (!desc || event_is_important(id) || desc->category & EC_METAEVENT)
		return SHED_NEVER;
	if (desc->flags & (EF_CREATES_FD | EF_DESTROYS_FD))
		return SHED_DESCRIPTORS;
	if (is_transfer(desc) || id == EVENT_page_fault)
		return SHED_TRANSFERS;
	return desc->flags & EF_MODIFIES_STATE ? SHED_STATE : SHED_OTHERS;
}
