/* SPDX-License-Identifier: MIT */
/* tcp.*: the ends, states, errors and measurements of sockets. */
#include <errno.h>

#include "unit.h"
#include "world.h"

static void begin(struct drive *world, uint16_t id)
{
	world_begin(world, id, 100);
}

static void connect_to(struct drive *world, int64_t res, const struct frame_tuple *ends)
{
	begin(world, EVENT_tcp_connect);
	frame_put_i64(&world->frame, tcp_connect__res, res);
	frame_put_i64(&world->frame, tcp_connect__netns, 4026531840);
	frame_put_i64(&world->frame, tcp_connect__ino, 777);
	frame_put_i64(&world->frame, tcp_connect__role, 1);
	frame_put_i64(&world->frame, tcp_connect__time, 1250000);
	frame_put_i64(&world->frame, tcp_connect__retransmits, 2);
	frame_put_tuple(&world->frame, tcp_connect__tuple, ends);
	world_end(world);
}

static void expect_ends(struct drive *world, const char *local, const char *remote)
{
	world_expect(world, "tcp.local.ip", local);
	world_expect(world, "tcp.remote.ip", remote);
	world_expect(world, "tcp.local.port", "40000");
	world_expect(world, "tcp.remote.port", "443");
}

static void test_ends(void **state)
{
	struct drive *world = *state;

	connect_to(world, 0, &(struct frame_tuple){"10.0.0.1", "10.0.0.2", 40000, 443});
	expect_ends(world, "10.0.0.1", "10.0.0.2");
	connect_to(world, 0, &(struct frame_tuple){"fe80::1", "::1", 40000, 443});
	expect_ends(world, "fe80::1", "::1");
	/* A socket of IPv6 that is connected by IPv4. */
	connect_to(world, 0,
		   &(struct frame_tuple){"::ffff:10.0.0.1", "::ffff:10.0.0.2", 40000, 443});
	expect_ends(world, "10.0.0.1", "10.0.0.2");
	/* One that has no port yet. */
	connect_to(world, 0, &(struct frame_tuple){"0.0.0.0", "10.0.0.2", 0, 443});
	world_expect_none(world, "tcp.local.port");
	world_expect(world, "tcp.remote.port", "443");
}

/* What no driver writes. */
static void test_ends_cut(void **state)
{
	struct drive *world = *state;
	const uint8_t cut[] = {2, 127, 0, 0, 1, 0, 80, 127};

	begin(world, EVENT_tcp_connect);
	frame_put_bytes(&world->frame, tcp_connect__tuple, cut, sizeof(cut));
	world_end(world);
	world_expect_none(world, "tcp.local.ip");
	world_expect_none(world, "tcp.local.port");
	world_expect_none(world, "tcp.remote.ip");
	world_expect_none(world, "tcp.remote.port");
}

static void test_connect(void **state)
{
	struct drive *world = *state;
	const struct frame_tuple ends = {"10.0.0.1", "10.0.0.2", 40000, 443};

	connect_to(world, 0, &ends);
	world_expect_none(world, "tcp.error");
	world_expect(world, "tcp.role", "client");
	world_expect(world, "tcp.time", "1250000");
	world_expect(world, "tcp.time.human", "1.25ms");
	world_expect(world, "tcp.retransmits", "2");
	world_expect_json(world, "tcp.netns", "{\"tcp.netns\":4026531840}");
	world_expect(world, "tcp.inode", "777");
	world_expect_none(world, "tcp.state");
	world_expect_none(world, "tcp.srtt");
	connect_to(world, -ECONNREFUSED, &ends);
	world_expect(world, "tcp.error", "ECONNREFUSED");
}

static void test_state(void **state)
{
	struct drive *world = *state;

	begin(world, EVENT_tcp_state);
	frame_put_i64(&world->frame, tcp_state__role, 2);
	frame_put_i64(&world->frame, tcp_state__old_state, 1);
	frame_put_i64(&world->frame, tcp_state__state, 8);
	world_end(world);
	world_expect(world, "tcp.role", "server");
	world_expect(world, "tcp.old_state", "ESTABLISHED");
	world_expect(world, "tcp.state", "CLOSE_WAIT");
	world_expect_none(world, "tcp.inode");
	begin(world, EVENT_tcp_state);
	frame_put_i64(&world->frame, tcp_state__state, 99);
	world_end(world);
	world_expect_none(world, "tcp.state");
}

