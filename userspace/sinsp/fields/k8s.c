/* SPDX-License-Identifier: MIT */
/*
 * k8s.*: the pod of the container that the event's process is in. The API of Kubernetes knows all
 * of it, runtimes know some. k8smeta.* are the names of a plugin of Falco for the same.
 */
#include "sinsp/fields/container.h"

INFO_TEXT_GETTER(get_pod_name, pod.name)
INFO_TEXT_GETTER(get_namespace, pod.ns)
INFO_TEXT_GETTER(get_uid, pod.uid)
INFO_TEXT_GETTER(get_ip, pod.ip)
INFO_TEXT_GETTER(get_service_account, pod.service_account)
INFO_TEXT_GETTER(get_node, pod.node)
INFO_TEXT_GETTER(get_cluster, pod.cluster)
INFO_TEXT_GETTER(get_workload_kind, pod.workload.kind)
INFO_TEXT_GETTER(get_workload, pod.workload.name)
INFO_TEXT_GETTER(get_cni_json, cni_json)
INFO_TEXT_GETTER(get_full_sandbox_id, pod.sandbox_id)
INFO_LABEL_GETTER(get_label, pod.labels)
INFO_LABELS_GETTER(get_labels, pod.labels)
INFO_LABEL_GETTER(get_annotation, pod.annotations)

static int get_sandbox_id(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	int count = get_full_sandbox_id(event, ref, scratch, values);

	if (count == 1 && values->bytes.len > STATE_CONTAINER_SHORT_LEN)
		values->bytes.len = STATE_CONTAINER_SHORT_LEN;
	return count;
}

static int get_workload_derived(const struct state_event *event, const struct field_ref *ref,
				struct field_scratch *scratch, struct field_value *values)
{
	const struct state_container *container = container_of_event(event);

	if (!container || !container->info.pod.workload.kind)
		return NO_VALUE;
	return field_give_u64(values, container->info.pod.workload.derived);
}

/* The name of the pod's owner, if that is of a kind. */
static int give_owner(const struct state_event *event, const char *kind, struct field_value *value)
{
	const struct state_container *container = container_of_event(event);

	if (!container || !container->info.pod.owner.kind ||
	    strcmp(container->info.pod.owner.kind, kind) != 0)
		return NO_VALUE;
	return container_give_known(value, container->info.pod.owner.name);
}

static int get_replica_set(const struct state_event *event, const struct field_ref *ref,
			   struct field_scratch *scratch, struct field_value *values)
{
	return give_owner(event, "ReplicaSet", values);
}

static int get_replication_controller(const struct state_event *event, const struct field_ref *ref,
				      struct field_scratch *scratch, struct field_value *values)
{
	return give_owner(event, "ReplicationController", values);
}

#define NEEDS (NEEDS_CONTAINERS | NEEDS_DESCRIPTIONS | NEEDS_PODS)
#define ROW(name, flags, arg, needs, getter, sample, help)                                         \
	{                                                                                          \
		name, PT_CHARBUF, PF_NA, (flags) | FIELD_OF_CONTAINER, arg, needs, getter, help,   \
			.example = sample, .colour = FIELD_COLOUR_CONTAINER                        \
	}
#define TEXT(name, getter, sample, help) ROW(name, 0, FIELD_ARG_NONE, NEEDS, getter, sample, help)
#define LABEL(name, getter, help)                                                                  \
	ROW(name, FIELD_ARG_REQUIRED, FIELD_ARG_LABEL, NEEDS, getter, "[app]=web", help)

/* Of older versions of Falco, or of the plugin, about what is not looked up: without a value. */
#define NONE(name)                                                                                 \
	ROW(name, 0, FIELD_ARG_NONE, NEEDS_NOTHING, field_get_nothing, NULL, "none: not looked up")
#define NONE_LABEL(name)                                                                           \
	ROW(name, FIELD_ARG_REQUIRED, FIELD_ARG_LABEL, NEEDS_NOTHING, field_get_nothing, NULL,     \
	    "none: not looked up")
#define NONE_BUT_NAME(object, id)                                                                  \
	NONE(object "." id), NONE_LABEL(object ".label"), NONE(object ".labels")
#define NONE_OF(object, id) NONE(object ".name"), NONE_BUT_NAME(object, id)

