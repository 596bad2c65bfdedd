/* SPDX-License-Identifier: MIT */
/*
 * What is known of each parameter of each event before any event comes: its form, the names of its
 * flags, the bytes of its key. Made once for a formatter, so that no event needs a look-up by name.
 */
#ifndef SINSP_VALUES_PARAM_PLAN_H
#define SINSP_VALUES_PARAM_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "sinsp/values/param_form.h"
#include "util/arena.h"
#include "util/buf.h"

struct param_plan {
	const char *key; /* with BUF_CHUNK readable bytes */
	size_t key_len;
	const struct flag_name *set; /* NULL: it has no flags */
	enum param_kind kind;
	bool fixed_size;
};

struct param_plans {
	struct arena arena; /* all plans */
	const struct param_plan *of[EVENT_ID_MAX]; /* by parameter; NULL: the event has none */
};

/* `append_key` writes the key of a name. Returns 0 or -ENOMEM; param_plans_finish() in any case. */
int param_plans_init(struct param_plans *plans,
		     void (*append_key)(struct buf *out, const char *name, size_t len));
void param_plans_finish(struct param_plans *plans);

#endif
