/* SPDX-License-Identifier: MIT */
/* Finds out whether a socket speaks the API of Docker, CRI or containerd, and asks it by that. */
#include "meta/runtimes/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "meta/runtimes/containerd.h"
#include "meta/runtimes/cri.h"
#include "meta/runtimes/docker_api.h"
#include "util/clock.h"
#include "util/count.h"

/* Any runtime may need that long for an answer. */
enum { LEAST_NS = 50 * 1000000 };

struct api;

struct runtime {
	char *path; /* owned */
	struct http *http; /* owned */
	unsigned int may_be;
	const struct api *api; /* as it answered; NULL: not asked yet */
	unsigned int speaks; /* the bit of the API */
	struct backoff backoff;
	int left_alone; /* the result of a look-up until it is asked again after a failure */
	union { /* by `api` */
		struct docker_api docker; /* and Podman */
		struct cri cri;
		struct containerd containerd;
	};
};

/* What can be asked of a runtime. Results as in runtime.h; `finish` may be NULL. */
struct api {
	unsigned int apis;
	int (*init)(struct runtime *runtime, uint64_t deadline_ns, struct error *err);
	void (*finish)(struct runtime *runtime);
	int (*describe)(struct runtime *runtime, const char *id, uint64_t deadline_ns,
			struct state_container_info *info, struct error *err);
	/* The same for who follows it, before the container starts: without a wait for that. */
	int (*look_up)(struct runtime *runtime, const char *id, uint64_t deadline_ns,
		       struct state_container_info *info, struct error *err);
	int (*list)(struct runtime *runtime, uint64_t deadline_ns, const struct runtime_list *list,
		    struct error *err);
	int (*begin_events)(const struct runtime *runtime, struct runtime_events *events);
};

int runtime_open(const char *path, unsigned int apis, struct runtime **result, struct error *err)
{
	struct runtime *runtime = calloc(1, sizeof(*runtime));
	int r = -ENOMEM;

	if (!runtime)
		return error_set(err, -ENOMEM, "out of memory");
	runtime->may_be = apis;
	runtime->path = strdup(path);
	if (runtime->path)
		r = http_open(path, &runtime->http, err);
	else
		error_set(err, r, "out of memory");
	if (r) {
		runtime_close(runtime);
		return r;
	}
	runtime_set_owner(runtime, 0);
	*result = runtime;
	return 0;
}

void runtime_forget(struct runtime *runtime)
{
	if (runtime->api && runtime->api->finish)
		runtime->api->finish(runtime);
	runtime->api = NULL;
}

void runtime_close(struct runtime *runtime)
{
	if (!runtime)
		return;
	runtime_forget(runtime);
	http_close(runtime->http);
	free(runtime->path);
	free(runtime);
}

void runtime_set_owner(struct runtime *runtime, uint32_t owner)
{
	http_set_owner(runtime->http, owner);
}

const char *runtime_path(const struct runtime *runtime)
{
	return runtime->path;
}

static void docker_finish(struct runtime *runtime)
{
	docker_api_finish(&runtime->docker);
}

static int docker_init(struct runtime *runtime, uint64_t deadline_ns, struct error *err)
{
	int result =
		docker_api_init(&runtime->docker, runtime->http, runtime->path, deadline_ns, err);

	if (result)
		docker_finish(runtime);
	else
		runtime->speaks = runtime->docker.is_podman ? RUNTIME_PODMAN : RUNTIME_DOCKER;
	return result;
}

static int docker_describe(struct runtime *runtime, const char *id, uint64_t deadline_ns,
			   struct state_container_info *info, struct error *err)
{
	return docker_api_describe(&runtime->docker, id, deadline_ns, info, err);
}

static int docker_look_up(struct runtime *runtime, const char *id, uint64_t deadline_ns,
			  struct state_container_info *info, struct error *err)
{
	return docker_events_look_up(&runtime->docker, id, deadline_ns, info, err);
}

static int docker_list(struct runtime *runtime, uint64_t deadline_ns,
		       const struct runtime_list *list, struct error *err)
{
	return docker_events_list(&runtime->docker, deadline_ns, list, err);
}

static int docker_begin_events(const struct runtime *runtime, struct runtime_events *events)
{
	return docker_events_begin(&runtime->docker, events);
}

static int of_cri_init(struct runtime *runtime, uint64_t deadline_ns, struct error *err)
{
	return cri_init(&runtime->cri, runtime->http, runtime->path, deadline_ns, err);
}

static int of_cri_describe(struct runtime *runtime, const char *id, uint64_t deadline_ns,
			   struct state_container_info *info, struct error *err)
{
	return cri_describe(&runtime->cri, id, deadline_ns, info, err);
}

static int of_cri_list(struct runtime *runtime, uint64_t deadline_ns,
		       const struct runtime_list *list, struct error *err)
{
	return cri_events_list(&runtime->cri, deadline_ns, list, err);
}

