/* SPDX-License-Identifier: MIT */
/* The source of all sockets: who is asked, and for how long. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meta/runtimes/sockets.h"
#include "fake_runtime.h"
#include "patience.h"
#include "unit.h"
#include "util/clock.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { NS_PER_MS = 1000000 };

static const struct fake_answer known[] = {
	{FAKE_JSON, 200, "OK", 0},
	{FAKE_JSON, 200, "{\"Id\": \"" ID "\", \"Name\": \"/web\"}", 0},
};

static struct meta_source *create(const char *root, const char *const *paths, size_t count)
{
	struct sockets_config config = {root, paths, count, .without_defaults = true};
	struct meta_source *source;

	assert_int_equal(sockets_source_create(&config, &source, NULL), 0);
	return source;
}

static int describe(struct meta_source *source, enum state_container_type type, struct error *err)
{
	struct meta_request request = {.id = ID, .type = type};
	struct state_container_info *info = state_container_info_create();
	int result;

	assert_non_null(info);
	result = source->ops->describe(source, &request, info, err);
	if (result == 0)
		assert_string_equal(info->name, "web");
	state_container_info_destroy(info);
	return result;
}

static void test_below_the_hosts_root(void **state)
{
	static const char *const paths[] = {"/missing", "/socket"};
	struct fake_runtime *server = fake_runtime_start(known, 2);
	char root[64] = "";
	struct meta_source *source;

	memcpy(root, fake_runtime_path(server), strlen(fake_runtime_path(server)) - 7);
	source = create(root, paths, 2);
	assert_int_equal(describe(source, STATE_CONTAINER_LXC, NULL), -ENOENT);
	assert_int_equal(fake_runtime_requests(server), 0);
	assert_int_equal(describe(source, STATE_CONTAINER_DOCKER, NULL), 0);
	source->ops->destroy(source);
	fake_runtime_stop(server);
}

/* How much longer than a look-up may take the first one took, or the second one in all. */
static uint64_t shared_ns(void *unused)
{
	static const struct fake_answer silent = {FAKE_SILENT, 0, NULL, 0};
	struct fake_runtime *servers[] = {fake_runtime_start(&silent, 1),
					  fake_runtime_start(known, 2)};
	const char *paths[] = {fake_runtime_path(servers[0]), fake_runtime_path(servers[1])};
	struct meta_source *source = create(NULL, paths, 2);
	uint64_t start = clock_ns(CLOCK_MONOTONIC), first_ns, second_ns;
	struct error err;

	assert_int_equal(describe(source, STATE_CONTAINER_DOCKER, &err), -ETIMEDOUT);
	first_ns = clock_ns(CLOCK_MONOTONIC) - start - (uint64_t)SOCKETS_LOOKUP_MS * NS_PER_MS;
	start = clock_ns(CLOCK_MONOTONIC);
	assert_int_equal(describe(source, STATE_CONTAINER_DOCKER, NULL), 0);
	second_ns = clock_ns(CLOCK_MONOTONIC) - start;
	source->ops->destroy(source);
	fake_runtime_stop(servers[0]);
	fake_runtime_stop(servers[1]);
	return first_ns > second_ns ? first_ns : second_ns;
}

/* One that hangs takes the time of the others once, not twice; then it is left alone. */
static void test_time_is_shared(void **state)
{
	assert_true(takes_less((uint64_t)1000 * NS_PER_MS, shared_ns, NULL));
}

/* One whose list has not come yet does not take all the time of the others. */
static void test_time_is_left(void **state)
{
	struct fake_runtime *server = fake_runtime_start(known, 2);
	const char *path = fake_runtime_path(server);
	struct meta_cache *cache = meta_cache_create();
	struct sockets_config config = {
		.paths = &path, .paths_count = 1, .without_defaults = true, .cache = cache};
	struct meta_source *source;

	assert_true(meta_cache_add_owner(cache) >= 0);
	assert_int_equal(sockets_source_create(&config, &source, NULL), 0);
	assert_int_equal(describe(source, STATE_CONTAINER_DOCKER, NULL), 0);
	source->ops->destroy(source);
	meta_cache_unref(cache);
	fake_runtime_stop(server);
}

static int describe_a_part(struct meta_source *source, const struct meta_request *request,
			   struct state_container_info *info, struct error *err)
{
	return strcmp(request->id, ID) == 0 ? META_SOURCE_PART : -ENOENT;
}

static void destroy_source(struct meta_source *source)
{
	free(source);
}