/* The pod names its ReplicaSet, whose owner need not be a Deployment. */
#define DEPLOYMENT(object, id)                                                                     \
	ROW(object ".name", 0, FIELD_ARG_NONE, NEEDS_NOTHING, field_get_nothing, NULL,             \
	    "none: see k8s.workload.name"),                                                        \
		NONE_BUT_NAME(object, id)

/* The name of what controls the pod, if that is of one kind. */
#define OWNER(object, getter, kind, id)                                                            \
	TEXT(object ".name", getter, "=web", "name of the " kind " that the pod is of"),           \
		NONE_BUT_NAME(object, id)

const struct field_desc fields_k8s[] = {
	TEXT("k8s.pod.name", get_pod_name, "=web-5c4f", "name of the pod"),
	TEXT("k8s.ns.name", get_namespace, "=kube-system", "namespace of the pod"),
	TEXT("k8s.pod.uid", get_uid, " startswith 3f2a", "uid of the pod"),
	TEXT("k8s.pod.id", get_uid, " startswith 3f2a", "the same, by its older name"),
	TEXT("k8s.pod.sandbox_id", get_sandbox_id, " startswith 3f2a",
	     "first 12 digits of the id of the pod's sandbox"),
	TEXT("k8s.pod.full_sandbox_id", get_full_sandbox_id, " startswith 3f2a",
	     "the whole id of the pod's sandbox"),
	LABEL("k8s.pod.label", get_label, "k8s.pod.label[NAME]: one label of the pod"),
	TEXT("k8s.pod.labels", get_labels, " contains app:web",
	     "labels of the pod: name:value, name:value"),
	LABEL("k8s.pod.annotation", get_annotation,
	      "k8s.pod.annotation[NAME]: one annotation of the pod"),
	TEXT("k8s.pod.ip", get_ip, "=10.0.0.7", "address of the pod"),
	TEXT("k8s.pod.cni.json", get_cni_json, " contains eth0",
	     "result of the pod's network plugin"),
	TEXT("k8s.pod.service_account", get_service_account, "=default",
	     "service account of the pod"),
	TEXT("k8s.workload.kind", get_workload_kind, "=Deployment",
	     "what the pod is part of: Deployment, DaemonSet, CronJob, ...; Pod if nothing owns "
	     "it"),
	TEXT("k8s.workload.name", get_workload, "=web", "its name"),
	{"k8s.workload.derived", PT_BOOL, PF_NA, FIELD_OF_CONTAINER, FIELD_ARG_NONE, NEEDS,
	 get_workload_derived,
	 "true if both are derived from the name of a ReplicaSet or a Job; false: the API says "
	 "them",
	 .colour = FIELD_COLOUR_CONTAINER},
	TEXT("k8s.node.name", get_node, "=node-1", "node of the pod"),
	TEXT("k8s.cluster.name", get_cluster, "=prod", "cluster of the pod, as --k8s-cluster says"),
	TEXT("k8smeta.pod.name", get_pod_name, "=web-5c4f", "as k8s.pod.name"),
	TEXT("k8smeta.pod.uid", get_uid, " startswith 3f2a", "as k8s.pod.uid"),
	LABEL("k8smeta.pod.label", get_label, "as k8s.pod.label"),
	TEXT("k8smeta.pod.labels", get_labels, " contains app:web", "as k8s.pod.labels"),
	TEXT("k8smeta.pod.ip", get_ip, "=10.0.0.7", "as k8s.pod.ip"),
	TEXT("k8smeta.ns.name", get_namespace, "=kube-system", "as k8s.ns.name"),
	NONE("k8s.ns.id"),
	NONE_LABEL("k8s.ns.label"),
	NONE("k8s.ns.labels"),
	OWNER("k8s.rc", get_replication_controller, "ReplicationController", "id"),
	NONE_OF("k8s.svc", "id"),
	OWNER("k8s.rs", get_replica_set, "ReplicaSet", "id"),
	DEPLOYMENT("k8s.deployment", "id"),
	NONE("k8smeta.ns.uid"),
	NONE_LABEL("k8smeta.ns.label"),
	NONE("k8smeta.ns.labels"),
	DEPLOYMENT("k8smeta.deployment", "uid"),
	NONE_OF("k8smeta.svc", "uid"),
	OWNER("k8smeta.rs", get_replica_set, "ReplicaSet", "uid"),
	OWNER("k8smeta.rc", get_replication_controller, "ReplicationController", "uid"),
	{0},
};
