/* SPDX-License-Identifier: MIT */
/* user.* and group.*: the credentials of the thread. */
#include "sinsp/fields/table.h"

enum { ID_UNSET = -1 };

/* The ids of a thread that a capture does not describe are unknown. */
static int user_give_id(uint32_t id, struct field_value *values)
{
	return (int32_t)id == ID_UNSET ? NO_VALUE : field_give_u64(values, id);
}

static int user_get_uid(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	return event->thread ? user_give_id(event->thread->uid, values) : NO_VALUE;
}

static int get_loginuid(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	return event->thread ? field_give_i64(values, (int32_t)event->thread->loginuid) : NO_VALUE;
}

static int get_gid(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	return event->thread ? user_give_id(event->thread->gid, values) : NO_VALUE;
}

/* Id 0 has its name and directory even if the table of users does not have it. */
static int give_or(const char *text, const char *of_root, uint32_t id, struct field_value *values)
{
	if (!text)
		text = id == 0 ? of_root : "<NA>";
	return field_give_string(values, text);
}

/* The entry of the thread's user, or an empty one. */
static struct state_user user_of(const struct state_event *event)
{
	const struct state_user *user = state_event_user(event, event->thread->uid);

	return user ? *user : (struct state_user){.id = event->thread->uid};
}

static int get_homedir(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	struct state_user user;

	if (!event->thread)
		return NO_VALUE;
	user = user_of(event);
	return give_or(user.home, "/root", user.id, values);
}

static int get_shell(const struct state_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	struct state_user user;

	if (!event->thread)
		return NO_VALUE;
	user = user_of(event);
	return give_or(user.shell, "<NA>", user.id, values);
}

static int user_get_name(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	uint32_t uid;

	if (!event->thread)
		return NO_VALUE;
	uid = event->thread->uid;
	return give_or((int32_t)uid == ID_UNSET ? NULL : state_event_user_name(event, uid), "root",
		       uid, values);
}

/* A login is to the machine, whatever container the process entered then. */
static int get_loginname(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	uint32_t uid;

	if (!event->thread)
		return NO_VALUE;
	uid = event->thread->loginuid;
	return give_or((int32_t)uid == ID_UNSET ? NULL : state_user_name(event->state, uid), "root",
		       uid, values);
}

static int get_group_name(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	if (!event->thread)
		return NO_VALUE;
	return give_or(state_event_group_name(event, event->thread->gid), "root",
		       event->thread->gid, values);
}

#define ROW(name, type, format, getter, help...)                                                   \
	{                                                                                          \
		name, PT_##type, PF_##format, FIELD_OF_PROCESS, FIELD_ARG_NONE, NEEDS_THREADS,     \
			getter, help, .colour = FIELD_COLOUR_USER                                  \
	}

const struct field_desc fields_user[] = {
	{"user.uid", PT_UINT32, PF_ID, FIELD_OF_THREAD | FIELD_OF_PROCESS, FIELD_ARG_NONE,
	 NEEDS_THREADS, user_get_uid, "effective user id", .example = "=0",
	 .colour = FIELD_COLOUR_USER, .fact = FIELD_FACT_UID},
	ROW("user.name", CHARBUF, NA, user_get_name, "name of the user, <NA> if it has none",
	    .example = "=root"),
	ROW("user.homedir", CHARBUF, NA, get_homedir, "home directory of the user, <NA> if unknown",
	    .example = " startswith /home/"),
	ROW("user.shell", CHARBUF, NA, get_shell, "login shell of the user, <NA> if unknown",
	    .example = " endswith nologin"),
	ROW("user.loginuid", INT64, ID, get_loginuid, "id of the user who logged in, -1 if nobody",
	    .example = "=1000"),
	ROW("user.loginname", CHARBUF, NA, get_loginname,
	    "name of the user who logged in, <NA> if nobody", .example = "=root"),
	ROW("group.gid", UINT32, ID, get_gid, "effective group id", .example = "=0",
	    .fact = FIELD_FACT_GID),
	ROW("group.name", CHARBUF, NA, get_group_name, "name of the group, <NA> if it has none",
	    .example = "=docker"),
	{0},
};
