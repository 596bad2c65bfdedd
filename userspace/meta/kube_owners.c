/* SPDX-License-Identifier: MIT */
/* The queue of pods, and the thread that asks for one after the other. */
#include "meta/kube_owners.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "meta/kube_client.h"
#include "meta/kube_phase.h"
#include "meta/pod_json.h"
#include "util/clock.h"
#include "util/json_input.h"

#define NS_PER_S UINT64_C(1000000000)

enum {
	STATUS_OK = 200,
	STATUS_NOT_FOUND = 404,
	NS_BYTES = 64, /* of a namespace, with a NUL */
	NAME_BYTES = 254,
	BODY_BYTES_MAX = 1 << 20, /* metadata have some KiB: much of it says who set what */
	TIMEOUT_MS = 10000,
	IDLE_S = 3600,
};

static const struct kube_pace_limits owners_limits = {KUBE_OWNERS_EACH_S * NS_PER_S,
						      KUBE_OWNERS_BURST};
static const struct backoff_limits owners_backoff = {NS_PER_S, 60 * NS_PER_S, 100};

struct owner_wanted {
	char uid[STATE_POD_UID_BYTES], ns[NS_BYTES], name[NAME_BYTES];
};

struct owners {
	struct meta_follower follower;
	struct kube_client client; /* its stop is the follower's */
	pthread_mutex_t lock; /* for the queue */
	struct owner_wanted queue[KUBE_OWNERS_QUEUE];
	uint32_t first, count;
	/* Used by the thread alone. */
	struct kube_pace pace;
	struct buf body; /* owned; of an answer */
	bool is_too_long;
};

/* As objects of Kubernetes are named; it becomes a part of a path. */
static bool copy_name(char *copy, size_t size, const char *name)
{
	size_t len = name ? strlen(name) : 0;

	if (len == 0 || len >= size || name[0] == '.' || strstr(name, ".."))
		return false;
	if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != len)
		return false;
	memcpy(copy, name, len + 1);
	return true;
}

int kube_owners_ask(struct meta_follower *follower, const struct kube_pod_name *pod)
{
	struct owners *owners = (struct owners *)follower;
	struct owner_wanted wanted;
	bool has_room;

	if (!copy_name(wanted.uid, sizeof(wanted.uid), pod->uid) ||
	    !copy_name(wanted.ns, sizeof(wanted.ns), pod->ns) ||
	    !copy_name(wanted.name, sizeof(wanted.name), pod->name))
		return -EINVAL;
	pthread_mutex_lock(&owners->lock);
	has_room = owners->count < KUBE_OWNERS_QUEUE;
	if (has_room)
		owners->queue[(owners->first + owners->count++) % KUBE_OWNERS_QUEUE] = wanted;
	pthread_mutex_unlock(&owners->lock);
	if (!has_room)
		return -EAGAIN;
	fetch_wake(owners->client.fetch);
	return 0;
}

/* The oldest one; false: there is none. */
static bool take_wanted(struct owners *owners, struct owner_wanted *wanted)
{
	bool found;

	pthread_mutex_lock(&owners->lock);
	found = owners->count > 0;
	if (found) {
		*wanted = owners->queue[owners->first];
		owners->first = (owners->first + 1) % KUBE_OWNERS_QUEUE;
		owners->count--;
	}
	pthread_mutex_unlock(&owners->lock);
	return found;
}

static bool has_wanted(struct owners *owners)
{
	bool found;

	pthread_mutex_lock(&owners->lock);
	found = owners->count > 0;
	pthread_mutex_unlock(&owners->lock);
	return found;
}

static bool owners_take(void *data, long status, const char *bytes, size_t len)
{
	struct owners *owners = data;

	if (len <= BODY_BYTES_MAX - owners->body.len)
		buf_append(&owners->body, bytes, len);
	else
		owners->is_too_long = true;
	return !owners->is_too_long && !owners->body.failed;
}

static void post_owner(struct owners *owners, const json_t *pod, const char *uid)
{
	struct state_pod_info *info = pod_json_describe(pod, uid);
	struct meta_update *update = info ? meta_update_create(META_POD_OWNER, uid) : NULL;

	if (update)
		update->pod = info;
	else
		state_pod_info_destroy(info);
	meta_post(owners->client.sink, update);
}

