/* SPDX-License-Identifier: MIT */
/*
 * Parameters as JSON values: numbers, names of flags, strings, lists; null for absent ones. The
 * writer of each parameter of each event is chosen in advance.
 */
#ifndef SINSP_VALUES_PARAM_JSON_H
#define SINSP_VALUES_PARAM_JSON_H

#include "sinsp/values/clock.h"
#include "sinsp/values/text_value.h"
#include "sinsp/state/event.h"
#include "util/buf.h"

struct param_json;

/* Returns 0 or -ENOMEM. */
int param_json_create(struct param_json **json);
void param_json_destroy(struct param_json *json);

/* Chooses a form for buffers, in place of strings of their bytes (DOTS). */
void param_json_set_bytes(struct param_json *json, enum text_bytes form);

/* Appends bytes in that form, as a string. */
void param_json_append_bytes(struct param_json *json, const uint8_t *data, size_t len,
			     struct buf *out);

/*
 * Appends one parameter. `utc` caches the text of the last second between calls. Returns whether
 * bytes were replaced because a text in it was not UTF-8.
 */
bool param_json_append(struct param_json *json, const struct sinsp_event *event, unsigned int index,
		       struct clock *utc, struct buf *out);

/* For use after such a call: appends the parameter with each of its texts in base64. */
void param_json_append_base64(struct param_json *json, const struct sinsp_event *event,
			      unsigned int index, struct buf *out);

/*
 * Appends the object of all parameters: {"fd":3,"name":"/etc/hostname"}. With `base64` those that
 * are not UTF-8 are repeated as "name_b64".
 */
void param_json_append_all(struct param_json *json, const struct sinsp_event *event,
			   struct clock *utc, bool base64, struct buf *out);

#endif
