/* SPDX-License-Identifier: MIT */
/* request.*: requests of application protocols, the parameters of events of that type. */
#include "sinsp/fields/table.h"

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
