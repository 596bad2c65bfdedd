/* SPDX-License-Identifier: MIT */
/* fs.path.* and evt.abspath: the paths that calls name, absolute and normalised. */
#include "sinsp/fields/cut.h"
#include "sinsp/fields/table.h"

enum { NO_PARAM = 0 };

/* The parameters that hold the paths of an event; indexes plus 1, 0 for none. */
struct path_params {
	uint8_t name, source, target;
	uint8_t abs, abs_dst; /* for evt.abspath */
	bool opens; /* the result is a descriptor */
	bool by_fd; /* the path is the name of the descriptor */
};

/* In the .scap world the path of a new link is its source. */
static const struct path_params path_events[EVENT_ID_MAX] = {
	[EVENT_open] = {.name = open__name + 1, .opens = true},
	[EVENT_openat] = {.name = openat__name + 1, .abs = openat__name + 1, .opens = true},
	[EVENT_openat2] = {.name = openat2__name + 1, .abs = openat2__name + 1, .opens = true},
	[EVENT_mkdir] = {.name = mkdir__path + 1},
	[EVENT_mkdirat] = {.name = mkdirat__path + 1, .abs = mkdirat__path + 1},
	[EVENT_rmdir] = {.name = rmdir__path + 1},
	[EVENT_unlink] = {.name = unlink__path + 1},
	[EVENT_unlinkat] = {.name = unlinkat__name + 1, .abs = unlinkat__name + 1},
	[EVENT_rename] = {.source = rename__oldpath + 1, .target = rename__newpath + 1},
	[EVENT_renameat] = {.source = renameat__oldpath + 1,
			    .target = renameat__newpath + 1,
			    .abs = renameat__oldpath + 1,
			    .abs_dst = renameat__newpath + 1},
	[EVENT_renameat2] = {.source = renameat2__oldpath + 1,
			     .target = renameat2__newpath + 1,
			     .abs = renameat2__oldpath + 1,
			     .abs_dst = renameat2__newpath + 1},
	[EVENT_link] = {.source = link__newpath + 1, .target = link__oldpath + 1},
	[EVENT_linkat] = {.source = linkat__newpath + 1,
			  .target = linkat__oldpath + 1,
			  .abs = linkat__oldpath + 1,
			  .abs_dst = linkat__newpath + 1},
	[EVENT_symlink] = {.source = symlink__linkpath + 1, .target = symlink__target + 1},
	[EVENT_symlinkat] = {.source = symlinkat__linkpath + 1,
			     .target = symlinkat__target + 1,
			     .abs = symlinkat__linkpath + 1},
	[EVENT_open_by_handle_at] = {.abs = open_by_handle_at__path + 1, .opens = true},
	[EVENT_chmod] = {.name = chmod__filename + 1},
	[EVENT_fchmod] = {.by_fd = true},
	[EVENT_fchmodat] = {.name = fchmodat__filename + 1, .abs = fchmodat__filename + 1},
	[EVENT_chown] = {.name = chown__path + 1},
	[EVENT_lchown] = {.name = lchown__path + 1},
	[EVENT_fchown] = {.by_fd = true},
	[EVENT_fchownat] = {.name = fchownat__pathname + 1, .abs = fchownat__pathname + 1},
	[EVENT_mount] = {.source = mount__dev + 1, .target = mount__dir + 1},
	[EVENT_umount] = {.name = umount__name + 1},
	[EVENT_umount2] = {.name = umount2__name + 1},
	[EVENT_quotactl] = {.name = quotactl__special + 1},
};

static const struct path_params *params_of(const struct sinsp_event *event)
{
	return &path_events[event->ev.desc->id];
}

/* The absolute path is joined: what it has of a parameter with a missing end is its end. */
size_t path_give(const struct sinsp_event *event, unsigned int param, struct field_scratch *scratch,
		 struct buf *text)
{
	size_t len = sinsp_event_path(event, param, text->data, text->capacity);

	scratch->cut |= cut_of_path(text->data, len) | cut_of_param(&event->ev, param);
	return len;
}

/* `param` is an index plus 1. */
static int give_path(const struct sinsp_event *event, unsigned int param,
		     struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = text_begin(scratch);

	if (param == NO_PARAM)
		return NO_VALUE;
	text.len = path_give(event, param - 1, scratch, &text);
	return text.len ? give_text(values, scratch, &text) : NO_VALUE;
}

static int give_raw(const struct sinsp_event *event, unsigned int param,
		    struct field_scratch *scratch, struct field_value *values)
{
	if (param == NO_PARAM)
		return NO_VALUE;
	scratch->cut |= cut_of_param(&event->ev, param - 1);
	return give_string(values, event_param_string(&event->ev, param - 1));
}

static bool succeeded(const struct sinsp_event *event)
{
	int64_t result;

	if (!event_result(&event->ev, &result))
		return false;
	return params_of(event)->opens ? result >= 0 : result == 0;
}

#define CAN_HAVE(which, condition)                                                                 \
	static bool can_have_##which(const struct event_desc *event)                               \
	{                                                                                          \
		const struct path_params *params = &path_events[event->id];                        \
                                                                                                   \
		return condition;                                                                  \
	}

CAN_HAVE(path, params->name || params->by_fd)
CAN_HAVE(name, params->name)
CAN_HAVE(source, params->source)
CAN_HAVE(target, params->target)
CAN_HAVE(abs, params->abs)
CAN_HAVE(abs_dst, params->abs_dst)

#define PATH_GETTERS(which)                                                                        \
	static int get_##which(const struct sinsp_event *event, const struct field_ref *ref,       \
			       struct field_scratch *scratch, struct field_value *values)          \
	{                                                                                          \
		if (!succeeded(event))                                                             \
			return NO_VALUE;                                                           \
		return give_path(event, params_of(event)->which, scratch, values);                 \
	}                                                                                          \
	static int get_##which##_raw(const struct sinsp_event *event, const struct field_ref *ref, \
				     struct field_scratch *scratch, struct field_value *values)    \
	{                                                                                          \
		return succeeded(event)                                                            \
			       ? give_raw(event, params_of(event)->which, scratch, values)         \
			       : NO_VALUE;                                                         \
	}

PATH_GETTERS(name)
PATH_GETTERS(source)
PATH_GETTERS(target)

/* For calls on a descriptor, its name. */
static int get_path(const struct sinsp_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	if (!params_of(event)->by_fd)
		return get_name(event, ref, scratch, values);
	if (!succeeded(event) || !event->fd || !event->fd->name_len)
		return NO_VALUE;
	scratch->cut |= cut_of_path(event->fd->name, event->fd->name_len);
	return give_bytes(values, event->fd->name, event->fd->name_len);
}

static int get_abspath(const struct sinsp_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	return give_path(event, params_of(event)->abs, scratch, values);
}

/* Only events with two paths distinguish them. */
static int get_abspath_src(const struct sinsp_event *event, const struct field_ref *ref,
			   struct field_scratch *scratch, struct field_value *values)
{
	const struct path_params *params = params_of(event);

	return give_path(event, params->abs_dst ? params->abs : NO_PARAM, scratch, values);
}

static int get_abspath_dst(const struct sinsp_event *event, const struct field_ref *ref,
			   struct field_scratch *scratch, struct field_value *values)
{
	return give_path(event, params_of(event)->abs_dst, scratch, values);
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