static int of_cri_begin_events(const struct runtime *runtime, struct runtime_events *events)
{
	return cri_events_begin(events);
}

static int of_containerd_init(struct runtime *runtime, uint64_t deadline_ns, struct error *err)
{
	return containerd_init(&runtime->containerd, runtime->http, runtime->path, deadline_ns,
			       err);
}

static int of_containerd_describe(struct runtime *runtime, const char *id, uint64_t deadline_ns,
				  struct state_container_info *info, struct error *err)
{
	return containerd_describe(&runtime->containerd, id, deadline_ns, info, err);
}

static int of_containerd_list(struct runtime *runtime, uint64_t deadline_ns,
			      const struct runtime_list *list, struct error *err)
{
	return containerd_list(&runtime->containerd, deadline_ns, list, err);
}

static int of_containerd_begin_events(const struct runtime *runtime, struct runtime_events *events)
{
	return containerd_begin_events(events);
}

static const struct api api_table[] = {
	{RUNTIME_DOCKER | RUNTIME_PODMAN, docker_init, docker_finish, docker_describe,
	 docker_look_up, docker_list, docker_begin_events},
	{RUNTIME_CRI, of_cri_init, NULL, of_cri_describe, of_cri_describe, of_cri_list,
	 of_cri_begin_events},
	{RUNTIME_CONTAINERD, of_containerd_init, NULL, of_containerd_describe,
	 of_containerd_describe, of_containerd_list, of_containerd_begin_events},
};

/* A server of another protocol answers nonsense, or hangs up. */
int runtime_connect(struct runtime *runtime, uint64_t deadline_ns, struct error *err)
{
	int result = runtime->api ? 0 : -EPROTO;

	for (size_t i = 0; result == -EPROTO && i < COUNT(api_table); i++) {
		if ((api_table[i].apis & runtime->may_be) == 0)
			continue;
		runtime->speaks = api_table[i].apis;
		result = api_table[i].init(runtime, deadline_ns, err);
		if (result == 0)
			runtime->api = &api_table[i];
	}
	if (result || (runtime->speaks & runtime->may_be))
		return result;
	runtime_forget(runtime);
	return error_set(err, -EOPNOTSUPP, "%s: another runtime than was expected", runtime->path);
}

int runtime_begin_events(const struct runtime *runtime, struct runtime_events *events)
{
	return runtime->api->begin_events(runtime, events);
}

int runtime_list(struct runtime *runtime, uint64_t deadline_ns, const struct runtime_list *list,
		 struct error *err)
{
	return runtime->api->list(runtime, deadline_ns, list, err);
}

int runtime_look_up(struct runtime *runtime, const char *id, uint64_t deadline_ns,
		    struct state_container_info *info, struct error *err)
{
	return runtime->api->look_up(runtime, id, deadline_ns, info, err);
}

/* What the runtime speaks, as far as that is known. */
static unsigned int apis_of(const struct runtime *runtime)
{
	return runtime->api ? runtime->speaks : runtime->may_be;
}

bool runtime_is_absent(const struct runtime *runtime, int result)
{
	return result == -ECONNREFUSED || result == -EOPNOTSUPP ||
	       (result == -EPROTO && runtime->may_be == RUNTIME_CONTAINERD);
}

static int describe(struct runtime *runtime, unsigned int apis, const char *id,
		    uint64_t deadline_ns, struct state_container_info *info, struct error *err)
{
	int result = runtime_connect(runtime, deadline_ns, err);

	if (result)
		return result;
	if ((apis_of(runtime) & apis) == 0)
		return -ENOENT;
	return runtime->api->describe(runtime, id, deadline_ns, info, err);
}

int runtime_describe(struct runtime *runtime, unsigned int apis, const char *id,
		     uint64_t deadline_ns, struct state_container_info *info, struct error *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct error failure = {.text = ""};
	uint16_t chance = 0;
	int result;

	if ((apis_of(runtime) & apis) == 0)
		return -ENOENT;
	if (!backoff_allows(&runtime->backoff, now))
		return runtime->left_alone;
	/* Another runtime took the time: this one has not failed. */
	if (now + LEAST_NS > deadline_ns)
		return error_set(err, -ETIMEDOUT, "%s: no time left to ask it", runtime->path);
	result = describe(runtime, apis, id, deadline_ns, info, &failure);
	if (result >= 0 || result == -ENOENT) {
		backoff_reset(&runtime->backoff);
		return result;
	}
	runtime_forget(runtime);
	getrandom(&chance, sizeof(chance), GRND_NONBLOCK);
	backoff_failed(&runtime->backoff, clock_ns(CLOCK_MONOTONIC), chance);
	runtime->left_alone = result == -EPERM ? -EPERM : -EAGAIN;
	if (runtime_is_absent(runtime, result))
		return runtime->left_alone = -ENOENT;
	return error_set(err, result, "%s", failure.text);
}
