/* SPDX-License-Identifier: MIT */
/* The follower against a server: what it pushes and counts, and that it ends at once. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fake_server.h"
#include "meta/kube.h"
#include "meta/sink.h"
#include "patience.h"
#include "reflected.h"
#include "unit.h"
#include "util/clock.h"

enum { NS_PER_MS = 1000000 };

struct followed {
	struct meta_follower *follower;
	struct meta_sink *sink;
	pthread_t thread;
};

static void *run(void *context)
{
	struct followed *followed = context;

	followed->follower->ops->run(followed->follower, followed->sink);
	return NULL;
}

static void start(struct followed *followed, const struct kube_config *config)
{
	followed->sink = meta_sink_create();
	assert_non_null(followed->sink);
	assert_int_equal(kube_follower_create(config, KUBE_PODS, &followed->follower, NULL), 0);
	assert_int_equal(pthread_create(&followed->thread, NULL, run, followed), 0);
}

static void stop(struct followed *followed)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

	followed->follower->ops->stop(followed->follower);
	pthread_join(followed->thread, NULL);
	assert_true(clock_ns(CLOCK_MONOTONIC) - start_ns < PATIENCE_NS);
	followed->follower->ops->destroy(followed->follower);
	meta_sink_unref(followed->sink);
}

/* The next update, which must be of that kind. */
static struct meta_update *next(struct followed *followed, enum meta_kind kind)
{
	struct meta_update *update;

	assert_true(meta_sink_wait(followed->sink, PATIENCE_NS));
	update = meta_sink_take(followed->sink);
	assert_non_null(update);
	assert_int_equal(update->kind, kind);
	return update;
}

static struct kube_config config_of(const struct fake_server *server, const char *node)
{
	struct kube_config config = {0};

	snprintf(config.url, sizeof(config.url), "%s", fake_server_url(server));
	snprintf(config.node, sizeof(config.node), "%s", node);
	return config;
}

static void test_pods(void **state)
{
	static const struct fake_response responses[] = {
		{"HTTP/1.1 422 No\r\nContent-Length: 2\r\n\r\n{}", true, 0},
		{FAKE_STREAM(LIST(VERSION("5"), "[" POD("a", "u-a", "3") "]")), false, 0},
		{FAKE_STREAM(EVENT("DELETED", POD("a", "u-a", "6"))), true, 0},
	};
	struct fake_server *server = fake_server_start(responses, 3);
	struct kube_config config = config_of(server, "n1");
	struct meta_update *update;
	struct followed followed;

	start(&followed, &config);
	update = next(&followed, META_POD);
	assert_string_equal(update->id, "u-a");
	assert_string_equal(update->pod->pod.name, "a");
	meta_update_destroy(update);
	update = next(&followed, META_POD_REMOVED);
	assert_string_equal(update->id, "u-a");
	meta_update_destroy(update);
	assert_int_equal(fake_server_requests(server), 3);
	assert_non_null(strstr(fake_server_request(server, 1), "Accept-Encoding: gzip"));
	assert_null(strstr(fake_server_request(server, 2), "Accept-Encoding: gzip"));
	assert_int_equal(meta_sink_counter(followed.sink, META_KUBE_REQUESTS), 3);
	assert_int_equal(meta_sink_counter(followed.sink, META_KUBE_CHANGES), 1);
	assert_int_equal(meta_sink_counter(followed.sink, META_KUBE_PODS), 0);
	/* With an open watch. */
	stop(&followed);
	fake_server_stop(server);
}

static void test_failure_is_reported_once(void **state)
{
	struct kube_config config = {.url = "http://127.0.0.1:1", .node = "n1"};
	struct meta_update *update;
	struct followed followed;

	start(&followed, &config);
	update = next(&followed, META_FAILURE);
	assert_non_null(strstr(update->err.text, "Kubernetes: http://127.0.0.1:1: "));
	meta_update_destroy(update);
	assert_false(meta_sink_wait(followed.sink, UINT64_C(2500000000)));
	assert_in_range(meta_sink_counter(followed.sink, META_KUBE_UNREACHABLE), 2, 5);
	stop(&followed);
}

/* Without a token nothing is sent. */
static void test_no_token(void **state)
{
	static const struct fake_response responses[] = {{"", false, 0}};
	struct fake_server *server = fake_server_start(responses, 1);
	struct kube_config config = {.node = "n1", .token_path = "/no/such/token"};
	struct meta_update *update;
	struct followed followed;

	snprintf(config.url, sizeof(config.url), "https%s",
		 fake_server_url(server) + strlen("http"));
	start(&followed, &config);
	update = next(&followed, META_FAILURE);
	assert_non_null(strstr(update->err.text, "reading the token /no/such/token: No such file"));
	meta_update_destroy(update);
	stop(&followed);
	assert_int_equal(fake_server_connections(server), 0);
	fake_server_stop(server);
}

static void test_kubelet_is_asked_early(void **state)
{
	static const struct fake_response responses[] = {
		{FAKE_STREAM(LIST("", "null")), false, 0},
		{FAKE_STREAM(LIST("", "[" POD("a", "u-a", "3") "]")), false, 0},
	};
	struct fake_server *server = fake_server_start(responses, 2);
	struct kube_config config = config_of(server, "");
	struct followed followed;

	start(&followed, &config);
	for (int i = 0; i < PATIENCE_MS && fake_server_requests(server) == 0; i++)
		assert_false(meta_sink_wait(followed.sink, NS_PER_MS));
	kube_follower_hurry(followed.follower);
	meta_update_destroy(next(&followed, META_POD));
	assert_non_null(strstr(fake_server_request(server, 1), "GET /pods HTTP/1.1"));
	stop(&followed);
	fake_server_stop(server);
}

/* It ends also if it was stopped before it began. */
static void test_stopped_before(void **state)
{
	struct kube_config config = {.url = "http://127.0.0.1:1", .node = "n1"};
	struct meta_follower *follower;

	assert_int_equal(kube_follower_create(&config, KUBE_PODS, &follower, NULL), 0);
	follower->ops->stop(follower);
	follower->ops->run(follower, NULL);
	follower->ops->destroy(follower);
	/* Or never began. */
	assert_int_equal(kube_follower_create(&config, KUBE_PODS, &follower, NULL), 0);
	follower->ops->destroy(follower);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_pods),	       cmocka_unit_test(test_failure_is_reported_once),
	cmocka_unit_test(test_no_token),       cmocka_unit_test(test_kubelet_is_asked_early),
	cmocka_unit_test(test_stopped_before),
};

UNIT_GROUP(tests);
