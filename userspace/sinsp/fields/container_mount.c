/* SPDX-License-Identifier: MIT */
/* container.mounts and container.mount.*: the mounts that a runtime made for a container. */
#include <fnmatch.h>

#include "sinsp/fields/container.h"

static void append_mount(struct buf *text, const struct state_mount *mount)
{
	buf_append_string(text, mount->source);
	buf_append_char(text, ':');
	buf_append_string(text, mount->dest);
	buf_append_char(text, ':');
	buf_append_string(text, mount->mode);
	buf_append_string(text, mount->writable ? ":true:" : ":false:");
	buf_append_string(text, mount->propagation);
}

static int get_mounts(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const struct state_container *container = container_of_event(event);
	struct buf text = field_text_begin(scratch);

	if (!container || !container->info.mounts.count)
		return NO_VALUE;
	for (size_t i = 0; i < container->info.mounts.count; i++) {
		if (i)
			buf_append_char(&text, ',');
		append_mount(&text, &container->info.mounts.items[i]);
	}
	return field_give_text(values, scratch, &text);
}

/* By number, or by a pattern of its source or, for fields that give the source, its place. */
static const struct state_mount *fields_find_mount(const struct state_event *event,
						   const struct field_ref *ref, bool by_dest)
{
	const struct state_container *container = container_of_event(event);
	const struct state_mounts *mounts = container ? &container->info.mounts : NULL;

	if (!mounts)
		return NULL;
	if (ref->index >= 0)
		return (size_t)ref->index < mounts->count ? &mounts->items[ref->index] : NULL;
	for (size_t i = 0; i < mounts->count; i++) {
		const struct state_mount *mount = &mounts->items[i];

		if (fnmatch(ref->name, by_dest ? mount->dest : mount->source, 0) == 0)
			return mount;
	}
	return NULL;
}

static int get_mount(const struct state_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	const struct state_mount *mount = fields_find_mount(event, ref, false);
	struct buf text = field_text_begin(scratch);

	if (!mount)
		return NO_VALUE;
	append_mount(&text, mount);
	return field_give_text(values, scratch, &text);
}

#define MOUNT_GETTER(getter, by_dest, value)                                                       \
	static int getter(const struct state_event *event, const struct field_ref *ref,            \
			  struct field_scratch *scratch, struct field_value *values)               \
	{                                                                                          \
		const struct state_mount *mount = fields_find_mount(event, ref, by_dest);          \
                                                                                                   \
		return mount ? field_give_string(values, value) : NO_VALUE;                        \
	}

MOUNT_GETTER(get_source, true, mount->source)
MOUNT_GETTER(get_dest, false, mount->dest)
MOUNT_GETTER(get_mode, false, mount->mode)
MOUNT_GETTER(get_writable, false, mount->writable ? "true" : "false")
MOUNT_GETTER(get_propagation, false, mount->propagation)

#define ROW(name, flags, arg, getter, sample, help)                                                \
	{                                                                                          \
		name, PT_CHARBUF, PF_NA, (flags) | FIELD_OF_CONTAINER, arg,                        \
			NEEDS_CONTAINERS | NEEDS_DESCRIPTIONS, getter, help,                       \
			.example = sample, .colour = FIELD_COLOUR_CONTAINER                        \
	}
#define MOUNT_ROW(name, getter, sample, help)                                                      \
	ROW(name, FIELD_ARG_REQUIRED, FIELD_ARG_KEY_OR_INDEX, getter, sample, help)

const struct field_desc fields_container_mount[] = {
	ROW("container.mounts", 0, FIELD_ARG_NONE, get_mounts, " contains /proc:",
	    "mounts of the container: source:dest:mode:rdwr:propagation, between commas"),
	MOUNT_ROW("container.mount", get_mount, "[0] startswith /proc:",
		  "container.mount[N] or [SOURCE]: one mount; SOURCE is a pattern, as of a shell"),
	MOUNT_ROW("container.mount.source", get_source, "[0]=/proc",
		  "container.mount.source[N] or [DEST]: its source"),
	MOUNT_ROW("container.mount.dest", get_dest, "[0]=/host",
		  "container.mount.dest[N] or [SOURCE]: its path in the container"),
	MOUNT_ROW("container.mount.mode", get_mode, "[0]=ro",
		  "container.mount.mode[N] or [SOURCE]: its options"),
	MOUNT_ROW("container.mount.rdwr", get_writable, "[0]=true",
		  "container.mount.rdwr[N] or [SOURCE]: true if it can be written"),
	MOUNT_ROW("container.mount.propagation", get_propagation, "[0]=rslave",
		  "container.mount.propagation[N] or [SOURCE]: how mounts below it propagate"),
	{0},
};
