/* SPDX-License-Identifier: MIT */
/*
 * The list of sockets, by default places and options, as a source of descriptions and as followers.
 */
#include "meta/runtimes/sockets.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meta/runtimes/follow.h"
#include "meta/runtimes/runtime.h"
#include "util/clock.h"
#include "util/count.h"

enum { NS_PER_MS = 1000000 };

struct sockets_source {
	struct meta_source source;
	struct runtime *runtimes[SOCKETS_MAX]; /* owned */
	size_t count;
	struct meta_cache *cache; /* a reference; NULL: none */
};

/* A socket, and what it may speak. */
struct place {
	const char *path;
	unsigned int apis;
	/*
	 * A file that exists while the runtime runs, or once it was used since the machine started:
	 * to connect would start one that does not run (socket activation), and to follow it would
	 * keep it.
	 */
	const char *used;
	bool is_named; /* by the user; of several for one path, one */
};

/*
 * Below /run, not /var/run: that is a link to an absolute path, which would lead out of the host's
 * root. The sockets of users are not asked: a user could answer for the containers of others.
 */
static const struct place defaults[] = {
	{"/run/docker.sock", RUNTIME_DOCKER, "/run/docker.pid"},
	{"/run/docker.sock", RUNTIME_PODMAN, "/run/libpod/alive"},
	{"/run/podman/podman.sock", RUNTIME_PODMAN, "/run/libpod/alive"},
	{"/run/containerd/containerd.sock", RUNTIME_CRI, NULL},
	{"/run/containerd/containerd.sock", RUNTIME_CONTAINERD, NULL},
	{"/run/k3s/containerd/containerd.sock", RUNTIME_CRI, NULL},
	{"/run/k3s/containerd/containerd.sock", RUNTIME_CONTAINERD, NULL},
	{"/run/crio/crio.sock", RUNTIME_CRI, NULL},
	{"/run/cri-dockerd.sock", RUNTIME_CRI, NULL},
	{"/run/host-containerd/containerd.sock", RUNTIME_CRI, NULL},
	{"/run/host-containerd/containerd.sock", RUNTIME_CONTAINERD, NULL},
};

/* What a socket that the user names may speak: it may be containerd's. */
static const unsigned int apis_of_any[] = {RUNTIME_ONE, RUNTIME_CONTAINERD};

/* Who may know a container of each type; none for the others. */
static const unsigned int apis_of[STATE_CONTAINER_TYPES_COUNT] = {
	[STATE_CONTAINER_DOCKER] = RUNTIME_DOCKER,
	[STATE_CONTAINER_PODMAN] = RUNTIME_PODMAN,
	[STATE_CONTAINER_CONTAINERD] = RUNTIME_CRI | RUNTIME_CONTAINERD,
	[STATE_CONTAINER_CRIO] = RUNTIME_CRI,
	[STATE_CONTAINER_CRI] = RUNTIME_CRI | RUNTIME_CONTAINERD | RUNTIME_DOCKER,
};

/*
 * Whether a runtime may speak of containers of that owner: its socket is the owner's, too. Who
 * listens there is looked at with each connection.
 */
static bool speaks_for(const char *path, uint32_t owner)
{
	struct stat socket;

	return lstat(path, &socket) == 0 && socket.st_uid == owner;
}

/* Asks the runtimes in turn, until one knows all of the container. */
static int sockets_ask(struct sockets_source *source, const struct meta_request *request,
		       uint64_t deadline_ns, struct state_container_info *info, struct error *err)
{
	unsigned int apis = apis_of[request->type];
	int result = -ENOENT;

	for (size_t i = 0; i < source->count; i++) {
		int r = -ENOENT;

		runtime_set_owner(source->runtimes[i], request->owner);
		if (speaks_for(runtime_path(source->runtimes[i]), request->owner))
			r = runtime_describe(source->runtimes[i], apis, request->id, deadline_ns,
					     info, err);
		if (r == 0)
			return 0;
		/* One that failed might know it: that is the answer if no other does. */
		if (r > 0 || (r != -ENOENT && result < 0))
			result = r;
	}
	return result;
}

