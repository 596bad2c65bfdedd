/* SPDX-License-Identifier: MIT */
#include "meta/runtimes/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "meta/runtimes/cri.h"
#include "meta/runtimes/docker_api.h"
#include "util/clock.h"

/* Any runtime may need that long for an answer. */
enum { LEAST_NS = 50 * 1000000 };

struct runtime {
	char *path; /* owned */
	struct http *http; /* owned */
	unsigned int may_be;
	enum runtime_api api; /* as it answered; RUNTIME_NONE: not asked yet */
	struct backoff backoff;
	union {
		struct docker_api docker; /* RUNTIME_DOCKER, RUNTIME_PODMAN */
		struct cri cri;
	};
};

int runtime_open(const char *path, unsigned int apis, struct runtime **result, struct error *err)
{
	struct runtime *runtime = calloc(1, sizeof(*runtime));
	int code = -ENOMEM;

	if (!runtime)
		return error_set(err, -ENOMEM, "out of memory");
	runtime->may_be = apis;
	runtime->path = strdup(path);
	if (runtime->path)
		code = http_open(path, &runtime->http, err);
	else
		error_set(err, code, "out of memory");
	if (code) {
		runtime_close(runtime);
		return code;
	}
	*result = runtime;
	return 0;
}

/* Another server may stand behind the socket the next time. */
static void forget(struct runtime *runtime)
{
	if (runtime->api == RUNTIME_DOCKER || runtime->api == RUNTIME_PODMAN)
		docker_api_finish(&runtime->docker);
	runtime->api = RUNTIME_NONE;
}

void runtime_close(struct runtime *runtime)
{
	if (!runtime)
		return;
	forget(runtime);
	http_close(runtime->http);
	free(runtime->path);
	free(runtime);
}

static int try_docker(struct runtime *runtime, uint64_t deadline_ns, struct error *err)
{
	int result =
		docker_api_init(&runtime->docker, runtime->http, runtime->path, deadline_ns, err);

	if (result) {
		docker_api_finish(&runtime->docker);
		return result;
	}
	runtime->api = runtime->docker.is_podman ? RUNTIME_PODMAN : RUNTIME_DOCKER;
	return 0;
}

static int try_cri(struct runtime *runtime, uint64_t deadline_ns, struct error *err)
{
	int result = cri_init(&runtime->cri, runtime->http, runtime->path, deadline_ns, err);

	if (result == 0)
		runtime->api = RUNTIME_CRI;
	return result;
}

/* Finds what the server speaks. A server of another protocol answers nonsense, or hangs up. */
static int recognise(struct runtime *runtime, uint64_t deadline_ns, struct error *err)
{
	static const struct {
		unsigned int apis;
		int (*try)(struct runtime *runtime, uint64_t deadline_ns, struct error *err);
	} tries[] = {
		{RUNTIME_DOCKER | RUNTIME_PODMAN, try_docker},
		{RUNTIME_CRI, try_cri},
	};
	int result = -EPROTO;

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		if ((tries[i].apis & runtime->may_be) == 0)
			continue;
		result = tries[i].try(runtime, deadline_ns, err);
		if (result != -EPROTO)
			break;
	}
	return result;
}

static int describe(struct runtime *runtime, unsigned int apis, const char *id,
		    uint64_t deadline_ns, struct sinsp_container_info *info, struct error *err)
{
	int result = runtime->api ? 0 : recognise(runtime, deadline_ns, err);

	if (result)
		return result;
	if ((runtime->api & apis) == 0)
		return -ENOENT;
	return runtime->api == RUNTIME_CRI
		       ? cri_describe(&runtime->cri, id, deadline_ns, info, err)
		       : docker_api_describe(&runtime->docker, id, deadline_ns, info, err);
}

int runtime_describe(struct runtime *runtime, unsigned int apis, const char *id,
		     uint64_t deadline_ns, struct sinsp_container_info *info, struct error *err)
{
	unsigned int can_be = runtime->api ? runtime->api : runtime->may_be;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint16_t chance = 0;
	int result;

	if ((can_be & apis) == 0 || !backoff_allows(&runtime->backoff, now))
		return -ENOENT;
	/* Another runtime took the time: this one has not failed. */
	if (now + LEAST_NS > deadline_ns)
		return error_set(err, -ETIMEDOUT, "%s: no time left to ask it", runtime->path);
	result = describe(runtime, apis, id, deadline_ns, info, err);
	if (result == 0 || result == -ENOENT) {
		backoff_reset(&runtime->backoff);
		return result;
	}
	forget(runtime);
	getrandom(&chance, sizeof(chance), GRND_NONBLOCK);
	backoff_failed(&runtime->backoff, clock_ns(CLOCK_MONOTONIC), chance);
	/* A runtime that is not there does not know it. */
	return result == -ECONNREFUSED ? -ENOENT : result;
}
