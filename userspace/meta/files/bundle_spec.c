/* SPDX-License-Identifier: MIT */
/* What the config.json of a bundle says of mounts, namespaces, rights and the environment. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "meta/files/bundle.h"
#include "meta/describe.h"
#include "util/json_input.h"

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

/* Its type, as a specification names it. */
struct namespace
{
	const char *type;
	enum host_namespace kind;
	size_t answer; /* in struct sinsp_container_info */
};

/* One that is joined may be any: that of another container, or of the host. */
static void describe_joined(const struct host_namespaces *hosts, enum host_namespace kind,
			    const char *path, enum sinsp_answer *is_host)
{
	enum sinsp_answer answer =
		hosts ? host_namespaces_compare(hosts, kind, path) : SINSP_UNKNOWN;

	if (answer != SINSP_UNKNOWN)
		describe_answer(is_host, answer == SINSP_YES);
}

/*
 * A namespace that is not named is the one of the runtime, which is the host's; one without a path
 * is new.
 */
static void describe_namespace(const json_t *namespaces, const struct host_namespaces *hosts,
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

void bundle_describe(const struct bundle *bundle, const struct host_namespaces *hosts,
		     struct sinsp_container_info *info)
{
	static const struct namespace kinds[] = {
		{"pid", HOST_NAMESPACE_PID, offsetof(struct sinsp_container_info, host_pid)},
		{"network", HOST_NAMESPACE_NETWORK,
		 offsetof(struct sinsp_container_info, host_network)},
		{"ipc", HOST_NAMESPACE_IPC, offsetof(struct sinsp_container_info, host_ipc)},
	};
	const json_t *namespaces = JSON_INPUT_AT(bundle->spec, "linux", "namespaces");

	describe_binds(json_object_get(bundle->spec, "mounts"), info);
	describe_privileged(bundle->spec, info);
	describe_env(info, JSON_INPUT_AT(bundle->spec, "process", "env"));
	if (!json_is_array(namespaces))
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		describe_namespace(namespaces, hosts, &kinds[i],
				   (enum sinsp_answer *)((char *)info + kinds[i].answer));
}
