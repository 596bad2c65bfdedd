/* SPDX-License-Identifier: MIT */
#include "contained.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

static const struct state_label labels[] = {
	{"io.kubernetes.pod.name", "web-5c4f"},
	{"app", "web"},
	{"a.b/c", "with, comma"},
	{"annotation.x", "hidden"},
};

static const struct state_label pod_labels[] = {
	{"app", "web"},
	{"tier", "front"},
};

static const struct state_label pod_annotations[] = {
	{"example.com/team", "blue"},
};

static const struct state_mount mounts[] = {
	{"/srv/data", "/data", "ro", "rprivate", false},
	{"/var/log", "/logs", "", "rslave", true},
};

struct state_container_info *contained_info(void)
{
	struct state_container_info *info = state_container_info_create();

	assert_non_null(info);
	info->name = "web";
	info->image.name = "docker.io/library/nginx:1.25";
	info->image.id = "1a2b";
	info->image.repository = "docker.io/library/nginx";
	info->image.tag = "1.25";
	info->image.digest = "sha256:3f2a";
	info->ip = "10.0.0.7";
	info->cni_json = "{}";
	info->privileged = STATE_YES;
	info->host_pid = STATE_NO;
	info->host_network = STATE_NO;
	info->created_ns = 1500000000000000000;
	info->labels = (struct state_labels){labels, sizeof(labels) / sizeof(labels[0])};
	info->mounts = (struct state_mounts){mounts, sizeof(mounts) / sizeof(mounts[0])};
	info->pod = (struct state_pod){
		.name = "web-5c4f",
		.ns = "shop",
		.uid = "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80",
		.sandbox_id = SANDBOX_ID,
		.ip = "10.0.0.7",
		.node = "node-1",
		.cluster = "prod",
		.service_account = "default",
		.owner = {.kind = "ReplicaSet", .name = "web-5c4f6"},
		.workload = {.kind = "Deployment", .name = "web", .derived = true},
		.labels = {pod_labels, sizeof(pod_labels) / sizeof(pod_labels[0])},
		.annotations = {pod_annotations, 1},
	};
	return info;
}

void contained_set_group(struct drive *world, const char *path)
{
	char text[512];
	int len = snprintf(text, sizeof(text), "memory=%s", path);

	state_thread_set_cgroups(&world->state->containers, world_self(world), text,
				 (size_t)len + 1);
}

int contained_setup(void **state)
{
	struct drive *world;

	world_setup(state);
	world = *state;
	world_read(world, 0);
	contained_set_group(world, "/docker/" CONTAINER_ID);
	state_container_set_info(&world->state->containers, world_self(world)->cgroups->container,
				 STATE_META_OK, contained_info());
	return 0;
}
