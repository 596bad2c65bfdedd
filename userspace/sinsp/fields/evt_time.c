/* SPDX-License-Identifier: MIT */
/* evt.*: times and durations, as text and as numbers. */
#include <inttypes.h>
#include <math.h>

#include "sinsp/fields/table.h"
#include "util/count.h"
#include "util/json.h"

enum { NS_PER_SECOND = 1000000000 };

/* The wall-clock time. Not used for durations, because the clock can be set. */
static uint64_t now_ns(const struct state_event *event)
{
	return state_wall_ns(event, event->ev.ts_ns);
}

static int get_time(const struct state_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);
	char fraction[9];

	clock_fraction(fraction, now_ns(event));
	buf_append_string(&text, clock_local(&scratch->local, now_ns(event)) + CLOCK_TIME_OFFSET);
	buf_append_char(&text, '.');
	buf_append(&text, fraction, sizeof(fraction));
	return field_give_text(values, scratch, &text);
}

static int get_time_s(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	buf_append_string(&text, clock_local(&scratch->local, now_ns(event)) + CLOCK_TIME_OFFSET);
	return field_give_text(values, scratch, &text);
}

static int get_time_iso8601(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);
	char time[CLOCK_RFC3339_BYTES];

	clock_rfc3339(&scratch->utc, now_ns(event), time);
	buf_append(&text, time, sizeof(time) - 1);
	BUF_LITERAL(&text, "+0000");
	return field_give_text(values, scratch, &text);
}

static int get_datetime(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);
	char fraction[9];

	clock_fraction(fraction, now_ns(event));
	buf_append_string(&text, clock_local(&scratch->local, now_ns(event)));
	buf_append_char(&text, '.');
	buf_append(&text, fraction, sizeof(fraction));
	return field_give_text(values, scratch, &text);
}

static int get_datetime_s(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	buf_append_string(&text, clock_local(&scratch->local, now_ns(event)));
	return field_give_text(values, scratch, &text);
}

/* A later event may have an earlier time if sources disagree: the duration is 0 then. */
static uint64_t span(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static uint64_t since_start(const struct state_event *event)
{
	return span(event->first_ts_ns, event->ev.ts_ns);
}

/* Repeated calls for the same event return the same value. */
static uint64_t since_last(const struct state_event *event, struct field_scratch *scratch)
{
	if (scratch->last_num == event->num)
		return scratch->delta_ns;
	scratch->delta_ns = scratch->last_num ? span(scratch->last_ns, event->ev.ts_ns) : 0;
	scratch->last_num = event->num;
	scratch->last_ns = event->ev.ts_ns;
	return scratch->delta_ns;
}

#define TIME_GETTER(name, value)                                                                   \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		return field_give_u64(values, value);                                              \
	}

static int give_seconds(struct field_value *values, struct field_scratch *scratch, uint64_t ns)
{
	struct buf text = field_text_begin(scratch);
	char fraction[9];

	clock_fraction(fraction, ns);
	buf_append_u64(&text, ns / NS_PER_SECOND);
	buf_append_char(&text, '.');
	buf_append(&text, fraction, sizeof(fraction));
	return field_give_text(values, scratch, &text);
}

static bool has_latency(const struct state_event *event)
{
	return event->ev.latency_ns != LATENCY_UNKNOWN;
}

static int get_outputtime(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	switch (scratch->style.time) {
	case TEXT_TIME_EPOCH:
		return give_seconds(values, scratch, now_ns(event));
	case TEXT_TIME_RELATIVE:
		return give_seconds(values, scratch, since_start(event));
	case TEXT_TIME_DELTA:
		return give_seconds(values, scratch, since_last(event, scratch));
	case TEXT_TIME_LATENCY:
		return has_latency(event) ? give_seconds(values, scratch, event->ev.latency_ns)
					  : NO_VALUE;
	default:
		return get_time(event, ref, scratch, values);
	}
}

