/* SPDX-License-Identifier: MIT */
/* A follower of a daemon that lists, streams, and then does what it should not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meta/meta.h"
#include "meta/runtimes/cri.pb-c.h"
#include "meta/runtimes/follow.h"
#include "patience.h"
#include "unit.h"
#include "util/clock.h"

#include "fake_runtime.h"
#include "packed.h"

#define S_NS UINT64_C(1000000000)
#define ZEROS "000000000000000000000000000000000000000000000000000000000000000"
#define C1 ZEROS "1"
#define C2 ZEROS "2"
#define C3 ZEROS "3"
#define LIST_PATH "/v1.41/containers/json?all=1"

/* clang-format off */
#define PING {FAKE_JSON, 200, "OK", 0, "/_ping"}
#define EVENTS {FAKE_STREAM, 200, "", 0, "/v1.41/events?"}
#define LIST(text) {FAKE_JSON, 200, text, 0, LIST_PATH " "}
/* What the list has of one container. */
#define CONTAINER(id, name)                                                  \
	{FAKE_JSON, 200, "[{\"Id\": \"" id "\", \"Names\": [\"/" name "\"]}]", 0, \
	 LIST_PATH "&filters=%7B%22id%22:%5B%22" id "%22%5D%7D"}
/* clang-format on */

static struct fake_runtime *server;
static struct meta_cache *cache;
static struct meta *meta;
static bool with_env; /* of the next follower, as those below */
static const char *missing; /* path of a socket that is not there; NULL: the server's */
static bool is_named;
static unsigned int listener; /* the user who runs the server; 0: this one */

static int no_container(struct meta_source *source, const struct meta_request *request,
			struct state_container_info *info, struct error *err)
{
	return -ENOENT;
}

static void free_source(struct meta_source *source)
{
	free(source);
}

static void follow_with(const struct fake_answer *answers, size_t count, const char *used)
{
	static const struct meta_source_ops ops = {no_container, free_source};
	struct meta_source *source = calloc(1, sizeof(*source));
	struct meta_follower *follower;
	struct follow_config config;

	source->ops = &ops;
	server = listener ? fake_runtime_start_as(listener, answers, count)
			  : fake_runtime_start(answers, count);
	cache = meta_cache_create();
	config = (struct follow_config){
		.cache = cache, .used = used, .with_env = with_env, .is_named = is_named};
	assert_int_equal(runtime_open(missing ? missing : fake_runtime_path(server), RUNTIME_ONE,
				      &config.runtime, NULL),
			 0);
	assert_int_equal(follow_create(&config, &follower, NULL), 0);
	assert_int_equal(meta_create(&source, 1, 0, &meta, NULL), 0);
	assert_int_equal(meta_follow(meta, follower, NULL), 0);
}

static struct fake_answer packed; /* an answer that a test made */

static int teardown(void **state)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	meta_destroy(meta);
	/* Whatever the server does. */
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin_ns < PATIENCE_NS);
	fake_runtime_stop(server);
	meta_cache_unref(cache);
	unpack(&packed);
	packed = (struct fake_answer){0};
	missing = NULL;
	is_named = false;
	listener = 0;
	return 0;
}

static void push(const char *action, const char *id)
{
	char text[256];

	snprintf(text, sizeof(text), "{\"Action\": \"%s\", \"Actor\": {\"ID\": \"%s\"}}\n", action,
		 id);
	fake_runtime_push(server, text, strlen(text));
}

static enum meta_cache_state cached(const char *id)
{
	struct state_container_info *info = state_container_info_create();
	enum meta_cache_state state = meta_cache_find(cache, id, clock_ns(CLOCK_MONOTONIC), info);

	state_container_info_destroy(info);
	return state;
}

/* The next update. */
static void expect(enum meta_kind kind, const char *id, const char *name)
{
	struct meta_update *update;

	assert_true(meta_wait(meta, PATIENCE_NS));
	update = meta_take(meta);
	assert_int_equal(update->kind, kind);
	assert_string_equal(update->id, id);
	if (name)
		assert_string_equal(update->info->name, name);
	/* A part is said to be one. */
	if (kind == META_CONTAINER && cached(id) != META_CACHE_NONE)
		assert_int_equal(update->is_partial, cached(id) != META_CACHE_WHOLE);
	meta_update_destroy(update);
}

static uint64_t counted(enum meta_counter counter)
{
	struct meta_stats stats;

	meta_stats(meta, &stats);
	return stats.counts[counter];
}

