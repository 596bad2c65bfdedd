/* SPDX-License-Identifier: MIT */
#include "meta/files/annotations.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "meta/describe.h"
#include "util/json_input.h"

#define CRI "io.kubernetes.cri."
#define CRIO "io.kubernetes.cri-o."
#define PODMAN "io.podman.annotations."

#define INFO(member) offsetof(struct sinsp_container_info, member)

/* Texts of a description, by their annotations; of several for one text the first wins. */
static const struct {
	const char *name;
	size_t member;
} texts[] = {
	{CRI "container-name", INFO(name)},
	{"io.kubernetes.container.name", INFO(name)},
	{CRI "sandbox-name", INFO(pod.name)},
	{CRI "sandbox-namespace", INFO(pod.ns)},
	{CRI "sandbox-uid", INFO(pod.uid)},
	{CRI "sandbox-id", INFO(pod.sandbox_id)},
	{"io.kubernetes.pod.name", INFO(pod.name)},
	{"io.kubernetes.pod.namespace", INFO(pod.ns)},
	{"io.kubernetes.pod.uid", INFO(pod.uid)},
	{CRIO "KubeName", INFO(pod.name)},
	{CRIO "Namespace", INFO(pod.ns)},
	{CRIO "SandboxID", INFO(pod.sandbox_id)},
	{CRIO "IP.0", INFO(pod.ip)},
	{CRIO "CNIResult", INFO(cni_json)},
};

static const char *const image_names[] = {CRI "image-name", CRIO "ImageName"};

/* The manager of the container, by an annotation that it always makes; NULL value: any. */
static const struct {
	const char *name, *value;
	enum sinsp_container_type type;
} managers[] = {
	{"io.container.manager", "libpod", SINSP_CONTAINER_PODMAN},
	{"io.container.manager", "cri-o", SINSP_CONTAINER_CRIO},
	{CRI "container-type", NULL, SINSP_CONTAINER_CONTAINERD},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_value(const json_t *annotations, const char *name, const char *value)
{
	const char *text = JSON_INPUT_TEXT(annotations, name);

	return text && strcmp(text, value) == 0;
}

static void describe_manager(const json_t *annotations, struct sinsp_container_info *info)
{
	for (size_t i = 0; i < COUNT(managers) && !info->type; i++) {
		const char *value = JSON_INPUT_TEXT(annotations, managers[i].name);

		if (value && (!managers[i].value || strcmp(value, managers[i].value) == 0))
			info->type = managers[i].type;
	}
}

/* CRI-O keeps JSON in some annotations. */
static json_t *object_in(const json_t *annotations, const char *name)
{
	return json_input_object(JSON_INPUT_TEXT(annotations, name));
}

static void describe_crio(const json_t *annotations, struct sinsp_container_info *info)
{
	json_t *labels = object_in(annotations, CRIO "Labels");
	json_t *metadata = object_in(annotations, CRIO "Metadata");

	describe_labels(&info->texts, info->is_sandbox ? &info->pod.labels : &info->labels, labels);
	describe_pod_by_labels(info, info->is_sandbox ? &info->pod.labels : &info->labels);
	describe_text(&info->texts, &info->name, JSON_INPUT_TEXT(metadata, "name"));
	if (!info->created_ns)
		info->created_ns = describe_time_ns(JSON_INPUT_TEXT(annotations, CRIO "Created"));
	json_decref(labels);
	json_decref(metadata);
	if (!info->is_sandbox)
		return;
	metadata = object_in(annotations, CRIO "Annotations");
	describe_labels(&info->texts, &info->pod.annotations, metadata);
	json_decref(metadata);
}

static void describe_podman(const json_t *annotations, struct sinsp_container_info *info)
{
	const char *privileged = JSON_INPUT_TEXT(annotations, PODMAN "privileged");

	if (privileged)
		describe_answer(&info->privileged, strcasecmp(privileged, "true") == 0);
	if (!info->created_ns)
		info->created_ns = describe_time_ns(JSON_INPUT_TEXT(annotations, CRIO "Created"));
}

void annotations_describe(const json_t *annotations, struct sinsp_container_info *info)
{
	describe_manager(annotations, info);
	info->is_sandbox |= is_value(annotations, CRI "container-type", "sandbox") ||
			    is_value(annotations, CRIO "ContainerType", "sandbox");
	for (size_t i = 0; i < COUNT(texts); i++)
		describe_text(&info->texts, (const char **)((char *)info + texts[i].member),
			      JSON_INPUT_TEXT(annotations, texts[i].name));
	for (size_t i = 0; i < COUNT(image_names) && !info->is_sandbox; i++)
		describe_image(&info->texts, &info->image,
			       JSON_INPUT_TEXT(annotations, image_names[i]));
	if (info->type == SINSP_CONTAINER_CRIO)
		describe_crio(annotations, info);
	else if (info->type == SINSP_CONTAINER_PODMAN)
		describe_podman(annotations, info);
	else if (info->type != SINSP_CONTAINER_CONTAINERD && info->type != SINSP_CONTAINER_DOCKER)
		/* ctr and other clients of containerd: its labels. */
		describe_labels(&info->texts, &info->labels, annotations);
	/* A sandbox has no name of its own but that of its pod. */
	if (info->is_sandbox && !info->name)
		info->name = info->pod.name;
}
