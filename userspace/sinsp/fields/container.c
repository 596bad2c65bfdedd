/* SPDX-License-Identifier: MIT */
/*
 * container.*: the container of the event's process, from its control groups, and what its runtime
 * says; labels as values.
 */
#include "sinsp/fields/container.h"

#include <string.h>

#include "util/count.h"

/* Labels of containers and pods as values. */

int container_give_label(struct field_value *value, const struct state_labels *labels,
			 const char *name)
{
	for (size_t i = 0; i < labels->count; i++)
		if (strcmp(labels->items[i].name, name) == 0)
			return field_give_string(value, labels->items[i].value);
	return NO_VALUE;
}

static bool container_is_shown(const struct state_label *label)
{
	static const char *const hidden[] = {"io.kubernetes.", "annotation."};

	for (size_t i = 0; i < COUNT(hidden); i++)
		if (strncmp(label->name, hidden[i], strlen(hidden[i])) == 0)
			return false;
	return true;
}

int container_give_labels(struct field_value *value, struct field_scratch *scratch,
			  const struct state_labels *labels)
{
	struct buf text = field_text_begin(scratch);

	for (size_t i = 0; i < labels->count; i++) {
		if (!container_is_shown(&labels->items[i]))
			continue;
		if (text.len)
			buf_append_string(&text, ", ");
		buf_append_string(&text, labels->items[i].name);
		buf_append_char(&text, ':');
		buf_append_string(&text, labels->items[i].value);
	}
	return text.len ? field_give_text(value, scratch, &text) : NO_VALUE;
}

/*
 * container.*: the container of the event's process, from its control groups, and what its runtime
 * says of it. Without an answer yet, only the id, the type and the times have values.
 */

/* The word for no container; and what a container is called that somebody named like it. */
static const char host[] = "host", named_host[] = "container:host";

/* Whether it is known where the thread is; of some in a capture only events are known. */
static bool has_place(const struct state_event *event)
{
	return event->thread && state_thread_has_place(event->thread);
}

/* An id or name of a container. */
static int give_name(struct field_value *values, const char *name, size_t len)
{
	bool is_reserved = len == sizeof(host) - 1 && memcmp(name, host, len) == 0;

	return is_reserved ? field_give_string(values, named_host)
			   : field_give_bytes(values, name, len);
}

/* The id of a container; "host" for processes of the host. */
static int container_give_id(const struct state_event *event, bool whole,
			     struct field_value *values)
{
	const struct state_container *container = container_of_event(event);

	if (!has_place(event))
		return NO_VALUE;
	if (!container)
		return field_give_string(values, host);
	return give_name(values, container->id,
			 whole ? container->id_len : state_container_short_len(container));
}

static int get_id(const struct state_event *event, const struct field_ref *ref,
		  struct field_scratch *scratch, struct field_value *values)
{
	return container_give_id(event, false, values);
}

static int get_full_id(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	return container_give_id(event, true, values);
}

static int get_outer_id(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	const struct state_container *container = container_of_event(event);

	return container && container->outer_ids ? field_give_string(values, container->outer_ids)
						 : NO_VALUE;
}

static int container_get_type(const struct state_event *event, const struct field_ref *ref,
			      struct field_scratch *scratch, struct field_value *values)
{
	const struct state_container *container = container_of_event(event);
	enum state_container_type type = STATE_CONTAINER_NONE;

	if (!has_place(event))
		return NO_VALUE;
	if (container)
		type = container->info.type ? container->info.type : container->type;
	return field_give_string(values, state_container_type_name(type));
}

/* The id of some containers is their name. */
static int container_get_name(const struct state_event *event, const struct field_ref *ref,
			      struct field_scratch *scratch, struct field_value *values)
{
	const struct state_container *container = container_of_event(event);

	if (container && container->info.name)
		return give_name(values, container->info.name, strlen(container->info.name));
	if (container && !container->is_named)
		return NO_VALUE;
	return container_give_id(event, true, values);
}