/* Waits until a counter has a value. */
static void wait_for(enum meta_counter counter, uint64_t value)
{
	assert_true(waited_until(counted(counter) >= value));
	assert_int_equal(counted(counter), value);
}

static const struct fake_answer whole[] = {
	PING,
	EVENTS,
	LIST("[{\"Id\": \"" C1 "\", \"Names\": [\"/web\"]}]"),
	CONTAINER(C1, "renamed"),
	CONTAINER(C2, "two"),
};

enum { WHOLE_COUNT = sizeof(whole) / sizeof(whole[0]) };

static void test_list_then_events(void **state)
{
	follow_with(whole, WHOLE_COUNT, NULL);
	expect(META_CONTAINER, C1, "web");
	assert_int_equal(cached(C1), META_CACHE_PART);
	push("create", C2);
	expect(META_CONTAINER, C2, "two");
	assert_int_equal(cached(C2), META_CACHE_PART);
	push("rename", C1);
	expect(META_CONTAINER, C1, "renamed");
	push("exec_start", C1);
	push("destroy", C2);
	expect(META_CONTAINER_REMOVED, C2, NULL);
	/* For its last events. */
	assert_int_equal(cached(C2), META_CACHE_PART);
	assert_int_equal(counted(META_RUNTIME_STREAMS), 1);
	assert_int_equal(counted(META_RUNTIME_LISTS), 1);
	assert_int_equal(counted(META_RUNTIME_LOOKUPS), 2);
	wait_for(META_RUNTIME_EVENTS, 3);
	assert_int_equal(counted(META_RUNTIME_EVENTS_BAD), 0);
}

/* What CRI says of a container, with its environment. */
static struct fake_answer pack_container(void)
{
	Cri__ContainerStatusResponse answer = CRI__CONTAINER_STATUS_RESPONSE__INIT;
	Cri__ContainerStatus status = CRI__CONTAINER_STATUS__INIT;
	Cri__Text text = CRI__TEXT__INIT;

	status.id = C1;
	text.key = "info";
	text.value = "{\"runtimeSpec\": {\"process\": {\"env\": [\"A=b\"]}}}";
	answer.status = &status;
	answer.info = (Cri__Text *[]){&text};
	answer.n_info = 1;
	return pack(&answer.base);
}

static struct fake_answer pack_list(void)
{
	Cri__ListContainersResponse answer = CRI__LIST_CONTAINERS_RESPONSE__INIT;
	Cri__ContainerMetadata metadata = CRI__CONTAINER_METADATA__INIT;
	Cri__Container container = CRI__CONTAINER__INIT;

	metadata.name = "web";
	container.id = C1;
	container.metadata = &metadata;
	answer.containers = (Cri__Container *[]){&container};
	answer.n_containers = 1;
	return pack(&answer.base);
}

/* What is pushed and kept has the environment only if the follower is to have it. */
static void test_environment(void **state)
{
	/* "containerd" as the name of the runtime; an event: a new container, C1 */
	struct fake_answer answers[] = {{FAKE_BYTES, 0, "not HTTP/1.1", 0},
					{FAKE_GRPC, 0,
					 "\x12\x0a"
					 "containerd",
					 12},
					{FAKE_GRPC_STREAM, 0, "\x0a\x40" C1, 66},
					{FAKE_GRPC, 0, "", 0},
					{FAKE_GRPC, 0, "", 0},
					{0}};
	struct state_container_info *info = state_container_info_create();
	struct meta_update *update;

	with_env = *state;
	answers[5] = packed = pack_container();
	follow_with(answers, sizeof(answers) / sizeof(answers[0]), NULL);
	assert_true(meta_wait(meta, PATIENCE_NS));
	update = meta_take(meta);
	assert_string_equal(update->id, C1);
	assert_int_equal(update->info->env.count, with_env);
	assert_int_equal(meta_cache_find(cache, C1, clock_ns(CLOCK_MONOTONIC), info),
			 META_CACHE_WHOLE);
	assert_int_equal(info->env.count, with_env);
	meta_update_destroy(update);
	state_container_info_destroy(info);
	with_env = false;
}

/* A container that is gone when it is asked for. */
static void test_gone(void **state)
{
	follow_with(whole, WHOLE_COUNT, NULL);
	expect(META_CONTAINER, C1, "web");
	push("create", "none");
	push("create", C2);
	expect(META_CONTAINER, C2, "two");
	assert_int_equal(cached("none"), META_CACHE_NONE);
	assert_int_equal(counted(META_RUNTIME_LOOKUPS), 2);
}

