/* SPDX-License-Identifier: MIT */
/*
 * Parameters as values of any encoder: what JSON has as numbers, names, texts and lists. How each
 * parameter of each event is written is decided in advance.
 */
#ifndef SINSP_VALUES_PARAM_VALUE_H
#define SINSP_VALUES_PARAM_VALUE_H

#include "sinsp/state/event.h"
#include "sinsp/values/clock.h"
#include "sinsp/values/encoder.h"

struct param_values;

/* Decides how an encoder writes each parameter. Returns 0 or -ENOMEM. */
int param_values_create(const struct value_encoder *encoder, struct param_values **values);
void param_values_destroy(struct param_values *values); /* accepts NULL */

/* Appends one parameter; nothing() if it is absent. `utc` caches the text of the last second. */
void param_value_append(const struct param_values *values, const struct sinsp_event *event,
			unsigned int index, struct clock *utc, struct buf *out);

/* The same as the entry of a map, after item(): with its name, to its end. */
void param_value_append_entry(const struct param_values *values, const struct sinsp_event *event,
			      unsigned int index, struct clock *utc, struct buf *out);

/* Whether a list of all parameters has this one: extensions are omitted if they are absent. */
static inline bool param_value_is_listed(const struct sinsp_event *event, unsigned int index)
{
	return !event->ev.desc->params[index].extension || event->ev.params[index].len;
}

/* Appends the map of all parameters. */
void param_value_append_all(const struct param_values *values, const struct sinsp_event *event,
			    struct clock *utc, struct buf *out);

#endif
