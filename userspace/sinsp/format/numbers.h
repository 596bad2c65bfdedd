/* SPDX-License-Identifier: MIT */
/* The numbers of fields in proto/event.proto. */
#ifndef SINSP_FORMAT_NUMBERS_H
#define SINSP_FORMAT_NUMBERS_H

#include <stdint.h>

/* Numbers of the message Event that are no fields of Lanner; those begin at 16. */
enum event_number {
	EVENT_NUMBER_ID = 1,
	EVENT_NUMBER_REDELIVERED = 2,
	EVENT_NUMBER_DROP = 3,
	EVENT_NUMBER_MATCH = 4,
	EVENT_NUMBER_OTHERS = 5,
};

/* Fields that are maps, as `others` is. */
enum { EVENT_NUMBER_ARGS = 24, EVENT_NUMBER_INFO = 25 };

/* The number of a field without its argument; 0: it has none. */
uint32_t schema_number(const char *field);

#endif