static bool write_json_time(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct buf *out)
{
	enum { QUOTED_BYTES = CLOCK_RFC3339_BYTES + 2 };
	char *to;

	if (!buf_reserve(out, QUOTED_BYTES))
		return true;
	to = out->data + out->len;
	to[0] = '"';
	clock_rfc3339(&scratch->utc, now_ns(event), to + 1);
	to[QUOTED_BYTES - 1] = '"';
	out->len += QUOTED_BYTES;
	return true;
}

/* Seconds are the same as in text. */
static bool write_json_outputtime(const struct state_event *event, const struct field_ref *ref,
				  struct field_scratch *scratch, struct buf *out)
{
	struct field_value value;

	if (scratch->style.time == TEXT_TIME_OF_DAY)
		return write_json_time(event, ref, scratch, out);
	if (get_outputtime(event, ref, scratch, &value) != 1)
		return false;
	json_append_string(out, value.bytes.data, value.bytes.len);
	return true;
}

static const struct field_json json_time = {"time", write_json_time};
static const struct field_json json_outputtime = {"text", write_json_outputtime};

TIME_GETTER(get_rawtime, now_ns(event))
TIME_GETTER(get_rawtime_s, now_ns(event) / NS_PER_SECOND)
TIME_GETTER(get_rawtime_ns, now_ns(event) % NS_PER_SECOND)
TIME_GETTER(get_reltime, since_start(event))
TIME_GETTER(get_reltime_s, since_start(event) / NS_PER_SECOND)
TIME_GETTER(get_reltime_ns, since_start(event) % NS_PER_SECOND)
TIME_GETTER(get_deltatime, since_last(event, scratch))
TIME_GETTER(get_deltatime_s, since_last(event, scratch) / NS_PER_SECOND)
TIME_GETTER(get_deltatime_ns, since_last(event, scratch) % NS_PER_SECOND)

/* Tens of steps are powers of ten: 30 is 1 us, 31 is 1.26 us, 90 is 1 s. */
static uint64_t quantized(uint64_t ns)
{
	return ns ? (uint64_t)floor(10 * log10((double)ns)) : 0;
}

static bool can_wait(const struct event_desc *event)
{
	return event->flags & EF_WAITS;
}

#define LATENCY_GETTER(name, known, value)                                                         \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		return has_latency(event) && (known) ? field_give_u64(values, value) : NO_VALUE;   \
	}

LATENCY_GETTER(get_latency, true, event->ev.latency_ns)
LATENCY_GETTER(get_latency_s, true, event->ev.latency_ns / NS_PER_SECOND)
LATENCY_GETTER(get_latency_ns, true, event->ev.latency_ns % NS_PER_SECOND)
LATENCY_GETTER(get_latency_quantized, true, quantized(event->ev.latency_ns))
LATENCY_GETTER(get_wait_latency, can_wait(event->ev.desc), event->ev.latency_ns)

static int get_latency_human(const struct state_event *event, const struct field_ref *ref,
			     struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	if (!has_latency(event))
		return NO_VALUE;
	text_append_duration(&text, event->ev.latency_ns);
	return field_give_text(values, scratch, &text);
}

#define TEXT(name, getter, help...)                                                                \
	{                                                                                          \
		name, PT_CHARBUF, PF_NA, FIELD_OF_CLOCK, FIELD_ARG_NONE, 0, getter, help,          \
			.colour = FIELD_COLOUR_ID                                                  \
	}
#define NUMBER_ROW(name, type, format, flags, getter, help...)                                     \
	{                                                                                          \
		name, PT_##type, PF_##format, flags, FIELD_ARG_NONE, 0, getter, help,              \
			.colour = FIELD_COLOUR_ID                                                  \
	}
#define NUMBER(name, type, format, getter, help...) NUMBER_ROW(name, type, format, 0, getter, help)
#define DISTANCE(name, type, format, getter, help...)                                              \
	NUMBER_ROW(name, type, format, FIELD_OF_PAST, getter, help)
