/* SPDX-License-Identifier: MIT */
/*
 * Where bundles are; what their config.json says: annotations, mounts, namespaces, rights,
 * environment.
 */
#include "meta/runtimes/bundle.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "meta/describe.h"
#include "meta/runtimes/document.h"
#include "util/count.h"
#include "util/json_input.h"

/*
 * Of the initial pid namespace process 2 is kthreadd, whichever program is process 1, which may
 * have more rights than the agent, and then does not show its namespaces.
 */

/* Of the initial pid namespace, in include/linux/proc_ns.h. */
#define PID_NAMESPACE_INO 0xEFFFFFFCU

static int bundle_look(const char *host_root, const char *path, struct stat *file)
{
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), "%s%s", host_root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	return stat(full, file) ? -errno : 0;
}

int bundle_namespaces_read(const char *host_root, struct bundle_namespaces *hosts)
{
	static const char *const paths[HOST_NAMESPACES] = {
		[HOST_NAMESPACE_PID] = "/proc/2/ns/pid",
		[HOST_NAMESPACE_NETWORK] = "/proc/2/ns/net",
		[HOST_NAMESPACE_IPC] = "/proc/2/ns/ipc",
	};
	struct bundle_namespaces found = {.host_root = host_root};
	struct stat file;
	int r = 0;

	*hosts = found;
	for (unsigned int i = 0; r == 0 && i < HOST_NAMESPACES; i++) {
		r = bundle_look(host_root, paths[i], &file);
		if (r == 0 && i == HOST_NAMESPACE_PID && file.st_ino != PID_NAMESPACE_INO)
			r = -EXDEV;
		found.dev = file.st_dev;
		found.inos[i] = file.st_ino;
	}
	if (r == 0)
		*hosts = found;
	return r;
}

enum state_answer bundle_namespaces_compare(const struct bundle_namespaces *hosts,
					    enum bundle_namespace kind, const char *path)
{
	struct stat file;

	/* The file may be gone, or a mount that is not seen here. */
	if (!hosts->inos[kind] || bundle_look(hosts->host_root, path, &file) ||
	    file.st_dev != hosts->dev)
		return STATE_UNKNOWN;
	return file.st_ino == hosts->inos[kind] ? STATE_YES : STATE_NO;
}

#define CRI "io.kubernetes.cri."
#define CRIO "io.kubernetes.cri-o."
#define PODMAN "io.podman.annotations."

#define INFO(member) offsetof(struct state_container_info, member)

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
	enum state_container_type type;
} managers[] = {
	{"io.container.manager", "libpod", STATE_CONTAINER_PODMAN},
	{"io.container.manager", "cri-o", STATE_CONTAINER_CRIO},
	{CRI "container-type", NULL, STATE_CONTAINER_CONTAINERD},
};

static bool is_value(const json_t *annotations, const char *name, const char *value)
{
	const char *text = JSON_INPUT_TEXT(annotations, name);

	return text && strcmp(text, value) == 0;
}

static void describe_manager(const json_t *annotations, struct state_container_info *info)
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

static void describe_crio(const json_t *annotations, struct state_container_info *info)
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

static void describe_podman(const json_t *annotations, struct state_container_info *info)
{
	const char *privileged = JSON_INPUT_TEXT(annotations, PODMAN "privileged");

	if (privileged)
		describe_answer(&info->privileged, strcasecmp(privileged, "true") == 0);
	if (!info->created_ns)
		info->created_ns = describe_time_ns(JSON_INPUT_TEXT(annotations, CRIO "Created"));
}

void bundle_describe_annotations(const json_t *annotations, struct state_container_info *info)
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
	if (info->type == STATE_CONTAINER_CRIO)
		describe_crio(annotations, info);
	else if (info->type == STATE_CONTAINER_PODMAN)
		describe_podman(annotations, info);
	else if (info->type != STATE_CONTAINER_CONTAINERD && info->type != STATE_CONTAINER_DOCKER)
		/* ctr and other clients of containerd: its labels. */
		describe_labels(&info->texts, &info->labels, annotations);
	/* A sandbox has no name of its own but that of its pod. */
	if (info->is_sandbox && !info->name)
		info->name = info->pod.name;
}

