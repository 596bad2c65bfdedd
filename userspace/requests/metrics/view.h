/* SPDX-License-Identifier: MIT */
/* What metrics look at of an event: a request, or what the kernel did on a socket of TCP. */
#ifndef REQUESTS_METRICS_VIEW_H
#define REQUESTS_METRICS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "requests/protocols/protocol.h"
#include "sinsp/state/containers/container.h"
#include "sinsp/state/event.h"
#include "sinsp/state/containers/services.h"

enum view_class {
	VIEW_OTHER = PROTOCOL_OF_OTHERS,
	VIEW_HTTP = PROTOCOL_OF_HTTP,
	VIEW_DATABASE = PROTOCOL_OF_DATABASES,
	VIEW_DNS = PROTOCOL_OF_DNS,
	VIEW_RPC = PROTOCOL_OF_RPC,
	VIEW_QUEUE = PROTOCOL_OF_QUEUES,
	/* From here on of sockets: */
	VIEW_CONNECT = PROTOCOL_CLASSES,
	VIEW_CONNECTION,
	VIEW_RETRANSMIT,
	VIEW_RESET,
	VIEW_TCP_DROP,
	VIEW_UDP_DROP,
	VIEW_CLASSES,
	VIEW_OF_SOCKETS = VIEW_CONNECT,
};

/* Of a request what struct protocol says of it. */
struct view_protocol {
	enum view_class class;
	const char *name;
	bool has_statements;
	const char *(*status_name)(int32_t status); /* NULL: statuses are numbers */
};

struct view_end {
	const uint8_t *address; /* in network order */
	uint8_t len; /* 4 or 16; 0: not known */
	uint16_t port;
};

/* Texts belong to the event, and are "" if they are not known. */
struct view {
	const struct state_event *event;
	const struct state_container *container; /* of the process; NULL: none, or not known */
	/* Of the server that a client asks, as far as they are known; NULL: they are not. */
	const struct state_container *peer;
	const struct state_pod *peer_pod;
	const struct state_workload *peer_workload;
	const struct state_service_info *service; /* by which it was asked */
	struct view_protocol protocol;
	bool is_tls; /* of a request */
	bool is_client, is_server; /* of sockets neither, if that is not known */
	bool has_status;
	int32_t status; /* of a connection that failed, the number of the error */
	const char *method, *target, *host, *error, *trace_id;
	const char *domain; /* the name by which a client found the server's address */
	bool is_timed; /* there is a duration; always of requests */
	uint64_t total_ns; /* the duration, or a round trip */
	uint64_t request_bytes, response_bytes; /* of a socket sent, and received */
	uint64_t amount; /* how many are counted: 1, but of segments */
	struct view_end client, server;
	/* Of sockets: */
	const char *reason, *direction;
	struct view_end local, remote;
};

/* Looks at a request; false: it does not say whether its process is a client or a server. */
bool view_make(const struct state_event *event, struct view *view);

/*
 * Looks at an event of a socket, other than requests; false: it is not measured. Who is at the
 * other end is looked for if the process is the client.
 */
bool view_make_of_socket(const struct state_event *event, struct view *view);

/* Whether events of a type are measured so. */
bool view_is_of_sockets(unsigned int event);

/* For both: takes the first and the second end of a tuple; false: it has none of IP. */
bool view_ends(const struct event_param *tuple, struct view_end *first, struct view_end *second);

#endif