#define LATENCY(name, type, format, getter, help...)                                               \
	{                                                                                          \
		name, PT_##type, PF_##format, 0, FIELD_ARG_NONE, NEEDS_ENTER_TIME, getter, help    \
	}

const struct field_desc fields_evt_time[] = {
	TEXT("evt.time", get_time, "local time of day with ns; in JSON date and time in UTC",
	     .example = " startswith 17:", .json = &json_time),
	TEXT("evt.time.s", get_time_s, "local time of day", .example = " startswith 17:30"),
	TEXT("evt.time.iso8601", get_time_iso8601, "date and time in UTC with ns",
	     .example = " startswith 2026-11-21"),
	TEXT("evt.datetime", get_datetime, "local date and time with ns",
	     .example = " startswith 2026-11-21"),
	TEXT("evt.datetime.s", get_datetime_s, "local date and time",
	     .example = " startswith \"2026-11-21 17\""),
	{"evt.outputtime", PT_CHARBUF, PF_NA, FIELD_STYLED_TIME | FIELD_OF_CLOCK, FIELD_ARG_NONE, 0,
	 get_outputtime, "the time in the form that the option -t chooses",
	 .example = " startswith 17:", .colour = FIELD_COLOUR_ID, .json = &json_outputtime},
	NUMBER("evt.rawtime", ABSTIME, DEC, get_rawtime, "time of the event, ns since 1970",
	       .moment = true),
	NUMBER("evt.rawtime.s", ABSTIME, DEC, get_rawtime_s, "evt.rawtime in whole seconds",
	       .unit = FIELD_UNIT_S, .example = ">1700000000"),
	NUMBER("evt.rawtime.ns", ABSTIME, PADDED_DEC, get_rawtime_ns, "ns part of evt.rawtime",
	       .example = "<500000000"),
	DISTANCE("evt.reltime", RELTIME, PADDED_DEC, get_reltime,
		 "ns since the first event that is shown"),
	DISTANCE("evt.reltime.s", RELTIME, DEC, get_reltime_s, "evt.reltime in whole seconds",
		 .unit = FIELD_UNIT_S, .example = ">60"),
	DISTANCE("evt.reltime.ns", RELTIME, PADDED_DEC, get_reltime_ns, "ns part of evt.reltime",
		 .example = "<500000000"),
	DISTANCE("evt.deltatime", RELTIME, DEC, get_deltatime,
		 "ns since the event before that was asked for this"),
	DISTANCE("evt.deltatime.s", RELTIME, DEC, get_deltatime_s, "evt.deltatime in whole seconds",
		 .unit = FIELD_UNIT_S, .example = ">=1"),
	DISTANCE("evt.deltatime.ns", RELTIME, PADDED_DEC, get_deltatime_ns,
		 "ns part of evt.deltatime", .example = "<500000000"),
	LATENCY("evt.latency", RELTIME, DEC, get_latency, "ns that the system call took"),
	LATENCY("evt.latency.s", RELTIME, DEC, get_latency_s, "evt.latency in whole seconds",
		.unit = FIELD_UNIT_S, .example = ">=1"),
	LATENCY("evt.latency.ns", RELTIME, PADDED_DEC, get_latency_ns, "ns part of evt.latency",
		.example = "<500000000"),
	LATENCY("evt.latency.human", CHARBUF, NA, get_latency_human,
		"evt.latency with a unit (ns, us, ms, s): 1.25ms", .example = " endswith ms"),
	LATENCY("evt.latency.quantized", UINT64, DEC, get_latency_quantized,
		"evt.latency on a scale of 10 steps per power of ten: 30 is 1 us, 90 is 1 s",
		.example = ">=60"),
	LATENCY("evt.wait_latency", RELTIME, DEC, get_wait_latency,
		"evt.latency of calls that can wait (evt.is_wait)", .can_have = can_wait),
	{0},
};
