/* SPDX-License-Identifier: MIT */
/* What the config.json of a bundle says of mounts, namespaces, rights and the environment. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "meta/files/bundle.h"
#include "meta/describe.h"
#include "meta/json_input.h"

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

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (has_text(options, words[i]))
			return words[i];
	return "";
}

/* Those of the host's files; proc, tmpfs and the like are in every container. */
static void describe_binds(const json_t *array, struct sinsp_container_info *info)
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
		describe_mount(&mounts, &(struct sinsp_mount){
						.source = JSON_INPUT_TEXT(item, "source"),
						.dest = JSON_INPUT_TEXT(item, "destination"),
						.mode = writable ? "" : "ro",
						.propagation = propagation_of(options),
						.writable = writable,
					});
	}
	describe_mounts_end(&mounts);
}

static int look(const char *host_root, const char *path, struct stat *file)
{
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), "%s%s", host_root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	return stat(full, file) ? -errno : 0;
}

/*
 * A namespace that is joined may be any: that of another container, or of the host. The file may be
 * gone, or a mount that is not seen here.
 */
static void describe_joined(const char *host_root, const char *own, const char *path,
			    enum sinsp_answer *is_host)
{
	struct stat hosts, joined;

	if (host_root && look(host_root, own, &hosts) == 0 && look(host_root, path, &joined) == 0 &&
	    joined.st_dev == hosts.st_dev)
		describe_answer(is_host, joined.st_ino == hosts.st_ino);
}

/* Its type, as a specification names it, and the host's own. */
struct namespace
{
	const char *type, *own;
	size_t answer; /* in struct sinsp_container_info */
};

/*
 * A namespace that is not named is the one of the runtime, which is the host's; one without a path
 * is new.
 */
static void describe_namespace(const json_t *namespaces, const char *host_root,
			       const struct namespace *namespace, enum sinsp_answer *is_host)
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
			describe_joined(host_root, namespace->own, path, is_host);
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
static void describe_privileged(const json_t *spec, struct sinsp_container_info *info)
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

void bundle_describe(const struct bundle *bundle, const char *host_root,
		     struct sinsp_container_info *info)
{
	static const struct namespace kinds[] = {
		{"pid", "/proc/1/ns/pid", offsetof(struct sinsp_container_info, host_pid)},
		{"network", "/proc/1/ns/net", offsetof(struct sinsp_container_info, host_network)},
		{"ipc", "/proc/1/ns/ipc", offsetof(struct sinsp_container_info, host_ipc)},
	};
	const json_t *namespaces = JSON_INPUT_AT(bundle->spec, "linux", "namespaces");

	describe_binds(json_object_get(bundle->spec, "mounts"), info);
	describe_privileged(bundle->spec, info);
	describe_env(info, JSON_INPUT_AT(bundle->spec, "process", "env"));
	if (!json_is_array(namespaces))
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		describe_namespace(namespaces, host_root, &kinds[i],
				   (enum sinsp_answer *)((char *)info + kinds[i].answer));
}
