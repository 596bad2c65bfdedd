/* SPDX-License-Identifier: MIT */
/* The fields of the other end of a request. */
#include "contained.h"
#include "unit.h"

enum { SELF = 100 };

static const struct frame_tuple ends = {"10.0.0.1", "10.0.0.2", 40000, 80};

static void make_request(struct drive *world, uint64_t role, int64_t peer)
{
	world_begin(world, EVENT_request, SELF);
	frame_put_i64(&world->frame, request__role, (int64_t)role);
	frame_put_tuple(&world->frame, request__tuple, &ends);
	if (peer)
		frame_put_i64(&world->frame, request__peer, peer);
	world_end(world);
}

static void test_address_alone(void **state)
{
	make_request(*state, request_roles__client, 0);
	world_expect(*state, "request.peer.ip", "10.0.0.2");
	world_expect(*state, "request.peer.port", "80");
	world_expect(*state, "request.peer.name", "10.0.0.2");
	world_expect_none(*state, "request.peer.proc.name");
	world_expect_none(*state, "request.peer.proc.pid");
	world_expect_none(*state, "request.peer.container.id");
	world_expect_none(*state, "request.peer.k8s.pod.name");
}

static void test_real_address(void **state)
{
	static const uint8_t real[] = {2, 10, 1, 2, 3, 0x90, 0x1f};
	struct drive *world = *state;

	make_request(world, request_roles__client, 0);
	world_expect_none(world, "request.peer.real.ip");
	world_expect_none(world, "request.peer.real.port");
	world_begin(world, EVENT_request, SELF);
	frame_put_i64(&world->frame, request__role, request_roles__client);
	frame_put_tuple(&world->frame, request__tuple, &ends);
	frame_put_bytes(&world->frame, request__real, real, sizeof(real));
	world_end(world);
	world_expect(world, "request.peer.ip", "10.0.0.2");
	world_expect(world, "request.peer.real.ip", "10.1.2.3");
	world_expect(world, "request.peer.real.port", "8080");
}

static void test_process_of_the_host(void **state)
{
	make_request(*state, request_roles__server, SELF);
	world_expect(*state, "request.peer.ip", "10.0.0.1");
	world_expect(*state, "request.peer.name", "cat");
	world_expect(*state, "request.peer.proc.name", "cat");
	world_expect(*state, "request.peer.proc.pid", "100");
	world_expect(*state, "request.peer.container.id", "host");
	world_expect_none(*state, "request.peer.container.name");
	world_expect_none(*state, "request.peer.k8s.ns.name");
}

static void test_pod_of_the_peer(void **state)
{
	static const struct {
		const char *field, *value;
	} cases[] = {
		{"request.peer.name", "web-5c4f"},
		{"request.peer.container.id", "0123456789ab"},
		{"request.peer.container.name", "web"},
		{"request.peer.k8s.pod.name", "web-5c4f"},
		{"request.peer.k8s.ns.name", "shop"},
		{"request.peer.k8s.workload.kind", "Deployment"},
		{"request.peer.k8s.workload.name", "web"},
		{"request.peer.k8s.node.name", "node-1"},
	};

	make_request(*state, request_roles__server, SELF);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		world_expect(*state, cases[i].field, cases[i].value);
}

static void test_other_events(void **state)
{
	world_expect_none(*state, "request.peer.name");
	world_expect_none(*state, "request.peer.ip");
	world_expect_none(*state, "request.peer.port");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_address_alone, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_real_address, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_process_of_the_host, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_pod_of_the_peer, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_other_events, world_setup, world_teardown),
};

UNIT_GROUP(tests);
