/* SPDX-License-Identifier: MIT */
/* syslog.*: messages that programs write to the log. */
#include <string.h>

#include "unit.h"
#include "world.h"

static void log_text(struct drive *world, const char *socket, const char *data, size_t len)
{
	world_begin(world, EVENT_sendto, 100);
	frame_put_i64(&world->frame, sendto__res, (int64_t)len);
	frame_put_i64(&world->frame, sendto__fd, 3);
	frame_put_bytes(&world->frame, sendto__data, data, len);
	world_end(world);
	world_set_fd(world, 3, world_fd(world->event.thread, 3, SCAP_FD_UNIX, socket));
}

static void expect_no_message(struct drive *world, const char *socket, const char *data)
{
	log_text(world, socket, data, strlen(data));
	world_expect_none(world, "syslog.facility");
	world_expect_none(world, "syslog.facility.str");
	world_expect_none(world, "syslog.severity");
	world_expect_none(world, "syslog.severity.str");
	world_expect_none(world, "syslog.message");
}

static void test_log(void **state)
{
	struct drive *world = *state;

	log_text(world, "ffff->ffff /dev/log", "<86>sshd: a line\n\0", 18);
	world_expect_json(world, "syslog.facility", "{\"syslog.facility\":10}");
	world_expect(world, "syslog.facility.str", "authpriv");
	world_expect(world, "syslog.severity", "6");
	world_expect(world, "syslog.severity.str", "info");
	world_expect_json(world, "syslog.message", "{\"syslog.message\":\"sshd: a line\"}");
	log_text(world, "a->b /run/systemd/journal/dev-log", "<0>x", 4);
	world_expect(world, "evt.is_syslog", "true");
	world_expect(world, "syslog.facility.str", "kern");
	world_expect(world, "syslog.severity.str", "emerg");
	/* Values of text hold no NUL. */
	log_text(world, "a->b /dev/log", "<0>one\n\0<1>two", 15);
	world_expect_json(world, "syslog.message", "{\"syslog.message\":\"one\"}");
	log_text(world, "a->b /dev/log", "<191>", 5);
	world_expect(world, "syslog.facility.str", "local7");
	world_expect(world, "syslog.severity.str", "debug");
	world_expect_json(world, "syslog.message", "{\"syslog.message\":\"\"}");
	expect_no_message(world, "a->b /dev/log", "<192>x");
	expect_no_message(world, "a->b /dev/log", "<1234>x");
	expect_no_message(world, "a->b /dev/log", "<>x");
	expect_no_message(world, "a->b /dev/log", "<12");
	expect_no_message(world, "a->b /dev/log", "<-1>x");
	expect_no_message(world, "a->b /dev/log", "x<12>");
	expect_no_message(world, "a->b /dev/log", "");
	expect_no_message(world, "a->b /run/other", "<12>x");
}

/* What is read from the log is not written to it. */
static void test_log_is_read(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_read, 100);
	frame_put_bytes(&world->frame, read__data, "<12>x", 5);
	world_end(world);
	world_set_fd(world, 3, world_fd(world->event.thread, 3, SCAP_FD_UNIX, "a->b /dev/log"));
	world_expect_none(world, "syslog.message");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_log, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_log_is_read, world_setup, world_teardown),
};

UNIT_GROUP(tests);
