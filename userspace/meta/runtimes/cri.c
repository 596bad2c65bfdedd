/* SPDX-License-Identifier: MIT */
/*
 * The Container Runtime Interface: a call for a container and one for the sandbox of its pod; JSON
 * in verbose answers; events.
 */
#include "meta/runtimes/cri.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "meta/describe.h"
#include "meta/source.h"
#include "util/count.h"
#include "util/json_input.h"

/* The first place that says it counts. */
static void fill_privileged(struct state_container_info *info, const json_t *object)
{
	const json_t *const places[] = {
		JSON_INPUT_AT(object, "runtimeSpec", "linux", "security_context", "privileged"),
		JSON_INPUT_AT(object, "config", "linux", "security_context", "privileged"),
		JSON_INPUT_AT(object, "privileged"),
	};

	for (size_t i = 0; i < COUNT(places); i++) {
		if (json_is_boolean(places[i]))
			describe_answer(&info->privileged, json_is_true(places[i]));
	}
	/* containerd leaves out what is false: a configuration without it says that it is not. */
	if (JSON_INPUT_AT(object, "config"))
		describe_answer(&info->privileged, false);
}

void cri_info_fill_container(struct state_container_info *info, const char *text)
{
	static const char *const image_names[] = {
		"io.kubernetes.cri.image-name",
		"io.kubernetes.cri-o.ImageName",
		"io.kubernetes.cri-o.Image",
	};
	json_t *object = json_input_object(text);

	fill_privileged(info, object);
	describe_text(&info->texts, &info->pod.sandbox_id, JSON_INPUT_TEXT(object, "sandboxID"));
	describe_image_id(&info->texts, &info->image,
			  JSON_INPUT_TEXT(object, "config", "image", "image"));
	for (size_t i = 0; i < COUNT(image_names); i++)
		describe_image_by_name(
			&info->texts, &info->image,
			JSON_INPUT_TEXT(object, "runtimeSpec", "annotations", image_names[i]));
	/* The specification also has the variables of the image. */
	describe_env(info, JSON_INPUT_AT(object, "runtimeSpec", "process", "env"));
	describe_env(info, JSON_INPUT_AT(object, "config", "envs"));
	json_decref(object);
}

/* The interfaces of a pod that are its own. */
static json_t *own_interfaces(const json_t *interfaces)
{
	json_t *own = json_object(), *value;
	const char *name;

	json_object_foreach((json_t *)interfaces, name, value)
	{
		if (strcmp(name, "lo") != 0 && strncmp(name, "veth", strlen("veth")) != 0)
			json_object_set(own, name, value);
	}
	return own;
}

static void fill_interfaces(struct state_container_info *info, const json_t *interfaces)
{
	json_t *own = own_interfaces(interfaces);
	char *text = json_object_size(own) ? json_dumps(own, JSON_COMPACT | JSON_SORT_KEYS) : NULL;

	describe_text(&info->texts, &info->cni_json, text);
	free(text);
	json_decref(own);
}

void cri_info_fill_sandbox(struct state_container_info *info, const char *text)
{
	json_t *object = json_input_object(text);

	fill_interfaces(info, JSON_INPUT_AT(object, "cniResult", "Interfaces"));
	describe_text(&info->texts, &info->cni_json,
		      JSON_INPUT_TEXT(object, "runtimeSpec", "annotations",
				      "io.kubernetes.cri-o.CNIResult"));
	json_decref(object);
}

/* A call for a container and one for the sandbox of its pod. */

int cri_init(struct cri *cri, struct http *http, const char *path, uint64_t deadline_ns,
	     struct error *err)
{
	static const struct grpc_method method = {CRI_SERVICE "Version",
						  &cri__version_response__descriptor};
	static const struct {
		const char *name;
		enum state_container_type type;
	} names[] = {
		{"containerd", STATE_CONTAINER_CONTAINERD},
		{"cri-o", STATE_CONTAINER_CRIO},
	};
	Cri__VersionRequest question = CRI__VERSION_REQUEST__INIT;
	struct arena arena = {0};
	ProtobufCMessage *answer;
	int result;

	*cri = (struct cri){.grpc = {http, path}, .type = STATE_CONTAINER_CRI};
	result = grpc_call(&cri->grpc, &method, &question.base, deadline_ns, &arena, &answer, err);
	for (size_t i = 0; result == 0 && i < COUNT(names); i++) {
		if (strcmp(((Cri__VersionResponse *)answer)->runtime_name, names[i].name) == 0)
			cri->type = names[i].type;
	}
	arena_finish(&arena);
	return result;
}

void cri_fill_labels(struct state_container_info *info, Cri__Text *const *texts, size_t count,
		     struct state_labels *member)
{
	struct describe_labels labels = describe_labels_begin(&info->texts, member, count);

