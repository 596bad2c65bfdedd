/* SPDX-License-Identifier: MIT */
/*
 * Follows the pods of a node, or services: which request is next and when, and what the answers
 * mean, line by line.
 */
#ifndef META_REFLECTOR_H
#define META_REFLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meta/kube_config.h"
#include "meta/pod_json.h"
#include "meta/sink.h"
#include "sinsp/state/containers/pods.h"
#include "sinsp/state/containers/services.h"
#include "util/buf.h"

/* The lines of a stream that comes in pieces of any size. */

/* A pod may have 1.5 MiB, the limit of etcd. */
enum { LINES_BYTES_MAX = 2 * 1024 * 1024 };

/* Zeroed: at the begin of a stream. */
struct reflector_lines {
	struct buf line; /* owned; the part that has come */
	bool is_whole; /* it was returned */
	bool skips; /* it was too long: its rest is dropped */
	uint64_t dropped; /* lines that were too long, or for which there was no memory */
};

/* Bytes that were not taken yet. */
struct reflector_input {
	const char *bytes;
	size_t len;
};

/*
 * Takes bytes up to the end of a line. Returns true if lines->line is a whole one then, without its
 * end; it is valid until the next call. Empty lines are left out.
 */
bool reflector_lines_next(struct reflector_lines *lines, struct reflector_input *input);

/* A new stream begins. Frees the memory; the count stays. */
void reflector_lines_restart(struct reflector_lines *lines);

/*
 * Follows the pods of a node: which request is next and when, and what the answers mean. It knows
 * no network and no clock: kube.c makes the requests. What it does is in phases (kube_phase.h).
 *
 *   streaming list ──(end of the list)──> watch ──(version expired)──> streaming list
 *         │ not offered                     ^ │                                 │ or
 *         └──────────> list, page by page ──┘ └────────────────────────────> list
 *
 *   kubelet: poll ──(half a minute, or a new container)──> poll
 */

enum {
	REFLECTOR_PATH_BYTES = 8192,
	REFLECTOR_VERSION_BYTES = 128, /* of a resource version, which is opaque */
	REFLECTOR_CONTINUE_BYTES = 2048, /* of the token for the next page, likewise */
	REFLECTOR_BODY_MAX = 16 * 1024 * 1024, /* of a page of a list */
	REFLECTOR_PAGE_PODS = 100, /* asked for in a page; fewer after one that was too long */
};

/* What is followed in place of the pods of a node: all objects of a kind. */
struct reflector_kind {
	const char *path; /* "/api/v1/services" */
	const char *list; /* "ServiceList" */
	const char *noun; /* "services", in messages */
	/* The description of one with that uid; NULL if out of memory. */
	struct state_service_info *(*describe)(const json_t *object, const char *uid);
};

extern const struct reflector_kind reflector_services, reflector_slices;

/* Of a kind; beyond them they are left out. */
enum { REFLECTOR_SERVICES_MAX = 16384 };

/* Who gets the results. */
struct reflector_output {
	/* A pod is new or has changed; owns the description. */
	void (*pod)(void *data, struct state_pod_info *info);
	/* An object of another kind is new or has changed; owns the description. */
	void (*service)(void *data, struct state_service_info *info);
	void (*removed)(void *data, const char *uid);
	void (*count)(void *data, enum meta_counter counter, uint64_t more);
	/* A request failed, counted by that counter. */
	void (*failed)(void *data, enum meta_counter counter, const char *message);
	void *data;
};

struct reflector_config {
	const char *node; /* the pods of this node; NULL: those that kubelet has, which is polled */
	const struct reflector_kind *kind; /* is followed, not pods; NULL: pods are */
	uint64_t seed; /* of what is left to chance */
	const struct reflector_output *output; /* borrowed */
};

struct reflector_request {
	char path[REFLECTOR_PATH_BYTES]; /* with its query: "/api/v1/pods?limit=100" */
	bool is_stream; /* its bytes are wanted as they come, without compression */
	uint32_t timeout_s; /* for all of it */
};

/* How a request ended. */
struct reflector_end {
	long status; /* 0: there was no answer */
	uint32_t retry_after_s; /* as the server asks; 0: it does not */
	enum meta_counter failure; /* META_COUNTERS: none, the answer ended as it should */
	const char *message; /* of a failure */
};

/* What a reflector is doing; kube_phase.c decides what follows. */
enum reflector_phase {
	PHASE_STREAMING_LIST,
	PHASE_LIST,
	PHASE_WATCH,
	PHASE_POLL, /* of a kubelet */
};

struct reflector {
	struct reflector_config config;
	enum reflector_phase phase;
	struct pods_known known; /* owned */
	struct kube_pace pace;
	uint64_t chance; /* state of the random numbers */
	bool lists_unstreamed; /* the server does not offer the streaming list */
	bool has_bookmarks; /* it sends them, about every minute */
	/* The versions are opaque; "": none, which stands for the newest. */
	char version[REFLECTOR_VERSION_BYTES]; /* of the last event or list */
	char list_version[REFLECTOR_VERSION_BYTES]; /* the list is to be no older than it */
	char next_page[REFLECTOR_CONTINUE_BYTES]; /* "": the first one */
	unsigned int page_pods;
	/* Of the current request. */
	uint64_t start_ns;
	uint64_t events;
	unsigned int bad_lines;
	struct reflector_lines lines; /* owned; of a stream */
	struct buf body; /* owned; of a list, or of a rejection */
	uint32_t watch_s; /* what the server was asked for */
	enum meta_counter failure; /* META_COUNTERS: none */
	char message[512]; /* of the failure */
	long error_status; /* the server's; 0: it is no rejection */
	uint32_t retry_after_s; /* of a stream */
	bool is_unoffered; /* the stream is no streaming list */
	bool answered; /* the server began to answer */
	bool heard; /* since the last reflector_waits() */
	uint64_t heard_ns; /* about when it said something last */
	bool is_silent; /* it says nothing, or no more */
};

void reflector_init(struct reflector *reflector, const struct reflector_config *config,
		    uint64_t now_ns);
void reflector_finish(struct reflector *reflector);

/* When the next request is to be made, of CLOCK_MONOTONIC. */
uint64_t reflector_next_ns(const struct reflector *reflector);

/* A container of an unknown pod appeared: kubelet is polled early. */
void reflector_hurry(struct reflector *reflector);

/* Begins a request, which is counted. */
void reflector_begin(struct reflector *reflector, uint64_t now_ns,
		     struct reflector_request *request);

/* The answer begins: a header came. */
void reflector_take_header(struct reflector *reflector);

/* Takes a part of the answer. Returns false if the rest is not wanted. */
bool reflector_take(struct reflector *reflector, long status, const char *bytes, size_t len);

/* Whether the answer is still waited for; to be called about every second. */
bool reflector_waits(struct reflector *reflector, uint64_t now_ns);

/* The request ended, also by a false of the last two. */
void reflector_end(struct reflector *reflector, uint64_t now_ns, const struct reflector_end *end);

#endif
