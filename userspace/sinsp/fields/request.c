/* SPDX-License-Identifier: MIT */
/* request.*: requests of application protocols, the parameters of events of that type. */
#include "sinsp/fields/table.h"

#include <inttypes.h>

static const struct event_param *request_param(const struct state_event *event,
					       const struct field_ref *ref)
{
	int index = ref->param_of_event[EVENT_request];

	/* Other events have parameters with such names, too. */
	if (event->ev.desc->id != EVENT_request || index < 0 ||
	    !event_param_present(&event->ev, (unsigned int)index))
		return NULL;
	return &event->ev.params[index];
}

static int get_number(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = request_param(event, ref);

	return param ? field_give_i64(values, event_value_i64(ref->desc->type, param)) : NO_VALUE;
}

static int get_string(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = request_param(event, ref);

	return param ? field_give_string(values, (const char *)param->data) : NO_VALUE;
}

static const struct param_flag *request_names(const struct field_ref *ref)
{
	int index = ref->param_of_event[EVENT_request];

	return event_desc_get(EVENT_request)->params[index].set;
}

/* The name of one of a set. */
static int get_name(const struct state_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = request_param(event, ref);
	const struct param_flag *name = param ? request_names(ref) : NULL;

	while (name && name->name && name->value != param->data[0])
		name++;
	return name ? field_give_string(values, name->name) : NO_VALUE;
}

static int get_human(const struct state_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = request_param(event, ref);
	struct buf text = field_text_begin(scratch);

	if (!param)
		return NO_VALUE;
	text_append_duration(&text, (uint64_t)event_value_i64(PT_RELTIME, param));
	return field_give_text(values, scratch, &text);
}

/* Parts of the time of a request, as far as there are any. */
struct request_part {
	uint64_t ns;
	const char *name;
};

enum { REQUEST_PARTS = request__time_unknown - request__time_cpu + 1 };

static unsigned int list_parts(const struct event *ev, struct request_part parts[REQUEST_PARTS])
{
	static const char *const names[REQUEST_PARTS] = {
		"cpu", "run queue", "disk", "net", "lock", "sleep", "poll", "other", "not known"};
	unsigned int count = 0;

	for (unsigned int i = 0; i < REQUEST_PARTS; i++) {
		struct request_part part = {event_param_u64(ev, request__time_cpu + i), names[i]};
		unsigned int place = count;

		if (!part.ns)
			continue;
		for (; place && parts[place - 1].ns < part.ns; place--)
			parts[place] = parts[place - 1];
		parts[place] = part;
		count++;
	}
	return count;
}

/* The parts, the longest first. */
static int get_why(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	const struct event *ev = &event->ev;
	struct request_part parts[REQUEST_PARTS];
	struct buf text = field_text_begin(scratch);
	unsigned int count;

	if (!request_param(event, ref))
		return NO_VALUE;
	count = list_parts(ev, parts);
	for (unsigned int i = 0; i < count; i++) {
		buf_printf(&text, "%s%s ", i ? ", " : "", parts[i].name);
		text_append_duration(&text, parts[i].ns);
	}
	if (event_param_present(ev, request__unlocked_by))
		buf_printf(&text, " (unlocked by %" PRIi64 ")",
			   event_param_i64(ev, request__unlocked_by));
	if (event_param_u64(ev, request__threads) > 1)
		buf_printf(&text, " (%" PRIu64 " threads)", event_param_u64(ev, request__threads));
	return field_give_text(values, scratch, &text);
}

static bool is_request(const struct event_desc *event)
{
	return event->id == EVENT_request;
}

static void each_name(const char *parameter, void (*see)(void *context, const char *word),
		      void *context)
{
	const struct event_desc *desc = event_desc_get(EVENT_request);
	int index = event_param_find(desc, parameter);

	for (const struct param_flag *name = desc->params[index].set; name->name; name++)
		see(context, name->name);
}

static void each_protocol(void (*see)(void *context, const char *word), void *context)
{
	each_name("protocol", see, context);
}

static void each_role(void (*see)(void *context, const char *word), void *context)
{
	each_name("role", see, context);
}

static const struct field_words protocols = {each_protocol};
static const struct field_words roles = {each_role};

#define ROW_WITH(flags, name, parameter, type, getter, sample, help, more...)                      \
	{                                                                                          \
		"request." name, PT_##type, PF_DEC, flags, FIELD_ARG_NONE, 0, getter, help,        \
			.param = parameter, .example = sample, .can_have = is_request, more        \
	}
