/* SPDX-License-Identifier: MIT */
/* request.peer.*: the other end of a request. */
#include "sinsp/fields/table.h"

#include "event/address.h"
#include "sinsp/fields/text_value.h"
#include "sinsp/state/peer.h"

static int get_peer_ip(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	struct state_peer peer;

	if (!state_peer_of(event, &peer) || !peer.address_len)
		return NO_VALUE;
	values->ip.len = peer.address_len;
	memcpy(values->ip.address, peer.end.address, peer.address_len);
	return 1;
}

static int get_peer_port(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	struct state_peer peer;

	if (!state_peer_of(event, &peer) || !peer.address_len)
		return NO_VALUE;
	return field_give_u64(values, peer.end.port);
}

static int get_real_ip(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	struct state_peer peer;

	if (!state_peer_of(event, &peer) || !peer.real_len)
		return NO_VALUE;
	values->ip.len = peer.real_len;
	memcpy(values->ip.address, peer.real.address, peer.real_len);
	return 1;
}

static int get_real_port(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	struct state_peer peer;

	if (!state_peer_of(event, &peer) || !peer.real_len)
		return NO_VALUE;
	return field_give_u64(values, peer.real.port);
}

static int get_peer_pid(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	struct state_peer peer;

	if (!state_peer_of(event, &peer) || !peer.process)
		return NO_VALUE;
	return field_give_i64(values, peer.process->pid);
}

/* Each text is a function of the peer: NULL is no value. */
#define TEXT_GETTER(name, condition, text)                                                         \
	static const char *name##_of(const struct state_peer *peer)                                \
	{                                                                                          \
		return (condition) ? (text) : NULL;                                                \
	}                                                                                          \
	static int get_##name(const struct state_event *event, const struct field_ref *ref,        \
			      struct field_scratch *scratch, struct field_value *values)           \
	{                                                                                          \
		struct state_peer peer;                                                            \
                                                                                                   \
		return state_peer_of(event, &peer) ? field_give_string(values, name##_of(&peer))   \
						   : NO_VALUE;                                     \
	}

TEXT_GETTER(peer_process, peer->process, peer->process->comm)
TEXT_GETTER(peer_exepath, peer->process && * peer->process->program->exepath,
	    peer->process->program->exepath)
TEXT_GETTER(peer_container, peer->container, peer->container->info.name)
TEXT_GETTER(peer_service, peer->service, peer->service->name)
TEXT_GETTER(peer_domain, true, peer->domain)
TEXT_GETTER(peer_pod, peer->pod, peer->pod->name)
TEXT_GETTER(peer_namespace, peer->pod || peer->service,
	    peer->pod ? peer->pod->ns : peer->service->ns)
TEXT_GETTER(peer_workload, peer->workload, peer->workload->name)
TEXT_GETTER(peer_workload_kind, peer->workload, peer->workload->kind)
TEXT_GETTER(peer_node, peer->pod, peer->pod->node)

/* As container.id: a process in none has "host". */
static int get_peer_container_id(const struct state_event *event, const struct field_ref *ref,
				 struct field_scratch *scratch, struct field_value *values)
{
	struct state_peer peer;

	if (!state_peer_of(event, &peer) || (!peer.process && !peer.container))
		return NO_VALUE;
	if (!peer.container)
		return field_give_string(values, "host");
	return field_give_bytes(values, peer.container->id,
				state_container_short_len(peer.container));
}

/* The first of these that is known; else the address. */
static int get_peer_name(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);
	struct state_peer peer;

	if (!state_peer_of(event, &peer))
		return NO_VALUE;
	if (peer_pod_of(&peer))
		buf_append_string(&text, peer_pod_of(&peer));
	else if (peer_container_of(&peer))
		buf_append_string(&text, peer_container_of(&peer));
	else if (peer_process_of(&peer))
		buf_append_string(&text, peer_process_of(&peer));
	else if (peer_service_of(&peer))
		buf_append_string(&text, peer_service_of(&peer));
	else if (peer_domain_of(&peer))
		buf_append_string(&text, peer_domain_of(&peer));
	else
		address_append_ip(&text, peer.end.address, peer.address_len);
	return field_give_text(values, scratch, &text);
}

static bool can_have_peer(const struct event_desc *event)
{
	return event->id == EVENT_request;
}

enum {
	OF_PROCESS = NEEDS_THREADS | NEEDS_PEERS,
	OF_CONTAINER = OF_PROCESS | NEEDS_CONTAINERS,
	OF_INFO = OF_CONTAINER | NEEDS_DESCRIPTIONS,
	OF_POD = OF_INFO | NEEDS_PODS,
	OF_CLUSTER = OF_POD | NEEDS_SERVICES | NEEDS_TRANSLATIONS,
};

#define ROW(name, type, format, needs, getter, sample, help)                                       \
	{                                                                                          \
		"request.peer." name, PT_##type, PF_##format, 0, FIELD_ARG_NONE, needs, getter,    \
			help, .example = sample, .can_have = can_have_peer                         \
	}
#define TEXT(name, needs, getter, sample, help) ROW(name, CHARBUF, NA, needs, getter, sample, help)

const struct field_desc fields_request_peer[] = {
	TEXT("name", OF_POD, get_peer_name, "=curl",
	     "name of the other end: pod, container, process, service, domain, or address"),
	ROW("ip", IPADDR, NA, NEEDS_NOTHING, get_peer_ip, "=10.0.0.7", "address of the other end"),
	ROW("port", PORT, DEC, NEEDS_NOTHING, get_peer_port, "=5432", "port of the other end"),
	ROW("real.ip", IPADDR, NA, NEEDS_TRANSLATIONS, get_real_ip, "=10.1.2.3",
	    "address of the other end behind a translation of the kernel, if it is another one"),
	ROW("real.port", PORT, DEC, NEEDS_TRANSLATIONS, get_real_port, "=8080",
	    "port of the other end behind a translation of the kernel, if it is translated"),
	TEXT("domain", NEEDS_NOTHING, get_peer_domain, "=example.org",
	     "name by which DNS gave this address to the client's container"),
	TEXT("proc.name", OF_PROCESS, get_peer_process, "=curl",
	     "name of the process at the other end, if that is on this machine"),
	ROW("proc.pid", INT64, ID, OF_PROCESS, get_peer_pid, "=1",
	    "id of the process at the other end"),
	TEXT("proc.exepath", OF_PROCESS, get_peer_exepath, "=/usr/bin/curl",
	     "path of the executable at the other end"),
	TEXT("container.id", OF_CONTAINER, get_peer_container_id, "=host",
	     "first 12 digits of the id of the other end's container, or host"),
	TEXT("container.name", OF_INFO, get_peer_container, "=web",
	     "name of the other end's container"),
	TEXT("k8s.pod.name", OF_CLUSTER, get_peer_pod, "=web-5c4f", "name of the other end's pod"),
	TEXT("k8s.ns.name", OF_CLUSTER, get_peer_namespace, "=kube-system",
	     "namespace of the other end's pod, or service"),
	TEXT("k8s.svc.name", OF_CLUSTER, get_peer_service, "=web",
	     "name of the service that the client asks, by its address"),
	TEXT("k8s.workload.kind", OF_CLUSTER, get_peer_workload_kind, "=Deployment",
	     "what the other end's pod is part of, as k8s.workload.kind"),
	TEXT("k8s.workload.name", OF_CLUSTER, get_peer_workload, "=web", "its name"),
	TEXT("k8s.node.name", OF_CLUSTER, get_peer_node, "=node-1", "node of the other end's pod"),
	{0},
};
