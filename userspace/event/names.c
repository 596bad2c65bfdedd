/* SPDX-License-Identifier: MIT */
/* What the event table says of events in words: families, categories, types, importance. */
#include "event/names.h"

#include "event/event.h"
#include "util/count.h"

/*
 * What an event is about in one word: the files of driver/events/ by subject. Unlike the category
 * it does not depend on the current descriptor, so that a filter on it decides what is captured.
 */
static const uint8_t families[EVENT_ID_MAX] = {
#define SYSCALL_EVENT(name, ...) [EVENT_##name] = FAMILY,
#define TRACEPOINT_EVENT(name, ...) [EVENT_##name] = FAMILY,
#define USER_EVENT(name, ...) [EVENT_##name] = FAMILY,
#include "events/all.def"
};

#define NAME(name) [FAMILY_##name] = #name,

static const char *const names[] = {EVENT_FAMILIES(NAME)};

enum event_family event_family_of(unsigned int id)
{
	const struct event_desc *desc = event_desc_get(id);

	if (desc && (desc->flags & EF_ENTER))
		id++; /* that on exit */
	return id < EVENT_ID_MAX ? families[id] : FAMILY_none;
}

const char *event_family(unsigned int id)
{
	return names[event_family_of(id)];
}

/* From what the event table says of them. */

bool event_is_important(unsigned int id)
{
	return id < EVENT_ID_MAX && (event_descs[id].flags & EF_IMPORTANT);
}

static bool is_transfer(const struct event_desc *desc)
{
	enum { SUBJECT = 0xff };

	/* Of some of these the agent takes an address, which others tell as well. */
	if (desc->flags & (EF_READS_FROM_FD | EF_WRITES_TO_FD))
		return true;
	return !(desc->flags & EF_MODIFIES_STATE) &&
	       (desc->flags & EF_WAITS || (desc->category & SUBJECT) >= EC_IO_READ);
}

enum shed_class event_shed_class(unsigned int id)
{
	const struct event_desc *desc = id < EVENT_ID_MAX ? event_desc_get((uint16_t)id) : NULL;

	if (!desc || event_is_important(id) || desc->category & EC_METAEVENT)
		return SHED_NEVER;
	if (desc->flags & (EF_CREATES_FD | EF_DESTROYS_FD))
		return SHED_DESCRIPTORS;
	if (is_transfer(desc) || id == EVENT_page_fault)
		return SHED_TRANSFERS;
	return desc->flags & EF_MODIFIES_STATE ? SHED_STATE : SHED_OTHERS;
}

/* Tables of words. */

static const char *const category_names[] = {
	[EC_UNKNOWN] = "unknown", [EC_OTHER] = "other",
	[EC_FILE] = "file",	  [EC_NET] = "net",
	[EC_IPC] = "IPC",	  [EC_MEMORY] = "memory",
	[EC_PROCESS] = "process", [EC_SLEEP] = "sleep",
	[EC_SYSTEM] = "system",	  [EC_SIGNAL] = "signal",
	[EC_USER] = "user",	  [EC_TIME] = "time",
	[EC_WAIT] = "wait",	  [EC_SCHEDULER] = "scheduler",
};

static const char *const kind_names[PARAM_FORMS_COUNT] = {
#define FORM(name, word, ...) [PARAM_##name] = word,
#include "event/types.def"
};

static const char *const format_names[] = {
	[PF_DEC] = "decimal",
	[PF_HEX] = "hexadecimal",
	[PF_OCT] = "octal",
	[PF_PADDED_DEC] = "decimal",
};

const char *event_category_name(unsigned int category)
{
	category &= 0xff;
	return category < COUNT(category_names) ? category_names[category] : NULL;
}

const char *event_param_type_name(enum param_type type)
{
	return kind_names[param_type_kind(type)];
}

const char *event_param_format_name(enum param_format format)
{
	return format < COUNT(format_names) ? format_names[format] : NULL;
}

static const char *const signal_names[] = {
	NULL,	     "SIGHUP",	"SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
	"SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
	"SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
	"SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
};

const char *event_signal_name(unsigned int number)
{
	return number < COUNT(signal_names) ? signal_names[number] : NULL;
}
