/* SPDX-License-Identifier: MIT */
/* Classes are what the event table says of their events, or lists of names where it says nothing.
 */
#include "trace/calls.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/names.h"
#include "util/count.h"
#include "util/nearest.h"

/* Events whose names are those of the .scap world, and the kernel's. */
static const struct {
	uint16_t event;
	const char *name;
} renamed[] = {
	{EVENT_pread, "pread64"},
	{EVENT_pwrite, "pwrite64"},
	{EVENT_prlimit, "prlimit64"},
	{EVENT_llseek, "_llseek"},
};

static const char *calls_name_of(const struct event_desc *desc)
{
	for (size_t i = 0; i < COUNT(renamed); i++)
		if (renamed[i].event == desc->id)
			return renamed[i].name;
	return desc->name;
}

const char *trace_calls_name(const struct event *event)
{
	const char *name;

	if (event->desc->id != EVENT_syscall || !event->params[syscall__ID].len)
		return calls_name_of(event->desc);
	name = syscall_name((unsigned int)event_param_i64(event, syscall__ID));
	return name ? name : calls_name_of(event->desc);
}

void trace_calls_append_name(const struct event *event, struct buf *out)
{
	if (event->desc->id == EVENT_syscall && event_syscall_code(event) == SC_unknown &&
	    event->params[syscall__nativeID].len)
		buf_printf(out, "syscall_%#" PRIx64, event_param_u64(event, syscall__nativeID));
	else
		buf_append_string(out, trace_calls_name(event));
}

/* Classes. */

typedef bool calls_class(const struct event_desc *desc);

static bool calls_has_type(const struct event_desc *desc, enum param_type one,
			   enum param_type other)
{
	for (unsigned int i = 0; i < desc->nparams; i++) {
		const struct param_desc *param = &desc->params[i];

		if ((param->type == one || param->type == other) && !param->quiet)
			return true;
	}
	return false;
}

static bool calls_is_in(const struct event_desc *desc, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(calls_name_of(desc), names[i]) == 0)
			return true;
	return false;
}

static bool calls_of_file(const struct event_desc *desc)
{
	static const char *const others[] = {
		"chdir",  "execve",  "execveat",  "getcwd", "mount",  "open_tree", "move_mount",
		"fspick", "symlink", "symlinkat", "chroot", "swapon", "swapoff",   "acct",
	};

	return calls_has_type(desc, PT_FSPATH, PT_FSRELPATH) ||
	       calls_is_in(desc, others, COUNT(others));
}

static bool calls_of_desc(const struct event_desc *desc)
{
	return desc->id != EVENT_pidfd_send_signal && calls_has_type(desc, PT_FD, PT_FDLIST);
}

static bool calls_of_network(const struct event_desc *desc)
{
	return event_family_of(desc->id) == FAMILY_net || desc->id == EVENT_sendfile;
}

static bool calls_of_memory(const struct event_desc *desc)
{
	static const char *const others[] = {"shmat", "shmdt", "io_setup", "io_destroy"};

	return event_family_of(desc->id) == FAMILY_memory ||
	       calls_is_in(desc, others, COUNT(others));
}

static bool calls_of_ipc(const struct event_desc *desc)
{
	return strncmp(desc->name, "shm", 3) == 0 || strncmp(desc->name, "sem", 3) == 0 ||
	       strncmp(desc->name, "msg", 3) == 0;
}

static bool calls_of_signal(const struct event_desc *desc)
{
	static const char *const others[] = {
		"kill",	 "tkill",    "tgkill",	  "sigaltstack",
		"pause", "signalfd", "signalfd4", "pidfd_send_signal",
	};

	return strncmp(desc->name, "rt_", 3) == 0 || calls_is_in(desc, others, COUNT(others));
}

static bool calls_of_process(const struct event_desc *desc)
{
	static const char *const names[] = {
		"clone",
		"clone3",
		"fork",
		"vfork",
		"execve",
		"execveat",
		"exit",
		"exit_group",
		"wait4",
		"waitid",
		"kill",
		"tkill",
		"tgkill",
		"rt_sigqueueinfo",
		"rt_tgsigqueueinfo",
		"pidfd_open",
		"pidfd_send_signal",
		"unshare",
	};

	return calls_is_in(desc, names, COUNT(names));
}

static bool calls_of_creds(const struct event_desc *desc)
{
	static const char *const names[] = {
		"capget",    "capset",	  "getegid",   "geteuid",   "getgid",
		"getgroups", "getresgid", "getresuid", "getuid",    "prctl",
		"setfsgid",  "setfsuid",  "setgid",    "setgroups", "setregid",
		"setresgid", "setresuid", "setreuid",  "setuid",
	};

	return calls_is_in(desc, names, COUNT(names));
}