/* What followers learn meanwhile is enough for containers that files describe, too. */
static int sockets_describe(struct meta_source *base, const struct meta_request *request,
			    struct state_container_info *info, struct error *err)
{
	struct sockets_source *source = (struct sockets_source *)base;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t deadline_ns = now_ns + (uint64_t)SOCKETS_LOOKUP_MS * NS_PER_MS;
	enum meta_cache_state state = META_CACHE_NONE;
	bool uses_cache = source->cache && request->owner == STATE_OWNER_ROOT;
	int r;

	if (uses_cache) {
		/* The rest of the time is for those that can be asked. */
		meta_cache_wait_ready(source->cache, now_ns + (deadline_ns - now_ns) / 2);
		state = meta_cache_find(source->cache, request->id, now_ns, info);
	}
	if (state == META_CACHE_WHOLE || (state == META_CACHE_PART && request->is_part_known))
		return 0;
	if (state == META_CACHE_MISSING)
		return -ENOENT;
	r = sockets_ask(source, request, deadline_ns, info, err);
	if (r == -ENOENT && uses_cache)
		meta_cache_put_missing(source->cache, request->id, now_ns + request->missing_ns);
	return r == -ENOENT && state >= META_CACHE_SOME ? META_SOURCE_SOME : r;
}

static void sockets_destroy(struct meta_source *base)
{
	struct sockets_source *source = (struct sockets_source *)base;

	for (size_t i = 0; i < source->count; i++)
		runtime_close(source->runtimes[i]);
	meta_cache_unref(source->cache);
	free(source);
}

/* Who gets each socket. Returns 0, or -errno with a message. */
typedef int add_place(void *data, const struct place *place, struct error *err);

/* The same with the prefix. */
static int add_below(const char *root, const struct place *place, add_place *add, void *data,
		     struct error *err)
{
	char path[PATH_MAX], used[PATH_MAX];
	struct place below = {path, place->apis, place->used ? used : NULL, place->is_named};

	if (snprintf(path, sizeof(path), "%s%s", root, place->path) >= (int)sizeof(path) ||
	    snprintf(used, sizeof(used), "%s%s", root, place->used ? place->used : "") >=
		    (int)sizeof(used))
		return error_set(err, -ENAMETOOLONG, "%s: the path is too long", place->path);
	return add(data, &below, err);
}

static int each_place(const struct sockets_config *config, add_place *add, void *data,
		      struct error *err)
{
	const char *root = config->host_root ? config->host_root : "";
	int r = 0;

	for (size_t i = 0; r == 0 && i < config->paths_count * COUNT(apis_of_any); i++) {
		unsigned int apis = apis_of_any[i % COUNT(apis_of_any)];
		const struct place place = {config->paths[i / COUNT(apis_of_any)], apis, NULL,
					    apis == RUNTIME_ONE};

		r = add_below(root, &place, add, data, err);
	}
	for (size_t i = 0; r == 0 && !config->without_defaults && i < COUNT(defaults); i++)
		r = add_below(root, &defaults[i], add, data, err);
	return r;
}

static int too_many(const struct place *place, struct error *err)
{
	return error_set(err, -E2BIG, "%s: more than %d sockets of runtimes", place->path,
			 SOCKETS_MAX);
}

static int add_asked(void *data, const struct place *place, struct error *err)
{
	struct sockets_source *source = data;
	int r;

	if (source->count == SOCKETS_MAX)
		return too_many(place, err);
	r = runtime_open(place->path, place->apis, &source->runtimes[source->count], err);
	source->count += r == 0;
	return r;
}

int sockets_source_create(const struct sockets_config *config, struct meta_source **result,
			  struct error *err)
{
	static const struct meta_source_ops ops = {sockets_describe, sockets_destroy};
	struct sockets_source *source = calloc(1, sizeof(*source));
	int r;

	if (!source)
		return error_set(err, -ENOMEM, "out of memory");
	source->source.ops = &ops;
	source->cache = config->cache ? meta_cache_ref(config->cache) : NULL;
	r = each_place(config, add_asked, source, err);
	if (r) {
		sockets_destroy(&source->source);
		return r;
	}
	*result = &source->source;
	return 0;
}

/* A source in front of the sockets. */
struct ahead {
	struct meta_source source;
	struct meta_source *asked; /* owned */
	struct {
		char *path; /* owned */
		unsigned int apis;
	} places[SOCKETS_MAX];
	size_t count;
};

