/* SPDX-License-Identifier: MIT */
/*
 * container.*: the container of the event's process, from its control groups. Fields that need the
 * container runtime have no value, but exist so that filters with them compile.
 */
#include "sinsp/fields/table.h"

enum { SHORT_ID_LEN = 12 };

static const char host[] = "host";

/* The id of a container; nothing for a process of the host. */
static struct field_value id_of(const struct sinsp_thread *thread, size_t len_max)
{
	const struct sinsp_container *container = &thread->container;
	struct field_value value;

	give_bytes(&value, thread->cgroups + container->id_at, container->id_len);
	if (value.bytes.len > len_max)
		value.bytes.len = len_max;
	return value;
}

/* Whether the id is a short name, which is not truncated. */
static bool is_named(const struct sinsp_thread *thread)
{
	return thread->container.type == SINSP_CONTAINER_LXC ||
	       thread->container.type == SINSP_CONTAINER_LIBVIRT_LXC;
}

static size_t short_len(const struct sinsp_thread *thread)
{
	return is_named(thread) ? SIZE_MAX : SHORT_ID_LEN;
}

static int give_id(const struct sinsp_event *event, bool whole, struct field_scratch *scratch,
		   struct field_value *values)
{
	struct buf text = text_begin(scratch);
	struct field_value id;

	if (!event->thread)
		return NO_VALUE;
	if (!event->thread->container.type)
		return give_string(values, host);
	id = id_of(event->thread, whole ? SIZE_MAX : short_len(event->thread));
	buf_append(&text, id.bytes.data, id.bytes.len);
	return give_text(values, scratch, &text);
}

static int get_id(const struct sinsp_event *event, const struct field_ref *ref,
		  struct field_scratch *scratch, struct field_value *values)
{
	return give_id(event, false, scratch, values);
}

static int get_full_id(const struct sinsp_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	return give_id(event, true, scratch, values);
}

static int get_type(const struct sinsp_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	if (!event->thread)
		return NO_VALUE;
	return give_string(values, sinsp_container_type_name(event->thread->container.type));
}

/* The id of some containers is their name. */
static int get_name(const struct sinsp_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	if (!event->thread || (event->thread->container.type && !is_named(event->thread)))
		return NO_VALUE;
	return give_id(event, true, scratch, values);
}

/* The id, which is empty on the host, a colon, and a text about the event's descriptor. */
static int give_fd_text(const struct sinsp_event *event, field_getter *get,
			const struct field_ref *ref, struct field_scratch *scratch,
			struct field_value *values)
{
	struct field_value id, text;
	struct buf both;

	if (!event->thread || get(event, ref, scratch, &text) != 1)
		return NO_VALUE;
	both = text_begin(scratch);
	if (event->thread->container.type) {
		id = id_of(event->thread, short_len(event->thread));
		buf_append(&both, id.bytes.data, id.bytes.len);
	}
	buf_append_char(&both, ':');
	buf_append(&both, text.bytes.data, text.bytes.len);
	return give_text(values, scratch, &both);
}

static int get_fd_name(const struct sinsp_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	return give_fd_text(event, fd_get_name, ref, scratch, values);
}

static int get_fd_directory(const struct sinsp_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	return give_fd_text(event, fd_get_directory, ref, scratch, values);
}

#define ROW(name, type, format, getter, sample, help, more...)                                     \
	{                                                                                          \
		name, PT_##type, PF_##format, 0, FIELD_ARG_NONE, NEEDS_THREADS, getter, help,      \
			.example = sample, .colour = FIELD_COLOUR_CONTAINER, more                  \
	}
#define FD_ROW(name, getter, help...)                                                              \
	{                                                                                          \
		name, PT_CHARBUF, PF_NA, 0, FIELD_ARG_NONE, NEEDS_THREADS | NEEDS_EVENT_FDS,       \
			getter, help, .can_have = is_about_fd                                      \
	}

/* Fields that only the runtime knows. */
#define UNKNOWN "; none: no runtime is asked"
#define RUNTIME_ROW(name, type, format, flags, arg, help, more...)                                 \
	{                                                                                          \
		name, PT_##type, PF_##format, flags, arg, 0, get_nothing, help UNKNOWN,            \
			.colour = FIELD_COLOUR_CONTAINER, more                                     \
	}
#define RUNTIME_TEXT(name, help) RUNTIME_ROW(name, CHARBUF, NA, 0, FIELD_ARG_NONE, help)
#define RUNTIME_BOOL(name, help) RUNTIME_ROW(name, BOOL, NA, 0, FIELD_ARG_NONE, help)
#define PROBE_ROW(name, help)                                                                      \
	{                                                                                          \
		name, PT_BOOL, PF_NA, 0, FIELD_ARG_NONE, 0, get_nothing, help UNKNOWN,             \
			.colour = FIELD_COLOUR_PROCESS                                             \
	}
