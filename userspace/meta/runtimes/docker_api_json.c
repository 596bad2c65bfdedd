/* SPDX-License-Identifier: MIT */
#include "meta/runtimes/docker_api_json.h"

#include "meta/describe.h"
#include "meta/files/docker.h"

const char *docker_api_json_id(const json_t *answer)
{
	const char *id = JSON_INPUT_TEXT(answer, "Id");

	return id ? id : "";
}

static void fill_mounts(const json_t *answer, struct sinsp_container_info *info)
{
	const json_t *array = JSON_INPUT_AT(answer, "Mounts"), *item;
	struct describe_mounts mounts = describe_mounts_begin(info, json_array_size(array));
	size_t i;

	json_array_foreach((json_t *)array, i, item)
	{
		struct sinsp_mount mount = {
			.source = JSON_INPUT_TEXT(item, "Source"),
			.dest = JSON_INPUT_TEXT(item, "Destination"),
			.mode = JSON_INPUT_TEXT(item, "Mode"),
			.propagation = JSON_INPUT_TEXT(item, "Propagation"),
			.writable = json_is_true(JSON_INPUT_AT(item, "RW")),
		};

		describe_mount(&mounts, &mount);
	}
	describe_mounts_end(&mounts);
}

void docker_api_json_fill(const json_t *answer, struct sinsp_container_info *info)
{
	const char *name = JSON_INPUT_TEXT(answer, "Name");

	describe_text(&info->texts, &info->name, name && *name == '/' ? name + 1 : name);
	describe_image_id(&info->texts, &info->image, JSON_INPUT_TEXT(answer, "Image"));
	if (!info->created_ns)
		info->created_ns = describe_time_ns(JSON_INPUT_TEXT(answer, "Created"));
	describe_labels(&info->texts, &info->labels, JSON_INPUT_AT(answer, "Config", "Labels"));
	fill_mounts(answer, info);
	describe_env(info, JSON_INPUT_AT(answer, "Config", "Env"));
	docker_describe_host_config(JSON_INPUT_AT(answer, "HostConfig"), info);
	/* From API 1.52 on the address stands only with the networks. */
	docker_describe_networks(JSON_INPUT_AT(answer, "NetworkSettings", "Networks"), info);
	describe_text(&info->texts, &info->ip,
		      JSON_INPUT_TEXT(answer, "NetworkSettings", "IPAddress"));
	describe_pod_by_labels(info, &info->labels);
}
