/* SPDX-License-Identifier: MIT */
/*
 * The thread that asks a server for pods with libcurl, as the reflector says, and pushes what came.
 */
#include "meta/kube.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "meta/reflector.h"
#include "net/fetch.h"
#include "net/url.h"
#include "util/clock.h"

enum { STATUS_OK = 200, STATUS_UNAUTHORIZED = 401, MS_PER_S = 1000 };

struct kube {
	struct meta_follower follower;
	struct kube_config config;
	const struct reflector_kind *kind; /* NULL: pods */
	struct fetch *fetch; /* owned; its stop is the follower's */
	atomic_bool hurried;
	/* Used by the thread alone. */
	struct meta_sink *sink; /* borrowed */
	struct net_token token;
	struct reflector reflector;
	struct reflector_output output;
	struct reflector_request request;
	uint64_t reported; /* bits of enum meta_counter: failures that were reported */
};

_Static_assert(META_COUNTERS <= 64, "a bit each");

static void kube_post(struct kube *kube, enum meta_kind kind, const char *id,
		      struct state_pod_info *info)
{
	struct meta_update *update = meta_update_create(kind, id);

	if (update)
		update->pod = info;
	else
		state_pod_info_destroy(info);
	meta_post(kube->sink, update);
}

static void push_pod(void *data, struct state_pod_info *info)
{
	meta_count(((struct kube *)data)->sink, META_KUBE_CHANGES, 1);
	kube_post(data, META_POD, info->pod.uid, info);
}

static void push_service(void *data, struct state_service_info *info)
{
	struct kube *kube = data;
	struct meta_update *update = meta_update_create(META_SERVICE, info->uid);

	if (update)
		update->service = info;
	else
		state_service_info_destroy(info);
	meta_post(kube->sink, update);
}

static void push_removed(void *data, const char *uid)
{
	struct kube *kube = data;

	kube_post(kube, kube->kind ? META_SERVICE_REMOVED : META_POD_REMOVED, uid, NULL);
}

static void add_count(void *data, enum meta_counter counter, uint64_t more)
{
	meta_count(((struct kube *)data)->sink, counter, more);
}

/* Failures that need somebody, and what helps. Those that are not here pass by themselves. */
static const char *const hints[META_COUNTERS] = {
	[META_KUBE_UNREACHABLE] = "",
	[META_KUBE_UNTRUSTED] = "; --k8s-ca or --kubelet-ca names the certificates to trust",
	[META_KUBE_TOKEN] = "; --k8s-token names another file",
	[META_KUBE_UNAUTHORIZED] = "; the token is not accepted",
	[META_KUBE_FORBIDDEN] =
		"; the service account needs the verbs get, list and watch of pods, "
		"or for a kubelet the verb get of nodes/pods",
	[META_KUBE_STATUS] = "",
	[META_KUBE_NONSENSE] = "",
	[META_KUBE_TOO_LONG] = "",
};

/* Each kind of failure is reported once. */
static void kube_report(void *data, enum meta_counter failure, const char *message)
{
	struct kube *kube = data;
	uint64_t bit = UINT64_C(1) << failure;
	struct meta_update *update;

	if (!hints[failure] || (kube->reported & bit))
		return;
	kube->reported |= bit;
	update = meta_update_create(META_FAILURE, NULL);
	if (update && kube->kind && failure == META_KUBE_FORBIDDEN)
		error_set(
			&update->err, 0,
			"Kubernetes: %s: %s; for request.peer.k8s.* the service account needs the "
			"verbs get, list and watch of %s",
			kube->config.url, message, kube->kind->noun);
	else if (update)
		error_set(&update->err, 0, "Kubernetes: %s: %s%s", kube->config.url, message,
			  hints[failure]);
	meta_post(kube->sink, update);
}

static bool kube_take(void *data, long status, const char *bytes, size_t len)
{
	return reflector_take(&((struct kube *)data)->reflector, status, bytes, len);
}

static bool kube_take_header(void *data, const char *bytes, size_t len)
{
	reflector_take_header(&((struct kube *)data)->reflector);
	return true;
}

static bool kube_waits(void *data)
{
	return reflector_waits(&((struct kube *)data)->reflector, clock_ns(CLOCK_MONOTONIC));
}

/* Returns whether there is a token, if one is needed. */
static bool refresh_token(struct kube *kube, struct error *err)
{
	if (net_token_refresh(&kube->token, clock_ns(CLOCK_MONOTONIC), err) && kube->token.text) {
		/* The old one may be good for a while. */
		meta_count(kube->sink, META_KUBE_TOKEN, 1);
		kube_report(kube, META_KUBE_TOKEN, err->text);
	}
	return !kube->token.path || kube->token.text;
}