/* The pod of that name may be another one by now. Returns what failed, META_COUNTERS: nothing. */
static enum meta_counter owners_take_answer(struct owners *owners,
					    const struct owner_wanted *wanted, struct error *err)
{
	const char *uid;
	json_t *pod = NULL;

	if (owners->is_too_long || owners->body.failed) {
		error_set(err, -EMSGSIZE, "the metadata of a pod have more than %d bytes",
			  BODY_BYTES_MAX);
		return META_KUBE_TOO_LONG;
	}
	if (json_input_parse(owners->body.data, owners->body.len, JSON_INPUT_VALUES_MAX, "pod",
			     &pod, err))
		return META_KUBE_NONSENSE;
	uid = JSON_INPUT_TEXT(pod, "metadata", "uid");
	if (uid && strcmp(uid, wanted->uid) == 0)
		post_owner(owners, pod, uid);
	else
		meta_count(owners->client.sink, META_KUBE_OWNERS_MISSING, 1);
	json_decref(pod);
	return META_COUNTERS;
}

static void fail(struct owners *owners, enum meta_counter failure, uint32_t retry_after_s,
		 const char *message)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint16_t chance = 0;

	getrandom(&chance, sizeof(chance), GRND_NONBLOCK);
	meta_count(owners->client.sink, failure, 1);
	kube_client_report(&owners->client, failure, message);
	backoff_failed_by(&owners->pace.backoff, &owners_backoff, now_ns, chance);
	owners->pace.backoff.next_ns =
		kube_pace_later(owners->pace.backoff.next_ns, now_ns + retry_after_s * NS_PER_S);
}

static void judge(struct owners *owners, const struct owner_wanted *wanted,
		  const struct reflector_end *end, struct error *err)
{
	enum meta_counter failure = end->failure;

	if (failure == META_COUNTERS && end->status == STATUS_NOT_FOUND) {
		meta_count(owners->client.sink, META_KUBE_OWNERS_MISSING, 1);
		return;
	}
	if (failure == META_COUNTERS && end->status == STATUS_OK) {
		failure = owners_take_answer(owners, wanted, err);
	} else if (failure == META_COUNTERS) {
		error_set(err, -EPROTO, "a pod was asked for: status %ld", end->status);
		failure = kube_phase_failure_of(end->status);
	}
	if (failure == META_COUNTERS)
		backoff_reset(&owners->pace.backoff);
	else
		fail(owners, failure, end->retry_after_s, err->text);
}

static void ask_owner(struct owners *owners, const struct owner_wanted *wanted)
{
	/* Metadata alone, unless the server has no such form. */
	static const char *const headers[] = {
		"Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
		"application/json",
		NULL};
	struct fetch_request request = {
		.headers = headers,
		.timeout_ms = TIMEOUT_MS,
		.take = owners_take,
		.data = owners,
	};
	char path[sizeof("/api/v1/namespaces//pods/") + NS_BYTES + NAME_BYTES];
	struct error err = {0};
	struct reflector_end end;

	snprintf(path, sizeof(path), "/api/v1/namespaces/%s/pods/%s", wanted->ns, wanted->name);
	kube_pace_count(&owners->pace, clock_ns(CLOCK_MONOTONIC));
	meta_count(owners->client.sink, META_KUBE_REQUESTS, 1);
	meta_count(owners->client.sink, META_KUBE_OWNERS, 1);
	owners->is_too_long = false;
	if (kube_client_get(&owners->client, path, &request, &end, &err))
		judge(owners, wanted, &end, &err);
	buf_finish(&owners->body);
}

static void owners_run(struct meta_follower *follower, struct meta_sink *sink)
{
	struct owners *owners = (struct owners *)follower;
	struct owner_wanted wanted;

	owners->client.sink = sink;
	while (!fetch_is_stopped(owners->client.fetch)) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), next = kube_pace_next_ns(&owners->pace);

		if (!has_wanted(owners))
			fetch_wait(owners->client.fetch, IDLE_S * NS_PER_S);
		else if (now < next)
			fetch_wait(owners->client.fetch, next - now);
		else if (take_wanted(owners, &wanted))
			ask_owner(owners, &wanted);
	}
}

static void owners_stop(struct meta_follower *follower)
{
	fetch_stop(((struct owners *)follower)->client.fetch);
}

static void owners_destroy(struct meta_follower *follower)
{
	struct owners *owners = (struct owners *)follower;

	kube_client_finish(&owners->client);
	pthread_mutex_destroy(&owners->lock);
	free(owners);
}

int kube_owners_create(const struct kube_config *config, struct meta_follower **follower,
		       struct error *err)
{
	static const struct meta_follower_ops ops = {owners_run, owners_stop, owners_destroy};
	struct owners *owners = calloc(1, sizeof(*owners));
	int r = owners ? kube_client_init(&owners->client, config, err)
		       : error_set(err, -ENOMEM, "out of memory");

	if (r) {
		free(owners);
		return r;
	}
	owners->follower.ops = &ops;
	pthread_mutex_init(&owners->lock, NULL);
	owners->pace.limits = &owners_limits;
	snprintf(
		owners->client.needs, sizeof(owners->client.needs),
		"; for request.peer.k8s.workload.* the service account needs the verb get of pods");
	*follower = &owners->follower;
	return 0;
}
