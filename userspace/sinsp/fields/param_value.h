/* SPDX-License-Identifier: MIT */
/*
 * Parameters as values of an encoder: what JSON has as numbers, names, texts and lists; nothing()
 * for absent ones. How each parameter of each event is written is decided in advance.
 */
#ifndef SINSP_FIELDS_PARAM_VALUE_H
#define SINSP_FIELDS_PARAM_VALUE_H

#include "sinsp/state/event.h"
#include "sinsp/fields/clock.h"
#include "sinsp/fields/encoder.h"
#include "sinsp/fields/text_value.h"

struct param_values;

/* Decides how an encoder writes each parameter. Returns 0 or -ENOMEM. */
int param_values_create(const struct encoder *encoder, struct param_values **values);
void param_values_destroy(struct param_values *values); /* accepts NULL */

/* JSON: chooses a form for buffers, in place of strings of their bytes (DOTS). */
void param_values_set_bytes(struct param_values *values, enum text_bytes form);

/* JSON: appends bytes in that form, as a string. */
void param_values_append_bytes(struct param_values *values, const uint8_t *data, size_t len,
			       struct buf *out);

/*
 * Appends one parameter. `utc` caches the text of the last second between calls. JSON: returns
 * whether bytes were replaced because a text in it was not UTF-8.
 */
bool param_value_append(struct param_values *values, const struct state_event *event,
			unsigned int index, struct clock *utc, struct buf *out);

/* JSON, after such a call: appends the parameter with each of its texts in base64. */
void param_value_append_base64(struct param_values *values, const struct state_event *event,
			       unsigned int index, struct buf *out);

/* Appends the entry of a map, after item(): a parameter with its name, to the end of the entry. */
void param_value_append_entry(struct param_values *values, const struct state_event *event,
			      unsigned int index, struct clock *utc, struct buf *out);

/* Whether a list of all parameters has this one: extensions are omitted if they are absent. */
static inline bool param_is_listed(const struct param_desc *desc, const struct event_param *param)
{
	return !desc->extension || param->len;
}

/*
 * Appends the map of all parameters: {"fd":3,"name":"/etc/hostname"}. With `base64`, JSON repeats
 * those that are not UTF-8 as "name_b64".
 */
void param_value_append_all(struct param_values *values, const struct state_event *event,
			    struct clock *utc, bool base64, struct buf *out);

#endif