static bool calls_of_clock(const struct event_desc *desc)
{
	static const char *const names[] = {
		"adjtimex",	 "clock_adjtime", "clock_getres", "clock_gettime",
		"clock_settime", "gettimeofday",  "settimeofday", "time",
	};

	return calls_is_in(desc, names, COUNT(names));
}

static bool calls_of_stat(const struct event_desc *desc)
{
	static const char *const names[] = {"stat", "stat64"};

	return calls_is_in(desc, names, COUNT(names));
}

static bool calls_of_lstat(const struct event_desc *desc)
{
	static const char *const names[] = {"lstat", "lstat64"};

	return calls_is_in(desc, names, COUNT(names));
}

static bool calls_of_fstat(const struct event_desc *desc)
{
	static const char *const names[] = {"fstat", "fstat64", "newfstatat", "fstatat64", "statx"};

	return calls_is_in(desc, names, COUNT(names));
}

static bool calls_of_any_stat(const struct event_desc *desc)
{
	return calls_of_stat(desc) || calls_of_lstat(desc) || calls_of_fstat(desc);
}

static bool calls_of_statfs(const struct event_desc *desc)
{
	static const char *const names[] = {"statfs", "fstatfs", "ustat"};

	return calls_is_in(desc, names, COUNT(names));
}

static bool calls_of_all(const struct event_desc *desc)
{
	return true;
}

static const struct {
	const char *name;
	calls_class *has;
} classes[] = {
	{"file", calls_of_file},      {"desc", calls_of_desc},	     {"network", calls_of_network},
	{"net", calls_of_network},    {"memory", calls_of_memory},   {"ipc", calls_of_ipc},
	{"signal", calls_of_signal},  {"process", calls_of_process}, {"creds", calls_of_creds},
	{"clock", calls_of_clock},    {"stat", calls_of_stat},	     {"lstat", calls_of_lstat},
	{"fstat", calls_of_fstat},    {"%stat", calls_of_any_stat},  {"statfs", calls_of_statfs},
	{"%statfs", calls_of_statfs}, {"all", calls_of_all},
};

/* Lists. */

/* What a list has: events, and calls without an event of their own by their codes. */
struct calls_chosen {
	bool events[EVENT_ID_MAX], codes[SYSCALL_CODES_COUNT];
};

static bool calls_is_generic(unsigned int code)
{
	return event_desc_of_syscall(code)->id == EVENT_syscall;
}

static bool calls_is_shown(const struct event_desc *desc)
{
	return desc && desc->syscall != SC_unknown && (desc->category & EC_SYSCALL) &&
	       !(desc->flags & (EF_ENTER | EF_UNSEEN | EF_RECORDED));
}

static void calls_mark_class(calls_class *has, struct calls_chosen *chosen)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (calls_is_shown(desc) && has(desc))
			chosen->events[id] = true;
	}
	/* What they are about is not known. */
	for (unsigned int code = 0; code < SYSCALL_CODES_COUNT && has == calls_of_all; code++)
		chosen->codes[code] = true;
}

static calls_class *calls_find_class(const char *name)
{
	for (size_t i = 0; i < COUNT(classes); i++)
		if (strcmp(classes[i].name, name) == 0)
			return classes[i].has;
	return NULL;
}

static int calls_mark_pattern(const char *pattern, struct calls_chosen *chosen, struct error *err)
{
	regex_t regex;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB))
		return error_set(err, -EINVAL, "-e /%s: not a regular expression", pattern);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (calls_is_shown(desc) && regexec(&regex, calls_name_of(desc), 0, NULL, 0) == 0)
			chosen->events[id] = true;
	}
	for (unsigned int code = 0; code < SYSCALL_CODES_COUNT; code++)
		if (regexec(&regex, syscall_name(code), 0, NULL, 0) == 0)
			chosen->codes[code] = true;
	regfree(&regex);
	return 0;
}

static int calls_mark_name(const char *name, struct calls_chosen *chosen, struct error *err)
{
	int code = syscall_code_find(name);
	bool found = code >= 0 && calls_is_generic((unsigned int)code);

	if (found)
		chosen->codes[code] = true;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!calls_is_shown(desc) || strcmp(calls_name_of(desc), name))
			continue;
		found = chosen->events[id] = true;
	}
	return found ? 0
		     : error_set(err, -EINVAL,
				 "-e %s: no call has that name here: see agent events, or %%file, "
				 "%%network, %%process, %%desc, %%memory, %%signal",
				 name);
}