static void test_measured(void **state)
{
	static const struct {
		unsigned int param;
		int64_t value;
		const char *field, *text;
	} rows[] = {
		{tcp_close__srtt, 29, "tcp.srtt", "29000"},
		{tcp_close__rttvar, 16, "tcp.rttvar", "16000"},
		{tcp_close__min_rtt, 4294967294, "tcp.min_rtt", "4294967294000"},
		{tcp_close__cwnd, 10, "tcp.cwnd", "10"},
		{tcp_close__ssthresh, 11, "tcp.ssthresh", "11"},
		{tcp_close__mss, 1448, "tcp.mss", "1448"},
		{tcp_close__bytes_sent, 5000000000, "tcp.bytes.sent", "5000000000"},
		{tcp_close__bytes_acked, 2, "tcp.bytes.acked", "2"},
		{tcp_close__bytes_received, 3, "tcp.bytes.received", "3"},
		{tcp_close__bytes_retransmitted, 4, "tcp.bytes.retransmitted", "4"},
		{tcp_close__segments_sent, 5, "tcp.segments.sent", "5"},
		{tcp_close__segments_received, 6, "tcp.segments.received", "6"},
		{tcp_close__data_segments_sent, 7, "tcp.segments.sent_data", "7"},
		{tcp_close__data_segments_received, 8, "tcp.segments.received_data", "8"},
		{tcp_close__retransmits, 9, "tcp.retransmits", "9"},
		{tcp_close__lost, 12, "tcp.lost", "12"},
		{tcp_close__reordering, 13, "tcp.reordering", "13"},
		{tcp_close__reorderings, 14, "tcp.reorderings", "14"},
		{tcp_close__duplicates, 15, "tcp.duplicates", "15"},
	};
	struct drive *world = *state;

	begin(world, EVENT_tcp_close);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		frame_put_i64(&world->frame, rows[i].param, rows[i].value);
	world_end(world);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		world_expect(world, rows[i].field, rows[i].text);
	world_expect_none(world, "tcp.error");
}

static void test_sampled(void **state)
{
	struct drive *world = *state;

	begin(world, EVENT_tcp_sample);
	frame_put_i64(&world->frame, tcp_sample__state, 1);
	frame_put_i64(&world->frame, tcp_sample__cwnd, 10);
	frame_put_i64(&world->frame, tcp_sample__unacked, 7);
	frame_put_i64(&world->frame, tcp_sample__send_queue, 1000);
	frame_put_i64(&world->frame, tcp_sample__receive_queue, 20);
	world_end(world);
	world_expect(world, "tcp.state", "ESTABLISHED");
	world_expect(world, "tcp.cwnd", "10");
	world_expect(world, "tcp.unacked", "7");
	world_expect(world, "tcp.queue.send", "1000");
	world_expect(world, "tcp.queue.receive", "20");
	world_expect_none(world, "tcp.error");
}

static void test_reasons(void **state)
{
	struct drive *world = *state;

	begin(world, EVENT_tcp_retransmit);
	frame_put_i64(&world->frame, tcp_retransmit__segments, 3);
	frame_put_i64(&world->frame, tcp_retransmit__bytes, 4344);
	frame_put_i64(&world->frame, tcp_retransmit__reason, 2);
	world_end(world);
	world_expect(world, "tcp.reason", "fast");
	world_expect(world, "tcp.segments", "3");
	world_expect(world, "tcp.bytes", "4344");
	begin(world, EVENT_tcp_reset_sent);
	frame_put_string(&world->frame, tcp_reset_sent__reason, "NO_SOCKET");
	world_end(world);
	world_expect(world, "tcp.reason", "NO_SOCKET");
	begin(world, EVENT_tcp_reset_sent);
	world_end(world);
	world_expect_none(world, "tcp.reason");
	begin(world, EVENT_skb_drop);
	frame_put_string(&world->frame, skb_drop__reason, "UDP_CSUM");
	frame_put_i64(&world->frame, skb_drop__protocol, 17);
	world_end(world);
	world_expect(world, "tcp.reason", "UDP_CSUM");
	world_expect(world, "tcp.protocol", "udp");
	begin(world, EVENT_listen_overflow);
	frame_put_i64(&world->frame, listen_overflow__waiting, 129);
	frame_put_i64(&world->frame, listen_overflow__limit, 128);
	world_end(world);
	world_expect(world, "tcp.waiting", "129");
	world_expect(world, "tcp.waiting.limit", "128");
}

/* A request has a role and a tuple, too; and of a socket the process may be unknown. */
static void test_others(void **state)
{
	struct drive *world = *state;

	begin(world, EVENT_request);
	frame_put_i64(&world->frame, request__role, 1);
	frame_put_tuple(&world->frame, request__tuple,
			&(struct frame_tuple){"10.0.0.1", "10.0.0.2", 40000, 443});
	world_end(world);
	world_expect_none(world, "tcp.role");
	world_expect_none(world, "tcp.local.ip");
	world_begin(world, EVENT_tcp_state, -1);
	world_end(world);
	world_expect_none(world, "proc.name");
	world_expect(world, "thread.tid", "-1");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_ends, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_ends_cut, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_connect, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_state, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_measured, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_sampled, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_reasons, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_others, world_setup, world_teardown),
};

UNIT_GROUP(tests);
