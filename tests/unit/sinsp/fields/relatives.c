/* SPDX-License-Identifier: MIT */
/* proc.*: parents, ancestors and leaders, and corrupt ids that lead round in a circle. */
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/state/core.h"
#include "relatives.h"
#include "unit.h"

static void test_ancestors(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	world_expect(world, "proc.pname", "make");
	world_expect(world, "proc.pexe", "make");
	world_expect(world, "proc.pexepath", "/usr/bin/make");
	world_expect(world, "proc.pcmdline", "make");
	world_expect(world, "proc.aname", "make bash systemd");
	world_expect(world, "proc.aname[0]", "cat");
	world_expect(world, "proc.aname[2]", "bash");
	world_expect(world, "proc.aname[3]", "systemd");
	world_expect_none(world, "proc.aname[4]");
	world_expect_none(world, "proc.aname[-1]");
	world_expect(world, "proc.aexe", "make -bash /sbin/init");
	world_expect(world, "proc.aexe[2]", "-bash");
	world_expect(world, "proc.aexepath", "/usr/bin/make /usr/bin/bash /usr/lib/systemd");
	world_expect(world, "proc.aexepath[1]", "/usr/bin/make");
	world_expect(world, "proc.acmdline", "make bash -l systemd");
	world_expect(world, "proc.acmdline[2]", "bash -l");
	world_expect(world, "proc.aargs", " -l ");
	world_expect(world, "proc.aargs[2]", "-l");
	world_expect(world, "proc.apid", "100");
	world_expect(world, "proc.apid[1]", "80");
	world_expect_none(world, "proc.apid[4]");
	relatives_event(relatives, 1);
	world_expect_none(world, "proc.aname");
	world_expect_none(world, "proc.pname");
	world_expect_none(world, "proc.pexe");
	world_expect_none(world, "proc.pexepath");
	world_expect_none(world, "proc.pcmdline");
	world_expect_none(world, "proc.ppid.ts");
}

/* Corrupt ids may lead round in a circle. */
static void test_circle_of_ancestors(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_value value;
	struct field_ref ref;

	state_threads_set_parent(&world->state->threads, relatives->init, 100);
	assert_int_equal(field_ref_init(&ref, "proc.aname", 10, NULL), 0);
	assert_int_equal(field_get(&ref, &world->event, scratch, &value), 1);
	assert_memory_equal(value.bytes.data, "make bash systemd cat make ", 27);
	assert_true(value.bytes.len < sizeof(scratch->bytes));
	assert_int_equal(field_ref_init(&ref, "proc.acmdline", 13, NULL), 0);
	scratch->used = sizeof(scratch->bytes) - 100;
	assert_int_equal(field_get(&ref, &world->event, scratch, &value), 1);
	assert_true(value.bytes.len < 100);
	assert_int_equal(value.bytes.data[value.bytes.len], '\0');
	world_expect(world, "proc.loginshellid", "50");
	relatives->init->sid = relatives->shell->sid = relatives->make->sid = relatives->cat->sid =
		9;
	world_expect(world, "proc.sname", "cat");
	free(scratch);
}

static void test_leaders(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	relatives->cat->vpid = 100;
	relatives->cat->sid = 50;
	relatives->cat->pgid = relatives->cat->vpgid = 80;
	world_expect(world, "proc.sname", "bash");
	world_expect(world, "proc.sid.exe", "-bash");
	world_expect(world, "proc.sid.exepath", "/usr/bin/bash");
	world_expect(world, "proc.pgid.name", "make");
	world_expect(world, "proc.pgid.exe", "make");
	world_expect(world, "proc.pgid.exepath", "/usr/bin/make");
	world_expect(world, "proc.vpgid.name", "make");
	world_expect(world, "proc.vpgid.exe", "make");
	world_expect(world, "proc.vpgid.exepath", "/usr/bin/make");
	/* Inside a pid namespace its ids mean nothing to the table. */
	relatives->cat->vpid = 7;
	relatives->make->sid = relatives->shell->sid = 50;
	world_expect(world, "proc.sname", "bash");
	relatives->cat->sid = 1;
	world_expect(world, "proc.sname", "");
	relatives->cat->vpgid = -1;
	world_expect(world, "proc.vpgid.name", "");
}

static void test_login_shell(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	world_expect(world, "proc.loginshellid", "50");
	memcpy(relatives->make->comm, "sh", 3);
	world_expect(world, "proc.loginshellid", "50");
	memcpy(relatives->shell->comm, "x", 2);
	world_expect(world, "proc.loginshellid", "80");
	memcpy(relatives->make->comm, "h", 2);
	world_expect_none(world, "proc.loginshellid");
}

/* Among ancestors one without a name takes its place, and nothing else. */
static void test_ancestor_without_name(void **state)
{
	struct relatives *relatives = *state;
	struct state_thread *parent =
		state_thread_get(relatives->world.state, relatives->cat->ptid);

	world_expect(&relatives->world, "proc.aname", "make bash systemd");
	parent->comm[0] = '\0';
	world_expect(&relatives->world, "proc.aname", " bash systemd");
	world_expect_none(&relatives->world, "proc.pname");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, relatives_setup, relatives_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_ancestors),	TEST(test_circle_of_ancestors),	  TEST(test_leaders),
	TEST(test_login_shell), TEST(test_ancestor_without_name),
};

UNIT_GROUP(tests);