/* What files say is all if nobody is there who may say more. */
static void test_ahead(void **state)
{
	static const struct meta_source_ops ops = {describe_a_part, destroy_source};
	struct fake_runtime *server = fake_runtime_start(known, 2);
	const char *path = fake_runtime_path(server);
	struct sockets_config config = {.paths = &path, .paths_count = 1, .without_defaults = true};
	struct meta_request request = {.id = ID, .type = STATE_CONTAINER_DOCKER};
	struct meta_source *source = calloc(1, sizeof(*source)), *ahead;

	source->ops = &ops;
	assert_int_equal(sockets_ahead_create(&config, source, &ahead, NULL), 0);
	assert_int_equal(ahead->ops->describe(ahead, &request, NULL, NULL), META_SOURCE_PART);
	request.id = "unknown";
	assert_int_equal(ahead->ops->describe(ahead, &request, NULL, NULL), -ENOENT);
	request.id = ID;
	request.type = STATE_CONTAINER_LXC;
	assert_int_equal(ahead->ops->describe(ahead, &request, NULL, NULL), 0);
	request.type = STATE_CONTAINER_DOCKER;
	request.owner = 7; /* it is not his socket */
	assert_int_equal(ahead->ops->describe(ahead, &request, NULL, NULL), 0);
	request.owner = STATE_OWNER_ROOT;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(ahead->ops->describe(ahead, &request, NULL, NULL), 0);
	meta_source_destroy(ahead);
	fake_runtime_stop(server);
}

/* Another user than root listens on root's socket: what he says is not believed, of nobody. */
static void test_stranger(void **state)
{
	struct fake_runtime *server;
	const char *path;
	struct meta_source *source;

	if (geteuid() != 0)
		skip();
	server = fake_runtime_start_as(65534, known, 2);
	path = fake_runtime_path(server);
	source = create(NULL, &path, 1);
	assert_int_equal(describe(source, STATE_CONTAINER_DOCKER, NULL), -EPERM);
	assert_int_equal(fake_runtime_requests(server), 0);
	source->ops->destroy(source);
	fake_runtime_stop(server);
}

/* A failure is reported unless another runtime knows the container. */
static void test_failure(void **state)
{
	static const struct fake_answer broken[] = {{FAKE_JSON, 200, "OK", 0},
						    {FAKE_JSON, 200, "[", 0}};
	struct fake_runtime *servers[] = {fake_runtime_start(broken, 2),
					  fake_runtime_start(known, 2),
					  fake_runtime_start(broken, 2)};
	const char *paths[] = {fake_runtime_path(servers[0]), fake_runtime_path(servers[1])};
	const char *broken_path = fake_runtime_path(servers[2]);
	struct meta_source *source = create(NULL, paths, 2);
	struct error err;

	assert_int_equal(describe(source, STATE_CONTAINER_DOCKER, NULL), 0);
	source->ops->destroy(source);
	source = create(NULL, &broken_path, 1);
	assert_int_equal(describe(source, STATE_CONTAINER_DOCKER, &err), -EBADMSG);
	assert_memory_equal(err.text, broken_path, strlen(broken_path));
	source->ops->destroy(source);
	for (size_t i = 0; i < 3; i++)
		fake_runtime_stop(servers[i]);
}

/* Asks with a cache that knows the container. Returns how many requests that took. */
static size_t ask_with(enum meta_cache_state state, bool is_part_known, int expected)
{
	struct fake_runtime *server = fake_runtime_start(known, 2);
	const char *path = fake_runtime_path(server);
	struct meta_cache *cache = meta_cache_create();
	struct sockets_config config = {NULL, &path, 1, .without_defaults = true, .cache = cache};
	struct meta_request request = {
		.id = ID, .type = STATE_CONTAINER_DOCKER, .is_part_known = is_part_known};
	struct state_container_info *info = state_container_info_create();
	int owner = meta_cache_add_owner(cache);
	struct meta_source *source;
	size_t requests;

	meta_cache_owner_ready(cache, owner);
	info->name = "listed";
	if (state >= META_CACHE_SOME)
		meta_cache_put(cache, owner, ID, info, state);
	else if (state == META_CACHE_MISSING)
		meta_cache_put_missing(cache, ID, UINT64_MAX);
	info->name = NULL;
	assert_int_equal(sockets_source_create(&config, &source, NULL), 0);
	assert_int_equal(source->ops->describe(source, &request, info, NULL), expected);
	if (expected == 0)
		assert_non_null(info->name);
	requests = fake_runtime_requests(server);
	source->ops->destroy(source);
	state_container_info_destroy(info);
	meta_cache_unref(cache);
	fake_runtime_stop(server);
	return requests;
}

