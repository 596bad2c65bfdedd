/* SPDX-License-Identifier: MIT */
/* user.* and group.*: on whose behalf the thread runs. */
#include "sinsp/fields.h"

enum { ID_UNSET = -1 };

static int get_uid(const struct sinsp_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	return event->thread ? give_u64(values, event->thread->uid) : NO_VALUE;
}

static int get_loginuid(const struct sinsp_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	return event->thread ? give_i64(values, (int32_t)event->thread->loginuid) : NO_VALUE;
}

static int get_gid(const struct sinsp_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	return event->thread ? give_u64(values, event->thread->gid) : NO_VALUE;
}

/* Id 0 has its name even where no table of users says so. */
static int give_name(const char *name, uint32_t id, struct field_value *values)
{
	if (!name)
		name = id == 0 ? "root" : "<NA>";
	return give_string(values, name);
}

static int give_user(const struct sinsp_event *event, uint32_t uid, struct field_value *values)
{
	const char *name = NULL;

	if ((int32_t)uid != ID_UNSET)
		name = sinsp_user_name(event->sinsp, uid);
	return give_name(name, uid, values);
}

static int get_name(const struct sinsp_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	return event->thread ? give_user(event, event->thread->uid, values) : NO_VALUE;
}

static int get_loginname(const struct sinsp_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	return event->thread ? give_user(event, event->thread->loginuid, values) : NO_VALUE;
}

static int get_group_name(const struct sinsp_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	if (!event->thread)
		return NO_VALUE;
	return give_name(sinsp_group_name(event->sinsp, event->thread->gid), event->thread->gid,
			 values);
}

#define ROW(name, type, format, getter, help...)                                                   \
	{name, PT_##type, PF_##format, 0, FIELD_ARG_NONE, NEEDS_THREADS, getter, help}

const struct field_desc fields_user[] = {
	ROW("user.uid", UINT32, ID, get_uid, "effective user id"),
	ROW("user.name", CHARBUF, NA, get_name, "name of the user, <NA> if it has none"),
	ROW("user.loginuid", INT64, ID, get_loginuid, "id of the user who logged in, -1 if nobody"),
	ROW("user.loginname", CHARBUF, NA, get_loginname,
	    "name of the user who logged in, <NA> if nobody"),
	ROW("group.gid", UINT32, ID, get_gid, "effective group id"),
	ROW("group.name", CHARBUF, NA, get_group_name, "name of the group, <NA> if it has none"),
	{0},
};
