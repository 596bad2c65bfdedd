/* SPDX-License-Identifier: MIT */
/* Labels of who asks and who answers: containers, pods and workloads, and how they change. */
#include "unit.h"
#include "requests/metrics/request_metrics.h"

#include <stdlib.h>
#include <string.h>

#include "contained.h"
#include "sinsp/state/container_state.h"

enum { SELF = 100 };

/* What contained.h has, and the same with Kindling's names. */
#define NAMESPACE "shop"
#define POD                                                                                        \
	"k8s_namespace_name=\"shop\",k8s_workload_kind=\"Deployment\",k8s_workload_name=\"web\","  \
	"k8s_pod_name=\"web-5c4f\",container_name=\"web\""
#define KD(end)                                                                                    \
	end "namespace=\"shop\"," end "workload_kind=\"Deployment\"," end                          \
	    "workload_name=\"web\"," end "node=\"node-1\"," end "pod=\"web-5c4f\"," end            \
	    "container=\"web\"," end "container_id=\"0123456789ab\""

/* Takes a request of the world's process; peer: the process at the other end, or 0. */
static void ask(struct drive *world, struct request_metrics *metrics, uint8_t role, int64_t peer)
{
	static const struct frame_tuple tuple = {"10.0.0.1", "10.0.0.2", 40000, 80};
	struct frame *frame = &world->frame;

	world_begin(world, EVENT_request, SELF);
	frame_put_i64(frame, request__protocol, request_protocols__redis);
	frame_put_i64(frame, request__role, role);
	frame_put_string(frame, request__method, "GET");
	frame_put_tuple(frame, request__tuple, &tuple);
	if (peer)
		frame_put_i64(frame, request__peer, peer);
	request_metrics_take(metrics, world_end(world));
}

static void ask_self(struct drive *world, struct request_metrics *metrics, uint8_t role)
{
	ask(world, metrics, role, SELF);
}

static void expect_shown(const struct request_metrics *metrics, const char *line)
{
	struct buf out = {0};
	struct exposition exposition = {.out = &out};

	request_metrics_append(metrics, &exposition);
	buf_append_char(&out, '\0');
	if (!strstr(out.data, line))
		fail_msg("no %s in\n%s", line, out.data);
	buf_finish(&out);
}

static void names_the_process(void **state)
{
	struct request_metrics *metrics;

	assert_int_equal(request_metrics_create(KINDS_OTEL, METRICS_OF_REQUESTS, 10, &metrics), 0);
	ask_self(*state, metrics, request_roles__server);
	expect_shown(metrics, "db_server_operation_duration_seconds_count{db_system_name=\"redis\","
			      "db_operation_name=\"GET\",server_port=\"80\"," POD "} 1\n");
	ask_self(*state, metrics, request_roles__client);
	ask_self(*state, metrics, request_roles__client);
	expect_shown(metrics,
		     "db_client_operation_duration_seconds_count{db_system_name=\"redis\","
		     "db_operation_name=\"GET\",server_address=\"10.0.0.2\",server_port=\"80\","
		     "service_peer_namespace=\"" NAMESPACE "\",service_peer_name=\"web\"," POD
		     "} 2\n");
	/* In another container it is another one, though all else is the same. */
	contained_set_group(*state, "/docker/" SANDBOX_ID);
	ask_self(*state, metrics, request_roles__client);
	expect_shown(metrics, "server_port=\"80\",service_peer_name=\"fedcba987654\","
			      "container_name=\"fedcba987654\"} 1\n");
	request_metrics_destroy(metrics);
}