/* It is listed again; what it said before is not believed meanwhile. */
static void test_cut(void **state)
{
	follow_with(whole, WHOLE_COUNT, NULL);
	expect(META_CONTAINER, C1, "web");
	push("create", C2);
	expect(META_CONTAINER, C2, "two");
	fake_runtime_cut(server);
	expect(META_CONTAINER, C1, "web");
	assert_int_equal(cached(C1), META_CACHE_PART);
	assert_int_equal(cached(C2), META_CACHE_NONE);
	assert_int_equal(counted(META_RUNTIME_STREAMS_LOST), 1);
	push("create", C2);
	expect(META_CONTAINER, C2, "two");
}

/* What cannot be understood is counted; the stream goes on. */
static void test_nonsense(void **state)
{
	static const char nonsense[] = "\xff\xfe\n{\n[[[[\n";
	enum { LABELS = 1000000, LABEL_BYTES = 8 };
	char *labels = malloc(LABELS * LABEL_BYTES + 64), *end = labels;
	static char piece[1 << 20];

	follow_with(whole, WHOLE_COUNT, NULL);
	expect(META_CONTAINER, C1, "web");
	fake_runtime_push(server, nonsense, sizeof(nonsense) - 1);
	wait_for(META_RUNTIME_EVENTS_BAD, 3);
	/* A line of 16 MiB, and a million labels. */
	memset(piece, 'x', sizeof(piece));
	for (int i = 0; i < 16; i++)
		fake_runtime_push(server, piece, sizeof(piece));
	fake_runtime_push(server, "\n", 1);
	end += sprintf(end, "{\"Action\": \"create\", \"Actor\": {\"Attributes\": {");
	for (int i = 0; i < LABELS; i++)
		end += sprintf(end, "\"%c\":\"\",", 'a' + i % 26);
	end += sprintf(end - 1, "}}}\n") - 1;
	fake_runtime_push(server, labels, (size_t)(end - labels));
	free(labels);
	push("create", C2);
	expect(META_CONTAINER, C2, "two");
	fake_runtime_cut(server);
	wait_for(META_RUNTIME_EVENTS_BAD, 5);
}

/* One that takes the request for events, and does not answer. */
static void test_hang(void **state)
{
	static const struct fake_answer answers[] = {PING,
						     {FAKE_SILENT, 0, NULL, 0, "/v1.41/events?"}};

	follow_with(answers, 2, NULL);
	wait_for(META_RUNTIME_STREAMS, 1);
}

/* A server that is something else, or rejects the request. */
static void test_rejected(void **state)
{
	static const struct fake_answer answers[] = {
		PING,
		{FAKE_STREAM, 500, "{\"message\": \"no\"}\n", 0, "/v1.41/events?"},
		LIST("[]")};

	follow_with(answers, 3, NULL);
	wait_for(META_RUNTIME_STREAMS_LOST, 1);
	assert_int_equal(counted(META_RUNTIME_LOOKUPS), 0);
	assert_false(meta_is_ready(meta));
}

static void test_list_fails(void **state)
{
	static const struct fake_answer answers[] = {PING, EVENTS, LIST("[")};

	follow_with(answers, 3, NULL);
	wait_for(META_RUNTIME_STREAMS_LOST, 1);
	/* Look-ups do not wait for it any more. */
	meta_cache_wait_ready(cache, UINT64_MAX / 2);
}

/* A user listens on root's socket: he is not listed; it is said. */
static void test_stranger(void **state)
{
	struct meta_update *update;

	if (geteuid() != 0) {
		follow_with(NULL, 0, NULL); /* for the teardown */
		skip();
	}
	listener = 65534;
	follow_with(whole, WHOLE_COUNT, NULL);
	wait_for(META_RUNTIME_STREAMS_LOST, 1);
	update = meta_take(meta);
	assert_int_equal(update->kind, META_FAILURE);
	assert_non_null(strstr(update->err.text, "user 65534 listens there"));
	meta_update_destroy(update);
	assert_null(meta_take(meta));
	assert_int_equal(fake_runtime_requests(server), 0);
	assert_int_equal(cached(C1), META_CACHE_NONE);
}

