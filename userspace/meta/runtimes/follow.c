/* SPDX-License-Identifier: MIT */
/*
 * A session: the stream of events is opened, then all containers are listed, so that none is missed
 * between the two. It ends with the stream.
 */
#include "meta/runtimes/follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/fetch.h"
#include "meta/runtimes/grpc.h"
#include "util/clock.h"

enum {
	NS_PER_MS = 1000000,
	BEGIN_MS = 50, /* a stream of gRPC answers with its first event: it is open by then */
	ANSWER_MS = 5000, /* that long a stream of HTTP/1.1 may take to answer */
	IDLE_LOOK_MS = 60000,
	LASTED_MS = 30000, /* that long, and the end of a stream is no failure of the runtime */
	STATUS_OK = 200,
};

struct follow {
	struct meta_follower follower;
	struct runtime *runtime; /* owned */
	char *used; /* owned */
	struct meta_cache *cache; /* a reference */
	int owner; /* of entries of the cache */
	bool with_env;
	bool reports_absence, reports_stranger; /* not yet done */
	struct fetch *fetch; /* owned */
	struct meta_sink *sink; /* of follow_run() */
	struct backoff backoff, absence;
};

enum session_result {
	SESSION_ENDED, /* the stream, or it could not be read */
	SESSION_NO_EVENTS, /* the runtime has none */
};

struct session {
	struct follow *follow;
	struct runtime_events events;
	struct fetch_request request;
	struct grpc_messages messages; /* owned */
	uint64_t begin_ns;
	bool answered; /* the headers came */
	bool listed;
	bool failed; /* the rest of the stream is of no use */
	int status; /* of gRPC, from the trailers; -1: none */
};

static uint64_t deadline_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC) + (uint64_t)FOLLOW_LOOKUP_MS * NS_PER_MS;
}

/* Keeps a description and pushes it; owns it. */
static void follow_learn(struct follow *follow, const char *id, struct state_container_info *info,
			 int known)
{
	static const enum meta_cache_state states[] = {
		[0] = META_CACHE_WHOLE,
		[META_SOURCE_PART] = META_CACHE_PART,
		[META_SOURCE_SOME] = META_CACHE_SOME,
	};
	struct meta_update *update = meta_update_create(META_CONTAINER, id);

	meta_cache_put(follow->cache, follow->owner, id, info, states[known]);
	meta_count(follow->sink, META_LEFT_OUT, info->texts.left_out);
	if (update) {
		update->info = info;
		update->is_partial = known != 0;
	} else {
		state_container_info_destroy(info);
	}
	meta_post(follow->sink, update);
}

static void take_changed(struct follow *follow, const char *id)
{
	struct state_container_info *info = state_container_info_create();
	int r;

	if (!info)
		return;
	info->wants_env = follow->with_env;
	r = runtime_look_up(follow->runtime, id, deadline_ns(), info, NULL);
	meta_count(follow->sink, META_RUNTIME_LOOKUPS, 1);
	if (r >= 0) {
		follow_learn(follow, id, info, r);
		return;
	}
	state_container_info_destroy(info);
	/* It is gone already, or cannot be described: what was known may be wrong. */
	meta_cache_remove(follow->cache, follow->owner, id, clock_ns(CLOCK_MONOTONIC));
	meta_count(follow->sink, META_RUNTIME_LOOKUPS_FAILED, r != -ENOENT);
}

static void follow_take_removed(struct follow *follow, const char *id)
{
	meta_cache_remove(follow->cache, follow->owner, id, clock_ns(CLOCK_MONOTONIC));
	meta_post(follow->sink, meta_update_create(META_CONTAINER_REMOVED, id));
}

static void follow_take_event(struct follow *follow, const struct runtime_event *event)
{
	if (event->change == RUNTIME_CHANGED)
		take_changed(follow, event->id);
	else if (event->change == RUNTIME_REMOVED)
		follow_take_removed(follow, event->id);
	meta_count(follow->sink, META_RUNTIME_EVENTS, event->change != RUNTIME_NO_CHANGE);
}

static void take_listed(void *data, const char *id, struct state_container_info *info, int known)
{
	follow_learn(data, id, info, known);
}

/* Lists all containers. Returns 0 or -errno. */
static int list_all(struct follow *follow)
{
	const struct runtime_list list = {take_listed, follow, follow->with_env};
	int r;

	meta_cache_begin_list(follow->cache, follow->owner);
	r = runtime_list(follow->runtime, deadline_ns(), &list, NULL);
	meta_cache_end_list(follow->cache, follow->owner);
	meta_count(follow->sink, META_RUNTIME_LISTS, 1);
	return r;
}

static bool follow_take(void *data, long status, const char *bytes, size_t len)
{
	struct session *session = data;

	session->answered = true;
	session->failed = session->failed || status != STATUS_OK ||
			  !grpc_messages_add(&session->messages, bytes, len);
	return !session->failed;
}

