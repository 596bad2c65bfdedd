/* SPDX-License-Identifier: MIT */
/* The forms of the paths of runtimes, one row each. */
#include "sinsp/tables/cgroup_path.h"

#include <stdbool.h>
#include <string.h>

enum { ID_HEX_DIGITS = 64 };

/* A part of the text. */
struct part {
	const char *at;
	size_t len;
};

typedef bool id_shape(struct part id);

static bool is_hex(struct part id)
{
	if (id.len != ID_HEX_DIGITS)
		return false;
	for (size_t i = 0; i < id.len; i++)
		if (!memchr("0123456789abcdef", id.at[i], 16))
			return false;
	return true;
}

static bool is_uuid(struct part id)
{
	if (id.len != 36)
		return false;
	for (size_t i = 0; i < id.len; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? id.at[i] != '-' : !memchr("0123456789abcdef", id.at[i], 16))
			return false;
	}
	return true;
}

static bool is_name(struct part id)
{
	return id.len > 0;
}

/* A component of a path that contains the id between a prefix and a suffix of its runtime. */
static const struct scope {
	const char *before, *after;
	id_shape *shape;
	enum sinsp_container_type type;
} scopes[] = {
	{"docker-", ".scope", is_hex, SINSP_CONTAINER_DOCKER},
	{"libpod-payload-", "", is_hex, SINSP_CONTAINER_PODMAN},
	{"libpod-", ".scope", is_hex, SINSP_CONTAINER_PODMAN},
	{"libpod-", "", is_hex, SINSP_CONTAINER_PODMAN},
	{"cri-containerd-", ".scope", is_hex, SINSP_CONTAINER_CONTAINERD},
	{"nerdctl-", ".scope", is_hex, SINSP_CONTAINER_CONTAINERD},
	{"crio-", ".scope", is_hex, SINSP_CONTAINER_CRIO},
	{"crio-", "", is_hex, SINSP_CONTAINER_CRIO},
	{"lxc.payload.", "", is_name, SINSP_CONTAINER_LXC},
	{"machine-lxc\\x2d", ".scope", is_name, SINSP_CONTAINER_LIBVIRT_LXC},
	{"", ".libvirt-lxc", is_name, SINSP_CONTAINER_LIBVIRT_LXC},
};

/* A component that is the id, below one with this prefix. The last row matches any other. */
static const struct parent {
	const char *prefix;
	bool whole; /* the prefix is the whole component */
	id_shape *shape;
	enum sinsp_container_type type;
} parents[] = {
	{"lxc", true, is_name, SINSP_CONTAINER_LXC},
	{"lxc.payload", true, is_name, SINSP_CONTAINER_LXC},
	{"mesos", true, is_uuid, SINSP_CONTAINER_MESOS},
	/* Pods of Kubernetes, if the runtime makes groups without systemd. */
	{"pod", false, is_hex, SINSP_CONTAINER_CRI},
	{"kubepods", false, is_hex, SINSP_CONTAINER_CRI},
	/* Namespaces of containerd, which are groups there. */
	{"default", true, is_hex, SINSP_CONTAINER_CONTAINERD},
	{"k8s.io", true, is_hex, SINSP_CONTAINER_CONTAINERD},
	/* docker, and any parent that its users set (--cgroup-parent). */
	{"", false, is_hex, SINSP_CONTAINER_DOCKER},
};

static bool starts_with(struct part text, const char *prefix)
{
	size_t n = strlen(prefix);

	return text.len >= n && memcmp(text.at, prefix, n) == 0;
}

static bool ends_with(struct part text, const char *suffix)
{
	size_t n = strlen(suffix);

	return text.len >= n && memcmp(text.at + text.len - n, suffix, n) == 0;
}

/* libvirt writes the id of the leader and a dash, as systemd spells it, before the name. */
static void cut_leader(struct part *id)
{
	static const char dash[] = "\\x2d";
	const char *found = memmem(id->at, id->len, dash, sizeof(dash) - 1);

	if (!found)
		return;
	id->len -= (size_t)(found - id->at) + sizeof(dash) - 1;
	id->at = found + sizeof(dash) - 1;
}

static enum sinsp_container_type find_scope(struct part component, struct part *id)
{
	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		size_t before = strlen(scopes[i].before), after = strlen(scopes[i].after);

