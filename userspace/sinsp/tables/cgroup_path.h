/* SPDX-License-Identifier: MIT */
/*
 * The container that control groups belong to: runtimes put a process into a group whose path
 * contains the container's id, in a form specific to the runtime.
 */
#ifndef SINSP_TABLES_CGROUP_PATH_H
#define SINSP_TABLES_CGROUP_PATH_H

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
	/* Control groups reveal none of these; capture files name them. */
	SINSP_CONTAINER_RKT,
	SINSP_CONTAINER_BPM,
	SINSP_CONTAINER_STATIC,
	SINSP_CONTAINER_CUSTOM,
	SINSP_CONTAINER_TYPES_COUNT,
};

/* The container that was found, its id in the text of the groups. */
struct sinsp_cgroup_match {
	enum sinsp_container_type type;
	const char *id; /* NULL: a process of the host */
	size_t id_len;
};

/* Finds the container of a process by its groups, each "name=/path" and a NUL. */
struct sinsp_cgroup_match sinsp_cgroup_match(const char *cgroups, size_t len);

/* "docker"; "host" for processes of the host. */
const char *sinsp_container_type_name(enum sinsp_container_type type);

#endif
