/* SPDX-License-Identifier: MIT */
/*
 * The thread that asks a server for pods with libcurl, as the reflector says, and pushes what came.
 */
#include "meta/kube.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "meta/kube_client.h"
#include "meta/reflector.h"
#include "util/clock.h"

enum { STATUS_UNAUTHORIZED = 401, MS_PER_S = 1000 };

struct kube {
	struct meta_follower follower;
	struct kube_client client; /* its stop is the follower's */
	const struct reflector_kind *kind; /* NULL: pods */
	atomic_bool hurried;
	/* Used by the thread alone. */
	struct reflector reflector;
	struct reflector_output output;
	struct reflector_request request;
};

static void kube_post(struct kube *kube, enum meta_kind kind, const char *id,
		      struct state_pod_info *info)
{
	struct meta_update *update = meta_update_create(kind, id);

	if (update)
		update->pod = info;
	else
		state_pod_info_destroy(info);
	meta_post(kube->client.sink, update);
}

static void push_pod(void *data, struct state_pod_info *info)
{
	meta_count(((struct kube *)data)->client.sink, META_KUBE_CHANGES, 1);
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
	meta_post(kube->client.sink, update);
}

static void push_removed(void *data, const char *uid)
{
	struct kube *kube = data;

	kube_post(kube, kube->kind ? META_SERVICE_REMOVED : META_POD_REMOVED, uid, NULL);
}

static void add_count(void *data, enum meta_counter counter, uint64_t more)
{
	meta_count(((struct kube *)data)->client.sink, counter, more);
}

static void kube_report(void *data, enum meta_counter failure, const char *message)
{
	kube_client_report(&((struct kube *)data)->client, failure, message);
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

static void make_request(struct kube *kube)
{
	struct error err = {0};
	struct reflector_end end;
	struct fetch_request request;

	reflector_begin(&kube->reflector, clock_ns(CLOCK_MONOTONIC), &kube->request);
	request = (struct fetch_request){
		.compressed = !kube->request.is_stream,
		.timeout_ms = kube->request.timeout_s * MS_PER_S,
		.take = kube_take,
		.take_header = kube_take_header,
		.waits = kube_waits,
		.data = kube,
	};
	if (!kube_client_get(&kube->client, kube->request.path, &request, &end, &err))
		return;
	reflector_end(&kube->reflector, clock_ns(CLOCK_MONOTONIC), &end);
	/* A stream may say so, too. */
	kube->client.token.rejected = kube->reflector.error_status == STATUS_UNAUTHORIZED;
}

static void kube_run(struct meta_follower *follower, struct meta_sink *sink)
{
	struct kube *kube = (struct kube *)follower;
	struct reflector_config config = {
		.node = kube->client.config.node[0] && !kube->kind ? kube->client.config.node
								   : NULL,
		.kind = kube->kind,
		.output = &kube->output,
	};

	kube->client.sink = sink;
	getrandom(&config.seed, sizeof(config.seed), GRND_NONBLOCK);
	reflector_init(&kube->reflector, &config, clock_ns(CLOCK_MONOTONIC));
	while (!fetch_is_stopped(kube->client.fetch)) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), next;

		if (atomic_exchange(&kube->hurried, false))
			reflector_hurry(&kube->reflector);
		next = reflector_next_ns(&kube->reflector);
		if (now < next)
			fetch_wait(kube->client.fetch, next - now);
		else
			make_request(kube);
	}
}

static void kube_stop(struct meta_follower *follower)
{
	fetch_stop(((struct kube *)follower)->client.fetch);
}

static void kube_destroy(struct meta_follower *follower)
{
	struct kube *kube = (struct kube *)follower;

	reflector_finish(&kube->reflector);
	kube_client_finish(&kube->client);
	free(kube);
}

static void set_needs(struct kube *kube)
{
	if (kube->kind)
		snprintf(kube->client.needs, sizeof(kube->client.needs),
			 "; for request.peer.k8s.* the service account needs the verbs get, list "
			 "and watch of %s",
			 kube->kind->noun);
	else
		snprintf(kube->client.needs, sizeof(kube->client.needs),
			 "; the service account needs the verbs get, list and watch of pods, or "
			 "for a kubelet the verb get of nodes/pods");
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
	int r = kube ? kube_client_init(&kube->client, config, err)
		     : error_set(err, -ENOMEM, "out of memory");

	if (r) {
		free(kube);
		return r;
	}
	kube->follower.ops = &ops;
	kube->kind = kinds[subject];
	set_needs(kube);
	kube->output = (struct reflector_output){push_pod,  push_service, push_removed,
						 add_count, kube_report,  kube};
	*follower = &kube->follower;
	return 0;
}

void kube_follower_hurry(struct meta_follower *follower)
{
	struct kube *kube = (struct kube *)follower;

	/* The API server reports it without that. */
	if (!kube->client.config.node[0] && !kube->kind && !atomic_exchange(&kube->hurried, true))
		fetch_wake(kube->client.fetch);
}
