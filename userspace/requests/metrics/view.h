/* SPDX-License-Identifier: MIT */
/* What metrics look at of an event of the type request. */
#ifndef REQUESTS_METRICS_VIEW_H
#define REQUESTS_METRICS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "sinsp/state/container.h"
#include "sinsp/state/event.h"
#include "sinsp/state/services.h"

enum view_class { VIEW_HTTP, VIEW_DATABASE, VIEW_DNS, VIEW_OTHER, VIEW_CLASSES };

/* What is known of a protocol by its number. */
struct view_protocol {
	enum view_class class;
	const char *name; /* as OpenTelemetry has it */
	bool has_statements; /* its targets are SQL */
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
	const struct state_service_info *service; /* by which it was asked */
	struct view_protocol protocol;
	bool is_server;
	bool has_status;
	int32_t status;
	const char *method, *target, *host, *error, *trace_id;
	const char *domain; /* the name by which a client found the server's address */
	uint64_t total_ns;
	uint64_t request_bytes, response_bytes;
	struct view_end client, server;
};

/* Looks at an event; false: it does not say whether its process is a client or a server. */
bool view_make(const struct state_event *event, struct view *view);

#endif