/* Whether a socket is there that may say more of the container. */
static bool may_be_asked(const struct ahead *ahead, const struct meta_request *request)
{
	for (size_t i = 0; i < ahead->count; i++)
		if (ahead->places[i].apis & apis_of[request->type] &&
		    speaks_for(ahead->places[i].path, request->owner))
			return true;
	return false;
}

static int ahead_describe(struct meta_source *base, const struct meta_request *request,
			  struct state_container_info *info, struct error *err)
{
	struct ahead *ahead = (struct ahead *)base;
	int r = ahead->asked->ops->describe(ahead->asked, request, info, err);

	return r > 0 && !may_be_asked(ahead, request) ? 0 : r;
}

static void ahead_destroy(struct meta_source *base)
{
	struct ahead *ahead = (struct ahead *)base;

	meta_source_destroy(ahead->asked);
	for (size_t i = 0; i < ahead->count; i++)
		free(ahead->places[i].path);
	free(ahead);
}

static int add_place_ahead(void *data, const struct place *place, struct error *err)
{
	struct ahead *ahead = data;
	char *path;

	if (ahead->count == SOCKETS_MAX)
		return too_many(place, err);
	path = strdup(place->path);
	if (!path)
		return error_set(err, -ENOMEM, "out of memory");
	ahead->places[ahead->count].path = path;
	ahead->places[ahead->count++].apis = place->apis;
	return 0;
}

int sockets_ahead_create(const struct sockets_config *config, struct meta_source *source,
			 struct meta_source **result, struct error *err)
{
	static const struct meta_source_ops ops = {ahead_describe, ahead_destroy};
	struct ahead *ahead = calloc(1, sizeof(*ahead));
	int r;

	if (!ahead) {
		meta_source_destroy(source);
		return error_set(err, -ENOMEM, "out of memory");
	}
	ahead->source.ops = &ops;
	ahead->asked = source;
	r = each_place(config, add_place_ahead, ahead, err);
	if (r)
		ahead_destroy(&ahead->source);
	else
		*result = &ahead->source;
	return r;
}

struct followers {
	const struct sockets_config *config;
	struct meta_follower **list;
	size_t count;
};

static int add_followed(void *data, const struct place *place, struct error *err)
{
	struct followers *followers = data;
	struct follow_config config = {.used = place->used,
				       .cache = followers->config->cache,
				       .with_env = followers->config->with_env,
				       .is_named = place->is_named};
	int r;

	if (followers->count == SOCKETS_MAX)
		return too_many(place, err);
	r = runtime_open(place->path, place->apis, &config.runtime, err);
	if (r == 0)
		r = follow_create(&config, &followers->list[followers->count], err);
	followers->count += r == 0;
	return r;
}

int sockets_followers_create(const struct sockets_config *config,
			     struct meta_follower *list[SOCKETS_MAX], size_t *count,
			     struct error *err)
{
	struct followers followers = {config, list, 0};
	int r = each_place(config, add_followed, &followers, err);

	while (r && followers.count) {
		followers.count--;
		list[followers.count]->ops->destroy(list[followers.count]);
	}
	*count = followers.count;
	return r;
}

struct survey {
	sockets_seen *seen;
	void *data;
};

/* Returns 0, or -errno if it cannot be asked; `result` as for sockets_survey(). */
static int try_connect(const struct place *place, int *result, struct error *err)
{
	uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)SOCKETS_LOOKUP_MS * NS_PER_MS;
	struct runtime *runtime;
	struct stat socket;
	int r = runtime_open(place->path, place->apis, &runtime, err);

	if (r)
		return r;
	if (lstat(place->path, &socket) == 0)
		runtime_set_owner(runtime, socket.st_uid);
	*result = runtime_connect(runtime, deadline_ns, err);
	runtime_close(runtime);
	return 0;
}

static int survey_place(void *data, const struct place *place, struct error *err)
{
	const struct survey *survey = data;
	struct error failure = {""};
	int result = -EAGAIN, r = 0;

	if (eaccess(place->path, F_OK))
		return 0;
	if (!place->used || eaccess(place->used, F_OK) == 0)
		r = try_connect(place, &result, &failure);
	if (r)
		return error_set(err, r, "%s", failure.text);
	survey->seen(survey->data, place->path, place->apis, result, &failure);
	return 0;
}

int sockets_survey(const struct sockets_config *config, sockets_seen *seen, void *data,
		   struct error *err)
{
	struct survey survey = {seen, data};

	return each_place(config, survey_place, &survey, err);
}
