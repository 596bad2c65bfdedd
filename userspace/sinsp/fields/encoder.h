/* SPDX-License-Identifier: MIT */
/*
 * How values are written: as JSON, or as values of OpenTelemetry; and what writers of parameters
 * get, which are made for each encoder of what it does.
 */
#ifndef SINSP_FIELDS_ENCODER_H
#define SINSP_FIELDS_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinsp/state/event.h"
#include "sinsp/fields/clock.h"
#include "sinsp/fields/param_form.h"
#include "sinsp/fields/text_value.h"
#include "util/buf.h"
#include "util/proto.h"

struct param_values;

/* A parameter that is written. */
struct encoder_param {
	const struct encoder *encoder;
	struct param_values *values;
	const struct event_param *param;
	const struct param_desc *desc;
	const struct param_flag *set;
	int64_t value; /* of fixed-size types */
	struct clock *utc;
	enum text_bytes bytes; /* JSON: how buffers are written */
	bool base64; /* JSON: texts are written in base64 */
	bool replaced; /* JSON: set if bytes of a text were replaced */
};

/* Writes a parameter that is present. */
typedef void encoder_param_writer(struct encoder_param *p, struct buf *out);

struct encoder {
	void (*nothing)(struct buf *out);
	void (*boolean)(struct buf *out, bool value);
	void (*integer)(struct buf *out, int64_t value);
	void (*natural)(struct buf *out, uint64_t value);
	void (*duration)(struct buf *out, uint64_t ns);
	void (*real)(struct buf *out, double value);
	/* Text of any bytes: those that are not UTF-8 are replaced. A word needs no care. */
	void (*text)(struct buf *out, const char *text, size_t len);
	void (*word)(struct buf *out, const char *word, size_t len);
	void (*data)(struct buf *out, const void *bytes, size_t len);
	/* Text that needs no care, appended by the caller between the two; as those of a list. */
	size_t (*plain_begin)(struct buf *out);
	void (*plain_end)(struct buf *out, size_t plain);
	/* A list: begin, and before each value item(); what begin returned goes to end. */
	size_t (*list_begin)(struct buf *out);
	void (*item)(struct buf *out);
	void (*list_end)(struct buf *out, size_t list);
	/*
	 * A map: likewise, and between item() and the value key(). The bytes of both depend on
	 * nothing but the name. entry_end() after the value gets the length of `out` before the
	 * key.
	 */
	size_t (*map_begin)(struct buf *out);
	void (*key)(struct buf *out, const char *name, size_t len);
	void (*entry_end)(struct buf *out, size_t entry);
	void (*map_end)(struct buf *out, size_t map);
	/* The key of the same value in base64, made of the bytes of key(); NULL: there is none. */
	void (*base64_key)(struct buf *out, const char *key, size_t len);
	/* By enum param_kind; and the map of all parameters of an event: see param_write.h. */
	encoder_param_writer *const *params;
	void (*all_params)(struct encoder_param *p, const struct event *ev,
			   const struct param_plan *plan, bool base64, struct buf *out);
};

/* Plain JSON: all numbers are numbers. And with strings for those beyond 2^53: see util/json.h. */
extern const struct encoder encoder_json, encoder_json_exact;

/* Messages of the type AnyValue of OpenTelemetry, with their length; Value of proto/event.proto. */
extern const struct encoder encoder_proto;

/* The messages in a value, and in an entry of a map of values: see proto_visit_texts(). */
extern const struct proto_shape encoder_value_shape[], encoder_entry_shape[];

/* The JSON form of AnyValue. */
extern const struct encoder encoder_otlp_json;

/* Writes a parameter of an event, or that it is absent. */
static inline void encoder_param_write(struct encoder_param *p, const struct event_param *param,
				       const struct param_desc *desc, const struct param_plan *plan,
				       const struct encoder *encoder, struct buf *out)
{
	if (param->len == 0) {
		encoder->nothing(out);
		return;
	}
	p->param = param;
	p->desc = desc;
	p->set = plan->set;
	if (plan->fixed_size)
		p->value = event_value_i64(desc->type, param);
	encoder->params[plan->kind](p, out);
}

#endif
