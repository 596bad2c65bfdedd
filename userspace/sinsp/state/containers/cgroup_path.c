/* SPDX-License-Identifier: MIT */
/* The forms of the paths of runtimes, one row each, and the shapes of ids in them. */
#include "sinsp/state/containers/cgroup_path.h"

#include <string.h>

#include "util/count.h"

enum { ID_HEX_DIGITS = 64, STATIC_POD_DIGITS = 32 };

static const char digits[] = "0123456789abcdef";

/* The value of a digit, or -1. */
static int digit_value(char c)
{
	const char *found = memchr(digits, c, sizeof(digits) - 1);

	return found ? (int)(found - digits) : -1;
}

static bool is_hex(struct cgroup_text text, size_t len)
{
	if (text.len != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (digit_value(text.at[i]) < 0)
			return false;
	return true;
}

/* Groups of digits, the first of 8, the last of `last`, with a character between them. */
static bool is_grouped(struct cgroup_text text, size_t last, char between)
{
	static const size_t dashes[] = {8, 13, 18, 23};
	size_t next = 0;

	if (text.len != 24 + last)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (next < COUNT(dashes) && i == dashes[next]) {
			if (text.at[i] != between)
				return false;
			next++;
		} else if (digit_value(text.at[i]) < 0) {
			return false;
		}
	}
	return true;
}

static bool fits_hex(struct cgroup_text *id)
{
	return is_hex(*id, ID_HEX_DIGITS);
}

static bool fits_uuid(struct cgroup_text *id)
{
	return is_grouped(*id, 12, '-');
}

static bool fits_garden(struct cgroup_text *id)
{
	return is_grouped(*id, 4, '-');
}

static bool fits_name(struct cgroup_text *id)
{
	return id->len > 0 && id->len < STATE_CONTAINER_ID_BYTES;
}

static bool fits_word(struct cgroup_text *id)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789+-._@";

	for (size_t i = 0; i < id->len; i++)
		if (!memchr(allowed, id->at[i], sizeof(allowed) - 1))
			return false;
	return fits_name(id);
}

/* libvirt writes the process id of the container's first process and a dash before the name. */
static bool fits_after_leader(struct cgroup_text *id)
{
	static const char dash[] = "\\x2d";
	size_t n = 0;

	while (n < id->len && id->at[n] >= '0' && id->at[n] <= '9')
		n++;
	if (n && cgroup_text_starts((struct cgroup_text){id->at + n, id->len - n}, dash)) {
		id->at += n + sizeof(dash) - 1;
		id->len -= n + sizeof(dash) - 1;
	}
	return fits_name(id);
}

const struct cgroup_id_shape cgroup_id_hex = {fits_hex}, cgroup_id_uuid = {fits_uuid},
			     cgroup_id_garden = {fits_garden},
			     cgroup_id_word = {fits_word, .is_name = true},
			     cgroup_id_name = {fits_name, .is_name = true},
			     cgroup_id_escaped = {fits_name, .is_name = true, .escaped = true},
			     cgroup_id_after_leader = {fits_after_leader, .is_name = true,
						       .escaped = true};

/* The character of a "\xHH" at the start of the text, or -1. */
static int escaped_character(struct cgroup_text text)
{
	int high, low;

	if (text.len < 4 || !cgroup_text_starts(text, "\\x"))
		return -1;
	high = digit_value(text.at[2]);
	low = digit_value(text.at[3]);
	/* A NUL would end the id before its length does. */
	return high < 0 || low < 0 || (high == 0 && low == 0) ? -1 : high << 4 | low;
}

size_t cgroup_id_copy(const struct cgroup_id_shape *shape, struct cgroup_text id,
		      char copy[STATE_CONTAINER_ID_BYTES])
{
	size_t len = 0;

	while (id.len) {
		int escaped = shape->escaped ? escaped_character(id) : -1;
		size_t n = escaped < 0 ? 1 : 4;

		copy[len++] = escaped < 0 ? *id.at : (char)escaped;
		id.at += n;
		id.len -= n;
	}
	copy[len] = '\0';
	return len;
}

bool cgroup_pod_uid_copy(struct cgroup_text text, char uid[STATE_POD_UID_BYTES])
{
	if (!is_grouped(text, 12, '-') && !is_grouped(text, 12, '_') &&
	    !is_hex(text, STATIC_POD_DIGITS))
		return false;
	for (size_t i = 0; i < text.len; i++)
		uid[i] = text.at[i] == '_' ? '-' : text.at[i];
	uid[text.len] = '\0';
	return true;
}

