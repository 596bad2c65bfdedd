/* SPDX-License-Identifier: MIT */
/* What is known of the other end of a request. */
#include "sinsp/state/peer.h"

#include <string.h>

#include "contained.h"
#include "sinsp/state/container_state.h"
#include "unit.h"

enum { SELF = 100, OTHER = 7 };

/* A request of the world's process; peer 0: its event says nothing of the other end. */
static void begin_request_with(struct drive *world, uint64_t role, const struct frame_tuple *tuple,
			       int64_t peer)
{
	world_begin(world, EVENT_request, SELF);
	frame_put_i64(&world->frame, request__role, (int64_t)role);
	if (tuple)
		frame_put_tuple(&world->frame, request__tuple, tuple);
	if (peer)
		frame_put_i64(&world->frame, request__peer, peer);
}

static struct state_event *request_with(struct drive *world, uint64_t role,
					const struct frame_tuple *tuple, int64_t peer)
{
	begin_request_with(world, role, tuple, peer);
	return world_end(world);
}

static void test_end(void **state)
{
	static const struct frame_tuple tuple = {"10.0.0.1", "10.0.0.2", 40000, 80};
	struct state_peer peer;

	assert_true(state_peer_of(request_with(*state, request_roles__client, &tuple, 0), &peer));
	assert_int_equal(peer.address_len, 4);
	assert_memory_equal(peer.end.address, "\x0a\0\0\x02", 4);
	assert_int_equal(peer.end.port, 80);
	assert_null(peer.process);
	assert_true(state_peer_of(request_with(*state, request_roles__server, &tuple, 0), &peer));
	assert_memory_equal(peer.end.address, "\x0a\0\0\x01", 4);
	assert_int_equal(peer.end.port, 40000);
	assert_false(state_peer_of(request_with(*state, request_roles__unknown, &tuple, 0), &peer));
	assert_false(state_peer_of(request_with(*state, request_roles__client, NULL, 0), &peer));
}

static void test_ipv6(void **state)
{
	static const struct frame_tuple tuple = {"::1", "2001:db8::2", 40000, 443};
	static const uint8_t expected[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 2};
	struct state_peer peer;

	assert_true(state_peer_of(request_with(*state, request_roles__client, &tuple, 0), &peer));
	assert_int_equal(peer.address_len, 16);
	assert_memory_equal(peer.end.address, expected, 16);
	assert_int_equal(peer.end.port, 443);
}

static void test_process(void **state)
{
	struct world_process process = {.pid = OTHER,
					.comm = "curl",
					.exe = "curl",
					.exepath = "/bin/curl",
					.args = "",
					.cwd = "/"};
	struct state_peer peer;

	world_process(*state, &process);
	assert_true(state_peer_of(request_with(*state, request_roles__server, NULL, OTHER), &peer));
	assert_int_equal(peer.process->pid, OTHER);
	assert_null(peer.container);
	assert_null(peer.pod);
	/* It is not there any more. */
	assert_false(state_peer_of(request_with(*state, request_roles__server, NULL, 8), &peer));
	assert_false(state_peer_of(request_with(*state, request_roles__server, NULL, -1), &peer));
}

static void test_pod(void **state)
{
	struct state_peer peer;

	/* The world's process asks itself. */
	assert_true(state_peer_of(request_with(*state, request_roles__server, NULL, SELF), &peer));
	assert_non_null(peer.container);
	assert_string_equal(peer.container->id, CONTAINER_ID);
	assert_string_equal(peer.pod->workload.name, "web");
	contained_set_group(*state, "/docker/" SANDBOX_ID);
	assert_true(state_peer_of(request_with(*state, request_roles__server, NULL, SELF), &peer));
	assert_string_equal(peer.container->id, SANDBOX_ID);
	assert_null(peer.pod);
}

/* An answer that the world's process got, in the role of a client. */
static void answer_with(struct drive *world, uint64_t role, const char *name, const char *answer)
{
	struct frame *frame;

	world->ts_ns = WORLD_TIME_NS - 1000000;
	frame = drive_begin(world, EVENT_request, SELF);
	frame_put_i64(frame, request__protocol, request_protocols__dns);
	frame_put_i64(frame, request__role, (int64_t)role);
	frame_put_string(frame, request__target, name);
	frame_put_string(frame, request__answer, answer);
	frame_put_i64(frame, request__ttl, 60);
	drive_end(world);
}

static const char *domain_of(struct drive *world, const struct frame_tuple *tuple)
{
	struct state_peer peer;

	request_with(world, request_roles__client, tuple, 0);
	assert_true(state_peer_of(&world->event, &peer));
	return peer.domain;
}