/* Where bundles are. bundle_spec.c describes what is in them. */

/* Patterns of default places; %s: the id. */
static const char *const places[] = {
	"/run/containerd/io.containerd.runtime.v2.task/*/%s",
	"/run/k3s/containerd/io.containerd.runtime.v2.task/*/%s",
	"/run/docker/containerd/daemon/io.containerd.runtime.v2.task/moby/%s",
	"/run/containers/storage/*-containers/%s/userdata",
	"/var/lib/containers/storage/*-containers/%s/userdata",
	"/var/snap/microk8s/common/run/containerd/io.containerd.runtime.v2.task/*/%s",
	"/run/snap.docker/containerd/daemon/io.containerd.runtime.v2.task/moby/%s",
};

/* Files in which runc and crun note the bundle; %s: the id. */
static const char *const notes[] = {
	"/run/runc/%s/state.json",
	"/run/crun/%s/status",
	"/run/docker/runtime-runc/moby/%s/state.json",
	"/run/containerd/runc/*/%s/state.json",
};

/* Whether the control group of a specification is that of the container; without one it may be. */
static bool bundle_is_of(const json_t *spec, const char *id)
{
	const char *path = JSON_INPUT_TEXT(spec, "linux", "cgroupsPath");

	return !path || strstr(path, id);
}

/* What is looked for, and where. */
struct search {
	const char *host_root, *id;
	uint32_t owner;
};

/* Opens the bundle in a folder. Returns 0, -ENOENT, or another -errno with a message. */
static int bundle_try_folder(const struct search *search, const char *folder, struct bundle *bundle,
			     struct error *err)
{
	struct document document;
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/config.json", folder), r;

	if (*folder != '/' || len >= PATH_MAX)
		return -ENOENT;
	r = document_load(search->host_root, path, search->owner, &document_of_one, &document, err);
	if (r)
		return r;
	bundle->spec = document.value;
	bundle->left_out = document.left_out;
	if (!bundle_is_of(bundle->spec, search->id)) {
		bundle_finish(bundle);
		return -ENOENT;
	}
	snprintf(bundle->path, sizeof(bundle->path), "%s", folder);
	return 0;
}

/* The bundle that runc's state names in a label "bundle=FOLDER", or crun's as a member. */
static int try_note(const struct search *search, const char *file, struct bundle *bundle,
		    struct error *err)
{
	static const char prefix[] = "bundle=";
	const char *folder;
	const json_t *labels;
	struct document note;
	json_t *label;
	size_t i;
	int r = document_load(search->host_root, file, search->owner, &document_of_one, &note, err);

	if (r)
		return r;
	folder = JSON_INPUT_TEXT(note.value, "bundle");
	labels = JSON_INPUT_AT(note.value, "config", "labels");
	json_array_foreach(labels, i, label)
	{
		const char *text = json_string_value(label);

		if (text && strncmp(text, prefix, sizeof(prefix) - 1) == 0)
			folder = text + sizeof(prefix) - 1;
	}
	r = folder ? bundle_try_folder(search, folder, bundle, err) : -ENOENT;
	json_decref(note.value);
	return r;
}

typedef int try_path(const struct search *search, const char *path, struct bundle *bundle,
		     struct error *err);

/* Tries what matches a pattern. Returns 0, -ENOENT, or another -errno with a message. */
static int try_pattern(const struct search *search, const char *pattern, try_path *try,
		       struct bundle *bundle, struct error *err)
{
	size_t root_len = strlen(search->host_root);
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s", search->host_root), more, r = -ENOENT;
	glob_t found;

	more = snprintf(path + len, sizeof(path) - (size_t)len, pattern, search->id);
	if (len + more >= PATH_MAX)
		return -ENOENT;
	if (glob(path, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && r == -ENOENT; i++)
			r = try(search, found.gl_pathv[i] + root_len, bundle, err);
	}
	globfree(&found);
	return r;
}

