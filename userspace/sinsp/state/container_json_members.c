/* SPDX-License-Identifier: MIT */
#include "sinsp/state/container_json_members.h"

#define MEMBER(key, member)                                                                        \
	{                                                                                          \
		key, offsetof(struct sinsp_container_info, member)                                 \
	}
#define MEMBERS(items)                                                                             \
	{                                                                                          \
		items, sizeof(items) / sizeof((items)[0])                                          \
	}

/* clang-format off */
static const struct container_member texts[] = {
	MEMBER("name", name),
	MEMBER("image", image.name),
	MEMBER("imageid", image.id),
	MEMBER("imagerepo", image.repository),
	MEMBER("imagetag", image.tag),
	MEMBER("imagedigest", image.digest),
	MEMBER("ip", ip),
	MEMBER("cni_json", cni_json),
	MEMBER("pod_sandbox_id", pod.sandbox_id),
};

static const struct container_member answers[] = {
	MEMBER("privileged", privileged),
	MEMBER("host_pid", host_pid),
	MEMBER("host_network", host_network),
	MEMBER("host_ipc", host_ipc),
};

static const struct container_member extension_texts[] = {
	MEMBER("pod_ip", pod.ip),
	MEMBER("node", pod.node),
	MEMBER("cluster", pod.cluster),
	MEMBER("service_account", pod.service_account),
	MEMBER("owner_kind", pod.owner.kind),
	MEMBER("owner_name", pod.owner.name),
	MEMBER("workload_kind", pod.workload.kind),
	MEMBER("workload_name", pod.workload.name),
};

static const struct container_member pod_labels[] = {
	MEMBER("io.kubernetes.pod.name", pod.name),
	MEMBER("io.kubernetes.pod.namespace", pod.ns),
	MEMBER("io.kubernetes.pod.uid", pod.uid),
};

const struct container_members container_texts = MEMBERS(texts);
const struct container_members container_answers = MEMBERS(answers);
const struct container_members container_extension_texts = MEMBERS(extension_texts);
const struct container_members container_pod_labels = MEMBERS(pod_labels);

/* By number. */
static const enum sinsp_container_type types[] = {
	[0] = SINSP_CONTAINER_DOCKER,
	[1] = SINSP_CONTAINER_LXC,
	[2] = SINSP_CONTAINER_LIBVIRT_LXC,
	[3] = SINSP_CONTAINER_MESOS,
	[4] = SINSP_CONTAINER_RKT,
	[5] = SINSP_CONTAINER_CUSTOM,
	[6] = SINSP_CONTAINER_CRI,
	[7] = SINSP_CONTAINER_CONTAINERD,
	[8] = SINSP_CONTAINER_CRIO,
	[9] = SINSP_CONTAINER_BPM,
	[10] = SINSP_CONTAINER_STATIC,
	[11] = SINSP_CONTAINER_PODMAN,
};
/* clang-format on */

enum { TYPES_COUNT = sizeof(types) / sizeof(types[0]) };

int container_type_number(enum sinsp_container_type type)
{
	for (int number = 0; number < TYPES_COUNT; number++)
		if (types[number] == type)
			return number;
	return -1;
}

enum sinsp_container_type container_type_of(int64_t number)
{
	return number >= 0 && number < TYPES_COUNT ? types[number] : SINSP_CONTAINER_NONE;
}
