/* SPDX-License-Identifier: MIT */
/* Containers are in namespaces: each call is about one of them, which a header names. */
#include "meta/runtimes/containerd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "meta/describe.h"
#include "meta/runtimes/bundle.h"
#include "util/count.h"
#include "util/json_input.h"
#include "meta/runtimes/containerd.pb-c.h"

#define SERVICES "/containerd.services."

enum { NAMESPACES_MAX = 64, NAMESPACE_BYTES = 128, NS_PER_S = 1000000000 };

static const char of_docker[] = "moby";
static const char of_kubernetes[] = "k8s.io";

/* Asks for the namespaces; the answer is in the memory of `arena`. Returns 0 or -errno. */
static int list_namespaces(const struct containerd *containerd, uint64_t deadline_ns,
			   struct arena *arena, const Containerd__ListNamespacesResponse **found,
			   struct error *err)
{
	static const struct grpc_method method = {
		SERVICES "namespaces.v1.Namespaces/List",
		&containerd__list_namespaces_response__descriptor};
	Containerd__ListNamespacesRequest question = CONTAINERD__LIST_NAMESPACES_REQUEST__INIT;
	ProtobufCMessage *answer;
	int r = grpc_call(&containerd->grpc, &method, &question.base, deadline_ns, arena, &answer,
			  err);

	if (r)
		return r == -ENOENT ? -EPROTO : r;
	*found = (const Containerd__ListNamespacesResponse *)answer;
	return 0;
}

int containerd_init(struct containerd *containerd, struct http *http, const char *path,
		    uint64_t deadline_ns, struct error *err)
{
	const Containerd__ListNamespacesResponse *namespaces;
	struct arena arena = {0};
	int r;

	*containerd = (struct containerd){.grpc = {.http = http, .path = path}};
	r = list_namespaces(containerd, deadline_ns, &arena, &namespaces, err);
	arena_finish(&arena);
	return r;
}

/* Labels by which its plugin for Kubernetes knows its own containers. */
#define OF_PLUGIN "io.cri-containerd."

static bool is_of_plugin(const char *label)
{
	return strncmp(label, OF_PLUGIN, sizeof(OF_PLUGIN) - 1) == 0;
}

static bool is_sandbox(const Containerd__Container *container)
{
	for (size_t i = 0; i < container->n_labels; i++)
		if (strcmp(container->labels[i]->key, OF_PLUGIN "kind") == 0)
			return strcmp(container->labels[i]->value, "sandbox") == 0;
	return false;
}

/* Those of a sandbox are its pod's. */
static void fill_labels(struct state_container_info *info, const Containerd__Container *container)
{
	struct state_labels *to = info->is_sandbox ? &info->pod.labels : &info->labels;
	struct describe_labels labels =
		describe_labels_begin(&info->texts, to, container->n_labels);

	for (size_t i = 0; i < container->n_labels; i++)
		if (!is_of_plugin(container->labels[i]->key))
			describe_label_add(&labels, container->labels[i]->key,
					   container->labels[i]->value);
	describe_labels_end(&labels, to);
	describe_pod_by_labels(info, to);
}

static void fill_spec(struct state_container_info *info, const Containerd__Any *any)
{
	struct bundle bundle = {.path = ""};

	if (!any || json_input_parse((const char *)any->value.data, any->value.len,
				     JSON_INPUT_VALUES_MAX, "", &bundle.spec, NULL))
		return;
	bundle_describe_annotations(json_object_get(bundle.spec, "annotations"), info);
	bundle_describe(&bundle, NULL, info);
	bundle_finish(&bundle);
}

/* As files do: of a container of ctr the name is its id, which is no name. */
static void containerd_fill(struct state_container_info *info,
			    const Containerd__Container *container)
{
	const Containerd__Timestamp *created = container->created_at;

	info->type = STATE_CONTAINER_CONTAINERD;
	info->is_sandbox = is_sandbox(container);
	fill_labels(info, container);
	describe_text(&info->texts, &info->name, describe_label(&info->labels, "nerdctl/name"));
	if (!info->is_sandbox)
		describe_image(&info->texts, &info->image, container->image);
	fill_spec(info, container->spec);
	if (created && created->seconds > 0 && created->nanos >= 0)
		info->created_ns = (uint64_t)created->seconds * NS_PER_S + (uint64_t)created->nanos;
}

