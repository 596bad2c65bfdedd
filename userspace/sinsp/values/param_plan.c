/* SPDX-License-Identifier: MIT */
#include "sinsp/values/param_plan.h"

#include <errno.h>
#include <string.h>

typedef void key_writer(struct buf *out, const char *name, size_t len);

static int keep_key(struct arena *arena, const struct buf *key, struct param_plan *plan)
{
	char *memory = key->failed ? NULL : arena_alloc(arena, key->len + BUF_CHUNK);

	if (!memory)
		return -ENOMEM;
	memcpy(memory, key->data, key->len);
	plan->key = memory;
	plan->key_len = key->len;
	return 0;
}

static int plan_event(struct param_plans *plans, const struct event_desc *desc,
		      key_writer *append_key, struct buf *key)
{
	struct param_plan *made = arena_alloc(&plans->arena, desc->nparams * sizeof(*made));
	int rc = made ? 0 : -ENOMEM;

	for (unsigned int i = 0; i < desc->nparams && rc == 0; i++) {
		const char *name = desc->params[i].name;

		made[i].kind = param_form_of(desc, i, &made[i].set);
		made[i].fixed_size = param_type_size(desc->params[i].type) != 0;
		buf_clear(key);
		append_key(key, name, strlen(name));
		rc = keep_key(&plans->arena, key, &made[i]);
	}
	plans->of[desc->id] = made;
	return rc;
}

int param_plans_init(struct param_plans *plans, key_writer *append_key)
{
	struct buf key = {0};
	int rc = 0;

	*plans = (struct param_plans){0};
	for (unsigned int id = 0; id < EVENT_ID_MAX && rc == 0; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (desc && desc->nparams)
			rc = plan_event(plans, desc, append_key, &key);
	}
	buf_finish(&key);
	return rc;
}

void param_plans_finish(struct param_plans *plans)
{
	arena_finish(&plans->arena);
}