static bool follow_take_header(void *data, const char *bytes, size_t len)
{
	static const char name[] = "grpc-status:";
	struct session *session = data;
	size_t name_len = sizeof(name) - 1;
	char text[16];

	session->answered = true;
	if (len <= name_len || strncasecmp(bytes, name, name_len) != 0)
		return true;
	len -= name_len;
	len = len < sizeof(text) - 1 ? len : sizeof(text) - 1;
	memcpy(text, bytes + name_len, len);
	text[len] = '\0';
	session->status = (int)strtoul(text, NULL, 10);
	return true;
}

static void take_messages(struct session *session)
{
	struct runtime_event event;
	const char *message;
	size_t len;

	while (grpc_messages_next(&session->messages, &message, &len)) {
		if (session->events.decode(message, len, &event))
			follow_take_event(session->follow, &event);
		else
			meta_count(session->follow->sink, META_RUNTIME_EVENTS_BAD, 1);
	}
}

/* Whether all containers can be listed now: events from now on will come by the stream. */
static bool follow_is_open(const struct session *session, uint64_t ns)
{
	return session->answered ||
	       (session->messages.is_grpc && ns >= (uint64_t)BEGIN_MS * NS_PER_MS);
}

/* Called between the pieces of the stream. */
static bool follow_waits(void *data)
{
	struct session *session = data;
	uint64_t ns = clock_ns(CLOCK_MONOTONIC) - session->begin_ns;

	if (!session->listed && follow_is_open(session, ns)) {
		session->listed = true;
		session->request.look_ms = IDLE_LOOK_MS;
		session->failed = list_all(session->follow) != 0;
		meta_cache_owner_ready(session->follow->cache, session->follow->owner);
	}
	take_messages(session);
	return !session->failed && (session->listed || ns < (uint64_t)ANSWER_MS * NS_PER_MS);
}

/* Runs the stream to its end. */
static enum session_result run_session(struct session *session)
{
	static const char *const grpc_headers[] = {GRPC_HEADERS, NULL};
	struct follow *follow = session->follow;
	struct iovec body = {session->events.body.data, session->events.body.len};
	bool is_grpc = body.iov_len > 0;
	struct buf url = {0};
	struct fetch_end end;
	int r = -ENOMEM;

	buf_printf(&url, "http://localhost%s", session->events.path);
	buf_append_char(&url, '\0');
	session->messages.is_grpc = is_grpc;
	session->begin_ns = clock_ns(CLOCK_MONOTONIC);
	session->request = (struct fetch_request){
		.url = url.data,
		.socket = runtime_path(follow->runtime),
		.checks_owner = true, /* root */
		.headers = is_grpc ? grpc_headers : NULL,
		.body = is_grpc ? &body : NULL,
		.body_parts = 1,
		.http2 = is_grpc,
		.look_ms = BEGIN_MS,
		.take = follow_take,
		.take_header = follow_take_header,
		.waits = follow_waits,
		.data = session,
	};
	if (!url.failed)
		r = fetch_get(follow->fetch, &session->request, &end, NULL);
	/* What came with the end of the stream. */
	if (r == 0 && !session->failed)
		take_messages(session);
	meta_count(follow->sink, META_RUNTIME_EVENTS_BAD, session->messages.skipped);
	buf_finish(&url);
	if (r == 0 && is_grpc &&
	    (session->status == GRPC_OK || session->status == GRPC_UNIMPLEMENTED))
		return SESSION_NO_EVENTS;
	return SESSION_ENDED;
}

static bool lasted(const struct session *session)
{
	return clock_ns(CLOCK_MONOTONIC) - session->begin_ns >= (uint64_t)LASTED_MS * NS_PER_MS;
}

/* Nobody listens: at a default place that is usual, at one that the user names it may be wrong. */
static void report_absence(struct follow *follow)
{
	struct meta_update *update;

	if (!follow->reports_absence)
		return;
	follow->reports_absence = false;
	update = meta_update_create(META_FAILURE, NULL);
	if (update)
		error_set(&update->err, 0,
			  "--runtime-socket %s: no runtime listens there; one that starts later is "
			  "found",
			  runtime_path(follow->runtime));
	meta_post(follow->sink, update);
}

/* Returns for how long to wait. On most machines most sockets are absent for ever. */
static uint64_t take_absence(struct follow *follow)
{
	static const struct backoff_limits looks = {(uint64_t)FOLLOW_ABSENT_MS * NS_PER_MS,
						    (uint64_t)FOLLOW_ABSENT_MAX_MS * NS_PER_MS, 0};

	report_absence(follow);
	backoff_failed_by(&follow->absence, &looks, 0, 0);
	return follow->absence.next_ns;
}