/* Calls a method about a namespace. */
static int call_in(const struct containerd *containerd, const char *name,
		   const struct grpc_method *method, const ProtobufCMessage *question,
		   uint64_t deadline_ns, struct arena *arena, ProtobufCMessage **answer,
		   struct error *err)
{
	struct grpc grpc = containerd->grpc;
	char header[sizeof("containerd-namespace: ") + NAMESPACE_BYTES];

	snprintf(header, sizeof(header), "containerd-namespace: %s", name);
	grpc.metadata = header;
	return grpc_call(&grpc, method, question, deadline_ns, arena, answer, err);
}

/* Whether containers of a namespace are described. */
static bool is_asked(const Containerd__Namespace *namespace)
{
	return strcmp(namespace->name, of_docker) != 0 &&
	       strlen(namespace->name) < NAMESPACE_BYTES && !strpbrk(namespace->name, "\r\n");
}

/*
 * Whether its containers are followed. Of those of Kubernetes the Container Runtime Interface of
 * the same daemon says more, which would not be asked for what is known.
 */
static bool is_followed(const char *namespace)
{
	return strcmp(namespace, of_docker) != 0 && strcmp(namespace, of_kubernetes) != 0;
}

int containerd_describe(const struct containerd *containerd, const char *id, uint64_t deadline_ns,
			struct state_container_info *info, struct error *err)
{
	static const struct grpc_method method = {SERVICES "containers.v1.Containers/Get",
						  &containerd__get_container_response__descriptor};
	Containerd__GetContainerRequest question = CONTAINERD__GET_CONTAINER_REQUEST__INIT;
	const Containerd__ListNamespacesResponse *namespaces;
	const Containerd__Container *found = NULL;
	struct arena arena = {0};
	int result = 0, r;

	question.id = (char *)id;
	r = list_namespaces(containerd, deadline_ns, &arena, &namespaces, err);
	for (size_t i = 0; r == 0 && i < namespaces->n_namespaces && i < NAMESPACES_MAX; i++) {
		const Containerd__Namespace *namespace = namespaces->namespaces[i];
		ProtobufCMessage *answer;

		if (!is_asked(namespace))
			continue;
		r = call_in(containerd, namespace->name, &method, &question.base, deadline_ns,
			    &arena, &answer, err);
		if (r == 0 && found)
			r = -ENOTUNIQ;
		if (r == 0) {
			found = ((const Containerd__GetContainerResponse *)answer)->container;
			if (strcmp(namespace->name, of_kubernetes) == 0)
				result = META_SOURCE_SOME;
		}
		r = r == -ENOENT ? 0 : r;
	}
	if (r == 0 && found && strcmp(found->id, id) == 0)
		containerd_fill(info, found);
	else
		result = r && r != -ENOTUNIQ ? r : -ENOENT;
	arena_finish(&arena);
	return result;
}

/* The containers of each namespace that is asked. */
struct lists {
	const Containerd__ListContainersResponse *of[NAMESPACES_MAX];
	size_t count;
};

/* Asks for those of one namespace; the answer is in the memory of `arena`. */
static int list_in(const struct containerd *containerd, const char *name, uint64_t deadline_ns,
		   struct arena *arena, struct lists *lists, struct error *err)
{
	static const struct grpc_method method = {
		SERVICES "containers.v1.Containers/List",
		&containerd__list_containers_response__descriptor};
	Containerd__ListContainersRequest question = CONTAINERD__LIST_CONTAINERS_REQUEST__INIT;
	ProtobufCMessage *answer;
	int r = call_in(containerd, name, &method, &question.base, deadline_ns, arena, &answer,
			err);

