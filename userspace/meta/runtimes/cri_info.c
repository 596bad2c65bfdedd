/* SPDX-License-Identifier: MIT */
#include "meta/runtimes/cri_info.h"

#include <stdlib.h>
#include <string.h>

#include "meta/describe.h"
#include "util/json_input.h"

/* The first place that says it counts. */
static void fill_privileged(struct sinsp_container_info *info, const json_t *object)
{
	const json_t *const places[] = {
		JSON_INPUT_AT(object, "runtimeSpec", "linux", "security_context", "privileged"),
		JSON_INPUT_AT(object, "config", "linux", "security_context", "privileged"),
		JSON_INPUT_AT(object, "privileged"),
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (json_is_boolean(places[i]))
			describe_answer(&info->privileged, json_is_true(places[i]));
	}
	/* containerd leaves out what is false: a configuration without it says that it is not. */
	if (JSON_INPUT_AT(object, "config"))
		describe_answer(&info->privileged, false);
}

void cri_info_fill_container(struct sinsp_container_info *info, const char *text)
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
	for (size_t i = 0; i < sizeof(image_names) / sizeof(image_names[0]); i++)
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

static void fill_interfaces(struct sinsp_container_info *info, const json_t *interfaces)
{
	json_t *own = own_interfaces(interfaces);
	char *text = json_object_size(own) ? json_dumps(own, JSON_COMPACT | JSON_SORT_KEYS) : NULL;

	describe_text(&info->texts, &info->cni_json, text);
	free(text);
	json_decref(own);
}

void cri_info_fill_sandbox(struct sinsp_container_info *info, const char *text)
{
	json_t *object = json_input_object(text);

	fill_interfaces(info, JSON_INPUT_AT(object, "cniResult", "Interfaces"));
	describe_text(&info->texts, &info->cni_json,
		      JSON_INPUT_TEXT(object, "runtimeSpec", "annotations",
				      "io.kubernetes.cri-o.CNIResult"));
	json_decref(object);
}