/* Another user listens: that is never usual. */
static void take_stranger(struct follow *follow, const struct error *err)
{
	struct meta_update *update;

	if (!follow->reports_stranger)
		return;
	follow->reports_stranger = false;
	update = meta_update_create(META_FAILURE, NULL);
	if (update)
		update->err = *err;
	meta_post(follow->sink, update);
}

/* Returns for how long to wait for the next session. */
static uint64_t follow_once(struct follow *follow)
{
	struct session session = {.follow = follow, .status = -1};
	enum session_result result = SESSION_ENDED;
	struct error err = {""};
	int r = runtime_connect(follow->runtime, deadline_ns(), &err);
	uint16_t chance = 0;
	bool followed;

	if (r == 0 && runtime_begin_events(follow->runtime, &session.events) == 0) {
		meta_count(follow->sink, META_RUNTIME_STREAMS, 1);
		result = run_session(&session);
	}
	followed = session.listed && !session.failed;
	/* CRI-O and old versions of containerd: who has no events is listed from time to time. */
	if (result == SESSION_NO_EVENTS && !session.listed)
		followed = list_all(follow) == 0;
	grpc_messages_finish(&session.messages);
	buf_finish(&session.events.body);
	meta_cache_owner_ready(follow->cache, follow->owner);
	/* One that ends each time soon after its begin is not listed every second. */
	if (followed && (result == SESSION_NO_EVENTS || lasted(&session)))
		backoff_reset(&follow->backoff);
	if (followed && result == SESSION_NO_EVENTS)
		return (uint64_t)FOLLOW_POLL_MS * NS_PER_MS;
	/* What is removed or renamed meanwhile does not become known. */
	meta_cache_begin_list(follow->cache, follow->owner);
	meta_cache_end_list(follow->cache, follow->owner);
	runtime_forget(follow->runtime);
	/* To look for it costs a failed call of connect(). */
	if (r == -ECONNREFUSED)
		return take_absence(follow);
	backoff_reset(&follow->absence);
	if (fetch_is_stopped(follow->fetch))
		return 0;
	if (r == -EPERM)
		take_stranger(follow, &err);
	meta_count(follow->sink, META_RUNTIME_STREAMS_LOST, !runtime_is_absent(follow->runtime, r));
	getrandom(&chance, sizeof(chance), GRND_NONBLOCK);
	backoff_failed(&follow->backoff, 0, chance);
	return follow->backoff.next_ns;
}

/*
 * Whether the runtime may be connected to: some are started by that. What a user's says is asked
 * for, container by container: the cache is for those of root.
 */
static bool is_used(const struct follow *follow)
{
	struct stat socket;

	return lstat(runtime_path(follow->runtime), &socket) == 0 && socket.st_uid == 0 &&
	       (!follow->used || eaccess(follow->used, F_OK) == 0);
}

static void follow_run(struct meta_follower *follower, struct meta_sink *sink)
{
	struct follow *follow = (struct follow *)follower;

	follow->sink = sink;
	while (!fetch_is_stopped(follow->fetch)) {
		uint64_t wait_ns;

		if (is_used(follow)) {
			wait_ns = follow_once(follow);
		} else {
			meta_cache_owner_ready(follow->cache, follow->owner);
			wait_ns = take_absence(follow);
		}
		fetch_wait(follow->fetch, wait_ns);
	}
}

static void follow_stop(struct meta_follower *follower)
{
	fetch_stop(((struct follow *)follower)->fetch);
}

static void follow_destroy(struct meta_follower *follower)
{
	struct follow *follow = (struct follow *)follower;

	runtime_close(follow->runtime);
	meta_cache_unref(follow->cache);
	fetch_destroy(follow->fetch);
	free(follow->used);
	free(follow);
}

int follow_create(const struct follow_config *config, struct meta_follower **follower,
		  struct error *err)
{
	static const struct meta_follower_ops ops = {follow_run, follow_stop, follow_destroy};
	struct follow *follow = calloc(1, sizeof(*follow));
	int r;

	if (!follow) {
		runtime_close(config->runtime);
		return error_set(err, -ENOMEM, "out of memory");
	}
	follow->follower.ops = &ops;
	follow->runtime = config->runtime;
	follow->cache = meta_cache_ref(config->cache);
	follow->with_env = config->with_env;
	follow->reports_absence = config->is_named;
	follow->reports_stranger = true;
	follow->used = config->used ? strdup(config->used) : NULL;
	follow->owner = meta_cache_add_owner(follow->cache);
	r = follow->owner < 0 ? follow->owner : fetch_create(&follow->fetch, err);
	if (r == 0 && config->used && !follow->used)
		r = -ENOMEM;
	if (r) {
		follow_destroy(&follow->follower);
		return error_set(err, r, "following a runtime: %s", strerror(-r));
	}
	*follower = &follow->follower;
	return 0;
}
