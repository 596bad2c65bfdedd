/* SPDX-License-Identifier: MIT */
/* Which server is asked for pods, with what, and when again after a failure. */
#ifndef META_KUBE_CONFIG_H
#define META_KUBE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/backoff.h"
#include "util/error.h"

/*
 * When a server may be asked again: not before the back-off ends after a failure, and never more
 * often than a bucket of requests allows, which is refilled at a constant rate.
 */

struct kube_pace_limits {
	uint64_t refill_ns; /* one more request each time */
	unsigned int burst; /* requests in a row, if there were none for long */
};

/* Zeroed but for the limits: no request was made. */
struct kube_pace {
	const struct kube_pace_limits *limits;
	struct backoff backoff;
	uint64_t not_before_ns; /* of CLOCK_MONOTONIC; what the caller chose */
	uint64_t full_ns; /* when the bucket is full again, of CLOCK_MONOTONIC */
};

static inline uint64_t kube_pace_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The earliest time of the next request. */
static inline uint64_t kube_pace_next_ns(const struct kube_pace *pace)
{
	uint64_t bucket_ns = pace->limits->refill_ns * (pace->limits->burst - 1);
	uint64_t filled_ns = pace->full_ns > bucket_ns ? pace->full_ns - bucket_ns : 0;

	return kube_pace_later(kube_pace_later(filled_ns, pace->not_before_ns),
			       pace->backoff.next_ns);
}

/* A request is made. */
static inline void kube_pace_count(struct kube_pace *pace, uint64_t now_ns)
{
	pace->full_ns = kube_pace_later(pace->full_ns, now_ns) + pace->limits->refill_ns;
}

/*
 * Which server is asked for pods, and with what: as options say, or as the environment and the
 * files of a container of the cluster say.
 */

#define KUBE_ACCOUNT_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"

/* What the user chose; NULL: nothing. */
struct kube_options {
	const char *api; /* "auto", the same as NULL; "none"; or a URL */
	const char *node;
	const char *token_path, *ca_path;
	const char *kubelet; /* URL: it is asked in place of the API server */
	const char *kubelet_ca_path;
	bool kubelet_insecure; /* its certificate is not checked */
};

/* Whether they have the URL of an API server; or of any server. */
static inline bool kube_options_name_api(const struct kube_options *options)
{
	return options->api && strcmp(options->api, "auto") != 0 &&
	       strcmp(options->api, "none") != 0;
}

static inline bool kube_options_name_server(const struct kube_options *options)
{
	return options->kubelet || kube_options_name_api(options);
}

enum { KUBE_URL_BYTES = 1024, KUBE_NODE_BYTES = 254 };

/* Refers to the texts of the options. */
struct kube_config {
	char url[KUBE_URL_BYTES]; /* without a '/' at the end */
	char node[KUBE_NODE_BYTES]; /* the pods of this node; "": those of the kubelet */
	const char *token_path; /* NULL: none is sent */
	const char *ca_path; /* NULL: the certificates of the system */
	bool insecure;
};

/*
 * Returns 0; -ENOENT if no server is to be asked, with a message if this is a cluster of which
 * something is missing; or -EINVAL with a message: the options are wrong.
 */
int kube_config_find(const struct kube_options *options, struct kube_config *config,
		     struct error *err);

#endif
