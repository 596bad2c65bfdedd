/* SPDX-License-Identifier: MIT */
/* proc.*: the relatives of the event's process: parent, ancestors, leaders of its groups. */
#include "sinsp/fields/table.h"
#include "sinsp/fields/thread_text.h"

/* Longer chains are corrupt and contain a loop. */
enum { ANCESTORS_MAX = 256, ENV_ANCESTORS_MAX = 20 };

static const struct state_thread *parent_of(const struct state_event *event,
					    const struct state_thread *thread)
{
	return thread ? state_thread_parent(event->state, thread) : NULL;
}

static const struct state_thread *parent(const struct state_event *event)
{
	return parent_of(event, event->thread);
}

/* The thread itself for 0, its parent for 1; NULL if the chain is shorter. */
static const struct state_thread *ancestor(const struct state_event *event, int32_t distance)
{
	const struct state_thread *thread = event->thread;

	if (distance < 0 || distance > ANCESTORS_MAX)
		return NULL;
	for (; thread && distance > 0; distance--)
		thread = parent_of(event, thread);
	return thread;
}

/* One ancestor by its number, or all of them, the parent first, joined by blanks. */
static int give_ancestors(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values,
			  thread_giver *give)
{
	const struct state_thread *thread;
	const char *start = scratch->bytes + scratch->used;
	struct buf text;

	if (ref->has_arg) {
		thread = ancestor(event, ref->index);
		return thread ? give(thread, scratch, values) : NO_VALUE;
	}
	thread = parent(event);
	if (!thread)
		return NO_VALUE;
	text = field_text_begin(scratch);
	for (int i = 0; thread && i < ANCESTORS_MAX; i++) {
		struct field_value value;

		if (i > 0)
			buf_append_char(&text, ' ');
		/*
		 * The giver composes its value after the text; it is then moved to the end of the
		 * text.
		 */
		scratch->used = (size_t)(text.data + text.len - scratch->bytes);
		if (give(thread, scratch, &value) != 1)
			field_give_bytes(&value, "", 0);
		if (text.capacity - text.len >= value.bytes.len)
			memmove(text.data + text.len, value.bytes.data, value.bytes.len);
		else
			break;
		text.len += value.bytes.len;
		thread = parent_of(event, thread);
	}
	scratch->used = (size_t)(start - scratch->bytes);
	return field_give_text(values, scratch, &text);
}

#define ANCESTORS_GETTER(name, giver)                                                              \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		return give_ancestors(event, ref, scratch, values, giver);                         \
	}

ANCESTORS_GETTER(get_aname, thread_give_name)
ANCESTORS_GETTER(get_aexe, thread_give_exe)
ANCESTORS_GETTER(get_aexepath, thread_give_exepath)
ANCESTORS_GETTER(get_acmdline, thread_give_cmdline)
ANCESTORS_GETTER(get_aargs, thread_give_args)

static int get_apid(const struct state_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	const struct state_thread *thread =
		ref->has_arg ? ancestor(event, ref->index) : event->thread;

	return thread ? field_give_i64(values, thread->pid) : NO_VALUE;
}

/* The first ancestor that has the variable. */
static int find_variable(const struct state_event *event, const char *name,
			 struct field_scratch *scratch, struct field_value *values)
{
	const struct state_thread *thread = event->thread;

	field_give_bytes(values, "", 0);
	for (int i = 0; i < ENV_ANCESTORS_MAX && values->bytes.len == 0; i++) {
		thread = parent_of(event, thread);
		if (!thread)
			break;
		thread_give_variable(thread, name, scratch, values);
	}
	return 1;
}

static int get_aenv(const struct state_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	const struct state_thread *thread = event->thread;

	if (!thread)
		return NO_VALUE;
	if (ref->has_arg && ref->name[0])
		return find_variable(event, ref->name, scratch, values);
	if (ref->has_arg)
		thread = ancestor(event, ref->index);
	return thread ? thread_give_env(thread, scratch, values) : NO_VALUE;
}

static bool ppid_is_known(const struct state_event *event)
{
	return thread_event_is_known(event) && thread_event_parent_pid(event, event->thread) >= 0;
}

static int get_ppid(const struct state_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	return event->thread ? field_give_i64(values, thread_event_parent_pid(event, event->thread))
			     : NO_VALUE;
}

static int get_parent_duration(const struct state_event *event, const struct field_ref *ref,
			       struct field_scratch *scratch, struct field_value *values)
{
	const struct state_thread *thread = parent(event);

	if (!thread || !thread->clone_ts_ns || thread->clone_ts_ns > event->ev.ts_ns)
		return NO_VALUE;
	return field_give_u64(values, event->ev.ts_ns - thread->clone_ts_ns);
}