/* The forms of the paths of runtimes, one row each. */

/*
 * A component of a path that contains the id between a prefix and a suffix of its runtime. The
 * processes that watch a container are in groups that no row matches: "libpod-conmon-ID.scope",
 * "lxc.monitor.NAME", "kata_ID".
 */
static const struct scope {
	const char *before, *after;
	const struct cgroup_id_shape *shape;
	enum state_container_type type;
} scopes[] = {
	{"docker-", ".scope", &cgroup_id_hex, STATE_CONTAINER_DOCKER},
	{"libpod-payload-", "", &cgroup_id_hex, STATE_CONTAINER_PODMAN},
	{"libpod-", ".scope", &cgroup_id_hex, STATE_CONTAINER_PODMAN},
	{"libpod-", "", &cgroup_id_hex, STATE_CONTAINER_PODMAN},
	{"cri-containerd-", ".scope", &cgroup_id_hex, STATE_CONTAINER_CONTAINERD},
	{"nerdctl-", ".scope", &cgroup_id_hex, STATE_CONTAINER_CONTAINERD},
	{"crio-", ".scope", &cgroup_id_hex, STATE_CONTAINER_CRIO},
	{"crio-", "", &cgroup_id_hex, STATE_CONTAINER_CRIO},
	{"runc-", ".scope", &cgroup_id_word, STATE_CONTAINER_CUSTOM},
	{"crun-", ".scope", &cgroup_id_word, STATE_CONTAINER_CUSTOM},
	{"lxc.payload.", "", &cgroup_id_name, STATE_CONTAINER_LXC},
	{"machine-lxc\\x2d", ".scope", &cgroup_id_after_leader, STATE_CONTAINER_LIBVIRT_LXC},
	{"", ".libvirt-lxc", &cgroup_id_escaped, STATE_CONTAINER_LIBVIRT_LXC},
	{"bpm-", ".scope", &cgroup_id_word, STATE_CONTAINER_BPM},
	{"bpm-", "", &cgroup_id_word, STATE_CONTAINER_BPM},
	/* Garden of Cloud Foundry. */
	{"", "", &cgroup_id_garden, STATE_CONTAINER_CUSTOM},
};

/* A component that is the id, by the path above it. The first row that fits decides. */
static const struct parent {
	const char *path; /* its last components, or what the last one begins with */
	bool begins;
	const struct cgroup_id_shape *shape;
	enum state_container_type type; /* STATE_CONTAINER_NONE: it is no container */
} parents[] = {
	/* The virtual machine of a Kata container, whose own processes are inside. */
	{"kata", false, &cgroup_id_hex, STATE_CONTAINER_NONE},
	{"kata_", true, &cgroup_id_hex, STATE_CONTAINER_NONE},
	/* A pod of Podman: beside its containers there are conmon and what sets up the network. */
	{"libpod_parent", false, &cgroup_id_hex, STATE_CONTAINER_NONE},
	{"libvirt/lxc", false, &cgroup_id_escaped, STATE_CONTAINER_LIBVIRT_LXC},
	{"lxc", false, &cgroup_id_name, STATE_CONTAINER_LXC},
	{"lxc.payload", false, &cgroup_id_name, STATE_CONTAINER_LXC},
	{"mesos", false, &cgroup_id_uuid, STATE_CONTAINER_MESOS},
	/* Of old versions, rootless. */
	{"podman-", true, &cgroup_id_hex, STATE_CONTAINER_PODMAN},
	/* Pods of Kubernetes, if the runtime makes groups without systemd. */
	{"pod", true, &cgroup_id_hex, STATE_CONTAINER_CRI},
	{"kubepods", true, &cgroup_id_hex, STATE_CONTAINER_CRI},
	/* Namespaces of containerd, which are groups there. */
	{"default", false, &cgroup_id_hex, STATE_CONTAINER_CONTAINERD},
	{"k8s.io", false, &cgroup_id_hex, STATE_CONTAINER_CONTAINERD},
	/* docker, and any parent that its users set (--cgroup-parent). */
	{"", true, &cgroup_id_hex, STATE_CONTAINER_DOCKER},
};

