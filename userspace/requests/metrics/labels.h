/* SPDX-License-Identifier: MIT */
/*
 * Labels of series: what each is called, and its value for a request. A series is known by the
 * values of its labels, one after the other, each with a NUL: its key.
 */
#ifndef REQUESTS_METRICS_LABELS_H
#define REQUESTS_METRICS_LABELS_H

#include "requests/metrics/view.h"
#include "util/buf.h"

/* Names without a prefix are those of OpenTelemetry's conventions. */
enum label {
	LABEL_NONE, /* ends a list */
	LABEL_HTTP_METHOD,
	LABEL_HTTP_STATUS,
	LABEL_HTTP_ROUTE,
	LABEL_HTTP_TEMPLATE, /* the same at a client */
	LABEL_HTTP_SCHEME,
	LABEL_ERROR,
	LABEL_DB_SYSTEM,
	LABEL_DB_OPERATION,
	LABEL_DB_COLLECTION,
	LABEL_DNS_NAME,
	LABEL_RPC_SYSTEM,
	LABEL_RPC_METHOD,
	LABEL_RPC_STATUS,
	LABEL_QUEUE_SYSTEM,
	LABEL_QUEUE_OPERATION,
	LABEL_QUEUE_DESTINATION,
	LABEL_PROTOCOL,
	LABEL_TRANSPORT,
	LABEL_DIRECTION,
	LABEL_ROLE, /* these two are as the fields of events are called */
	LABEL_REASON,
	LABEL_SERVER_ADDRESS, /* as the client names it, or of the socket */
	LABEL_SERVER_PORT,
	LABEL_EXECUTABLE,
	LABEL_CONTAINER,
	LABEL_NAMESPACE,
	LABEL_POD,
	LABEL_WORKLOAD_KIND,
	LABEL_WORKLOAD,
	LABEL_PEER_NAMESPACE, /* of the server that a client asks */
	LABEL_PEER,
	/* Kindling's: of the process, */
	LABEL_KD_NAMESPACE,
	LABEL_KD_WORKLOAD_KIND,
	LABEL_KD_WORKLOAD,
	LABEL_KD_NODE,
	LABEL_KD_POD,
	LABEL_KD_CONTAINER,
	LABEL_KD_CONTAINER_ID,
	LABEL_KD_IP,
	LABEL_KD_PORT,
	/* the same as where something is asked from, and where it goes to; */
	LABEL_KD_SRC_NAMESPACE,
	LABEL_KD_SRC_WORKLOAD_KIND,
	LABEL_KD_SRC_WORKLOAD,
	LABEL_KD_SRC_NODE,
	LABEL_KD_SRC_POD,
	LABEL_KD_SRC_CONTAINER,
	LABEL_KD_SRC_CONTAINER_ID,
	LABEL_KD_SRC_IP,
	LABEL_KD_DST_NAMESPACE,
	LABEL_KD_DST_WORKLOAD_KIND,
	LABEL_KD_DST_WORKLOAD,
	LABEL_KD_DST_SERVICE,
	LABEL_KD_DST_NODE,
	LABEL_KD_DST_POD,
	LABEL_KD_DST_CONTAINER,
	LABEL_KD_DST_CONTAINER_ID,
	LABEL_KD_DST_IP,
	LABEL_KD_DST_PORT,
	/* of a socket as its process has it, whichever end connected; */
	LABEL_KD_LOCAL_IP,
	LABEL_KD_LOCAL_PORT,
	LABEL_KD_REMOTE_IP,
	LABEL_KD_REMOTE_PORT,
	LABEL_KD_ERRNO,
	LABEL_KD_SUCCESS,
	/* and of the request. */
	LABEL_KD_PROTOCOL,
	LABEL_KD_REQUEST,
	LABEL_KD_RESPONSE,
	LABEL_KD_STATUS,
	LABELS_COUNT,
};

enum {
	LABEL_BYTES_MAX = 160, /* of a value, with its NUL; what is longer is cut */
	LABELS_OF_SERIES_MAX = 24,
	LABELS_BYTES_MAX = LABEL_BYTES_MAX * LABELS_OF_SERIES_MAX,
};

/* "http_request_method"; and for OpenTelemetry "http.request.method", whose value may be a number.
 */
const char *label_name(enum label label);
const char *label_attribute(enum label label);
bool label_is_number(enum label label);

/* Replaces each byte that is not of valid UTF-8 by '?'. */
void label_make_valid(char *text, size_t len);

/*
 * Appends the values of the labels of a list, "" for those that there are not. They are
 * valid UTF-8. The buffer has room for them.
 */
void labels_append(const enum label *labels, const struct view *view, struct buf *key);

#endif
