/* SPDX-License-Identifier: MIT */
/* What the threads of meta.h count, for the account of a run. */
#ifndef META_COUNTERS_H
#define META_COUNTERS_H

#include <stdint.h>

enum meta_counter {
	META_REQUESTS,
	META_DESCRIBED, /* of these */
	META_MISSING, /* of these: nobody knew them */
	META_FAILED, /* requests: something could not be read */
	META_REJECTED, /* requests that were not made, or not again: too many, or no memory */
	META_USERS_REJECTED, /* requests for users that were not made: too many, or no memory */
	META_LEFT_OUT, /* labels, mounts and texts beyond the limits of meta/describe.h */
	META_PUSHED, /* updates from followers */
	META_PUSHES_LOST, /* the same without memory for them */
	/* Of the API server of Kubernetes, or the kubelet. */
	META_KUBE_REQUESTS,
	META_KUBE_PODS, /* that are known now */
	META_KUBE_CHANGES, /* descriptions of pods, new or changed */
	META_KUBE_PODS_REJECTED, /* too many, of other nodes, or no memory */
	META_KUBE_LINES_BAD, /* of watches: too long, or no events */
	/* Requests that failed, by cause. */
	META_KUBE_UNREACHABLE, /* no connection, or no answer in time */
	META_KUBE_UNTRUSTED, /* the certificate, or TLS otherwise */
	META_KUBE_TOKEN, /* its file cannot be read */
	META_KUBE_UNAUTHORIZED, /* 401 */
	META_KUBE_FORBIDDEN, /* 403 */
	META_KUBE_EXPIRED, /* 410: the version that was known is too old; all is listed again */
	META_KUBE_THROTTLED, /* 429 */
	META_KUBE_STATUS, /* others than 200 */
	META_KUBE_CUT, /* the answer ended too early, or was silent too long */
	META_KUBE_NONSENSE, /* it is not what was asked for */
	META_KUBE_TOO_LONG,
	/* Of runtimes that are followed. */
	META_RUNTIME_STREAMS, /* of events, opened */
	META_RUNTIME_STREAMS_LOST, /* they ended, or could not be opened; all is listed again */
	META_RUNTIME_LISTS,
	META_RUNTIME_EVENTS, /* about a container that is new, changed or removed */
	META_RUNTIME_EVENTS_BAD, /* too long, or not to be understood */
	META_RUNTIME_LOOKUPS, /* of containers, after events */
	META_RUNTIME_LOOKUPS_FAILED,
	META_COUNTERS,
};

/* Requests by how long their data took: less than 1 us, 2 us, 4 us, ...; the last ones longer. */
enum { META_TIMES = 26 };

#endif
