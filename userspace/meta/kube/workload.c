/* SPDX-License-Identifier: MIT */
#include "meta/kube/workload.h"

#include <string.h>

#include "util/json_input.h"

/* A CronJob adds the time to the names of its Jobs: in minutes, or in seconds before 1.21. */
enum { CRON_DIGITS_MIN = 8, CRON_DIGITS_MAX = 10 };

static void derive(struct workload *workload, const char *kind, const char *name, size_t suffix_len)
{
	workload->kind = kind;
	workload->name = name;
	workload->name_len = strlen(name) - suffix_len;
	workload->derived = true;
}

/* "web-6d4cf56db6" of the Deployment "web" */
static void find_deployment(const json_t *pod, const char *owner, struct workload *workload)
{
	const char *hash = JSON_INPUT_TEXT(pod, "metadata", "labels", "pod-template-hash");
	size_t hash_len = hash ? strlen(hash) : 0, len = strlen(owner);

	if (hash_len == 0 || len < hash_len + 2 || strcmp(owner + len - hash_len, hash) != 0 ||
	    owner[len - hash_len - 1] != '-')
		return;
	derive(workload, "Deployment", owner, hash_len + 1);
}

/* "backup-29123456" of the CronJob "backup" */
static void find_cron_job(const json_t *pod, const char *owner, struct workload *workload)
{
	const char *dash = strrchr(owner, '-');
	size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;

	if (digits < CRON_DIGITS_MIN || digits > CRON_DIGITS_MAX || dash[1 + digits] ||
	    dash == owner)
		return;
	derive(workload, "CronJob", owner, digits + 1);
}

/* OpenShift names the configuration in a label. */
static void find_deployment_config(const json_t *pod, const char *owner, struct workload *workload)
{
	const char *name = JSON_INPUT_TEXT(pod, "metadata", "labels", "deploymentconfig");

	if (!name || !*name)
		return;
	derive(workload, "DeploymentConfig", name, 0);
}

/* Owners that are owned themselves. */
static const struct {
	const char *kind;
	void (*find)(const json_t *pod, const char *owner, struct workload *workload);
} owners[] = {
	{"ReplicaSet", find_deployment},
	{"Job", find_cron_job},
	{"ReplicationController", find_deployment_config},
};

/* Whether kubelet itself has the pod, from a file or a URL. In the API its owner is the node. */
static bool is_static(const json_t *pod)
{
	const char *source =
		JSON_INPUT_TEXT(pod, "metadata", "annotations", "kubernetes.io/config.source");

	return source && strcmp(source, "api") != 0;
}

static struct workload without_owner(const json_t *pod)
{
	const char *kind = is_static(pod) ? "Node" : "Pod";
	const char *name = is_static(pod) ? JSON_INPUT_TEXT(pod, "spec", "nodeName")
					  : JSON_INPUT_TEXT(pod, "metadata", "name");

	if (!name)
		return (struct workload){0};
	return (struct workload){.kind = kind, .name = name, .name_len = strlen(name)};
}

/* The owner that controls it, or NULL. */
static const json_t *controller_of(const json_t *pod)
{
	const json_t *list = JSON_INPUT_AT(pod, "metadata", "ownerReferences"), *owner;
	size_t i;

	json_array_foreach((json_t *)list, i, owner)
	{
		if (json_is_true(JSON_INPUT_AT(owner, "controller")))
			return owner;
	}
	return NULL;
}

struct workload workload_of(const json_t *pod)
{
	const json_t *owner = controller_of(pod);
	const char *kind = JSON_INPUT_TEXT(owner, "kind"), *name = JSON_INPUT_TEXT(owner, "name");
	struct workload workload = {0};

	if (!owner)
		return without_owner(pod);
	if (!kind || !name)
		return workload;
	workload = (struct workload){.kind = kind, .name = name, .name_len = strlen(name)};
	for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++)
		if (strcmp(owners[i].kind, kind) == 0)
			owners[i].find(pod, name, &workload);
	workload.owner_kind = kind;
	workload.owner_name = name;
	return workload;
}
