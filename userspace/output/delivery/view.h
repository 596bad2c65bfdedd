/* SPDX-License-Identifier: MIT */
/* What an output shows of events: those that its filter passes, in its format. */
#ifndef OUTPUT_DELIVERY_VIEW_H
#define OUTPUT_DELIVERY_VIEW_H

#include "sinsp/sinsp.h"

struct output_schema;

struct output_view {
	const struct output_format *format;
	const struct output_schema *schema; /* names of fields; NULL: those of Lanner */
	struct filter *filter; /* owned; NULL: all events */
	struct formatter *formatter; /* owned; NULL: only rules print */
	size_t line; /* of the rules: which of their lines has this format */
};

static inline void output_view_finish(struct output_view *view)
{
	filter_destroy(view->filter);
	formatter_destroy(view->formatter);
	*view = (struct output_view){0};
}

#endif