/* Whether an id can be part of a pattern and of a path. */
static bool bundle_is_plain(const char *id)
{
	static const char plain[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "._-";

	return *id && *id != '.' && id[strspn(id, plain)] == '\0';
}

/* Tries a table of patterns. A failure is not final: another place may be the right one. */
static int try_table(const struct search *search, const char *const *table, size_t count,
		     try_path *try, struct bundle *bundle, struct error *err)
{
	int failure = -ENOENT;

	for (size_t i = 0; i < count; i++) {
		int r = try_pattern(search, table[i], try, bundle, err);

		if (r == 0)
			return 0;
		if (r != -ENOENT)
			failure = r;
	}
	return failure;
}

int bundle_find(const char *host_root, const struct meta_request *request, struct bundle *bundle,
		struct error *err)
{
	const struct search search = {host_root, request->id, request->owner};
	int failure = -ENOENT, r = -ENOENT;

	*bundle = (struct bundle){0};
	if (request->bundle)
		failure = r = bundle_try_folder(&search, request->bundle, bundle, err);
	/* The default places are those of root. */
	if (r == 0 || !bundle_is_plain(request->id) || request->owner != STATE_OWNER_ROOT)
		return r;
	r = try_table(&search, places, COUNT(places), bundle_try_folder, bundle, err);
	if (r == 0)
		return 0;
	failure = failure == -ENOENT ? r : failure;
	r = try_table(&search, notes, COUNT(notes), try_note, bundle, err);
	return r == 0 || failure == -ENOENT ? r : failure;
}

void bundle_finish(struct bundle *bundle)
{
	json_decref(bundle->spec);
	*bundle = (struct bundle){0};
}

/* Whether a path has a component that is the id; cuts the path after it. */
static bool cut_after_id(char *path, const char *id)
{
	size_t len = strlen(id);

	for (char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		if (strncmp(at + 1, id, len) != 0 || at[1 + len] != '/')
			continue;
		at[1 + len] = '\0';
		return true;
	}
	return false;
}

bool bundle_own_folder(const struct bundle *bundle, const char *id, char path[PATH_MAX])
{
	static const char *const names[] = {"/etc/hostname", "/etc/hosts", "/etc/resolv.conf"};
	json_t *mount;
	size_t i;

	json_array_foreach(json_object_get(bundle->spec, "mounts"), i, mount)
	{
		const char *dest = JSON_INPUT_TEXT(mount, "destination");
		const char *source = JSON_INPUT_TEXT(mount, "source");

		for (size_t n = 0; dest && source && *source == '/' && n < COUNT(names); n++) {
			if (strcmp(dest, names[n]) != 0)
				continue;
			if (snprintf(path, PATH_MAX, "%s", source) < PATH_MAX &&
			    cut_after_id(path, id))
				return true;
		}
	}
	return false;
}

/* What the config.json of a bundle says of mounts, namespaces, rights and the environment. */

/* Whether an array has a text. */
static bool has_text(const json_t *array, const char *text)
{
	json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		const char *value = json_string_value(item);

		if (value && strcmp(value, text) == 0)
			return true;
	}
	return false;
}

static const char *propagation_of(const json_t *options)
{
	static const char *const words[] = {"private", "rprivate", "slave",
					    "rslave",  "shared",   "rshared"};

	for (size_t i = 0; i < COUNT(words); i++)
		if (has_text(options, words[i]))
			return words[i];
	return "";
}

/* Those of the host's files; proc, tmpfs and the like are in every container. */
static void describe_binds(const json_t *array, struct state_container_info *info)
{
	struct describe_mounts mounts = describe_mounts_begin(info, json_array_size(array));
	json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		const char *type = JSON_INPUT_TEXT(item, "type");
		const json_t *options = json_object_get(item, "options");
		bool writable = !has_text(options, "ro");

		if (!(type && strcmp(type, "bind") == 0) && !has_text(options, "bind") &&
		    !has_text(options, "rbind"))
			continue;
		describe_mount(&mounts, &(struct state_mount){
						.source = JSON_INPUT_TEXT(item, "source"),
						.dest = JSON_INPUT_TEXT(item, "destination"),
						.mode = writable ? "" : "ro",
						.propagation = propagation_of(options),
						.writable = writable,
					});
	}
	describe_mounts_end(&mounts);
}

