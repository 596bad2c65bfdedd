/* SPDX-License-Identifier: MIT */
/*
 * Parameters as text, in the forms of the .scap world: a raw text, and for some types a
 * resolved one.
 */
#ifndef SINSP_FIELDS_PARAM_TEXT_H
#define SINSP_FIELDS_PARAM_TEXT_H

#include "event/address.h"
#include "sinsp/fields/text_value.h"
#include "sinsp/state/event.h"
#include "util/buf.h"

/* Appends the raw text of a parameter: empty only for an empty string or buffer. */
void param_text_raw(const struct state_event *event, unsigned int index,
		    const struct text_style *style, struct buf *out);

/* Appends names for numbers, absolute paths for relative ones; nothing if there is no such text. */
void param_text_resolved(const struct state_event *event, unsigned int index,
			 const struct text_style *style, struct buf *out);

/* Appends the resolved text, or the raw one if there is none: the field evt.arg. */
void param_text_append(const struct state_event *event, unsigned int index,
		       const struct text_style *style, struct buf *out);

/* Appends "name=raw(resolved) name=raw ...": the field evt.args. */
void param_text_all(const struct state_event *event, const struct text_style *style,
		    struct buf *out);

/* Appends a list of numbers as "1 2 3"; a set of bits as "0-3,7". */
void param_append_numbers(struct buf *out, const struct event_param *param, enum param_type type);
void param_append_bits(struct buf *out, const uint8_t *data, size_t len);

#endif
