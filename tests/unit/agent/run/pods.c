/* SPDX-License-Identifier: MIT */
/* Whether pods are followed, as options and environment say; and that they arrive. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/run/containers.h"
#include "fake_server.h"
#include "meta/runtimes/files.h"
#include "reflected.h"
#include "unit.h"

static struct meta *meta;
static struct options options;

static int setup(void **state)
{
	struct meta_source *source = meta_files_create(NULL);

	unsetenv("KUBERNETES_SERVICE_HOST");
	unsetenv("NODE_NAME");
	options = (struct options){0};
	return meta_create(&source, 1, 0, &meta, NULL);
}

static int teardown(void **state)
{
	meta_destroy(meta);
	return 0;
}

static void expect_none(void)
{
	struct meta_follower *follower = (struct meta_follower *)&options;

	assert_int_equal(container_pods_follow(&options, meta, &follower, NULL), 0);
	assert_null(follower);
}

static void test_none(void **state)
{
	expect_none();
	options.kubernetes.api = "none";
	expect_none();
}

/* In a cluster of which something is missing the agent does without. */
static void test_incomplete_cluster(void **state)
{
	setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1", 1);
	options.kubernetes.token_path = "/proc/self/status";
	expect_none();
}

static void test_wrong_options(void **state)
{
	struct meta_follower *follower;
	struct error err;

	options.kubernetes.api = "http://127.0.0.1:1";
	assert_int_equal(container_pods_follow(&options, meta, &follower, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--k8s-node"));
}

static void test_pods(void **state)
{
	static const struct fake_response responses[] = {
		{FAKE_STREAM(EVENT("ADDED", POD("a", "u-a", "3")) LIST_END("4")), true, 0}};
	struct fake_server *server = fake_server_start(responses, 1);
	struct meta_follower *follower;
	struct meta_update *update;

	options.kubernetes.api = fake_server_url(server);
	options.kubernetes.node = "n1";
	assert_int_equal(container_pods_follow(&options, meta, &follower, NULL), 0);
	assert_non_null(follower);
	container_pods_hurry(follower);
	assert_true(meta_wait(meta, UINT64_C(10000000000)));
	update = meta_take(meta);
	assert_non_null(update);
	assert_int_equal(update->kind, META_POD);
	assert_string_equal(update->pod->pod.name, "a");
	meta_update_destroy(update);
	fake_server_stop(server);
}

/* Of an API server alone: a kubelet has none, and of a cluster that lacks something pods tell. */
static void test_services(void **state)
{
	static const char answer[] =
		FAKE_STREAM(EVENT("ADDED", POD("a", "u-a", "3")) LIST_END("4"));
	static const struct fake_response responses[] = {{answer, true, 0}, {answer, true, 0}};
	struct fake_server *server = fake_server_start(responses, 2);
	struct meta_follower *owners = (struct meta_follower *)&options;
	const struct state_pod pod = {.uid = "u-1", .ns = "shop", .name = "db-0"};
	struct meta_update *update;

	options.kubernetes.api = "none";
	assert_int_equal(container_services_follow(&options, meta, &owners, NULL), 0);
	assert_null(owners);
	options.kubernetes.api = fake_server_url(server);
	options.kubernetes.node = "n1";
	options.kubernetes.kubelet = options.kubernetes.api;
	assert_int_equal(container_services_follow(&options, meta, &owners, NULL), 0);
	assert_false(meta_wait(meta, 100000000));
	options.kubernetes.kubelet = NULL;
	assert_int_equal(container_services_follow(&options, meta, &owners, NULL), 0);
	assert_true(meta_wait(meta, UINT64_C(10000000000)));
	update = meta_take(meta);
	assert_non_null(update);
	assert_int_equal(update->kind, META_SERVICE);
	assert_string_equal(update->id, "u-a");
	meta_update_destroy(update);
	/* Pods of other nodes can be asked for. */
	assert_non_null(owners);
	assert_true(container_owners_ask(owners, &pod));
	fake_server_stop(server);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_none, setup, teardown),
	cmocka_unit_test_setup_teardown(test_incomplete_cluster, setup, teardown),
	cmocka_unit_test_setup_teardown(test_wrong_options, setup, teardown),
	cmocka_unit_test_setup_teardown(test_pods, setup, teardown),
	cmocka_unit_test_setup_teardown(test_services, setup, teardown),
};

UNIT_GROUP(tests);