/* The name by which the process found an address, from then on. */
static void names_servers_by_dns(void **state)
{
	struct drive *world = *state;
	struct request_metrics *metrics;
	struct frame *frame;

	assert_int_equal(request_metrics_create(KINDS_OTEL, METRICS_OF_REQUESTS, 10, &metrics), 0);
	ask_self(world, metrics, request_roles__client);
	expect_shown(metrics, "server_address=\"10.0.0.2\",server_port=\"80\"");
	world->ts_ns = WORLD_TIME_NS - 1000000;
	frame = drive_begin(world, EVENT_request, SELF);
	frame_put_i64(frame, request__protocol, request_protocols__dns);
	frame_put_i64(frame, request__role, request_roles__client);
	frame_put_string(frame, request__target, "cache.example.org");
	frame_put_string(frame, request__answer, "10.0.0.2");
	frame_put_i64(frame, request__ttl, 60);
	drive_end(world);
	ask_self(world, metrics, request_roles__client);
	expect_shown(metrics, "server_address=\"cache.example.org\",server_port=\"80\"");
	request_metrics_destroy(metrics);
}

/* What the API says is at an address and port, in a pod on another node. */
static void describe_service(struct drive *world)
{
	static struct state_pod pod = {
		.name = "db-0", .ns = "data", .node = "node-2", .workload = {"StatefulSet", "db"}};
	struct state_service_info *info = state_service_info_create();
	static struct state_place place = {
		.end = {.address = {10, 0, 0, 2}, .port = 80}, .address_len = 4, .l4 = SCAP_L4_TCP};

	assert_non_null(info);
	place.pod = &pod;
	info->uid = "u";
	info->name = "db-headless";
	info->ns = "data";
	info->places = &place;
	info->count = 1;
	state_describe_service(world->state, info);
}

/* Nothing of another node is in the tables, but for what the API says. */
static void names_services_of_other_nodes(void **state)
{
	struct drive *world = *state;
	struct request_metrics *otel, *kindling;

	assert_int_equal(request_metrics_create(KINDS_OTEL, METRICS_OF_REQUESTS, 10, &otel), 0);
	assert_int_equal(request_metrics_create(KINDS_KINDLING, METRICS_OF_REQUESTS, 10, &kindling),
			 0);
	ask(world, otel, request_roles__client, 0);
	describe_service(world);
	ask(world, otel, request_roles__client, 0);
	ask(world, kindling, request_roles__client, 0);
	expect_shown(otel, "server_port=\"80\",k8s_namespace_name=\"shop\"");
	expect_shown(otel, "server_port=\"80\",service_peer_namespace=\"data\","
			   "service_peer_name=\"db\",k8s_namespace_name=\"shop\"");
	expect_shown(kindling, "dst_namespace=\"data\",dst_workload_kind=\"StatefulSet\","
			       "dst_workload_name=\"db\",dst_service=\"db-headless\",dst_node="
			       "\"node-2\",dst_pod=\"db-0\",dst_ip=\"10.0.0.2\"");
	request_metrics_destroy(otel);
	request_metrics_destroy(kindling);
}

static void names_both_ends_as_kindling(void **state)
{
	struct request_metrics *metrics;

	assert_int_equal(request_metrics_create(KINDS_KINDLING, METRICS_OF_REQUESTS, 10, &metrics),
			 0);
	ask_self(*state, metrics, request_roles__server);
	expect_shown(metrics, "kindling_entity_request_receive_bytes_total{" KD(
				      "") ",ip=\"10.0.0.2\","
					  "port=\"80\",protocol=\"redis\",request_content=\"GET\","
					  "response_content=\"noerror\"} 0\n");
	ask_self(*state, metrics, request_roles__client);
	expect_shown(metrics,
		     "kindling_topology_request_total{" KD("src_") ",src_ip=\"10.0.0.1\"," KD(
			     "dst_") ",dst_ip=\"10.0.0.2\",dst_port=\"80\","
				     "protocol=\"redis\",status_code=\"0\","
				     "is_slow=\"false\"} 1\n");
	request_metrics_destroy(metrics);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(names_the_process, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(names_services_of_other_nodes, contained_setup,
					world_teardown),
	cmocka_unit_test_setup_teardown(names_servers_by_dns, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(names_both_ends_as_kindling, contained_setup,
					world_teardown),
};

UNIT_GROUP(tests);
