/* SPDX-License-Identifier: MIT */
#include "script.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

static int script_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct script *script = (struct script *)source;
	const struct moment *moment = &script->moments[script->at];

	if (!moment->ts_ns || moment->ts_ns >= script->now_ns)
		return script->stopped && !moment->ts_ns ? -ENODATA : 0;
	script->at++;
	script->frame.header = (struct ppm_evt_hdr){
		.ts = moment->ts_ns,
		.tid = moment->tid,
		.len = moment->latency_ns ? sizeof(script->frame) : sizeof(script->frame.header),
		.type = moment->type ? moment->type : EVENT_close,
		.nparams = moment->latency_ns ? FRAME_TIMED : 0,
	};
	script->frame.latency_ns = moment->latency_ns;
	*event = (struct scap_event){.frame = &script->frame, .len = script->frame.header.len};
	return 1;
}

static uint64_t script_settled(const struct scap_source *source)
{
	return ((const struct script *)source)->now_ns;
}

static void script_destroy(struct scap_source *source)
{
}

const struct scap_source_ops script_ops = {
	.next = script_next, .destroy = script_destroy, .settled = script_settled};

void expect_moments(struct scap_source *source, const struct moment *wanted)
{
	struct scap_event event;

	while (scap_source_next(source, 0, &event) == 1) {
		struct ppm_evt_hdr header;

		memcpy(&header, event.frame, sizeof(header));
		assert_int_equal(header.ts, wanted->ts_ns);
		assert_int_equal(header.tid, wanted->tid);
		assert_int_equal(event.hidden, wanted->hidden);
		wanted++;
	}
	assert_int_equal(wanted->ts_ns, 0);
}