/* systemd-nspawn: the name is in the component above "payload". */
static const struct scope nspawn[] = {
	{"machine-", ".scope", &cgroup_id_escaped, STATE_CONTAINER_CUSTOM},
	{"systemd-nspawn@", ".service", &cgroup_id_escaped, STATE_CONTAINER_CUSTOM},
};

/* What was found in a path, and what is above it. */
struct found {
	struct cgroup_text id, above;
	const struct cgroup_id_shape *shape;
	enum state_container_type type;
};

static bool fits_scope(const struct scope *scope, struct cgroup_text component, struct found *found)
{
	size_t before = strlen(scope->before), after = strlen(scope->after);
	struct cgroup_text id;

	if (component.len < before + after || !cgroup_text_starts(component, scope->before) ||
	    !cgroup_text_ends(component, scope->after))
		return false;
	id = (struct cgroup_text){component.at + before, component.len - before - after};
	if (!scope->shape->fits(&id))
		return false;
	*found = (struct found){.id = id, .shape = scope->shape, .type = scope->type};
	return true;
}

static bool find_scope(const struct scope *rows, size_t count, struct cgroup_text component,
		       struct found *found)
{
	for (size_t i = 0; i < count; i++)
		if (fits_scope(&rows[i], component, found))
			return true;
	return false;
}

/*
 * "SLICE:RUNTIME:ID": a name for systemd ("RUNTIME-ID.scope" in that slice) that was used as a
 * path.
 */
static bool find_colons(struct cgroup_text component, struct found *found)
{
	const char *colon = memrchr(component.at, ':', component.len);
	struct cgroup_text runtime, id;

	if (!colon)
		return false;
	id = (struct cgroup_text){colon + 1, component.len - (size_t)(colon + 1 - component.at)};
	if (!cgroup_id_hex.fits(&id))
		return false;
	runtime = (struct cgroup_text){component.at, (size_t)(colon - component.at)};
	*found = (struct found){.id = id, .shape = &cgroup_id_hex, .type = STATE_CONTAINER_CRI};
	for (size_t i = 0; i < COUNT(scopes); i++) {
		size_t n = strlen(scopes[i].before);

		if (n && runtime.len >= n && runtime.at[runtime.len - n] == ':' &&
		    memcmp(runtime.at + runtime.len - n + 1, scopes[i].before, n - 1) == 0) {
			found->type = scopes[i].type;
			break;
		}
	}
	return true;
}

/* Whether a path is of these components at its end. */
static bool ends_in(struct cgroup_text path, const char *components)
{
	size_t n = strlen(components);

	return cgroup_text_ends(path, components) &&
	       (path.len == n || path.at[path.len - n - 1] == '/');
}

/* Removes the part after the last slash from a path, and returns it. */
static struct cgroup_text cgroup_path_take_component(struct cgroup_text *path)
{
	const char *slash = memrchr(path->at, '/', path->len);
	struct cgroup_text component = *path;

	if (slash) {
		component.len -= (size_t)(slash + 1 - path->at);
		component.at = slash + 1;
	}
	path->len = slash ? (size_t)(slash - path->at) : 0;
	return component;
}

static bool find_below(struct cgroup_text above, struct cgroup_text component, struct found *found)
{
	struct cgroup_text rest = above, parent = cgroup_path_take_component(&rest), id = component;

	if (cgroup_text_is(component, "payload") &&
	    find_scope(nspawn, COUNT(nspawn), parent, found))
		return true;
	for (size_t i = 0; i < COUNT(parents); i++) {
		const struct parent *row = &parents[i];

		if (!(row->begins ? cgroup_text_starts(parent, row->path)
				  : ends_in(above, row->path)) ||
		    !row->shape->fits(&id))
			continue;
		*found = (struct found){.id = id, .shape = row->shape, .type = row->type};
		return row->type != STATE_CONTAINER_NONE;
	}
	return false;
}

static bool find_in_path(struct cgroup_text path, struct found *found)
{
	while (path.len) {
		struct cgroup_text component = cgroup_path_take_component(&path);

		if (!component.len)
			continue;
		if (find_scope(scopes, COUNT(scopes), component, found) ||
		    find_colons(component, found) || find_below(path, component, found)) {
			found->above = path;
			/* A component with colons contains its slice. */
			if (found->id.at > component.at)
				found->above.len = (size_t)(found->id.at - path.at);
			return true;
		}
	}
	return false;
}