	if (r)
		return r == -ENOENT ? 0 : r;
	lists->of[lists->count++] = (const Containerd__ListContainersResponse *)answer;
	return 0;
}

/* Whether containers of several namespaces have an id: nobody can say which one is meant. */
static bool is_ambiguous(const struct lists *lists, const char *id)
{
	size_t found = 0;

	for (size_t i = 0; lists->count > 1 && i < lists->count; i++)
		for (size_t j = 0; j < lists->of[i]->n_containers; j++)
			found += strcmp(lists->of[i]->containers[j]->id, id) == 0;
	return found > 1;
}

static void containerd_give(const struct lists *lists, const struct runtime_list *list)
{
	for (size_t i = 0; i < lists->count; i++)
		for (size_t j = 0; j < lists->of[i]->n_containers; j++) {
			const Containerd__Container *container = lists->of[i]->containers[j];
			struct state_container_info *info;

			if (is_ambiguous(lists, container->id))
				continue;
			info = state_container_info_create();
			if (!info)
				return;
			info->wants_env = list->with_env;
			containerd_fill(info, container);
			list->add(list->data, container->id, info, 0);
		}
}

int containerd_list(const struct containerd *containerd, uint64_t deadline_ns,
		    const struct runtime_list *list, struct error *err)
{
	const Containerd__ListNamespacesResponse *namespaces;
	struct lists lists = {.count = 0};
	struct arena arena = {0};
	int r = list_namespaces(containerd, deadline_ns, &arena, &namespaces, err);

	for (size_t i = 0; r == 0 && i < namespaces->n_namespaces && i < NAMESPACES_MAX; i++)
		if (is_asked(namespaces->namespaces[i]) &&
		    is_followed(namespaces->namespaces[i]->name))
			r = list_in(containerd, namespaces->namespaces[i]->name, deadline_ns,
				    &arena, &lists, err);
	if (r == 0)
		containerd_give(&lists, list);
	arena_finish(&arena);
	return r;
}

static const struct {
	const char *topic;
	enum runtime_change change;
} topics[] = {
	{"/containers/create", RUNTIME_CHANGED},
	{"/containers/update", RUNTIME_CHANGED},
	{"/containers/delete", RUNTIME_REMOVED},
};

enum { TOPICS_COUNT = COUNT(topics), FILTER_BYTES = 64 };

static bool containerd_decode(const char *message, size_t len, struct runtime_event *event)
{
	struct arena arena = {0};
	const Containerd__Envelope *envelope = (const Containerd__Envelope *)grpc_decode(
		&containerd__envelope__descriptor, message, len, &arena);
	const Containerd__ContainerEvent *received = NULL;

	event->change = RUNTIME_NO_CHANGE;
	if (envelope && envelope->event)
		received = (const Containerd__ContainerEvent *)grpc_decode(
			&containerd__container_event__descriptor,
			(const char *)envelope->event->value.data, envelope->event->value.len,
			&arena);
	for (size_t i = 0; received && i < TOPICS_COUNT; i++)
		if (strcmp(topics[i].topic, envelope->topic) == 0 && is_followed(envelope->ns))
			runtime_event_set(event, topics[i].change, received->id);
	arena_finish(&arena);
	return received;
}

int containerd_begin_events(struct runtime_events *events)
{
	Containerd__SubscribeRequest question = CONTAINERD__SUBSCRIBE_REQUEST__INIT;
	char texts[TOPICS_COUNT][FILTER_BYTES];
	char *filters[TOPICS_COUNT];

	for (size_t i = 0; i < TOPICS_COUNT; i++) {
		snprintf(texts[i], sizeof(texts[i]), "topic==\"%s\"", topics[i].topic);
		filters[i] = texts[i];
	}
	question.filters = filters;
	question.n_filters = TOPICS_COUNT;
	snprintf(events->path, sizeof(events->path), "%s", SERVICES "events.v1.Events/Subscribe");
	grpc_encode(&question.base, &events->body);
	events->decode = containerd_decode;
	return events->body.failed ? -ENOMEM : 0;
}
