/* SPDX-License-Identifier: MIT */
/* Threads of outputs that move, wait for others, or hang. */
#include "output/delivery/outputs.h"

#include "output/target.h"
#include "unit.h"

#define NS_PER_S UINT64_C(1000000000)
#define NOW_NS (100000 * NS_PER_S)

struct own {
	uint64_t timeout_ns;
};

static const struct output_key keys[] = {
	{"timeout", "TIME", "of a request", OUTPUT_TIME, offsetof(struct own, timeout_ns)},
	{0},
};

static const struct output_kind endless = {.keys = keys};
static const struct output_kind bounded = {.keys = keys, .has_deadlines = true};

static void put(struct output_heartbeat *heartbeat, enum output_heartbeat_place place,
		uint64_t seconds)
{
	atomic_store(&heartbeat->state, (NOW_NS - seconds * NS_PER_S) | place);
}

static void expect(const struct output *output, enum output_health wanted, const char *lines)
{
	struct output *list[] = {(struct output *)output};
	struct outputs outputs = {.list = list, .count = 1};
	struct buf text = {0};

	assert_int_equal(outputs_health(&outputs, NOW_NS, &text), wanted);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, lines);
	buf_finish(&text);
}

static void test_limits(void **state)
{
	struct own own = {.timeout_ns = 30 * NS_PER_S};
	struct output_config config = {.kind = &bounded, .name = "http", .own = &own};
	struct output output = {.config = &config};
	struct output_heartbeat *heartbeat = &output.sender.heartbeat;

	expect(&output, HEALTH_MOVES, "");
	put(heartbeat, HEARTBEAT_WAITS, 90000); /* nothing to do for a day */
	expect(&output, HEALTH_MOVES, "");
	put(heartbeat, HEARTBEAT_IN_TARGET, 59);
	expect(&output, HEALTH_MOVES, "");
	put(heartbeat, HEARTBEAT_IN_TARGET, 75);
	expect(&output, HEALTH_BLOCKED,
	       "output 1 (http): its thread has been in a call of its target for 75 s\n");
	/* Five minutes, and ten times timeout=. */
	put(heartbeat, HEARTBEAT_IN_TARGET, 599);
	expect(&output, HEALTH_BLOCKED,
	       "output 1 (http): its thread has been in a call of its target for 599 s\n");
	put(heartbeat, HEARTBEAT_IN_TARGET, 600);
	expect(&output, HEALTH_HANGS,
	       "output 1 (http): its thread has been in a call of its target for 600 s: it "
	       "hangs\n");
	put(heartbeat, HEARTBEAT_WORKS, 119);
	expect(&output, HEALTH_BLOCKED,
	       "output 1 (http): its thread has been in code of the agent for 119 s\n");
	put(heartbeat, HEARTBEAT_WORKS, 120);
	expect(&output, HEALTH_HANGS,
	       "output 1 (http): its thread has been in code of the agent for 120 s: it hangs\n");
}

/* A dead disk or a reader that does not read: no restart helps. */
static void test_without_deadlines(void **state)
{
	struct own own = {.timeout_ns = 30 * NS_PER_S};
	struct output_config config = {.kind = &endless, .name = "file", .own = &own};
	struct output output = {.config = &config};

	put(&output.sender.heartbeat, HEARTBEAT_IN_TARGET, 90000);
	put(&output.spooler.heartbeat, HEARTBEAT_IN_SPOOL, 90000);
	expect(&output, HEALTH_BLOCKED,
	       "output 1 (file): its thread has been in a call of its target for 90000 s\n"
	       "output 1 (file): its thread has been in a call of the disk of its spool for 90000 "
	       "s\n");
	/* No deadline can be reached. */
	config.kind = &bounded;
	own.timeout_ns = UINT64_MAX;
	atomic_store(&output.spooler.heartbeat.state, 0);
	expect(&output, HEALTH_BLOCKED,
	       "output 1 (file): its thread has been in a call of its target for 90000 s\n");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_limits),
	cmocka_unit_test(test_without_deadlines),
};

UNIT_GROUP(tests);
