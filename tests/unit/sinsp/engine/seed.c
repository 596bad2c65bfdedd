/* SPDX-License-Identifier: MIT */
/* The filling of the tables from /proc, at the start and again. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "driven_machine.h"
#include "sinsp/state/core.h"

static void fills_the_tables(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct sinsp_thread *thread;

	assert_int_equal(sinsp_seed(drive->sinsp, NULL), 0);
	assert_int_equal(driven_machine_stats(machine).threads, 4);
	assert_int_equal(driven_machine_stats(machine).fds, 8);
	assert_int_equal(driven_machine_stats(machine).thread_lookups, 0);
	thread = drive_thread(drive, 50);
	assert_string_equal(thread->comm, "client");
	assert_string_equal(thread->program->exepath, "/bin/known");
	assert_string_equal(thread->fs->cwd, "/home/c/");
	assert_int_equal(thread->uid, 33);
	assert_int_equal(thread->nthreads, 2);
	assert_string_equal(drive_name(drive, 50, 3), "/etc/hosts");
	assert_true(sinsp_fds_cloexec(thread->fds, 3));
	assert_ptr_equal(drive_thread(drive, 51)->fds, thread->fds);
	assert_string_equal(drive_thread(drive, 51)->comm, "worker");
	assert_string_equal(drive_thread(drive, 51)->fs->cwd, "/home/c/");
	assert_string_equal(drive_thread(drive, 1)->fs->cwd, "/");
}

/* What events did not keep comes right, and what is gone goes. */
static void fills_them_again(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	uint64_t num;

	sinsp_seed(drive->sinsp, NULL);
	drive_open(drive, 50, 3, "/other", 0);
	drive_close(drive, 50, 0, 4);
	num = drive_chdir(drive, 60, 0, "/away")->num;
	assert_int_equal(sinsp_reseed(drive->sinsp, NULL), 0);
	assert_string_equal(drive_name(drive, 50, 3), "/etc/hosts");
	assert_true(drive_has_fd(drive, 50, 4));
	assert_string_equal(drive_thread(drive, 60)->fs->cwd, "/srv/");
	assert_int_equal(drive_any(drive, 1)->num, num + 1);
}

static void does_nothing_without_proc(void **state)
{
	struct drive drive;

	drive_create(&drive, NULL);
	assert_int_equal(sinsp_seed(drive.sinsp, NULL), 0);
	assert_null(sinsp_thread_find(drive.sinsp, 1));
	drive_destroy(&drive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, driven_machine_setup, driven_machine_teardown)
		TEST(fills_the_tables),
		TEST(fills_them_again),
		TEST(does_nothing_without_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
