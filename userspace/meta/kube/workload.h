/* SPDX-License-Identifier: MIT */
/* The workload that a pod belongs to, found from the pod alone. */
#ifndef META_KUBE_WORKLOAD_H
#define META_KUBE_WORKLOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct workload {
	const char *owner_kind, *owner_name; /* what controls the pod; NULL: nothing */
	const char *kind; /* NULL: not known. In the memory of the pod, or constant */
	const char *name; /* in the memory of the pod; no NUL follows */
	size_t name_len;
	/*
	 * It owns the pod's owner, as the names suggest: another object could have been given such
	 * a name.
	 */
	bool derived;
};

/* pod: the JSON of a pod, which the result refers to. */
struct workload workload_of(const json_t *pod);

#endif