static void test_domain(void **state)
{
	static const struct frame_tuple one = {"10.0.0.1", "10.0.0.2", 40000, 80},
					two = {"::1", "2001:db8::2", 40000, 443};
	struct drive *world = *state;
	struct state_peer peer;

	assert_null(domain_of(world, &one));
	answer_with(world, request_roles__server, "wrong.example.org", "10.0.0.2");
	assert_null(domain_of(world, &one));
	answer_with(world, request_roles__client, "www.example.org",
		    "10.0.0.9 10.0.0.2 2001:db8::2");
	assert_string_equal(domain_of(world, &one), "www.example.org");
	assert_string_equal(domain_of(world, &two), "www.example.org");
	answer_with(world, request_roles__client, "other.example.org",
		    "10.0.0.2000000000000000000000000000000000000000000 x  ::1");
	assert_string_equal(domain_of(world, &one), "www.example.org");
	/* Who is asked has no name by what he was asked for. */
	assert_true(state_peer_of(request_with(world, request_roles__server, &one, 0), &peer));
	assert_null(peer.domain);
	/* A container that did not ask. */
	contained_set_group(world, "/docker/" SANDBOX_ID);
	assert_null(domain_of(world, &one));
	answer_with(world, request_roles__client, "inner", "10.0.0.2");
	assert_string_equal(domain_of(world, &one), "inner");
	contained_set_group(world, "/");
	assert_string_equal(domain_of(world, &one), "www.example.org");
}

static struct state_service_info *slice_of(const char *uid, const char *address, uint16_t port)
{
	struct state_service_info *info = state_service_info_create();
	struct state_place *places = arena_alloc(&info->texts.arena, 2 * sizeof(*places));
	static const struct state_pod pod = {
		.uid = "u-db", .name = "db-0", .ns = "shop", .node = "elsewhere"};

	memcpy(places[0].end.address, address, 4);
	places[0].address_len = 4;
	places[0].pod = &pod;
	places[1] = places[0];
	places[0].end.port = port;
	places[0].l4 = SCAP_L4_TCP;
	info->uid = uid;
	info->name = "db";
	info->ns = "shop";
	info->places = places;
	info->count = 2;
	return info;
}

/* The world's process is in a pod. */
static void test_service(void **state)
{
	static const struct frame_tuple asked = {"10.0.0.1", "10.0.0.2", 40000, 80},
					other = {"10.0.0.1", "10.0.0.2", 40000, 81},
					called = {"10.0.0.2", "10.0.0.1", 40000, 80};
	struct drive *world = *state;
	struct state_peer peer;

	state_describe_service(world->state, slice_of("u", "\x0a\0\0\2", 80));
	assert_true(state_peer_of(request_with(world, request_roles__client, &asked, 0), &peer));
	assert_string_equal(peer.service->name, "db");
	assert_string_equal(peer.pod->name, "db-0");
	/* Another port of the pod is no service. */
	assert_true(state_peer_of(request_with(world, request_roles__client, &other, 0), &peer));
	assert_null(peer.service);
	assert_string_equal(peer.pod->name, "db-0");
	/* It calls. */
	assert_true(state_peer_of(request_with(world, request_roles__server, &called, 0), &peer));
	assert_null(peer.service);
	assert_string_equal(peer.pod->name, "db-0");
	/* A process at the other end is more than an address. */
	assert_true(state_peer_of(request_with(world, request_roles__client, &asked, SELF), &peer));
	assert_string_equal(peer.service->name, "db");
	assert_string_equal(peer.pod->name, "web-5c4f");
	/* Elsewhere the address is another one's. */
	contained_set_group(world, "/");
	assert_true(state_peer_of(request_with(world, request_roles__client, &asked, 0), &peer));
	assert_null(peer.service);
	assert_null(peer.pod);
	contained_set_group(world, "/kubepods/pod00112233445566778899aabbccddeeff/" SANDBOX_ID);
	state_forget_service(world->state, "u");
	assert_true(state_peer_of(request_with(world, request_roles__client, &asked, 0), &peer));
	assert_null(peer.service);
	assert_null(peer.pod);
}