	for (size_t i = 0; i < count; i++)
		describe_label_add(&labels, texts[i]->key, texts[i]->value);
	describe_labels_end(&labels, member);
}

static void cri_fill_mounts(struct state_container_info *info, const Cri__ContainerStatus *status)
{
	static const char *const propagations[] = {
		[CRI__MOUNT_PROPAGATION__PRIVATE] = "private",
		[CRI__MOUNT_PROPAGATION__HOST_TO_CONTAINER] = "rslave",
		[CRI__MOUNT_PROPAGATION__BIDIRECTIONAL] = "rshared",
	};
	struct describe_mounts mounts = describe_mounts_begin(info, status->n_mounts);

	for (size_t i = 0; i < status->n_mounts; i++) {
		const Cri__Mount *from = status->mounts[i];
		struct state_mount mount = {
			.source = from->host_path,
			.dest = from->container_path,
			.writable = !from->readonly,
		};

		if ((size_t)from->propagation < COUNT(propagations))
			mount.propagation = propagations[from->propagation];
		describe_mount(&mounts, &mount);
	}
	describe_mounts_end(&mounts);
}

/* The text that the runtime adds when it is asked for a verbose answer; NULL if there is none. */
static const char *find_info(Cri__Text *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(texts[i]->key, "info") == 0)
			return texts[i]->value;
	}
	return NULL;
}

static void fill_created(struct state_container_info *info, int64_t created_ns)
{
	if (info->created_ns == 0 && created_ns > 0)
		info->created_ns = (uint64_t)created_ns;
}

static void cri_fill_image(struct state_container_info *info,
			   const Cri__ContainerStatusResponse *answer)
{
	const Cri__ContainerStatus *status = answer->status;
	const char *name = status->image ? status->image->image : NULL;
	const char *digest = strchr(status->image_ref, '@');

	describe_image_id(&info->texts, &info->image, status->image_id);
	describe_image_id(&info->texts, &info->image, status->image_ref);
	describe_image_by_name(&info->texts, &info->image, name);
	cri_info_fill_container(info, find_info(answer->info, answer->n_info));
	describe_image_by_name(&info->texts, &info->image, digest ? status->image_ref : NULL);
	describe_image(&info->texts, &info->image, name);
	describe_text(&info->texts, &info->image.digest, digest ? digest + 1 : NULL);
}

static void cri_fill_container(struct state_container_info *info,
			       const Cri__ContainerStatusResponse *answer)
{
	const Cri__ContainerStatus *status = answer->status;

	if (status->metadata)
		describe_text(&info->texts, &info->name, status->metadata->name);
	fill_created(info, status->created_at);
	cri_fill_image(info, answer);
	cri_fill_labels(info, status->labels, status->n_labels, &info->labels);
	cri_fill_mounts(info, status);
	describe_pod_by_labels(info, &info->labels);
}

static void fill_namespaces(struct state_container_info *info, const Cri__PodSandboxStatus *status)
{
	const Cri__LinuxSandbox *part = status->linux_part;
	const Cri__NamespaceOptions *options;

	if (!part || !part->namespaces || !part->namespaces->options)
		return;
	options = part->namespaces->options;
	describe_answer(&info->host_network, options->network == CRI__NAMESPACE_MODE__NODE);
	describe_answer(&info->host_pid, options->pid == CRI__NAMESPACE_MODE__NODE);
	describe_answer(&info->host_ipc, options->ipc == CRI__NAMESPACE_MODE__NODE);
}

static void fill_sandbox(struct state_container_info *info,
			 const Cri__PodSandboxStatusResponse *answer)
{
	const Cri__PodSandboxStatus *status = answer->status;
	struct state_pod *pod = &info->pod;

	describe_text(&info->texts, &pod->sandbox_id, status->id);
	if (status->metadata) {
		describe_text(&info->texts, &pod->name, status->metadata->name);
		describe_text(&info->texts, &pod->ns, status->metadata->namespace_);
		describe_text(&info->texts, &pod->uid, status->metadata->uid);
	}
	if (status->network) {
		describe_text(&info->texts, &pod->ip, status->network->ip);
		describe_text(&info->texts, &info->ip, status->network->ip);
	}
	fill_namespaces(info, status);
	cri_fill_labels(info, status->labels, status->n_labels, &pod->labels);
	cri_fill_labels(info, status->annotations, status->n_annotations, &pod->annotations);
	cri_info_fill_sandbox(info, find_info(answer->info, answer->n_info));
}

static int describe_sandbox(const struct cri *cri, const char *id, uint64_t deadline_ns,
			    struct state_container_info *info, bool is_container, struct error *err)
{
	static const struct grpc_method method = {CRI_SERVICE "PodSandboxStatus",
						  &cri__pod_sandbox_status_response__descriptor};
	Cri__PodSandboxStatusRequest question = CRI__POD_SANDBOX_STATUS_REQUEST__INIT;
	const Cri__PodSandboxStatusResponse *status;
	struct arena arena = {0};
	ProtobufCMessage *answer;
	int result;