/* What followers learned is not asked for again. */
static void test_cache(void **state)
{
	assert_int_equal(ask_with(META_CACHE_NONE, false, 0), 2);
	assert_int_equal(ask_with(META_CACHE_WHOLE, false, 0), 0);
	assert_int_equal(ask_with(META_CACHE_PART, true, 0), 0);
	assert_int_equal(ask_with(META_CACHE_PART, false, 0), 2);
	assert_int_equal(ask_with(META_CACHE_SOME, true, 0), 2);
	assert_int_equal(ask_with(META_CACHE_MISSING, false, -ENOENT), 0);
}

/* A runtime that is left alone was not asked: what followers know stays a part. */
static void test_left_alone(void **state)
{
	static const struct fake_answer broken[] = {{FAKE_JSON, 200, "OK", 0},
						    {FAKE_JSON, 200, "[", 0}};
	struct fake_runtime *server = fake_runtime_start(broken, 2);
	const char *path = fake_runtime_path(server);
	struct meta_cache *cache = meta_cache_create();
	struct sockets_config config = {NULL, &path, 1, .without_defaults = true, .cache = cache};
	struct meta_request request = {.id = ID, .type = STATE_CONTAINER_DOCKER};
	struct state_container_info *info = state_container_info_create();
	int owner = meta_cache_add_owner(cache);
	struct meta_source *source;
	struct error err;

	meta_cache_owner_ready(cache, owner);
	info->name = "listed";
	meta_cache_put(cache, owner, ID, info, META_CACHE_SOME);
	info->name = NULL;
	assert_int_equal(sockets_source_create(&config, &source, NULL), 0);
	assert_int_equal(source->ops->describe(source, &request, info, &err), -EBADMSG);
	assert_int_equal(source->ops->describe(source, &request, info, &err), -EAGAIN);
	source->ops->destroy(source);
	state_container_info_destroy(info);
	meta_cache_unref(cache);
	fake_runtime_stop(server);
}

/* A container that nobody knows is not asked for again for a while. */
static void test_missing_once(void **state)
{
	static const struct fake_answer none[] = {{FAKE_JSON, 200, "OK", 0},
						  {FAKE_JSON, 404, "{}", 0}};
	struct fake_runtime *server = fake_runtime_start(none, 2);
	const char *path = fake_runtime_path(server);
	struct meta_cache *cache = meta_cache_create();
	struct sockets_config config = {NULL, &path, 1, .without_defaults = true, .cache = cache};
	struct meta_request request = {
		.id = ID, .type = STATE_CONTAINER_DOCKER, .missing_ns = UINT64_MAX / 2};
	struct state_container_info *info = state_container_info_create();
	struct meta_source *source;

	assert_int_equal(sockets_source_create(&config, &source, NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(source->ops->describe(source, &request, info, NULL), -ENOENT);
	assert_int_equal(fake_runtime_requests(server), 2);
	source->ops->destroy(source);
	state_container_info_destroy(info);
	meta_cache_unref(cache);
	fake_runtime_stop(server);
}

/* One for each socket and interface; they look at it only when they are started. */
static void test_followers(void **state)
{
	static const char *const paths[] = {"/a", "/b"};
	struct meta_cache *cache = meta_cache_create();
	struct sockets_config config = {NULL, paths, 2, .without_defaults = true, .cache = cache};
	struct meta_follower *followers[SOCKETS_MAX];
	size_t count;

	assert_int_equal(sockets_followers_create(&config, followers, &count, NULL), 0);
	assert_int_equal(count, 4);
	while (count) {
		count--;
		followers[count]->ops->destroy(followers[count]);
	}
	meta_cache_unref(cache);
}

static void test_too_many(void **state)
{
	const char *paths[SOCKETS_MAX + 1];
	struct sockets_config config = {.paths = paths, .paths_count = SOCKETS_MAX + 1};
	struct meta_source *source;
	struct error err;

	for (size_t i = 0; i <= SOCKETS_MAX; i++)
		paths[i] = "/a";
	assert_int_equal(sockets_source_create(&config, &source, &err), -E2BIG);
	assert_string_equal(err.text, "/a: more than 64 sockets of runtimes");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_below_the_hosts_root),
	cmocka_unit_test(test_time_is_shared),
	cmocka_unit_test(test_time_is_left),
	cmocka_unit_test(test_ahead),
	cmocka_unit_test(test_stranger),
	cmocka_unit_test(test_failure),
	cmocka_unit_test(test_cache),
	cmocka_unit_test(test_left_alone),
	cmocka_unit_test(test_missing_once),
	cmocka_unit_test(test_followers),
	cmocka_unit_test(test_too_many),
};

UNIT_GROUP(tests);