/* It is left alone until it is used. */
static void test_not_used(void **state)
{
	char used[] = "/tmp/follow-used-XXXXXX";
	int fd = mkstemp(used);

	close(fd);
	unlink(used);
	follow_with(whole, WHOLE_COUNT, used);
	meta_cache_wait_ready(cache, UINT64_MAX / 2);
	usleep(50000);
	assert_int_equal(fake_runtime_requests(server), 0);
	fclose(fopen(used, "w"));
	expect(META_CONTAINER, C1, "web");
	unlink(used);
}

/* It is not listed every second. */
static void test_cut_each_time(void **state)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), took_ns, lists;

	follow_with(whole, WHOLE_COUNT, NULL);
	do {
		while (meta_wait(meta, S_NS / 100))
			meta_update_destroy(meta_take(meta));
		fake_runtime_cut(server);
		lists = counted(META_RUNTIME_LISTS);
		took_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	} while (took_ns < 45 * S_NS / 10 || (lists < 2 && took_ns < PATIENCE_NS));
	assert_true(lists >= 2);
	/* At once, after one second, after two more, and so on. */
	assert_true((UINT64_C(1) << (lists - 1)) - 1 <= took_ns / S_NS + 1);
}

static void test_missing_default(void **state)
{
	missing = "/no/such/socket";
	follow_with(whole, WHOLE_COUNT, NULL);
	meta_cache_wait_ready(cache, UINT64_MAX / 2);
	assert_false(meta_wait(meta, S_NS / 10));
}

static void test_missing_named(void **state)
{
	struct meta_update *update;

	missing = "/no/such/socket";
	is_named = true;
	follow_with(whole, WHOLE_COUNT, NULL);
	assert_true(meta_wait(meta, PATIENCE_NS));
	update = meta_take(meta);
	assert_int_equal(update->kind, META_FAILURE);
	assert_string_equal(update->err.text,
			    "--runtime-socket /no/such/socket: no runtime listens there; one that "
			    "starts later is found");
	meta_update_destroy(update);
	/* Once. */
	assert_false(meta_wait(meta, S_NS * FOLLOW_ABSENT_MS / 1000 * 3 / 2));
}

/* A runtime that starts later, and another time. */
static void test_restart(void **state)
{
	static const struct fake_answer other[] = {
		PING, EVENTS, LIST("[{\"Id\": \"" C3 "\", \"Names\": [\"/later\"]}]")};

	follow_with(whole, WHOLE_COUNT, NULL);
	expect(META_CONTAINER, C1, "web");
	fake_runtime_restart(server, other, 3);
	expect(META_CONTAINER, C3, "later");
	assert_int_equal(cached(C1), META_CACHE_NONE);
	assert_int_equal(cached(C3), META_CACHE_PART);
}

/* CRI-O ends the stream at once, older versions of containerd do not have it: they are listed. */
static void test_no_events(void **state)
{
	int status = *(int *)*state;
	struct fake_answer answers[] = {{FAKE_BYTES, 0, "not HTTP/1.1", 0},
					{FAKE_GRPC, 0,
					 "\x12\x0a"
					 "containerd",
					 12},
					{FAKE_GRPC_ENDED, status, "", 0},
					{FAKE_GRPC, 0, "", 0},
					{0}};

	answers[4] = packed = pack_list();
	follow_with(answers, sizeof(answers) / sizeof(answers[0]), NULL);
	expect(META_CONTAINER, C1, "web");
	assert_int_equal(cached(C1), META_CACHE_PART);
	usleep(100000);
	assert_int_equal(counted(META_RUNTIME_STREAMS), 1);
	assert_int_equal(counted(META_RUNTIME_LISTS), 1);
	assert_int_equal(counted(META_RUNTIME_STREAMS_LOST), 0);
}

static int unimplemented = 12, ok = 0;

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_list_then_events),
	TEST(test_gone),
	TEST(test_cut),
	TEST(test_nonsense),
	TEST(test_hang),
	TEST(test_rejected),
	TEST(test_list_fails),
	TEST(test_stranger),
	TEST(test_not_used),
	TEST(test_cut_each_time),
	TEST(test_missing_default),
	TEST(test_missing_named),
	TEST(test_restart),
	{"test_no_events: ok", test_no_events, NULL, teardown, &ok},
	{"test_no_events: unimplemented", test_no_events, NULL, teardown, &unimplemented},
	TEST(test_environment),
	cmocka_unit_test_prestate_setup_teardown(test_environment, NULL, teardown, &with_env),
};

UNIT_GROUP(tests);