/* The kernel translates the address of a Service to that of a pod. */
static void test_real_end(void **state)
{
	static const struct frame_tuple asked = {"10.0.0.1", "10.96.0.1", 40000, 80};
	static const uint8_t real[] = {2, 10, 0, 0, 2, 80, 0},
			     real6[19] = {10, 0xfd, [17] = 0xbb, 1}, odd[] = {1, 2, 3};
	struct drive *world = *state;
	struct state_peer peer;

	state_describe_service(world->state, slice_of("u", "\x0a\0\0\2", 80));
	assert_true(state_peer_of(request_with(world, request_roles__client, &asked, 0), &peer));
	assert_int_equal(peer.real_len, 0);
	assert_null(peer.pod);
	begin_request_with(world, request_roles__client, &asked, 0);
	frame_put_bytes(&world->frame, request__real, real, sizeof(real));
	assert_true(state_peer_of(world_end(world), &peer));
	assert_int_equal(peer.real_len, 4);
	assert_int_equal(peer.real.port, 80);
	assert_memory_equal(peer.real.address, real + 1, 4);
	assert_memory_equal(peer.end.address, "\x0a\x60\0\1", 4);
	assert_string_equal(peer.pod->name, "db-0");
	/* Nobody listed the address, but what stands behind it is known. */
	assert_string_equal(peer.service->name, "db");
	begin_request_with(world, request_roles__client, &asked, 0);
	frame_put_bytes(&world->frame, request__real, real6, sizeof(real6));
	assert_true(state_peer_of(world_end(world), &peer));
	assert_int_equal(peer.real_len, 16);
	assert_int_equal(peer.real.port, 0x1bb);
	assert_null(peer.pod);
	/* A client that comes from a translated address is a pod of some Service, but none is
	 * asked. */
	begin_request_with(world, request_roles__server, &asked, 0);
	frame_put_bytes(&world->frame, request__real, real, sizeof(real));
	assert_true(state_peer_of(world_end(world), &peer));
	assert_string_equal(peer.pod->name, "db-0");
	assert_null(peer.service);
	begin_request_with(world, request_roles__client, &asked, 0);
	frame_put_bytes(&world->frame, request__real, odd, sizeof(odd));
	assert_true(state_peer_of(world_end(world), &peer));
	assert_int_equal(peer.real_len, 0);
}

/* Of a pod on another node the API says what it is part of, once it was asked. */
static void test_workload(void **state)
{
	static const struct frame_tuple asked = {"10.0.0.1", "10.0.0.2", 40000, 80};
	static const struct state_workload workload = {"StatefulSet", "db", false};
	struct drive *world = *state;
	struct state_peer peer;

	state_describe_service(world->state, slice_of("u", "\x0a\0\0\2", 80));
	state_set_workload(world->state, "u-db", &workload);
	assert_true(state_peer_of(request_with(world, request_roles__client, &asked, 0), &peer));
	assert_null(peer.workload);
	assert_true(state_want_workload(world->state, peer.pod->uid));
	assert_false(state_want_workload(world->state, peer.pod->uid));
	state_set_workload(world->state, "u-db", &workload);
	assert_true(state_peer_of(request_with(world, request_roles__client, &asked, 0), &peer));
	assert_string_equal(peer.workload->kind, "StatefulSet");
	assert_string_equal(peer.workload->name, "db");
	/* That of a process at the other end is known by its own pod. */
	assert_true(state_peer_of(request_with(world, request_roles__client, &asked, SELF), &peer));
	assert_string_equal(peer.workload->name, "web");
}

/* Of events that say where a process is connected to in another way. */
static void test_place(void **state)
{
	const struct state_place place = {
		.end = {.address = {10, 0, 0, 2}, .port = 80}, .address_len = 4, .l4 = SCAP_L4_TCP};
	struct drive *world = *state;
	struct state_peer peer;

	state_describe_service(world->state, slice_of("u", "\x0a\0\0\2", 80));
	answer_with(world, request_roles__client, "db.example.org", "10.0.0.2");
	world_begin(world, EVENT_tcp_connect, SELF);
	state_peer_at(world_end(world), &place, &peer);
	assert_string_equal(peer.service->name, "db");
	assert_string_equal(peer.pod->name, "db-0");
	assert_string_equal(peer.domain, "db.example.org");
	assert_int_equal(peer.end.port, 80);
	assert_null(peer.process);
}

static void test_other_events(void **state)
{
	struct state_peer peer = {.address_len = 4};
	struct drive *world = *state;

	world_begin(world, EVENT_connect, SELF);
	assert_false(state_peer_of(world_end(world), &peer));
	assert_int_equal(peer.address_len, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_end, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_ipv6, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_process, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_pod, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_place, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_domain, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_service, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_workload, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_real_end, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_other_events, world_setup, world_teardown),
};

UNIT_GROUP(tests);
