/* SPDX-License-Identifier: MIT */
/* A call for a container and one for the sandbox of its pod. */
#include "meta/runtimes/cri.h"

#include <errno.h>
#include <string.h>

#include "meta/runtimes/cri_info.h"
#include "meta/describe.h"

int cri_init(struct cri *cri, struct http *http, const char *path, uint64_t deadline_ns,
	     struct error *err)
{
	static const struct grpc_method method = {CRI_SERVICE "Version",
						  &cri__version_response__descriptor};
	static const struct {
		const char *name;
		enum sinsp_container_type type;
	} names[] = {
		{"containerd", SINSP_CONTAINER_CONTAINERD},
		{"cri-o", SINSP_CONTAINER_CRIO},
	};
	Cri__VersionRequest question = CRI__VERSION_REQUEST__INIT;
	struct arena arena = {0};
	ProtobufCMessage *answer;
	int result;

	*cri = (struct cri){.grpc = {http, path}, .type = SINSP_CONTAINER_CRI};
	result = grpc_call(&cri->grpc, &method, &question.base, deadline_ns, &arena, &answer, err);
	for (size_t i = 0; result == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(((Cri__VersionResponse *)answer)->runtime_name, names[i].name) == 0)
			cri->type = names[i].type;
	}
	arena_finish(&arena);
	return result;
}

void cri_fill_labels(struct sinsp_container_info *info, Cri__Text *const *texts, size_t count,
		     struct sinsp_labels *member)
{
	struct describe_labels labels = describe_labels_begin(&info->texts, member, count);

	for (size_t i = 0; i < count; i++)
		describe_label_add(&labels, texts[i]->key, texts[i]->value);
	describe_labels_end(&labels, member);
}

static void fill_mounts(struct sinsp_container_info *info, const Cri__ContainerStatus *status)
{
	static const char *const propagations[] = {
		[CRI__MOUNT_PROPAGATION__PRIVATE] = "private",
		[CRI__MOUNT_PROPAGATION__HOST_TO_CONTAINER] = "rslave",
		[CRI__MOUNT_PROPAGATION__BIDIRECTIONAL] = "rshared",
	};
	struct describe_mounts mounts = describe_mounts_begin(info, status->n_mounts);

	for (size_t i = 0; i < status->n_mounts; i++) {
		const Cri__Mount *from = status->mounts[i];
		struct sinsp_mount mount = {
			.source = from->host_path,
			.dest = from->container_path,
			.writable = !from->readonly,
		};

		if ((size_t)from->propagation < sizeof(propagations) / sizeof(propagations[0]))
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

static void fill_created(struct sinsp_container_info *info, int64_t created_ns)
{
	if (info->created_ns == 0 && created_ns > 0)
		info->created_ns = (uint64_t)created_ns;
}

static void fill_image(struct sinsp_container_info *info,
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

static void fill_container(struct sinsp_container_info *info,
			   const Cri__ContainerStatusResponse *answer)
{
	const Cri__ContainerStatus *status = answer->status;

	if (status->metadata)
		describe_text(&info->texts, &info->name, status->metadata->name);
	fill_created(info, status->created_at);
	fill_image(info, answer);
	cri_fill_labels(info, status->labels, status->n_labels, &info->labels);
	fill_mounts(info, status);
	describe_pod_by_labels(info, &info->labels);
}

static void fill_namespaces(struct sinsp_container_info *info, const Cri__PodSandboxStatus *status)
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

static void fill_sandbox(struct sinsp_container_info *info,
			 const Cri__PodSandboxStatusResponse *answer)
{
	const Cri__PodSandboxStatus *status = answer->status;
	struct sinsp_pod *pod = &info->pod;

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
			    struct sinsp_container_info *info, bool is_container, struct error *err)
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

static int describe_container(const struct cri *cri, const char *id, uint64_t deadline_ns,
			      struct sinsp_container_info *info, struct error *err)
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
		fill_container(info, status);
out:
	arena_finish(&arena);
	return result;
}

int cri_describe(const struct cri *cri, const char *id, uint64_t deadline_ns,
		 struct sinsp_container_info *info, struct error *err)
{
	int result = describe_container(cri, id, deadline_ns, info, err);

	if (result == -ENOENT)
		result = describe_sandbox(cri, id, deadline_ns, info, false, err);
	else if (result == 0 && info->pod.sandbox_id)
		/* What is known of the container is an answer, with or without its pod. */
		describe_sandbox(cri, info->pod.sandbox_id, deadline_ns, info, true, NULL);
	if (result == 0 && info->type == SINSP_CONTAINER_NONE)
		info->type = cri->type;
	return result;
}