static int get_loginshellid(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	const struct state_thread *thread = event->thread;
	int found = NO_VALUE;

	for (int i = 0; thread && i < ANCESTORS_MAX; i++) {
		size_t len = strlen(thread->comm);

		if (len >= 2 && memcmp(thread->comm + len - 2, "sh", 2) == 0)
			found = field_give_i64(values, thread->pid);
		thread = parent_of(event, thread);
	}
	return found;
}

static int64_t sid_of(const struct state_thread *thread)
{
	return thread->sid;
}

static int64_t vpgid_of(const struct state_thread *thread)
{
	return thread->vpgid;
}

static int64_t pgid_of(const struct state_thread *thread)
{
	return thread->pgid;
}

/*
 * The leader of a group: the thread with its id, if that id is of the initial pid namespace;
 * otherwise the farthest ancestor up to which all are in the group.
 */
static const struct state_thread *leader(const struct state_event *event,
					 int64_t (*group)(const struct state_thread *),
					 bool initial_ids)
{
	const struct state_thread *thread = event->thread;
	const struct state_thread *found, *next;
	int64_t id = group(thread);

	if (id == -1)
		return NULL;
	found = initial_ids ? state_thread_find(event->state, id) : NULL;
	if (found)
		return found;
	next = parent_of(event, thread);
	for (int i = 0; next && group(next) == id && i < ANCESTORS_MAX; i++) {
		found = next;
		next = parent_of(event, next);
	}
	return found;
}

static int give_leader(const struct state_event *event, struct field_scratch *scratch,
		       struct field_value *values, int64_t (*group)(const struct state_thread *),
		       thread_giver *give)
{
	const struct state_thread *thread = event->thread;

	if (!thread)
		return NO_VALUE;
	thread = leader(event, group, group == pgid_of || thread->vpid == thread->pid);
	return thread ? give(thread, scratch, values) : field_give_bytes(values, "", 0);
}

#define LEADER_GETTER(name, group, giver)                                                          \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		return give_leader(event, scratch, values, group, giver);                          \
	}

LEADER_GETTER(get_sname, sid_of, thread_give_name)
LEADER_GETTER(get_sid_exe, sid_of, thread_give_exe)
LEADER_GETTER(get_sid_exepath, sid_of, thread_give_exepath)
LEADER_GETTER(get_vpgid_name, vpgid_of, thread_give_name)
LEADER_GETTER(get_vpgid_exe, vpgid_of, thread_give_exe)
LEADER_GETTER(get_vpgid_exepath, vpgid_of, thread_give_exepath)
LEADER_GETTER(get_pgid_name, pgid_of, thread_give_name)
LEADER_GETTER(get_pgid_exe, pgid_of, thread_give_exe)
LEADER_GETTER(get_pgid_exepath, pgid_of, thread_give_exepath)

#define PARENT_GETTER(name, give)                                                                  \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		const struct state_thread *thread = parent(event);                                 \
                                                                                                   \
		return thread ? give : NO_VALUE;                                                   \
	}

PARENT_GETTER(get_pname, thread_give_name(thread, scratch, values))
PARENT_GETTER(get_pexe, thread_give_exe(thread, scratch, values))
PARENT_GETTER(get_pexepath, thread_give_exepath(thread, scratch, values))
PARENT_GETTER(get_pcmdline, thread_give_cmdline(thread, scratch, values))
PARENT_GETTER(get_pvpid, field_give_i64(values, thread->vpid))
PARENT_GETTER(get_parent_start, field_give_u64(values, state_wall_ns(event, thread->clone_ts_ns)))

#define ROW(name, type, format, getter, help...)                                                   \
	{                                                                                          \
		name, PT_##type, PF_##format, 0, FIELD_ARG_NONE, NEEDS_THREADS, getter, help,      \
			.colour = FIELD_COLOUR_PROCESS                                             \
	}

enum {
	ANCESTORS_FLAGS = FIELD_ARG_ALLOWED | FIELD_NO_TRANSFORMER | FIELD_NO_RHS | FIELD_ANCESTORS
};
#define ANCESTORS_ROW(name, type, format, arg, getter, help...)                                    \
	{                                                                                          \
		name, PT_##type, PF_##format, ANCESTORS_FLAGS, arg, NEEDS_THREADS, getter, help,   \
			.colour = FIELD_COLOUR_PROCESS                                             \
	}

