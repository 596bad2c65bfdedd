/* SPDX-License-Identifier: MIT */
/* proc.*: parents, ancestors and leaders, and corrupt ids that lead round in a circle. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/state/core.h"
#include "world.h"

/* systemd (1) > bash (50) > make (80) > cat (100, with a second thread 101). */
struct family {
	struct drive world;
	struct sinsp_thread *init, *shell, *make, *cat, *second;
};

static const char cat_args[] = "-n\0/etc/hostname\0";
static const char cat_env[] = "PATH=/bin\0EMPTY=\0PAD=  x y \0";
static const char shell_env[] = "SHELL=/bin/bash\0EMPTY=no\0";

static struct sinsp_thread *add(struct family *family, const struct world_process *process)
{
	return world_process(&family->world, process);
}

static void make_event(struct family *family, int64_t tid)
{
	world_begin(&family->world, EVENT_close, tid);
	frame_put_i64(&family->world.frame, close__res, 0);
	world_end(&family->world);
}

static int setup(void **state)
{
	struct family *family = calloc(1, sizeof(*family));

	drive_create(&family->world, NULL);
	family->init = add(family, &(struct world_process){.pid = 1,
							   .ptid = 0,
							   .comm = "systemd",
							   .exe = "/sbin/init",
							   .exepath = "/usr/lib/systemd"});
	family->shell = add(family, &(struct world_process){.pid = 50,
							    .ptid = 1,
							    .comm = "bash",
							    .exe = "-bash",
							    .exepath = "/usr/bin/bash",
							    .args = "-l",
							    .args_len = 3,
							    .env = shell_env,
							    .env_len = sizeof(shell_env) - 1});
	family->make = add(family, &(struct world_process){.pid = 80,
							   .ptid = 50,
							   .comm = "make",
							   .exe = "make",
							   .exepath = "/usr/bin/make"});
	family->cat = add(family, &(struct world_process){.pid = 100,
							  .ptid = 80,
							  .comm = "cat",
							  .exe = "cat",
							  .exepath = "/usr/bin/cat",
							  .args = cat_args,
							  .args_len = sizeof(cat_args) - 1,
							  .env = cat_env,
							  .env_len = sizeof(cat_env) - 1,
							  .cwd = "/home/user"});
	family->second = world_thread(&family->world, family->cat, 101);
	make_event(family, 100);
	*state = family;
	return 0;
}

static int teardown(void **state)
{
	struct family *family = *state;

	drive_destroy(&family->world);
	free(family);
	return 0;
}

static void test_ancestors(void **state)
{
	struct family *family = *state;
	struct drive *world = &family->world;

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
	make_event(family, 1);
	world_expect_none(world, "proc.aname");
	world_expect_none(world, "proc.pname");
	world_expect_none(world, "proc.pexe");
	world_expect_none(world, "proc.pexepath");
	world_expect_none(world, "proc.pcmdline");
	world_expect_none(world, "proc.ppid.ts");
}

/* Damaged ids may lead round in a circle. */
static void test_circle_of_ancestors(void **state)
{
	struct family *family = *state;
	struct drive *world = &family->world;
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_value value;
	struct field_ref ref;

	sinsp_threads_set_parent(&world->sinsp->threads, family->init, 100);
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
	family->init->sid = family->shell->sid = family->make->sid = family->cat->sid = 9;
	world_expect(world, "proc.sname", "cat");
	free(scratch);
}

static void test_leaders(void **state)
{
	struct family *family = *state;
	struct drive *world = &family->world;

	family->cat->vpid = 100;
	family->cat->sid = 50;
	family->cat->pgid = family->cat->vpgid = 80;
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
	family->cat->vpid = 7;
	family->make->sid = family->shell->sid = 50;
	world_expect(world, "proc.sname", "bash");
	family->cat->sid = 1;
	world_expect(world, "proc.sname", "");
	family->cat->vpgid = -1;
	world_expect(world, "proc.vpgid.name", "");
}

static void test_login_shell(void **state)
{
	struct family *family = *state;
	struct drive *world = &family->world;

	world_expect(world, "proc.loginshellid", "50");
	memcpy(family->make->comm, "sh", 3);
	world_expect(world, "proc.loginshellid", "50");
	memcpy(family->shell->comm, "x", 2);
	world_expect(world, "proc.loginshellid", "80");
	memcpy(family->make->comm, "h", 2);
	world_expect_none(world, "proc.loginshellid");
}

/* Among ancestors one without a name takes its place, and nothing else. */
static void test_ancestor_without_name(void **state)
{
	struct family *family = *state;
	struct sinsp_thread *parent =
		state_thread_find(family->world.sinsp, family->cat->ptid);

	world_expect(&family->world, "proc.aname", "make bash systemd");
	parent->comm[0] = '\0';
	world_expect(&family->world, "proc.aname", " bash systemd");
	world_expect_none(&family->world, "proc.pname");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ancestors),
		TEST(test_circle_of_ancestors),
		TEST(test_leaders),
		TEST(test_login_shell),
		TEST(test_ancestor_without_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