/*
 * The uid of the pod in a component: "podUID", "kubepods-burstable-podUID.slice", and the same with
 * colons after it.
 */
static bool find_pod_in(struct cgroup_text component, char uid[STATE_POD_UID_BYTES])
{
	static const char word[] = "pod";
	const size_t word_len = sizeof(word) - 1;
	const char *colon = memchr(component.at, ':', component.len);

	if (colon)
		component.len = (size_t)(colon - component.at);
	if (cgroup_text_ends(component, ".slice"))
		component.len -= strlen(".slice");
	for (size_t at = 0; at + word_len < component.len; at++) {
		struct cgroup_text rest = {component.at + at + word_len,
					   component.len - at - word_len};

		if ((at == 0 || component.at[at - 1] == '-') &&
		    memcmp(component.at + at, word, word_len) == 0 &&
		    cgroup_pod_uid_copy(rest, uid))
			return true;
	}
	return false;
}

/* The innermost pod. */
static void cgroup_path_find_pod(struct cgroup_text path, char uid[STATE_POD_UID_BYTES])
{
	uid[0] = '\0';
	while (path.len)
		if (find_pod_in(cgroup_path_take_component(&path), uid))
			return;
}

/* Appends the short form of an id. Returns false if there is no room for it. */
static bool append_outer(struct state_cgroup_match *match, size_t *len, const struct found *found)
{
	char id[STATE_CONTAINER_ID_BYTES];
	size_t n = cgroup_id_copy(found->shape, found->id, id);

	if (!found->shape->is_name && n > STATE_CONTAINER_SHORT_LEN)
		n = STATE_CONTAINER_SHORT_LEN;
	if (*len + n + 2 > sizeof(match->outer_ids)) /* with a comma and a NUL */
		return false;
	if (*len)
		match->outer_ids[(*len)++] = ',';
	memcpy(match->outer_ids + *len, id, n);
	*len += n;
	match->outer_ids[*len] = '\0';
	return true;
}

/* The containers in what is above another one. */
static void find_outer(struct cgroup_text path, struct state_cgroup_match *match)
{
	struct found found;
	size_t len = 0;

	match->outer_ids[0] = '\0';
	while (find_in_path(path, &found) && append_outer(match, &len, &found))
		path = found.above;
}

bool state_cgroup_match(const char *cgroups, size_t len, struct state_cgroup_match *match)
{
	static const char deleted[] = " (deleted)"; /* in /proc, of tasks that have ended */
	struct found found;

	for (size_t at = 0, n; at < len; at += n + 1) {
		const char *slash;
		struct cgroup_text path;

		n = strnlen(cgroups + at, len - at);
		slash = memchr(cgroups + at, '/', n);
		if (!slash)
			continue;
		path = (struct cgroup_text){slash, n - (size_t)(slash - cgroups - at)};
		if (cgroup_text_ends(path, deleted))
			path.len -= sizeof(deleted) - 1;
		if (!find_in_path(path, &found))
			continue;
		match->type = found.type;
		match->is_name = found.shape->is_name;
		match->place = cgroups + at;
		slash = memrchr(match->place, '/', (size_t)(found.id.at - match->place));
		match->place_len = (size_t)(slash - match->place);
		match->id_len = cgroup_id_copy(found.shape, found.id, match->id);
		cgroup_path_find_pod(found.above, match->pod_uid);
		find_outer(found.above, match);
		return true;
	}
	return false;
}

const char *state_container_type_name(enum state_container_type type)
{
	static const char *const names[STATE_CONTAINER_TYPES_COUNT] = {
		[STATE_CONTAINER_NONE] = "host",     [STATE_CONTAINER_DOCKER] = "docker",
		[STATE_CONTAINER_PODMAN] = "podman", [STATE_CONTAINER_CONTAINERD] = "containerd",
		[STATE_CONTAINER_CRIO] = "cri-o",    [STATE_CONTAINER_CRI] = "cri",
		[STATE_CONTAINER_LXC] = "lxc",	     [STATE_CONTAINER_LIBVIRT_LXC] = "libvirt-lxc",
		[STATE_CONTAINER_MESOS] = "mesos",   [STATE_CONTAINER_RKT] = "rkt",
		[STATE_CONTAINER_BPM] = "bpm",	     [STATE_CONTAINER_STATIC] = "static",
		[STATE_CONTAINER_CUSTOM] = "custom",
	};

	return names[type];
}
