/* SPDX-License-Identifier: MIT */
/* Parameters as values of an encoder, by the writers of its file: see param_write.h. */
#include "sinsp/fields/param_value.h"

#include <errno.h>
#include <stdlib.h>

#include "util/json.h"

struct param_values {
	struct encoder_param param; /* the one that is written */
	const struct param_plans *plans;
	struct buf text; /* memory for buffers in other forms than DOTS */
};

int param_values_create(const struct encoder *encoder, struct param_values **values)
{
	struct param_values *made = calloc(1, sizeof(*made));
	int r = made ? param_plans_get(encoder, &made->plans) : -ENOMEM;

	if (r) {
		param_values_destroy(made);
		return r;
	}
	made->param = (struct encoder_param){.encoder = encoder, .values = made};
	*values = made;
	return 0;
}

void param_values_destroy(struct param_values *values)
{
	if (!values)
		return;
	buf_finish(&values->text);
	free(values);
}

void param_values_set_bytes(struct param_values *values, enum text_bytes form)
{
	values->param.bytes = form;
}

void param_values_append_bytes(struct param_values *values, const uint8_t *data, size_t len,
			       struct buf *out)
{
	buf_clear(&values->text);
	text_append_bytes(&values->text, values->param.bytes, data, len);
	if (values->text.failed)
		buf_fail(out);
	else
		json_append_string(out, values->text.data, values->text.len);
}

static struct encoder_param *param_value_begin(struct param_values *values, struct clock *utc)
{
	values->param.utc = utc;
	values->param.replaced = false;
	return &values->param;
}

static void param_value_write(struct encoder_param *p, const struct state_event *event,
			      unsigned int index, const struct param_plan *plan, struct buf *out)
{
	encoder_param_write(p, &event->ev.params[index], &event->ev.desc->params[index], plan,
			    p->encoder, out);
}

bool param_value_append(struct param_values *values, const struct state_event *event,
			unsigned int index, struct clock *utc, struct buf *out)
{
	struct encoder_param *p = param_value_begin(values, utc);

	param_value_write(p, event, index, &values->plans->of[event->ev.desc->id][index], out);
	return p->replaced;
}

void param_value_append_base64(struct param_values *values, const struct state_event *event,
			       unsigned int index, struct buf *out)
{
	values->param.base64 = true;
	param_value_append(values, event, index, NULL, out);
	values->param.base64 = false;
}

void param_value_append_entry(struct param_values *values, const struct state_event *event,
			      unsigned int index, struct clock *utc, struct buf *out)
{
	const struct param_plan *plan = &values->plans->of[event->ev.desc->id][index];
	struct encoder_param *p = param_value_begin(values, utc);
	size_t entry = out->len;

	buf_append_chunk(out, plan->key + plan->separator_len, plan->key_len - plan->separator_len);
	param_value_write(p, event, index, plan, out);
	p->encoder->entry_end(out, entry);
}

void param_value_append_all(struct param_values *values, const struct state_event *event,
			    struct clock *utc, bool base64, struct buf *out)
{
	struct encoder_param *p = param_value_begin(values, utc);

	p->encoder->all_params(p, &event->ev, values->plans->of[event->ev.desc->id], base64, out);
}
