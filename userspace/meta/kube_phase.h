/* SPDX-License-Identifier: MIT */
/* The phases of a reflector: which requests it makes, and what their answers mean. */
#ifndef META_KUBE_PHASE_H
#define META_KUBE_PHASE_H

#include <jansson.h>

#include "meta/reflector.h"

struct kube_phase_ops {
	bool is_stream;
	/* Appends the path of the next request. */
	void (*ask)(struct reflector *reflector, struct buf *path);
	/* Takes a line of a stream, of status 200. Returns whether the rest is wanted. */
	bool (*take_line)(struct reflector *reflector, const struct buf *line);
	/* The answer ended as it should. */
	void (*done)(struct reflector *reflector, uint64_t now_ns);
	/*
	 * The request failed with that status, 0: without an answer. Returns whether another phase
	 * is the way out, without a delay.
	 */
	bool (*failed)(struct reflector *reflector, long status);
};

extern const struct kube_phase_ops kube_phase_streaming_list, kube_phase_list, kube_phase_watch,
	kube_phase_poll;

/* Begins a list of all pods, as the server offers it. */
void kube_phase_begin_list(struct reflector *reflector);

/* Passes a pod on if it has changed. Returns false if the object is no pod. */
bool kube_phase_put(struct reflector *reflector, const json_t *pod);

/* A pod was deleted; `pod` is its last state. Returns false if it is no pod. */
bool kube_phase_remove(struct reflector *reflector, const json_t *pod);

/* The list is complete: what it does not have is gone. */
void kube_phase_end_list(struct reflector *reflector);

/* The answer shows a failure; its first one counts. Returns false. */
__attribute__((format(printf, 3, 4))) bool
kube_phase_fail(struct reflector *reflector, enum meta_counter failure, const char *format, ...);

/* What a status other than 200 is counted as. */
enum meta_counter kube_phase_failure_of(long status);

/* A rejection by the server, also within a stream. Returns false. */
bool kube_phase_reject(struct reflector *reflector, long status, const char *message);

/* Lines of a stream were no events, or too long. Returns whether the rest is wanted. */
bool kube_phase_count_bad_lines(struct reflector *reflector, unsigned int count);

/* A random number up to `max`. */
uint64_t kube_phase_chance(struct reflector *reflector, uint64_t max);

/* Appends "&name=" and the text, in which all but letters and digits is escaped. */
void kube_phase_append_parameter(struct buf *path, const char *name, const char *text);

/* What is followed: "pods". */
const char *kube_phase_noun(const struct reflector *reflector);

/* Appends the path of all requests: the pods of the node, or all of a kind. */
void kube_phase_append_pods(const struct reflector *reflector, struct buf *path);

/* Whether a status may mean that the server has no state of the version that was asked for. */
bool kube_phase_rejects_version(long status);

/* Stores a version. Returns false if it is NULL, stands for "any", or is too long. */
bool kube_phase_set_version(struct reflector *reflector, const char *version);

#endif