INFO_TEXT_GETTER(get_image, image.name)
INFO_TEXT_GETTER(get_image_id, image.id)
INFO_TEXT_GETTER(get_image_repository, image.repository)
INFO_TEXT_GETTER(get_image_tag, image.tag)
INFO_TEXT_GETTER(get_image_digest, image.digest)
INFO_TEXT_GETTER(get_ip, ip)
INFO_TEXT_GETTER(get_cni_json, cni_json)
INFO_ANSWER_GETTER(get_privileged, privileged)
INFO_ANSWER_GETTER(get_host_pid, host_pid)
INFO_ANSWER_GETTER(get_host_network, host_network)
INFO_ANSWER_GETTER(get_host_ipc, host_ipc)
INFO_LABEL_GETTER(get_label, labels)
INFO_LABELS_GETTER(get_labels, labels)

/* When the init of the container's pid namespace began; 0: not known. */
static uint64_t start_ns(const struct state_event *event)
{
	return container_of_event(event) ? event->thread->pidns_start_ns : 0;
}

static int get_start(const struct state_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	values->u64 = start_ns(event);
	return values->u64 ? 1 : NO_VALUE;
}

static int container_get_duration(const struct state_event *event, const struct field_ref *ref,
				  struct field_scratch *scratch, struct field_value *values)
{
	uint64_t start = start_ns(event);

	if (!start || event->ev.ts_ns < start)
		return NO_VALUE;
	values->u64 = event->ev.ts_ns - start;
	return 1;
}

static int get_meta_state(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	const struct state_container *container = container_of_event(event);

	return container ? field_give_string(values,
					     state_meta_name(state_container_state(container)))
			 : NO_VALUE;
}

/* The id, which is empty on the host, a colon, and a text about the event's descriptor. */
static int give_fd_text(const struct state_event *event, field_getter *get,
			const struct field_ref *ref, struct field_scratch *scratch,
			struct field_value *values)
{
	const struct state_container *container = container_of_event(event);
	struct field_value text;
	struct buf both;

	if (!has_place(event) || get(event, ref, scratch, &text) != 1)
		return NO_VALUE;
	both = field_text_begin(scratch);
	if (container)
		buf_append(&both, container->id, state_container_short_len(container));
	buf_append_char(&both, ':');
	buf_append(&both, text.bytes.data, text.bytes.len);
	return field_give_text(values, scratch, &both);
}

static int get_fd_name(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	return give_fd_text(event, fd_get_name, ref, scratch, values);
}

static int get_fd_directory(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	return give_fd_text(event, fd_get_directory, ref, scratch, values);
}

#define ROW(name, type, format, flags, needs, getter, sample, help, more...)                       \
	{                                                                                          \
		name, PT_##type, PF_##format, flags, FIELD_ARG_NONE, needs, getter, help,          \
			.example = sample, .colour = FIELD_COLOUR_CONTAINER, more                  \
	}
#define ID(name, getter, sample, help)                                                             \
	ROW(name, CHARBUF, NA, FIELD_OF_CONTAINER, NEEDS_CONTAINERS, getter, sample, help)
#define TIME(name, type, getter, help, more...)                                                    \
	ROW(name, type, DEC, 0, NEEDS_CONTAINERS, getter, NULL, help, more)
#define FD_ROW(name, getter, help...)                                                              \
	{                                                                                          \
		name, PT_CHARBUF, PF_NA, 0, FIELD_ARG_NONE,                                        \
			NEEDS_CONTAINERS | NEEDS_EVENT_FD | NEEDS_EVENT_PATHS, getter, help,       \
			.can_have = fd_is_subject                                                  \
	}

/* From the description of the container. */
#define DESCRIBED(name, type, getter, sample, help, more...)                                       \
	ROW(name, type, NA, FIELD_OF_CONTAINER, NEEDS_CONTAINERS | NEEDS_DESCRIPTIONS, getter,     \
	    sample, help, more)
#define TEXT(name, getter, sample, help) DESCRIBED(name, CHARBUF, getter, sample, help)
#define ANSWER(name, getter, help) DESCRIBED(name, BOOL, getter, NULL, help)

/* Fields of older versions of Falco: they compile, and have no value. */
#define OLD_ROW(name, type, color, help)                                                           \
	{                                                                                          \
		name, PT_##type, PF_NA, FIELD_OF_CONTAINER, FIELD_ARG_NONE, 0, field_get_nothing,  \
			help "; none: only older versions have it", .colour = FIELD_COLOUR_##color \
	}

