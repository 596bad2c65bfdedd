/* SPDX-License-Identifier: MIT */
/* The pod of the container. */
#include "sinsp/state/container_state.h"

#include "contained.h"
#include "unit.h"

static void test_pod(void **state)
{
	static const struct {
		const char *field, *value;
	} cases[] = {
		{"k8s.pod.name", "web-5c4f"},
		{"k8s.ns.name", "shop"},
		{"k8s.pod.uid", "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80"},
		{"k8s.pod.id", "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80"},
		{"k8s.pod.sandbox_id", "fedcba987654"},
		{"k8s.pod.full_sandbox_id", SANDBOX_ID},
		{"k8s.pod.label[tier]", "front"},
		{"k8s.pod.labels", "app:web, tier:front"},
		{"k8s.pod.annotation[example.com/team]", "blue"},
		{"k8s.pod.ip", "10.0.0.7"},
		{"k8s.pod.cni.json", "{}"},
		{"k8s.pod.service_account", "default"},
		{"k8s.workload.kind", "Deployment"},
		{"k8s.workload.name", "web"},
		{"k8s.workload.derived", "true"},
		{"k8s.node.name", "node-1"},
		{"k8s.cluster.name", "prod"},
		{"k8s.rs.name", "web-5c4f6"},
		{"k8smeta.rs.name", "web-5c4f6"},
		{"k8smeta.pod.name", "web-5c4f"},
		{"k8smeta.pod.label[app]", "web"},
		{"k8smeta.ns.name", "shop"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		world_expect(*state, cases[i].field, cases[i].value);
}

static void test_without_a_pod(void **state)
{
	struct drive *world = *state;
	struct state_container_info *info = contained_info();

	info->pod = (struct state_pod){0};
	state_container_set_info(&world->state->containers, world_self(world)->cgroups->container,
				 STATE_META_OK, info);
	world_expect_none(world, "k8s.pod.name");
	world_expect_none(world, "k8s.pod.label[app]");
	world_expect_none(world, "k8s.pod.sandbox_id");
	contained_set_group(world, "/");
	world_expect_none(world, "k8s.ns.name");
}

static struct state_pod_info *daemon_pod(void)
{
	struct state_pod_info *info = state_pod_info_create();

	info->pod = (struct state_pod){
		.uid = "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80",
		.name = "log-1",
		.node = "node-1",
		.owner = {.kind = "ReplicationController", .name = "log"},
		.workload = {.kind = "ReplicationController", .name = "log"},
	};
	return info;
}

/* What the API says is newer than what the runtime does. */
static void test_described_by_the_api(void **state)
{
	struct drive *world = *state;

	state_describe_pod(world->state, daemon_pod());
	world_expect(world, "k8s.pod.name", "log-1");
	world_expect(world, "k8s.ns.name", "shop");
	world_expect(world, "k8s.pod.full_sandbox_id", SANDBOX_ID);
	world_expect_none(world, "k8s.pod.labels");
	world_expect(world, "k8s.workload.derived", "false");
	world_expect(world, "k8s.rc.name", "log");
	world_expect(world, "k8smeta.rc.name", "log");
	world_expect_none(world, "k8s.rs.name");
	state_forget_pod(world->state, "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80");
	world_expect(world, "k8s.pod.name", "log-1");
}

/* Nobody has to be asked for them. */
static void test_node_and_cluster(void **state)
{
	struct drive *world = *state;

	world->state->containers.pods.node = "node-2";
	world->state->containers.pods.cluster = "test";
	contained_set_group(world, "/kubepods/pod00112233445566778899aabbccddeeff/" SANDBOX_ID);
	world_expect(world, "k8s.node.name", "node-2");
	world_expect(world, "k8s.cluster.name", "test");
	world_expect_none(world, "k8s.workload.kind");
	world_expect_none(world, "k8s.workload.derived");
	world_expect_none(world, "k8s.rs.name");
	contained_set_group(world, "/docker/" SANDBOX_ID "0");
	world_expect_none(world, "k8s.node.name");
	contained_set_group(world, "/docker/" CONTAINER_ID);
	world_expect_none(world, "k8s.cluster.name");
	contained_set_group(world, "/");
	world_expect_none(world, "k8s.cluster.name");
	world_expect_none(world, "k8s.workload.derived");
}

/* The path of the control groups suffices for the uid. */
static void test_uid_of_the_path(void **state)
{
	contained_set_group(*state, "/kubepods/pod00112233445566778899aabbccddeeff/" SANDBOX_ID);
	world_expect(*state, "k8s.pod.uid", "00112233445566778899aabbccddeeff");
	world_expect(*state, "k8s.pod.id", "00112233445566778899aabbccddeeff");
	world_expect(*state, "k8smeta.pod.uid", "00112233445566778899aabbccddeeff");
	world_expect_none(*state, "k8s.pod.name");
	contained_set_group(*state, "/docker/" CONTAINER_ID);
	world_expect_none(*state, "k8s.pod.uid");
}

/* What is not looked up compiles in filters. */
static void test_deprecated(void **state)
{
	static const char *const fields[] = {
		"k8s.rc.label[app]",	 "k8s.svc.label[app]", "k8s.rs.id",
		"k8s.deployment.labels", "k8s.ns.label[app]",  "k8smeta.deployment.name",
		"k8smeta.svc.labels",
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		world_expect_none(*state, fields[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_pod, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_without_a_pod, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_described_by_the_api, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_node_and_cluster, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_uid_of_the_path, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_deprecated, contained_setup, world_teardown),
};

UNIT_GROUP(tests);