	question.pod_sandbox_id = (char *)id;
	question.verbose = true;
	result = grpc_call(&cri->grpc, &method, &question.base, deadline_ns, &arena, &answer, err);
	if (result)
		goto out;
	status = (const Cri__PodSandboxStatusResponse *)answer;
	/* Runtimes take beginnings of ids, too. */
	if (!status->status || strcmp(status->status->id, id) != 0) {
		result = -ENOENT;
		goto out;
	}
	if (!is_container) {
		info->is_sandbox = true;
		fill_created(info, status->status->created_at);
	}
	fill_sandbox(info, status);
out:
	arena_finish(&arena);
	return result;
}

static int cri_describe_container(const struct cri *cri, const char *id, uint64_t deadline_ns,
				  struct state_container_info *info, struct error *err)
{
	static const struct grpc_method method = {CRI_SERVICE "ContainerStatus",
						  &cri__container_status_response__descriptor};
	Cri__ContainerStatusRequest question = CRI__CONTAINER_STATUS_REQUEST__INIT;
	const Cri__ContainerStatusResponse *status;
	struct arena arena = {0};
	ProtobufCMessage *answer;
	int result;

	question.container_id = (char *)id;
	question.verbose = true;
	result = grpc_call(&cri->grpc, &method, &question.base, deadline_ns, &arena, &answer, err);
	if (result)
		goto out;
	status = (const Cri__ContainerStatusResponse *)answer;
	if (!status->status || strcmp(status->status->id, id) != 0)
		result = -ENOENT;
	else
		cri_fill_container(info, status);
out:
	arena_finish(&arena);
	return result;
}

int cri_describe(const struct cri *cri, const char *id, uint64_t deadline_ns,
		 struct state_container_info *info, struct error *err)
{
	int result = cri_describe_container(cri, id, deadline_ns, info, err);

	if (result == -ENOENT)
		result = describe_sandbox(cri, id, deadline_ns, info, false, err);
	else if (result == 0 && info->pod.sandbox_id)
		/* What is known of the container is an answer, with or without its pod. */
		describe_sandbox(cri, info->pod.sandbox_id, deadline_ns, info, true, NULL);
	if (result == 0 && info->type == STATE_CONTAINER_NONE)
		info->type = cri->type;
	return result;
}

static void fill_pod(struct state_container_info *info, const Cri__PodSandbox *sandbox)
{
	struct state_pod *pod = &info->pod;

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
static void cri_events_fill_container(struct state_container_info *info,
				      const Cri__Container *container)
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
static void cri_give(const struct cri *cri, const Cri__Container *container,
		     const Cri__PodSandbox *sandbox, const struct runtime_list *list)
{
	struct state_container_info *info = state_container_info_create();
	const char *id = container ? container->id : sandbox->id;

	if (!info || !*id) {
		state_container_info_destroy(info);
		return;
	}
	info->type = cri->type;
	info->is_sandbox = !container;
	if (container)
		cri_events_fill_container(info, container);
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
	int r;

	r = grpc_call(&cri->grpc, &sandboxes_method, &sandboxes_question.base, deadline_ns, &arena,
		      &answers[0], err);
	if (r == 0)
		r = grpc_call(&cri->grpc, &containers_method, &containers_question.base,
			      deadline_ns, &arena, &answers[1], err);
	if (r)
		goto out;
	sandboxes = (const Cri__ListPodSandboxResponse *)answers[0];
	containers = (const Cri__ListContainersResponse *)answers[1];
	for (size_t i = 0; i < sandboxes->n_items; i++)
		cri_give(cri, NULL, sandboxes->items[i], list);
	for (size_t i = 0; i < containers->n_containers; i++)
		cri_give(cri, containers->containers[i],
			 find_sandbox(sandboxes, containers->containers[i]->pod_sandbox_id), list);
out:
	arena_finish(&arena);
	return r == -ENOENT ? -EPROTO : r;
}

static bool cri_decode(const char *message, size_t len, struct runtime_event *event)
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
	if (received && (size_t)received->type < COUNT(changes))
		runtime_event_set(event, changes[received->type], received->container_id);
	arena_finish(&arena);
	return received;
}

int cri_events_begin(struct runtime_events *events)
{
	Cri__GetEventsRequest question = CRI__GET_EVENTS_REQUEST__INIT;

	snprintf(events->path, sizeof(events->path), "%s", CRI_SERVICE "GetContainerEvents");
	grpc_encode(&question.base, &events->body);
	events->decode = cri_decode;
	return events->body.failed ? -ENOMEM : 0;
}