static int calls_mark(const char *word, struct calls_chosen *chosen, struct error *err)
{
	/* '?' before a name: it may be unknown. */
	bool may_lack = *word == '?';
	calls_class *has;
	int r;

	word += may_lack;
	if (*word == '/')
		return calls_mark_pattern(word + 1, chosen, err);
	has = *word == '%' ? calls_find_class(word + 1) : NULL;
	/* Older habits: -e file */
	if (!has && *word != '%' && event_desc_find(word) == NULL)
		has = calls_find_class(word);
	if (has) {
		calls_mark_class(has, chosen);
		return 0;
	}
	r = calls_mark_name(word, chosen, err);
	return may_lack ? 0 : r;
}

/* Calls a function for each word of a list. */
static int calls_each(const char *list, struct calls_chosen *chosen, struct error *err)
{
	char *copy = strdup(list), *rest = copy, *word;
	int r = copy ? 0 : error_set(err, -ENOMEM, "out of memory");

	while (r == 0 && (word = strsep(&rest, ",")))
		r = *word ? calls_mark(word, chosen, err) : 0;
	free(copy);
	return r;
}

static void calls_append_type(const char *name, bool *any, struct buf *out)
{
	buf_printf(out, "%s%s", *any ? ", " : "evt.type in (", name);
	*any = true;
}

int trace_calls_append_filter(const char *list, struct buf *out, struct error *err)
{
	struct calls_chosen chosen = {{false}, {false}};
	bool inverted = *list == '!', any = false;
	int r = strcmp(list + inverted, "none") == 0 ? 0
						     : calls_each(list + inverted, &chosen, err);

	if (r)
		return r;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (calls_is_shown(desc) && chosen.events[id] != inverted)
			calls_append_type(desc->name, &any, out);
	}
	for (unsigned int code = 0; code < SYSCALL_CODES_COUNT; code++)
		if (calls_is_generic(code) && chosen.codes[code] != inverted)
			calls_append_type(syscall_name(code), &any, out);
	buf_append_string(out, any ? ")" : "evt.num = 0");
	return 0;
}

int trace_calls_append_status(const char *list, struct buf *out, struct error *err)
{
	bool ok = strstr(list, "successful") != NULL, failed = strstr(list, "failed") != NULL;
	bool inverted = *list == '!';

	if (!ok && !failed)
		return error_set(
			err, -EINVAL,
			"-e status=%s: expected successful or failed: only calls that have "
			"ended are seen",
			list);
	if (ok != failed)
		buf_append_string(out, ok != inverted ? "evt.failed = false" : "evt.failed = true");
	else
		buf_append_string(out, inverted ? "evt.num = 0" : "evt.num > 0");
	return 0;
}

/* The number of SIGCHLD, CHLD, chld or 17; 0: there is none. */
static unsigned int calls_signal(const char *word)
{
	unsigned long number = strtoul(word, NULL, 10);

	for (unsigned int i = 1; i < 65; i++) {
		const char *name = event_signal_name(i);

		if (i == number || (name && (strcasecmp(name, word) == 0 ||
					     strcasecmp(name + strlen("SIG"), word) == 0)))
			return i;
	}
	return 0;
}

int trace_calls_append_signals(const char *list, bool *none, struct buf *out, struct error *err)
{
	bool inverted = *list == '!', any = false, all = false;
	char *copy = strdup(list + inverted), *rest = copy, *word;
	int r = copy ? 0 : error_set(err, -ENOMEM, "out of memory");
	size_t start = out->len;

	while (r == 0 && (word = strsep(&rest, ","))) {
		unsigned int number = calls_signal(word);

		all |= strcmp(word, "all") == 0;
		if (strcmp(word, "all") == 0 || strcmp(word, "none") == 0)
			continue;
		if (!number)
			r = error_set(err, -EINVAL, "-e signal=%s: there is no signal '%s'", list,
				      word);
		buf_printf(out, "%s%u",
			   any	      ? ", "
			   : inverted ? "not evt.arg.sig in ("
				      : "evt.arg.sig in (",
			   number);
		any = true;
	}
	free(copy);
	*none = inverted ? all : !all && !any;
	if (all || !any) {
		out->len = start;
		buf_append_string(out, "evt.num > 0");
	} else {
		buf_append_char(out, ')');
	}
	return r;
}

void trace_calls_append_operand(const char *text, struct buf *out)
{
	buf_append_char(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_append_char(out, '\\');
		buf_append_char(out, *text);
	}
	buf_append_char(out, '"');
}