/* What a result of fetch_get() is counted as. */
static enum meta_counter to_failure(int code, long status)
{
	switch (code) {
	case 0:
		return META_COUNTERS;
	case -EKEYREJECTED:
		return META_KUBE_UNTRUSTED;
	case -EMSGSIZE:
		return META_KUBE_CUT;
	case -ETIMEDOUT:
		return status == STATUS_OK ? META_KUBE_CUT : META_KUBE_UNREACHABLE;
	default:
		return META_KUBE_UNREACHABLE;
	}
}

/* Returns false if the follower is being stopped. */
static bool kube_send_request(struct kube *kube, struct reflector_end *end, struct error *err)
{
	char url[KUBE_URL_BYTES + REFLECTOR_PATH_BYTES];
	struct fetch_request request = {
		.url = url,
		.token = kube->token.text,
		.ca_path = kube->config.ca_path,
		.trusts_any = kube->config.insecure,
		.compressed = !kube->request.is_stream,
		.timeout_ms = kube->request.timeout_s * MS_PER_S,
		.take = kube_take,
		.take_header = kube_take_header,
		.waits = kube_waits,
		.data = kube,
	};
	struct fetch_end answer;
	int r;

	snprintf(url, sizeof(url), "%s%s", kube->config.url, kube->request.path);
	r = fetch_get(kube->fetch, &request, &answer, err);
	end->status = answer.status;
	end->retry_after_s = answer.retry_after_s;
	end->failure = to_failure(r, answer.status);
	return r != -ECANCELED;
}

static void make_request(struct kube *kube)
{
	struct error err = {0};
	struct reflector_end end = {.failure = META_KUBE_TOKEN, .message = err.text};

	reflector_begin(&kube->reflector, clock_ns(CLOCK_MONOTONIC), &kube->request);
	if (refresh_token(kube, &err) && !kube_send_request(kube, &end, &err))
		return;
	reflector_end(&kube->reflector, clock_ns(CLOCK_MONOTONIC), &end);
	kube->token.rejected = kube->reflector.error_status == STATUS_UNAUTHORIZED;
}

static void kube_run(struct meta_follower *follower, struct meta_sink *sink)
{
	struct kube *kube = (struct kube *)follower;
	struct reflector_config config = {
		.node = kube->config.node[0] && !kube->kind ? kube->config.node : NULL,
		.kind = kube->kind,
		.output = &kube->output,
	};

	kube->sink = sink;
	getrandom(&config.seed, sizeof(config.seed), GRND_NONBLOCK);
	reflector_init(&kube->reflector, &config, clock_ns(CLOCK_MONOTONIC));
	while (!fetch_is_stopped(kube->fetch)) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), next;

		if (atomic_exchange(&kube->hurried, false))
			reflector_hurry(&kube->reflector);
		next = reflector_next_ns(&kube->reflector);
		if (now < next)
			fetch_wait(kube->fetch, next - now);
		else
			make_request(kube);
	}
}

static void kube_stop(struct meta_follower *follower)
{
	fetch_stop(((struct kube *)follower)->fetch);
}

static void kube_destroy(struct meta_follower *follower)
{
	struct kube *kube = (struct kube *)follower;

	reflector_finish(&kube->reflector);
	net_token_finish(&kube->token);
	fetch_destroy(kube->fetch);
	free(kube);
}

int kube_follower_create(const struct kube_config *config, enum kube_subject subject,
			 struct meta_follower **follower, struct error *err)
{
	static const struct reflector_kind *const kinds[KUBE_SUBJECTS] = {
		[KUBE_SERVICES] = &reflector_services,
		[KUBE_SLICES] = &reflector_slices,
	};
	static const struct meta_follower_ops ops = {kube_run, kube_stop, kube_destroy};
	struct kube *kube = calloc(1, sizeof(*kube));
	int r = kube ? fetch_create(&kube->fetch, err) : error_set(err, -ENOMEM, "out of memory");

	if (r) {
		free(kube);
		return r;
	}
	kube->follower.ops = &ops;
	kube->config = *config;
	kube->kind = kinds[subject];
	kube->token.path = config->token_path;
	kube->output = (struct reflector_output){push_pod,  push_service, push_removed,
						 add_count, kube_report,  kube};
	*follower = &kube->follower;
	return 0;
}

void kube_follower_hurry(struct meta_follower *follower)
{
	struct kube *kube = (struct kube *)follower;

	/* The API server reports it without that. */
	if (!kube->config.node[0] && !kube->kind && !atomic_exchange(&kube->hurried, true))
		fetch_wake(kube->fetch);
}