#define MOUNT_ROW(name, help)                                                                      \
	RUNTIME_ROW(name, CHARBUF, NA, FIELD_ARG_REQUIRED, FIELD_ARG_KEY_OR_INDEX, help)

/* Also those of the .scap world that control groups do not reveal. */
static void each_type(void (*see)(void *context, const char *word), void *context)
{
	for (unsigned int type = 0; type < SINSP_CONTAINER_TYPES_COUNT; type++)
		see(context, sinsp_container_type_name(type));
	see(context, "rkt");
	see(context, "bpm");
	see(context, "static");
	see(context, "custom");
}

static const struct field_words types = {each_type, .lenient = true};

const struct field_desc fields_container[] = {
	ROW("container.id", CHARBUF, NA, get_id, "!=host",
	    "first 12 digits of the container's id, or its name for lxc; host outside of any"),
	ROW("container.full_id", CHARBUF, NA, get_full_id, " startswith 3f2a",
	    "the whole id; host outside of any"),
	ROW("container.type", CHARBUF, NA, get_type, "=docker",
	    "kind of the container: docker, podman, containerd, cri, cri-o, lxc; or host",
	    .words = &types),
	ROW("container.name", CHARBUF, NA, get_name, "=web-1",
	    "name of the container where its group has it, as lxc does; or host"),
	FD_ROW("fd.containername", get_fd_name, "container.id (nothing on the host), ':', fd.name",
	       .example = " endswith :/etc/passwd"),
	FD_ROW("fd.containerdirectory", get_fd_directory,
	       "container.id (nothing on the host), ':', fd.directory",
	       .example = " endswith :/etc"),
	RUNTIME_TEXT("container.image", "image of the container: nginx:latest"),
	RUNTIME_TEXT("container.image.id", "id of the image"),
	RUNTIME_TEXT("container.image.repository", "repository of the image"),
	RUNTIME_TEXT("container.image.tag", "tag of the image"),
	RUNTIME_TEXT("container.image.digest", "digest of the image"),
	RUNTIME_BOOL("container.privileged", "true for privileged containers"),
	RUNTIME_TEXT("container.mounts", "mounts of the container, between blanks"),
	MOUNT_ROW("container.mount", "container.mount[N] or [SOURCE]: one mount"),
	MOUNT_ROW("container.mount.source", "container.mount.source[N] or [DEST]: its source"),
	MOUNT_ROW("container.mount.dest", "container.mount.dest[N] or [SOURCE]: its place"),
	MOUNT_ROW("container.mount.mode", "container.mount.mode[N] or [SOURCE]: its mode"),
	MOUNT_ROW("container.mount.rdwr", "container.mount.rdwr[N] or [SOURCE]: writable or not"),
	MOUNT_ROW("container.mount.propagation",
		  "container.mount.propagation[N] or [SOURCE]: how it spreads"),
	RUNTIME_TEXT("container.healthcheck", "command that checks the container's health"),
	RUNTIME_TEXT("container.liveness_probe", "command that checks that the container lives"),
	RUNTIME_TEXT("container.readiness_probe", "command that checks that it can serve"),
	RUNTIME_ROW("container.start_ts", ABSTIME, DEC, 0, FIELD_ARG_NONE,
		    "when the container began, ns since 1970", .moment = true),
	RUNTIME_ROW("container.duration", RELTIME, DEC, 0, FIELD_ARG_NONE,
		    "ns since the container began"),
	RUNTIME_TEXT("container.ip", "address of the container"),
	RUNTIME_TEXT("container.cni.json", "what its network plugin answered"),
	RUNTIME_BOOL("container.host_pid", "true if it has the pid namespace of the host"),
	RUNTIME_BOOL("container.host_network", "true if it has the network namespace of the host"),
	RUNTIME_BOOL("container.host_ipc", "true if it has the ipc namespace of the host"),
	RUNTIME_ROW("container.label", CHARBUF, NA, FIELD_ARG_REQUIRED, FIELD_ARG_KEY,
		    "container.label[NAME]: one label of the container"),
	RUNTIME_TEXT("container.labels", "all labels of the container"),
	PROBE_ROW("proc.is_container_healthcheck", "true if it runs as container.healthcheck"),
	PROBE_ROW("proc.is_container_liveness_probe",
		  "true if it runs as container.liveness_probe"),
	PROBE_ROW("proc.is_container_readiness_probe",
		  "true if it runs as container.readiness_probe"),
	{0},
};