/* Its type, as a specification names it. */
struct namespace
{
	const char *type;
	enum bundle_namespace kind;
	size_t answer; /* in struct state_container_info */
};

/* One that is joined may be any: that of another container, or of the host. */
static void describe_joined(const struct bundle_namespaces *hosts, enum bundle_namespace kind,
			    const char *path, enum state_answer *is_host)
{
	enum state_answer answer =
		hosts ? bundle_namespaces_compare(hosts, kind, path) : STATE_UNKNOWN;

	if (answer != STATE_UNKNOWN)
		describe_answer(is_host, answer == STATE_YES);
}

/*
 * A namespace that is not named is the one of the runtime, which is the host's; one without a path
 * is new.
 */
static void describe_namespace(const json_t *namespaces, const struct bundle_namespaces *hosts,
			       const struct namespace *namespace, enum state_answer *is_host)
{
	const char *path;
	json_t *item;
	size_t i;

	json_array_foreach(namespaces, i, item)
	{
		const char *name = JSON_INPUT_TEXT(item, "type");

		if (!name || strcmp(name, namespace->type) != 0)
			continue;
		path = JSON_INPUT_TEXT(item, "path");
		if (path)
			describe_joined(hosts, namespace->kind, path, is_host);
		else
			describe_answer(is_host, false);
		return;
	}
	describe_answer(is_host, true);
}

/* Whether a rule allows or denies all devices. */
static bool is_about_all_devices(const json_t *rule, bool allow)
{
	const char *access = JSON_INPUT_TEXT(rule, "access"), *type = JSON_INPUT_TEXT(rule, "type");

	return json_is_boolean(json_object_get(rule, "allow")) &&
	       json_is_true(json_object_get(rule, "allow")) == allow &&
	       (!type || strcmp(type, "a") == 0) && !json_object_get(rule, "major") && access &&
	       strcmp(access, "rwm") == 0;
}

static bool allows_all_devices(const json_t *linux_part)
{
	const json_t *rules = JSON_INPUT_AT(linux_part, "resources", "devices");
	bool all = false;
	json_t *rule;
	size_t i;

	json_array_foreach(rules, i, rule)
	{
		if (is_about_all_devices(rule, true))
			all = true;
		else if (is_about_all_devices(rule, false))
			all = false;
	}
	return all;
}

/*
 * No specification says "privileged": that means all devices, nothing masked, and CAP_SYS_ADMIN.
 * Without that capability it certainly is not; anything between stays unknown.
 */
static void describe_privileged(const json_t *spec, struct state_container_info *info)
{
	const json_t *linux_part = json_object_get(spec, "linux");
	const json_t *bounding = JSON_INPUT_AT(spec, "process", "capabilities", "bounding");

	if (!json_is_array(bounding))
		return;
	if (!has_text(bounding, "CAP_SYS_ADMIN"))
		describe_answer(&info->privileged, false);
	else if (allows_all_devices(linux_part) &&
		 json_array_size(json_object_get(linux_part, "maskedPaths")) == 0)
		describe_answer(&info->privileged, true);
}

void bundle_describe(const struct bundle *bundle, const struct bundle_namespaces *hosts,
		     struct state_container_info *info)
{
	static const struct namespace kinds[] = {
		{"pid", HOST_NAMESPACE_PID, offsetof(struct state_container_info, host_pid)},
		{"network", HOST_NAMESPACE_NETWORK,
		 offsetof(struct state_container_info, host_network)},
		{"ipc", HOST_NAMESPACE_IPC, offsetof(struct state_container_info, host_ipc)},
	};
	const json_t *namespaces = JSON_INPUT_AT(bundle->spec, "linux", "namespaces");

	describe_binds(json_object_get(bundle->spec, "mounts"), info);
	describe_privileged(bundle->spec, info);
	describe_env(info, JSON_INPUT_AT(bundle->spec, "process", "env"));
	if (!json_is_array(namespaces))
		return;
	for (size_t i = 0; i < COUNT(kinds); i++)
		describe_namespace(namespaces, hosts, &kinds[i],
				   (enum state_answer *)((char *)info + kinds[i].answer));
}