		if (component.len < before + after || !starts_with(component, scopes[i].before) ||
		    !ends_with(component, scopes[i].after))
			continue;
		*id = (struct part){component.at + before, component.len - before - after};
		if (scopes[i].type == SINSP_CONTAINER_LIBVIRT_LXC && before)
			cut_leader(id);
		if (scopes[i].shape(*id))
			return scopes[i].type;
	}
	return SINSP_CONTAINER_NONE;
}

/*
 * "SLICE:RUNTIME:ID": a name for systemd ("RUNTIME-ID.scope" in that slice) that was used as a
 * path.
 */
static enum sinsp_container_type find_colons(struct part component, struct part *id)
{
	const char *colon = memrchr(component.at, ':', component.len);
	struct part runtime;

	if (!colon)
		return SINSP_CONTAINER_NONE;
	*id = (struct part){colon + 1, component.len - (size_t)(colon + 1 - component.at)};
	runtime = (struct part){component.at, (size_t)(colon - component.at)};
	if (!is_hex(*id))
		return SINSP_CONTAINER_NONE;
	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		size_t n = strlen(scopes[i].before);

		if (n && runtime.len >= n && runtime.at[runtime.len - n] == ':' &&
		    memcmp(runtime.at + runtime.len - n + 1, scopes[i].before, n - 1) == 0)
			return scopes[i].type;
	}
	return SINSP_CONTAINER_CRI;
}

static enum sinsp_container_type find_below(struct part parent, struct part component,
					    struct part *id)
{
	*id = component;
	for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
		bool fits = parents[i].whole ? parent.len == strlen(parents[i].prefix) : true;

		if (fits && starts_with(parent, parents[i].prefix) && parents[i].shape(*id))
			return parents[i].type;
	}
	return SINSP_CONTAINER_NONE;
}

/* The part of a path after its last slash; `path` becomes the part before it. */
static struct part take_component(struct part *path)
{
	const char *slash = memrchr(path->at, '/', path->len);
	struct part component = *path;

	if (slash) {
		component.len -= (size_t)(slash + 1 - path->at);
		component.at = slash + 1;
	}
	path->len = slash ? (size_t)(slash - path->at) : 0;
	return component;
}

/* For nested containers the innermost: the last component that is one. */
static enum sinsp_container_type find_in_path(struct part path, struct part *id)
{
	struct part component = take_component(&path);

	while (path.len || component.len) {
		struct part parent = take_component(&path);
		enum sinsp_container_type type = find_scope(component, id);

		if (!type)
			type = find_colons(component, id);
		if (!type)
			type = find_below(parent, component, id);
		if (type)
			return type;
		component = parent;
	}
	return SINSP_CONTAINER_NONE;
}

struct sinsp_cgroup_match sinsp_cgroup_match(const char *cgroups, size_t len)
{
	for (size_t at = 0, n; at < len; at += n + 1) {
		const char *slash;
		struct part path, id;
		enum sinsp_container_type type;

		n = strnlen(cgroups + at, len - at);
		slash = memchr(cgroups + at, '/', n);
		if (!slash)
			continue;
		path = (struct part){slash, n - (size_t)(slash - cgroups - at)};
		type = find_in_path(path, &id);
		if (type)
			return (struct sinsp_cgroup_match){type, id.at, id.len};
	}
	return (struct sinsp_cgroup_match){0};
}

const char *sinsp_container_type_name(enum sinsp_container_type type)
{
	static const char *const names[SINSP_CONTAINER_TYPES_COUNT] = {
		[SINSP_CONTAINER_NONE] = "host",     [SINSP_CONTAINER_DOCKER] = "docker",
		[SINSP_CONTAINER_PODMAN] = "podman", [SINSP_CONTAINER_CONTAINERD] = "containerd",
		[SINSP_CONTAINER_CRIO] = "cri-o",    [SINSP_CONTAINER_CRI] = "cri",
		[SINSP_CONTAINER_LXC] = "lxc",	     [SINSP_CONTAINER_LIBVIRT_LXC] = "libvirt-lxc",
		[SINSP_CONTAINER_MESOS] = "mesos",   [SINSP_CONTAINER_RKT] = "rkt",
		[SINSP_CONTAINER_BPM] = "bpm",	     [SINSP_CONTAINER_STATIC] = "static",
		[SINSP_CONTAINER_CUSTOM] = "custom",
	};

	return names[type];
}
