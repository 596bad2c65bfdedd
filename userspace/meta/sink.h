/* SPDX-License-Identifier: MIT */
/*
 * What the threads of meta.h hand to the event thread: updates, what followers push, and the queue
 * between them.
 */
#ifndef META_SINK_H
#define META_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "sinsp/state/containers/container.h"
#include "sinsp/state/containers/services.h"
#include "util/error.h"

/* What the threads of meta.h count, for the account of a run. */

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
	META_KUBE_SERVICES, /* likewise, with their EndpointSlices */
	META_KUBE_OWNERS, /* pods of other nodes whose workload was asked for */
	META_KUBE_OWNERS_MISSING, /* of these, that are gone, or others of that name */
	META_KUBE_OWNERS_REJECTED, /* not asked for: too many at a time */
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

/*
 * What the threads of meta.h hand to the event thread: answers to its requests, and what followers
 * push.
 */

enum meta_kind {
	/*
	 * `id`, `info`: NULL in an answer if nobody knows it, else if nobody knows more than what
	 * was said before.
	 */
	META_CONTAINER,
	META_USERS, /* `id`, `users`, `result`: see state_container_users_read() */
	META_CONTAINER_REMOVED, /* `id`: its runtime removed it */
	META_POD, /* `id`: the uid, as control groups have it; `pod` */
	META_POD_REMOVED, /* `id` */
	META_SERVICE, /* `id`, `service`: a Service or an EndpointSlice */
	META_SERVICE_REMOVED, /* `id` */
	META_POD_OWNER, /* `id`, `pod`: of a pod on another node, as far as its metadata say */
	META_FAILURE, /* `err`, to be reported; `id`: of what container, NULL: of none */
	META_KINDS_COUNT,
};

struct meta_update {
	struct meta_update *next; /* of a queue */
	enum meta_kind kind;
	bool is_answer; /* to a request; false: pushed */
	char *id; /* whole; owned */
	uint32_t owner; /* of the container: see state/containers/container.h */
	unsigned int rank; /* enum meta_rank, of the request that this answers */
	struct state_container_info *info; /* owned */
	struct state_pod_info *pod; /* owned */
	struct state_service_info *service; /* owned */
	struct state_container_users *users; /* owned */
	int result;
	bool is_partial; /* of `info`: somebody who may know more is being asked */
	bool is_forgeable; /* what there is of it can be of others than the owner */
	struct error err; /* what could not be read; "": nothing */
};

/* Copies the id; NULL: none. Returns NULL if out of memory. */
struct meta_update *meta_update_create(enum meta_kind kind, const char *id);

/* Frees what it owns, too. Accepts NULL. */
void meta_update_destroy(struct meta_update *update);

/*
 * The interface of what is followed: the events of a runtime, the pods of an API server. A follower
 * has a thread of its own, on which it may block; it pushes what it learns.
 */

struct meta_follower;
struct meta_sink;
struct waker;

struct meta_follower_ops {
	/* Follows until it is stopped. Signals are blocked in its thread. */
	void (*run)(struct meta_follower *follower, struct meta_sink *sink);
	/* From another thread, also before run() begins: run() is to return soon. */
	void (*stop)(struct meta_follower *follower);
	/* When run() returned, or was never called; from any thread. */
	void (*destroy)(struct meta_follower *follower);
};

/* Followers embed this as their first member. */
struct meta_follower {
	const struct meta_follower_ops *ops;
};

/*
 * Pushes an update; waits while too many that were pushed have not been taken. Owns the update from
 * here on, also after a failure; NULL: there was no memory for it, which is counted. Returns 0,
 * -ENOMEM, or -ECANCELED: the follower is being stopped.
 */
int meta_post(struct meta_sink *sink, struct meta_update *update);

/* Adds to a counter of the account. */
void meta_count(struct meta_sink *sink, enum meta_counter counter, uint64_t more);

/*
 * The queue of updates between the threads of meta.h and the event thread, and their counters. Each
 * thread has a reference: one that hangs may outlive the others. Updates come out in the order in
 * which they went in.
 */

/* Pushed updates that were not taken; then followers wait. Answers are limited by requests. */
enum { META_SINK_PUSHED_MAX = 256 };

/* With one reference; NULL if out of memory. */
struct meta_sink *meta_sink_create(void);
struct meta_sink *meta_sink_ref(struct meta_sink *sink);
void meta_sink_unref(struct meta_sink *sink);

/* From now on, each update wakes who takes them. Before other threads have the sink. */
void meta_sink_set_waker(struct meta_sink *sink, const struct waker *waker);

/* Nobody takes updates any more: those that wait in meta_post() return. */
void meta_sink_close(struct meta_sink *sink);

/* Adds an answer, without a wait. Owns it from here on. */
void meta_sink_answer(struct meta_sink *sink, struct meta_update *answer);

/* Whether there are updates: cheap enough for each event. */
bool meta_sink_is_ready(const struct meta_sink *sink);

/* The next update, which the caller destroys; NULL if there is none. */
struct meta_update *meta_sink_take(struct meta_sink *sink);

/* Waits until an update is there, for at most so long. Returns whether there is one. */
bool meta_sink_wait(struct meta_sink *sink, uint64_t timeout_ns);

/* Counts a request whose data came after so long. */
void meta_sink_count_time(struct meta_sink *sink, uint64_t ns);

/* Requests whose data took less than 2^power us, but not less than half of that. */
uint64_t meta_sink_time(struct meta_sink *sink, unsigned int power);

uint64_t meta_sink_counter(struct meta_sink *sink, enum meta_counter counter);

#endif
