/* SPDX-License-Identifier: MIT */
/*
 * Containers by control groups: runtimes put a process into a group whose path contains the
 * container's id, in a form specific to the runtime. No other source is used.
 */
#ifndef SINSP_TABLES_CONTAINER_H
#define SINSP_TABLES_CONTAINER_H

#include <stddef.h>
#include <stdint.h>

enum sinsp_container_type {
	SINSP_CONTAINER_NONE, /* a process of the host */
	SINSP_CONTAINER_DOCKER,
	SINSP_CONTAINER_PODMAN,
	SINSP_CONTAINER_CONTAINERD,
	SINSP_CONTAINER_CRIO,
	SINSP_CONTAINER_CRI, /* of a pod, runtime unknown */
	SINSP_CONTAINER_LXC,
	SINSP_CONTAINER_LIBVIRT_LXC,
	SINSP_CONTAINER_MESOS,
	SINSP_CONTAINER_TYPES_COUNT,
};

struct sinsp_container {
	enum sinsp_container_type type;
	uint32_t id_at, id_len; /* offset and length in the text of the groups */
};

/* Finds the container of a process by its groups, each "name=/path" and a NUL. */
struct sinsp_container sinsp_container_of(const char *cgroups, size_t len);

/* "docker"; "host" for processes of the host. */
const char *sinsp_container_type_name(enum sinsp_container_type type);

#endif
