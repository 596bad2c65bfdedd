/* SPDX-License-Identifier: MIT */
/*
 * Parameters as JSON values: numbers, names of flags, strings, lists; null for absent ones. How
 * each parameter of each event is written is settled in advance.
 */
#ifndef SINSP_PARAM_JSON_H
#define SINSP_PARAM_JSON_H

#include "sinsp/clock.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"

struct param_json;

/* Returns 0 or -ENOMEM. */
int param_json_create(struct param_json **json);
void param_json_destroy(struct param_json *json);

/* Appends one parameter. `utc` keeps the text of the last second between calls. */
void param_json_append(const struct param_json *json, const struct sinsp_event *event,
		       unsigned int index, struct clock *utc, struct buf *out);

/* Appends the object of all parameters: {"fd":3,"name":"/etc/hostname"}. */
void param_json_append_all(const struct param_json *json, const struct sinsp_event *event,
			   struct clock *utc, struct buf *out);

#endif
