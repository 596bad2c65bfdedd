/* SPDX-License-Identifier: MIT */
/* fs.path.* and evt.abspath: the paths that calls name, absolute and normalised. */
#include "sinsp/fields/cut.h"
#include "sinsp/fields/table.h"

enum { NO_PARAM = 0 };

static const struct event_paths *paths_of(const struct state_event *event)
{
	return &event->ev.desc->paths;
}

/* Of a call on a descriptor, the path is the name of that. */
static bool is_by_fd(const struct event_desc *event)
{
	return event->paths.name && event->params[event->paths.name - 1u].type == PT_FD;
}

/* The absolute path is joined: what it has of a parameter with a missing end is its end. */
size_t path_give(const struct state_event *event, unsigned int param, struct field_scratch *scratch,
		 struct buf *text)
{
	size_t len = state_event_path(event, param, text->data, text->capacity);

	scratch->cut |= cut_of_path(text->data, len) | cut_of_param(&event->ev, param);
	return len;
}

/* `param` is an index plus 1. */
static int give_path(const struct state_event *event, unsigned int param,
		     struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	if (param == NO_PARAM)
		return NO_VALUE;
	text.len = path_give(event, param - 1, scratch, &text);
	return text.len ? field_give_text(values, scratch, &text) : NO_VALUE;
}

static int give_raw(const struct state_event *event, unsigned int param,
		    struct field_scratch *scratch, struct field_value *values)
{
	if (param == NO_PARAM || event->ev.desc->params[param - 1].type == PT_FD)
		return NO_VALUE;
	scratch->cut |= cut_of_param(&event->ev, param - 1);
	return field_give_string(values, event_param_string(&event->ev, param - 1));
}

static bool succeeded(const struct state_event *event)
{
	int64_t result;

	if (!event_result(&event->ev, &result))
		return state_event_is_uring(event); /* it may have: nobody is told */
	return event->ev.desc->opens.name ? result >= 0 : result == 0;
}

#define CAN_HAVE(which, condition)                                                                 \
	static bool can_have_##which(const struct event_desc *event)                               \
	{                                                                                          \
		return condition;                                                                  \
	}

CAN_HAVE(path, event->paths.name)
CAN_HAVE(name, event->paths.name && !is_by_fd(event))
CAN_HAVE(source, event->paths.source)
CAN_HAVE(target, event->paths.target)
CAN_HAVE(abs, event->paths.abs)
CAN_HAVE(abs_dst, event->paths.abs_dst)
CAN_HAVE(age, event->id == EVENT_unlink || event->id == EVENT_unlinkat)

static int get_age(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	return can_have_age(event->ev.desc) ? field_give_nonzero(values, state_file_age_ns(event))
					    : NO_VALUE;
}

#define PATH_GETTERS(which)                                                                        \
	static int get_##which(const struct state_event *event, const struct field_ref *ref,       \
			       struct field_scratch *scratch, struct field_value *values)          \
	{                                                                                          \
		if (!succeeded(event))                                                             \
			return NO_VALUE;                                                           \
		return give_path(event, paths_of(event)->which, scratch, values);                  \
	}                                                                                          \
	static int get_##which##_raw(const struct state_event *event, const struct field_ref *ref, \
				     struct field_scratch *scratch, struct field_value *values)    \
	{                                                                                          \
		return succeeded(event) ? give_raw(event, paths_of(event)->which, scratch, values) \
					: NO_VALUE;                                                \
	}

PATH_GETTERS(name)
PATH_GETTERS(source)
PATH_GETTERS(target)

/* For calls on a descriptor, its name. */
static int get_path(const struct state_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	if (!is_by_fd(event->ev.desc))
		return get_name(event, ref, scratch, values);
	if (!succeeded(event) || !event->fd || !event->fd->name_len)
		return NO_VALUE;
	scratch->cut |= cut_of_path(event->fd->name, event->fd->name_len);
	return field_give_bytes(values, event->fd->name, event->fd->name_len);
}

static int get_abspath(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	return give_path(event, paths_of(event)->abs, scratch, values);
}

/* Only events with two paths distinguish them. */
static int get_abspath_src(const struct state_event *event, const struct field_ref *ref,
			   struct field_scratch *scratch, struct field_value *values)
{
	const struct event_paths *paths = paths_of(event);

	return give_path(event, paths->abs_dst ? paths->abs : NO_PARAM, scratch, values);
}

static int get_abspath_dst(const struct state_event *event, const struct field_ref *ref,
			   struct field_scratch *scratch, struct field_value *values)
{
	return give_path(event, paths_of(event)->abs_dst, scratch, values);
}

#define ROW(name, needs, getter, possible, help...)                                                \
	{                                                                                          \
		name, PT_CHARBUF, PF_NA, 0, FIELD_ARG_NONE, needs, getter, help,                   \
			.can_have = can_have_##possible                                            \
	}

enum {
	ABSPATH_NEEDS = NEEDS_THREADS | NEEDS_EVENT_FD | NEEDS_EVENT_PATHS,
	PATH_NEEDS = NEEDS_THREADS | NEEDS_EVENT_FD | NEEDS_EVENT_REAL_PATHS,
};

const struct field_desc fields_path[] = {
	ROW("evt.abspath", ABSPATH_NEEDS, get_abspath, abs,
	    "absolute path that a call with a directory descriptor names",
	    .example = " startswith /etc/"),
	ROW("evt.abspath.src", ABSPATH_NEEDS, get_abspath_src, abs_dst, "the path before a rename",
	    .example = " startswith /etc/"),
	ROW("evt.abspath.dst", ABSPATH_NEEDS, get_abspath_dst, abs_dst, "the path after a rename",
	    .example = " startswith /etc/"),
	ROW("fs.path.name", PATH_NEEDS, get_path, path,
	    "absolute path that a successful call names", .example = " startswith /etc/"),
	ROW("fs.path.nameraw", 0, get_name_raw, name, "fs.path.name as the caller gave it",
	    .example = " startswith ../"),
	{"fs.path.age", PT_RELTIME, PF_DEC, 0, FIELD_ARG_NONE, NEEDS_THREADS | NEEDS_CREATED,
	 get_age,
	 "of a call that removed a file: ns since its user made that, in the same control group",
	 .example = "<1s", .can_have = can_have_age},
	ROW("fs.path.source", PATH_NEEDS, get_source, source,
	    "absolute path before a successful rename; of a link, its place",
	    .example = " startswith /etc/"),
	ROW("fs.path.sourceraw", 0, get_source_raw, source, "fs.path.source as the caller gave it",
	    .example = " startswith ../"),
	ROW("fs.path.target", PATH_NEEDS, get_target, target,
	    "absolute path after a successful rename; of a link, what it leads to",
	    .example = " startswith /etc/"),
	ROW("fs.path.targetraw", 0, get_target_raw, target, "fs.path.target as the caller gave it",
	    .example = " startswith ../"),
	{0},
};