const struct field_desc fields_relatives[] = {
	ROW("proc.pexe", CHARBUF, NA, get_pexe, "proc.exe of the parent", .example = "=/sbin/init"),
	ANCESTORS_ROW("proc.aexe", CHARBUF, NA, FIELD_ARG_INDEX, get_aexe,
		      "proc.exe of the ancestors; proc.aexe[N]: of one, 1 is the parent",
		      .example = "[2]=/usr/sbin/sshd"),
	ROW("proc.pexepath", CHARBUF, NA, get_pexepath, "proc.exepath of the parent",
	    .example = "=/usr/sbin/sshd"),
	ANCESTORS_ROW("proc.aexepath", CHARBUF, NA, FIELD_ARG_INDEX, get_aexepath,
		      "proc.exepath of the ancestors; proc.aexepath[N]: of one",
		      .example = "=/usr/sbin/sshd"),
	ROW("proc.pname", CHARBUF, NA, get_pname, "proc.name of the parent",
	    .example = " in (bash, sh)"),
	ANCESTORS_ROW("proc.aname", CHARBUF, NA, FIELD_ARG_INDEX, get_aname,
		      "proc.name of the ancestors; proc.aname[N]: of one", .example = "=sshd"),
	{"proc.aargs", PT_CHARBUF, PF_NA, FIELD_ARG_ALLOWED, FIELD_ARG_INDEX, NEEDS_THREADS,
	 get_aargs, "proc.args of the ancestors; proc.aargs[N]: of one",
	 .example = "[1] contains -D", .colour = FIELD_COLOUR_PROCESS},
	ROW("proc.pcmdline", CHARBUF, NA, get_pcmdline, "proc.cmdline of the parent",
	    .example = " contains --daemon"),
	ANCESTORS_ROW("proc.acmdline", CHARBUF, NA, FIELD_ARG_INDEX, get_acmdline,
		      "proc.cmdline of the ancestors; proc.acmdline[N]: of one",
		      .example = " contains --daemon"),
	ANCESTORS_ROW(
		"proc.aenv", CHARBUF, NA, FIELD_ARG_KEY_OR_INDEX, get_aenv,
		"proc.aenv[NAME]: variable of the nearest ancestor that has it; [N]: all of one",
		.example = "[LD_PRELOAD]!=\"\""),
	ROW("proc.loginshellid", INT64, ID, get_loginshellid,
	    "id of the oldest shell among the process and its ancestors", .example = "=1000"),
	{"proc.ppid", PT_INT64, PF_ID, FIELD_OF_THREAD, FIELD_ARG_NONE, NEEDS_THREADS, get_ppid,
	 "id of the parent", .example = "=1", .colour = FIELD_COLOUR_PROCESS,
	 .fact = FIELD_FACT_PPID, .is_known = ppid_is_known},
	ANCESTORS_ROW("proc.apid", INT64, ID, FIELD_ARG_INDEX, get_apid,
		      "proc.apid[N]: proc.pid of an ancestor", .example = "[2]=1"),
	ROW("proc.pvpid", INT64, ID, get_pvpid, "proc.vpid of the parent", .example = "=1"),
	ROW("proc.sname", CHARBUF, NA, get_sname, "proc.name of the leader of the session",
	    .example = "=bash"),
	ROW("proc.sid.exe", CHARBUF, NA, get_sid_exe, "proc.exe of the leader of the session",
	    .example = "=-bash"),
	ROW("proc.sid.exepath", CHARBUF, NA, get_sid_exepath,
	    "proc.exepath of the leader of the session", .example = "=/usr/bin/bash"),
	ROW("proc.vpgid.name", CHARBUF, NA, get_vpgid_name, "proc.name of the leader of proc.vpgid",
	    .example = "=make"),
	ROW("proc.vpgid.exe", CHARBUF, NA, get_vpgid_exe, "proc.exe of the leader of proc.vpgid",
	    .example = "=make"),
	ROW("proc.vpgid.exepath", CHARBUF, NA, get_vpgid_exepath,
	    "proc.exepath of the leader of proc.vpgid", .example = "=/usr/bin/make"),
	ROW("proc.pgid.name", CHARBUF, NA, get_pgid_name, "proc.name of the leader of proc.pgid",
	    .example = "=make"),
	ROW("proc.pgid.exe", CHARBUF, NA, get_pgid_exe, "proc.exe of the leader of proc.pgid",
	    .example = "=make"),
	ROW("proc.pgid.exepath", CHARBUF, NA, get_pgid_exepath,
	    "proc.exepath of the leader of proc.pgid", .example = "=/usr/bin/make"),
	ROW("proc.ppid.duration", RELTIME, DEC, get_parent_duration, "ns since the parent began"),
	ROW("proc.ppid.ts", RELTIME, DEC, get_parent_start,
	    "when the parent began, ns since 1970; 0 if that is not known", .moment = true),
	{0},
};
