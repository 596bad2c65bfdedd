/* SPDX-License-Identifier: MIT */
/* The proc.*, thread.*, user.* and group.* fields, with and without a thread. */
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/state/core.h"
#include "relatives.h"
#include "unit.h"

static void test_program(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	world_expect(world, "proc.name", "cat");
	world_expect(world, "proc.exe", "cat");
	world_expect(world, "proc.exepath", "/usr/bin/cat");
	world_expect(world, "proc.args", "-n /etc/hostname");
	world_expect(world, "proc.args[0]", "-n");
	world_expect(world, "proc.args[1]", "/etc/hostname");
	world_expect(world, "proc.args[2]", "");
	world_expect(world, "proc.cmdline", "cat -n /etc/hostname");
	world_expect(world, "proc.exeline", "cat -n /etc/hostname");
	world_expect(world, "proc.cmdnargs", "2");
	world_expect(world, "proc.cmdlenargs", "15");
	relatives_event(relatives, 80);
	world_expect(world, "proc.args", "");
	world_expect(world, "proc.args[0]", "");
	world_expect(world, "proc.cmdline", "make");
	world_expect(world, "proc.cmdnargs", "0");
}

static void test_environment(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	world_expect(world, "proc.env", "PATH=/bin EMPTY= PAD=  x y ");
	world_expect(world, "proc.env[PATH]", "/bin");
	world_expect(world, "proc.env[PAD]", "x y");
	world_expect(world, "proc.env[EMPTY]", "");
	world_expect(world, "proc.env[PAT]", "");
	world_expect(world, "proc.aenv[SHELL]", "/bin/bash");
	world_expect(world, "proc.aenv[EMPTY]", "no");
	world_expect(world, "proc.aenv[NONE]", "");
	world_expect(world, "proc.aenv[0]", "PATH=/bin EMPTY= PAD=  x y ");
	world_expect(world, "proc.aenv[2]", "SHELL=/bin/bash EMPTY=no");
	world_expect_none(world, "proc.aenv[9]");
}

static void test_ids(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	relatives->cat->vpid = relatives->cat->vtid = 7;
	relatives->cat->sid = 7;
	relatives->cat->vpgid = 8;
	relatives->cat->pgid = 100;
	relatives->make->vpid = 3;
	world_expect(world, "proc.pid", "100");
	world_expect(world, "thread.tid", "100");
	world_expect(world, "proc.ppid", "80");
	world_expect(world, "proc.vpid", "7");
	world_expect(world, "thread.vtid", "7");
	world_expect(world, "proc.pvpid", "3");
	world_expect(world, "proc.sid", "7");
	world_expect(world, "proc.vpgid", "8");
	world_expect(world, "proc.pgid", "100");
	world_expect(world, "proc.is_sid_leader", "true");
	world_expect(world, "proc.is_vpgid_leader", "false");
	world_expect(world, "proc.is_pgid_leader", "true");
	world_expect(world, "thread.ismain", "true");
	world_expect(world, "thread.nametid", "cat100");
	relatives->cat->vpid = relatives->cat->vtid = -1;
	world_expect_none(world, "proc.vpid");
	world_expect_none(world, "thread.vtid");
	relatives_event(relatives, 1);
	world_expect(world, "proc.ppid", "0");
	world_expect_none(world, "proc.pvpid");
}

static void test_second_thread(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	relatives_event(relatives, 101);
	world_expect(world, "proc.pid", "100");
	world_expect(world, "thread.tid", "101");
	world_expect(world, "proc.ppid", "80");
	world_expect(world, "proc.pname", "make");
	world_expect(world, "thread.ismain", "false");
	world_expect(world, "proc.exepath", "/usr/bin/cat");
}

static void test_directory_and_terminal(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	relatives->cat->tty = 34816;
	world_expect(world, "proc.cwd", "/home/user/");
	world_expect(world, "proc.tty", "34816");
	relatives_event(relatives, 80);
	world_expect_none(world, "proc.cwd");
	world_expect(world, "proc.tty", "0");
}

