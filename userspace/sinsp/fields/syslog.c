/* SPDX-License-Identifier: MIT */
/* syslog.*: messages that programs write to the system log, "<PRIORITY>message". */
#include "sinsp/fields/table.h"

enum { PRIORITY_DIGITS_MAX = 3, FACILITIES = 24, SEVERITIES = 8 };

/* Names from <syslog.h>, and from RFC 5424 if that has none. */
static const char *const facility_names[FACILITIES] = {
	"kern",	  "user",   "mail",	"daemon", "auth",   "syslog", "lpr",	"news",
	"uucp",	  "cron",   "authpriv", "ftp",	  "ntp",    "audit",  "alert",	"clock",
	"local0", "local1", "local2",	"local3", "local4", "local5", "local6", "local7",
};

static const char *const severity_names[SEVERITIES] = {
	"emerg", "alert", "crit", "err", "warn", "notice", "info", "debug",
};

struct message {
	unsigned int facility, severity;
	const char *text;
	size_t len;
};

/* Returns false for events that write no message with a priority to the log. */
static bool syslog_parse(const struct state_event *event, const struct field_ref *ref,
			 struct message *message)
{
	int index = ref->param_of_event[event->ev.desc->id];
	unsigned int priority = 0;
	const char *data;
	size_t len, at = 1;

	if (index < 0 || !evt_is_syslog(event))
		return false;
	data = (const char *)event->ev.params[index].data;
	len = event->ev.params[index].len;
	if (len < 3 || data[0] != '<')
		return false;
	for (; at < len && at <= PRIORITY_DIGITS_MAX && data[at] >= '0' && data[at] <= '9'; at++)
		priority = 10 * priority + (unsigned int)(data[at] - '0');
	if (at == 1 || at == len || data[at] != '>' || priority >= FACILITIES * SEVERITIES)
		return false;
	message->facility = priority / SEVERITIES;
	message->severity = priority % SEVERITIES;
	message->text = data + at + 1;
	message->len = len - at - 1;
	return true;
}

/* The text ends at a NUL, and newlines at its end are not part of it. */
static int give_message(const struct message *message, struct field_scratch *scratch,
			struct field_value *values)
{
	struct buf text = field_text_begin(scratch);
	size_t len = strnlen(message->text, message->len);

	while (len && message->text[len - 1] == '\n')
		len--;
	buf_append(&text, message->text, len);
	return field_give_text(values, scratch, &text);
}

#define GETTER(name, give)                                                                         \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		struct message message;                                                            \
                                                                                                   \
		return syslog_parse(event, ref, &message) ? give : NO_VALUE;                       \
	}

GETTER(get_facility, field_give_u64(values, message.facility))
GETTER(get_facility_name, field_give_string(values, facility_names[message.facility]))
GETTER(get_severity, field_give_u64(values, message.severity))
GETTER(get_severity_name, field_give_string(values, severity_names[message.severity]))
GETTER(get_message, give_message(&message, scratch, values))

static bool writes(const struct event_desc *event)
{
	return event->flags & EF_WRITES_TO_FD;
}

#define ROW(name, type, format, getter, sample, help, more...)                                     \
	{                                                                                          \
		name, PT_##type, PF_##format, 0, FIELD_ARG_NONE, NEEDS_THREADS | NEEDS_EVENT_FD,   \
			getter, help, .param = "data", .example = sample, .can_have = writes, more \
	}

static void each_facility(void (*see)(void *context, const char *word), void *context)
{
	for (unsigned int i = 0; i < FACILITIES; i++)
		see(context, facility_names[i]);
}

static void each_severity(void (*see)(void *context, const char *word), void *context)
{
	for (unsigned int i = 0; i < SEVERITIES; i++)
		see(context, severity_names[i]);
}

static const struct field_words facilities = {each_facility};
static const struct field_words severities = {each_severity};

const struct field_desc fields_syslog[] = {
	ROW("syslog.facility.str", CHARBUF, NA, get_facility_name, "=authpriv",
	    "of a write to the log: what kind of program it comes from: kern, daemon, auth",
	    .words = &facilities),
	ROW("syslog.facility", UINT32, DEC, get_facility, "=10", "the same as a number, 0 to 23"),
	ROW("syslog.severity.str", CHARBUF, NA, get_severity_name, " in (emerg, alert, crit, err)",
	    "of a write to the log: how bad it is: emerg, err, info", .words = &severities),
	ROW("syslog.severity", UINT32, DEC, get_severity, "<=3",
	    "the same as a number, 0 is the worst"),
	ROW("syslog.message", CHARBUF, NA, get_message, " contains session",
	    "text that is written to the log, as far as it was recorded"),
	{0},
};