static void container_each_type(void (*see)(void *context, const char *word), void *context)
{
	for (unsigned int type = 0; type < STATE_CONTAINER_TYPES_COUNT; type++)
		see(context, state_container_type_name(type));
}

static const struct field_words types = {container_each_type, .lenient = true};

static void each_state(void (*see)(void *context, const char *word), void *context)
{
	for (unsigned int state = 0; state < STATE_META_STATES_COUNT; state++)
		see(context, state_meta_name(state));
}

static const struct field_words states = {each_state};

const struct field_desc fields_container[] = {
	ID("container.id", get_id, "!=host",
	   "first 12 digits of the container's id, or its name for lxc; host outside of any"),
	ID("container.full_id", get_full_id, " startswith 3f2a",
	   "the whole id; host outside of any"),
	ID("container.outer_id", get_outer_id, "=3f2a1b4c5d6e",
	   "ids of the containers around this one (kind, Docker-in-Docker), with commas"),
	DESCRIBED("container.type", CHARBUF, container_get_type, "=docker",
		  "kind of the container: docker, podman, containerd, cri, cri-o, lxc, custom; or "
		  "host",
		  .words = &types),
	TEXT("container.name", container_get_name, "=web-1", "name of the container; or host"),
	FD_ROW("fd.containername", get_fd_name, "container.id (nothing on the host), ':', fd.name",
	       .example = " endswith :/etc/passwd"),
	FD_ROW("fd.containerdirectory", get_fd_directory,
	       "container.id (nothing on the host), ':', fd.directory",
	       .example = " endswith :/etc"),
	TEXT("container.image", get_image, " contains nginx",
	     "image of the container: nginx:latest"),
	TEXT("container.image.id", get_image_id, " startswith 1a2b", "id of the image"),
	TEXT("container.image.repository", get_image_repository, "=docker.io/library/nginx",
	     "repository of the image"),
	TEXT("container.image.tag", get_image_tag, "=latest", "tag of the image"),
	TEXT("container.image.digest", get_image_digest, " startswith sha256:3f2a",
	     "digest of the image"),
	ANSWER("container.privileged", get_privileged, "true for privileged containers"),
	TIME("container.start_ts", ABSTIME, get_start,
	     "when the init of the container's pid namespace began, ns since 1970", .moment = true),
	TIME("container.duration", RELTIME, container_get_duration,
	     "ns from container.start_ts to the event"),
	TEXT("container.ip", get_ip, "=10.0.0.7", "IPv4 address of the container"),
	TEXT("container.cni.json", get_cni_json, " contains eth0", "result of its network plugin"),
	ANSWER("container.host_pid", get_host_pid, "true if it has the pid namespace of the host"),
	ANSWER("container.host_network", get_host_network,
	       "true if it has the network namespace of the host"),
	ANSWER("container.host_ipc", get_host_ipc, "true if it has the ipc namespace of the host"),
	{"container.label", PT_CHARBUF, PF_NA, FIELD_ARG_REQUIRED | FIELD_OF_CONTAINER,
	 FIELD_ARG_LABEL, NEEDS_CONTAINERS | NEEDS_DESCRIPTIONS, get_label,
	 "container.label[NAME]: one label of the container", .example = "[app]=web",
	 .colour = FIELD_COLOUR_CONTAINER},
	TEXT("container.labels", get_labels, " contains app:web",
	     "all labels of the container but those of Kubernetes: name:value, name:value"),
	DESCRIBED("meta.state", CHARBUF, get_meta_state, "=missing",
		  "is its data known: ok, partial, pending, missing, unverified, rootless; none on "
		  "host",
		  .words = &states),
	OLD_ROW("container.healthcheck", CHARBUF, CONTAINER, "command that checks its health"),
	OLD_ROW("container.liveness_probe", CHARBUF, CONTAINER, "command of its liveness probe"),
	OLD_ROW("container.readiness_probe", CHARBUF, CONTAINER, "command of its readiness probe"),
	OLD_ROW("proc.is_container_healthcheck", BOOL, PROCESS,
		"true if it runs as container.healthcheck"),
	OLD_ROW("proc.is_container_liveness_probe", BOOL, PROCESS,
		"true if it runs as container.liveness_probe"),
	OLD_ROW("proc.is_container_readiness_probe", BOOL, PROCESS,
		"true if it runs as container.readiness_probe"),
	{0},
};