#define ROW(name, more...) ROW_WITH(0, name, more)
#define TIME(name, parameter, help)                                                                \
	ROW("time." name, parameter, RELTIME, get_number, ">100ms", help, .unit = FIELD_UNIT_NS)

const struct field_desc fields_request[] = {
	ROW_WITH(FIELD_OF_STREAM, "protocol", "protocol", CHARBUF, get_name, "=http",
		 "of the application: http, grpc, redis", .words = &protocols),
	ROW_WITH(FIELD_OF_STREAM, "role", "role", CHARBUF, get_name, "=server",
		 "of the process: client for the one that asks, server for the one that answers",
		 .words = &roles),
	ROW("method", "method", CHARBUF, get_string, "=GET", "GET, SELECT, HGET"),
	ROW("target", "target", CHARBUF, get_string, " startswith /api",
	    "what is asked for: a path without its query, a key, a statement"),
	ROW("host", "host", CHARBUF, get_string, "=example.org", "the host that is asked"),
	ROW("status", "status", INT32, get_number, ">=500", "of the response, as a number",
	    .colour = FIELD_COLOUR_STATUS),
	ROW("error", "error", CHARBUF, get_string, " exists",
	    "why it failed: a status, a code, timeout, reset, closed",
	    .colour = FIELD_COLOUR_ERROR),
	ROW("size.request", "request_size", UINT64, get_number, ">1000", "bytes of the request",
	    .unit = FIELD_UNIT_BYTES),
	ROW("size.response", "response_size", UINT64, get_number, ">1000000",
	    "bytes of the response", .unit = FIELD_UNIT_BYTES),
	TIME("connect", "connect_time", "how long the connection took to be made"),
	TIME("send", "send_time", "from the first byte of the request to its last"),
	TIME("first_byte", "first_byte_time",
	     "from the last byte of the request to the first of the response"),
	TIME("receive", "receive_time", "from the first byte of the response to its last"),
	TIME("total", "total_time",
	     "from the first byte of the request to the last of the response"),
	ROW("time.total.human", "total_time", CHARBUF, get_human, " endswith s",
	    "the same with a unit (ns, us, ms, s): 1.25ms"),
	TIME("cpu", "time_cpu", "what the thread that answered did in that time: it ran (--why)"),
	TIME("runqueue", "time_runqueue", "it could run, and waited for a CPU"),
	TIME("disk", "time_disk", "it waited for a disk"),
	TIME("net", "time_net", "it waited for the network: another server, the client"),
	TIME("lock", "time_lock", "it waited for a lock"),
	TIME("sleep", "time_sleep", "it slept"),
	TIME("poll", "time_poll",
	     "it waited for any of several descriptors, or a time: poll, select, epoll"),
	TIME("other", "time_other", "it waited for something else"),
	TIME("unknown", "time_unknown",
	     "of which that is not known; with the eight others it is the total time"),
	ROW("why", "time_cpu", CHARBUF, get_why, " contains lock",
	    "these as a text, the longest first: sleep 50.1ms, cpu 212us"),
	ROW("why.threads", "threads", UINT32, get_number, ">1",
	    "threads that moved bytes of the request or its response, as far as known"),
	ROW("why.unlocked_by", "unlocked_by", PID, get_number, " exists",
	    "the thread that ended the last wait for a lock"),
	ROW("answer", "answer", CHARBUF, get_string, " contains 10.0.0.7",
	    "addresses in a response of DNS, with a blank between two"),
	ROW("ttl", "ttl", UINT32, get_number, "<60", "seconds for which these are valid",
	    .unit = FIELD_UNIT_S),
	ROW("version", "version", CHARBUF, get_string, "=2", "of the protocol: of HTTP 1.1 or 2"),
	ROW("is_tls", "is_tls", BOOL, get_number, "=true",
	    "the connection is encrypted, and what was sent is known nevertheless: --tls"),
	ROW("is_guess", "is_guess", BOOL, get_number, "=true",
	    "of such a connection it is guessed to which socket it belongs, by sizes"),
	ROW("messages.request", "request_messages", UINT32, get_number, ">1",
	    "messages of gRPC in the request"),
	ROW("messages.response", "response_messages", UINT32, get_number, ">1",
	    "messages of gRPC in the response"),
	TIME("deadline", "deadline", "how long a call of gRPC may take, as the client says"),
	ROW("undecoded", "undecoded", UINT32, get_number, ">0",
	    "headers of HTTP/2 that refer to what was said before the capture: not known"),
	ROW("trace_id", "trace_id", CHARBUF, get_string, " exists",
	    "of distributed tracing: traceparent, b3, sw8, uber-trace-id"),
	{0},
};
