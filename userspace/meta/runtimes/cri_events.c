/* SPDX-License-Identifier: MIT */
#include "meta/runtimes/cri_events.h"

#include <errno.h>
#include <string.h>

#include "meta/describe.h"
#include "meta/source.h"

static void fill_pod(struct sinsp_container_info *info, const Cri__PodSandbox *sandbox)
{
	struct sinsp_pod *pod = &info->pod;

	describe_text(&info->texts, &pod->sandbox_id, sandbox->id);
	if (sandbox->metadata) {
		describe_text(&info->texts, &pod->name, sandbox->metadata->name);
		describe_text(&info->texts, &pod->ns, sandbox->metadata->namespace_);
		describe_text(&info->texts, &pod->uid, sandbox->metadata->uid);
	}
	cri_fill_labels(info, sandbox->labels, sandbox->n_labels, &pod->labels);
	cri_fill_labels(info, sandbox->annotations, sandbox->n_annotations, &pod->annotations);
}

/* The name may be the image's id, which files have a name for. */
static void fill_container(struct sinsp_container_info *info, const Cri__Container *container)
{
	const char *name = container->image ? container->image->image : NULL;
	const char *digest = strchr(container->image_ref, '@');

	if (container->metadata)
		describe_text(&info->texts, &info->name, container->metadata->name);
	describe_image_id(&info->texts, &info->image, container->image_id);
	describe_image_id(&info->texts, &info->image, container->image_ref);
	if (name && (!info->image.id || strncmp(info->image.id, name, strlen(name)) != 0))
		describe_image_by_name(&info->texts, &info->image, name);
	describe_text(&info->texts, &info->image.digest, digest ? digest + 1 : NULL);
	cri_fill_labels(info, container->labels, container->n_labels, &info->labels);
}

static const Cri__PodSandbox *find_sandbox(const Cri__ListPodSandboxResponse *answer,
					   const char *id)
{
	for (size_t i = 0; i < answer->n_items; i++)
		if (strcmp(answer->items[i]->id, id) == 0)
			return answer->items[i];
	return NULL;
}

/* Gives out one container, or the sandbox itself if `container` is NULL. */
static void give(const struct cri *cri, const Cri__Container *container,
		 const Cri__PodSandbox *sandbox, const struct runtime_list *list)
{
	struct sinsp_container_info *info = sinsp_container_info_create();
	const char *id = container ? container->id : sandbox->id;

	if (!info || !*id) {
		sinsp_container_info_destroy(info);
		return;
	}
	info->type = cri->type;
	info->is_sandbox = !container;
	if (container)
		fill_container(info, container);
	if (sandbox)
		fill_pod(info, sandbox);
	describe_pod_by_labels(info, &info->labels);
	list->add(list->data, id, info, META_SOURCE_PART);
}

int cri_events_list(const struct cri *cri, uint64_t deadline_ns, const struct runtime_list *list,
		    struct error *err)
{
	static const struct grpc_method sandboxes_method = {
		CRI_SERVICE "ListPodSandbox", &cri__list_pod_sandbox_response__descriptor};
	static const struct grpc_method containers_method = {
		CRI_SERVICE "ListContainers", &cri__list_containers_response__descriptor};
	Cri__ListPodSandboxRequest sandboxes_question = CRI__LIST_POD_SANDBOX_REQUEST__INIT;
	Cri__ListContainersRequest containers_question = CRI__LIST_CONTAINERS_REQUEST__INIT;
	const Cri__ListPodSandboxResponse *sandboxes;
	const Cri__ListContainersResponse *containers;
	ProtobufCMessage *answers[2];
	struct arena arena = {0};
	int code;

	code = grpc_call(&cri->grpc, &sandboxes_method, &sandboxes_question.base, deadline_ns,
			 &arena, &answers[0], err);
	if (code == 0)
		code = grpc_call(&cri->grpc, &containers_method, &containers_question.base,
				 deadline_ns, &arena, &answers[1], err);
	if (code)
		goto out;
	sandboxes = (const Cri__ListPodSandboxResponse *)answers[0];
	containers = (const Cri__ListContainersResponse *)answers[1];
	for (size_t i = 0; i < sandboxes->n_items; i++)
		give(cri, NULL, sandboxes->items[i], list);
	for (size_t i = 0; i < containers->n_containers; i++)
		give(cri, containers->containers[i],
		     find_sandbox(sandboxes, containers->containers[i]->pod_sandbox_id), list);
out:
	arena_finish(&arena);
	return code == -ENOENT ? -EPROTO : code;
}

static bool decode(const char *message, size_t len, struct runtime_event *event)
{
	static const enum runtime_change changes[] = {
		[CRI__CONTAINER_EVENT_TYPE__CREATED] = RUNTIME_CHANGED,
		[CRI__CONTAINER_EVENT_TYPE__STARTED] = RUNTIME_CHANGED,
		[CRI__CONTAINER_EVENT_TYPE__DELETED] = RUNTIME_REMOVED,
	};
	struct arena arena = {0};
	const Cri__ContainerEvent *received = (const Cri__ContainerEvent *)grpc_decode(
		&cri__container_event__descriptor, message, len, &arena);

	event->change = RUNTIME_NO_CHANGE;
	if (received && (size_t)received->type < sizeof(changes) / sizeof(changes[0]))
		runtime_event_set(event, changes[received->type], received->container_id);
	arena_finish(&arena);
	return received;
}

int cri_events_begin(struct runtime_events *events)
{
	Cri__GetEventsRequest question = CRI__GET_EVENTS_REQUEST__INIT;

	snprintf(events->path, sizeof(events->path), "%s", CRI_SERVICE "GetContainerEvents");
	grpc_encode(&question.base, &events->body);
	events->decode = decode;
	return events->body.failed ? -ENOMEM : 0;
}