static void test_starts(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	world_expect_none(world, "proc.duration");
	world_expect_none(world, "proc.pid.ts");
	world_expect_none(world, "proc.ppid.duration");
	world_expect(world, "proc.ppid.ts", "0");
	relatives->cat->clone_ts_ns = WORLD_TIME_NS - 77;
	relatives->make->clone_ts_ns = WORLD_TIME_NS - 99;
	world_expect(world, "proc.duration", "77");
	world_expect(world, "proc.pid.ts", "1795260961123456712");
	world_expect(world, "proc.ppid.duration", "99");
	world_expect(world, "proc.ppid.ts", "1795260961123456690");
	/* The clock was set: it began an hour later by what it shows, and runs for as long. */
	world->event.clock_step_ns = 3600000000000;
	world_expect(world, "proc.duration", "77");
	world_expect(world, "proc.pid.ts", "1795264561123456712");
	world_expect(world, "proc.ppid.duration", "99");
	world_expect(world, "proc.ppid.ts", "1795264561123456690");
	world->event.clock_step_ns = 0;
	relatives->cat->clone_ts_ns = WORLD_TIME_NS + 1;
	world_expect_none(world, "proc.duration");
	/* Another thread has its own time, as the .scap world has it. */
	relatives_event(relatives, 101);
	world_expect_none(world, "proc.duration");
	world_self(&relatives->world)->clone_ts_ns = WORLD_TIME_NS - 55;
	world_expect(world, "proc.duration", "55");
}

static void test_executable(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;
	struct state_program *program = relatives->cat->program;

	world_expect_none(world, "proc.exe_ino");
	world_expect_none(world, "proc.exe_ino.ctime");
	world_expect_none(world, "proc.exe_ino.mtime");
	world_expect_none(world, "proc.exe_ino.ctime_duration_proc_start");
	world_expect_none(world, "proc.exe_ino.ctime_duration_pidns_start");
	world_expect_none(world, "proc.pidns_init_start_ts");
	world_expect(world, "proc.is_exe_writable", "false");
	program->exe_ino = 4711;
	program->exe_ctime_ns = 1000;
	program->exe_mtime_ns = 900;
	relatives->cat->clone_ts_ns = 1500;
	relatives->cat->pidns_start_ns = 400;
	program->flags = 0xf;
	world_expect(world, "proc.exe_ino", "4711");
	world_expect(world, "proc.exe_ino.ctime", "1000");
	world_expect(world, "proc.exe_ino.mtime", "900");
	world_expect(world, "proc.exe_ino.ctime_duration_proc_start", "500");
	world_expect(world, "proc.exe_ino.ctime_duration_pidns_start", "600");
	world_expect(world, "proc.pidns_init_start_ts", "400");
	/* Files have the times of the wall clock. */
	world->event.clock_step_ns = 100;
	world_expect(world, "proc.exe_ino.ctime", "1000");
	world_expect(world, "proc.exe_ino.ctime_duration_proc_start", "600");
	world_expect(world, "proc.exe_ino.ctime_duration_pidns_start", "500");
	world_expect(world, "proc.pidns_init_start_ts", "500");
	world->event.clock_step_ns = 0;
	world_expect(world, "proc.is_exe_writable", "true");
	world_expect(world, "proc.is_exe_upper_layer", "true");
	world_expect(world, "proc.is_exe_lower_layer", "true");
	world_expect(world, "proc.is_exe_from_memfd", "true");
	program->flags = 0x2;
	world_expect(world, "proc.is_exe_upper_layer", "true");
	world_expect(world, "proc.is_exe_lower_layer", "false");
	world_expect(world, "proc.is_exe_from_memfd", "false");
}

static void test_capabilities_and_cgroups(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;
	static const char cgroups[] = "cpu=/a\0memory=/b/c\0";

	relatives->cat->caps_permitted = 1 | UINT64_C(1) << 40 | UINT64_C(1) << 41;
	relatives->cat->caps_effective = UINT64_C(1) << 21;
	world_expect(world, "thread.cap_permitted", "CAP_CHOWN CAP_CHECKPOINT_RESTORE");
	world_expect(world, "thread.cap_effective", "CAP_SYS_ADMIN");
	world_expect(world, "thread.cap_inheritable", "");
	world_expect_none(world, "thread.cgroups");
	world_expect_none(world, "thread.cgroup.cpu");
	state_thread_set_cgroups(&world->state->containers, relatives->cat, cgroups,
				 sizeof(cgroups) - 1);
	world_expect(world, "thread.cgroups", "cpu=/a memory=/b/c");
	world_expect(world, "thread.cgroup.memory", "/b/c");
	world_expect_none(world, "thread.cgroup.mem");
}

