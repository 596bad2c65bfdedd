/* SPDX-License-Identifier: MIT */
/* What fields of containers and pods have in common. */
#ifndef SINSP_FIELDS_CONTAINER_H
#define SINSP_FIELDS_CONTAINER_H

#include "sinsp/fields/table.h"

/* The container of the event's process; NULL: it is of the host, or not known. */
static inline const struct state_container *container_of_event(const struct state_event *event)
{
	return event->thread ? event->thread->cgroups->container : NULL;
}

/*
 * Events with the same number have the same values of all fields with FIELD_OF_CONTAINER. 0: there
 * is no such number; 1: those of the host.
 */
static inline uint64_t container_event_revision(const struct state_event *event)
{
	const struct state_container *container = container_of_event(event);

	if (container)
		return container->revision + 1;
	return event->thread && state_thread_has_place(event->thread);
}

static inline int container_give_known(struct field_value *value, const char *text)
{
	return text ? field_give_string(value, text) : NO_VALUE;
}

static inline int container_give_answer(struct field_value *value, enum state_answer answer)
{
	if (answer == STATE_UNKNOWN)
		return NO_VALUE;
	value->u64 = answer == STATE_YES;
	return 1;
}

/* A text, or an answer, of the container's description. */
#define INFO_TEXT_GETTER(getter, member)                                                           \
	static int getter(const struct state_event *event, const struct field_ref *ref,            \
			  struct field_scratch *scratch, struct field_value *values)               \
	{                                                                                          \
		const struct state_container *container = container_of_event(event);               \
                                                                                                   \
		return container ? container_give_known(values, container->info.member)            \
				 : NO_VALUE;                                                       \
	}
#define INFO_ANSWER_GETTER(getter, member)                                                         \
	static int getter(const struct state_event *event, const struct field_ref *ref,            \
			  struct field_scratch *scratch, struct field_value *values)               \
	{                                                                                          \
		const struct state_container *container = container_of_event(event);               \
                                                                                                   \
		return container ? container_give_answer(values, container->info.member)           \
				 : NO_VALUE;                                                       \
	}

/* One label, and all of them as the plugin of Falco prints them. */
#define INFO_LABEL_GETTER(getter, member)                                                          \
	static int getter(const struct state_event *event, const struct field_ref *ref,            \
			  struct field_scratch *scratch, struct field_value *values)               \
	{                                                                                          \
		const struct state_container *container = container_of_event(event);               \
                                                                                                   \
		return container                                                                   \
			       ? container_give_label(values, &container->info.member, ref->name)  \
			       : NO_VALUE;                                                         \
	}
#define INFO_LABELS_GETTER(getter, member)                                                         \
	static int getter(const struct state_event *event, const struct field_ref *ref,            \
			  struct field_scratch *scratch, struct field_value *values)               \
	{                                                                                          \
		const struct state_container *container = container_of_event(event);               \
                                                                                                   \
		return container ? container_give_labels(values, scratch, &container->info.member) \
				 : NO_VALUE;                                                       \
	}

int container_give_label(struct field_value *value, const struct state_labels *labels,
			 const char *name);

/* "name:value, other:value", without those of Kubernetes itself. */
int container_give_labels(struct field_value *value, struct field_scratch *scratch,
			  const struct state_labels *labels);

#endif