static void test_amounts(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	world_fd(relatives->cat, 0, SCAP_FD_PIPE, "pipe:[7]");
	world_fd(relatives->cat, 9, SCAP_FD_FILE, "/x");
	relatives->cat->fd_limit = 1024;
	relatives->cat->nthreads = 2;
	relatives->cat->vm_size_kib = 1000;
	relatives->cat->vm_rss_kib = 100;
	relatives->cat->vm_swap_kib = 10;
	relatives->cat->faults_major = 3;
	relatives->cat->faults_minor = 5;
	world_expect(world, "proc.fdopencount", "2");
	world_expect(world, "proc.fdlimit", "1024");
	world_expect(world, "proc.fdusage", "0.2");
	world_expect_json(world, "proc.fdusage", "{\"proc.fdusage\":0.1953125}");
	world_expect(world, "proc.nthreads", "2");
	world_expect(world, "proc.nchilds", "1");
	/* Who ends does not live any more. */
	world_self(world)->exiting = true;
	world_expect(world, "proc.nthreads", "1");
	world_expect(world, "proc.nchilds", "1");
	world_self(world)->exiting = false;
	world_expect(world, "proc.vmsize", "1000");
	world_expect(world, "proc.vmrss", "100");
	world_expect(world, "proc.vmswap", "10");
	world_expect(world, "thread.pfmajor", "3");
	world_expect(world, "thread.pfminor", "5");
	world_expect(world, "thread.vmsize", "1000");
	world_expect(world, "thread.vmrss.b", "102400");
	relatives_event(relatives, 101);
	world_expect(world, "proc.vmsize", "1000");
	world_expect(world, "proc.fdopencount", "2");
	world_expect(world, "thread.vmsize", "0");
	world_expect(world, "thread.vmrss", "0");
	world_expect(world, "thread.vmsize.b", "0");
	relatives->cat->fd_limit = -1;
	world_expect(world, "proc.fdlimit", "-1");
	world_expect(world, "proc.fdusage", "0.0");
}

static void test_standard_descriptors(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	world_fd(relatives->cat, 0, SCAP_FD_PIPE, "pipe:[7]");
	world_fd(relatives->cat, 2, SCAP_FD_FILE, "/var/log/x");
	world_expect(world, "proc.stdin.type", "pipe");
	world_expect(world, "proc.stdin.name", "pipe:[7]");
	world_expect_none(world, "proc.stdout.type");
	world_expect_none(world, "proc.stdout.name");
	world_expect(world, "proc.stderr.type", "file");
	world_expect(world, "proc.stderr.name", "/var/log/x");
}

static void test_users(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	relatives->cat->loginuid = relatives->cat->uid = UINT32_MAX;
	world_expect_none(world, "user.uid"); /* not known */
	world_expect(world, "user.name", "<NA>");
	relatives->cat->uid = 0;
	world_expect(world, "user.uid", "0");
	world_expect(world, "user.name", "root");
	world_expect(world, "user.loginuid", "-1");
	world_expect(world, "user.loginname", "<NA>");
	world_expect(world, "group.gid", "0");
	world_expect(world, "group.name", "root");
	relatives->cat->uid = relatives->cat->gid = UINT32_MAX - 77;
	relatives->cat->loginuid = 0;
	world_expect(world, "user.uid", "4294967218");
	world_expect(world, "user.name", "<NA>");
	world_expect(world, "user.loginname", "root");
	world_expect(world, "group.name", "<NA>");
}

static void test_thread_of_no_known_process(void **state)
{
	struct relatives *relatives = *state;

	relatives->cat->pid = -1;
	world_expect_none(&relatives->world, "proc.pid");
	world_expect(&relatives->world, "thread.tid", "100");
	relatives->cat->pid = 100;
}

/* Of a thread that is not known only the id is. */
static void test_unknown_thread(void **state)
{
	struct relatives *relatives = *state;
	struct drive *world = &relatives->world;

	relatives_event(relatives, 555);
	assert_null(world->event.thread);
	world_expect(world, "thread.tid", "555");
	for (const struct field_desc *const *table = field_tables; *table; table++) {
		for (const struct field_desc *desc = *table; desc->name; desc++) {
			bool known = strcmp(desc->name, "thread.tid") == 0;
			bool of_thread = strncmp(desc->name, "proc.", 5) == 0 ||
					 strncmp(desc->name, "thread.", 7) == 0 ||
					 strncmp(desc->name, "user.", 5) == 0 ||
					 strncmp(desc->name, "group.", 6) == 0;

			if (of_thread && !known && !(desc->flags & FIELD_ARG_REQUIRED))
				world_expect_none(world, desc->name);
		}
	}
	world_expect_none(world, "thread.cgroup.cpu");
	world_expect_none(world, "proc.args[0]");
	world_expect_none(world, "proc.env[PATH]");
	world_expect_none(world, "proc.aname[0]");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, relatives_setup, relatives_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_program),
	TEST(test_environment),
	TEST(test_ids),
	TEST(test_second_thread),
	TEST(test_directory_and_terminal),
	TEST(test_starts),
	TEST(test_executable),
	TEST(test_capabilities_and_cgroups),
	TEST(test_amounts),
	TEST(test_standard_descriptors),
	TEST(test_users),
	TEST(test_thread_of_no_known_process),
	TEST(test_unknown_thread),
};

UNIT_GROUP(tests);
