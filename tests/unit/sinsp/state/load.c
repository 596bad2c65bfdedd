/* SPDX-License-Identifier: MIT */
/* What /proc or a capture says, put into the tables. */
#include "driven_machine.h"
#include "sinsp/state/load.h"
#include "unit.h"

static void names_sockets(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct state_fd *fd;

	state_seed(drive->state, NULL, NULL);
	fd = state_fds_find(drive_thread(drive, 50)->fds, 4);
	assert_string_equal(fd->name, "10.0.0.1:4000->10.0.0.2:443");
	assert_int_equal(fd->role, STATE_ROLE_CLIENT);
	assert_true(fd->connected);
	fd = state_fds_find(drive_thread(drive, 50)->fds, 5);
	assert_string_equal(fd->name, "10.0.0.2:5000->10.0.0.1:80");
	assert_int_equal(fd->role, STATE_ROLE_SERVER);
	assert_int_equal(state_fds_find(drive_thread(drive, 50)->fds, 6)->role, STATE_ROLE_SERVER);
	assert_int_equal(state_fds_find(drive_thread(drive, 50)->fds, 7)->role, STATE_ROLE_CLIENT);
	fd = state_fds_find(drive_thread(drive, 60)->fds, 3);
	assert_string_equal(fd->name, "0.0.0.0:80");
	assert_true(fd->listening);
	assert_string_equal(drive_name(drive, 60, 4), "<unknown>");
	fd = state_fds_find(drive_thread(drive, 60)->fds, 5);
	assert_int_equal(fd->type, SCAP_FD_IPV4);
	assert_string_equal(fd->name, "10.0.0.1:7->10.0.0.2:8");
}

/* Threads have what their process has, whatever they say of themselves. */
static void shares_with_the_process(void **state)
{
	struct driven_machine *machine = *state;
	struct state *engine = machine->drive.state;
	struct scap_thread found = {
		.tid = 70,
		.pid = 70,
		.ptid = 1,
		.uid = 5,
		.comm = "fifteen-letters",
		.exe = "x",
		.exepath = "/bin/x",
		.args = "",
		.env = "",
		.cgroups = "cpu=/a",
		.cgroups_len = 7,
		.cwd = "/srv",
		.root = "/jail",
	};
	const struct state_thread *main = state_load_thread(engine, &found), *thread;

	assert_string_equal(main->comm, "fifteen-letters");
	assert_string_equal(main->fs->cwd, "/srv/");
	assert_string_equal(main->fs->root, "/jail");
	assert_string_equal(main->program->exepath, "/bin/x");
	assert_string_equal(main->cgroups->text, "cpu=/a");
	assert_int_equal(main->uid, 5);
	found.tid = 71;
	found.cwd = "/elsewhere";
	thread = state_load_thread(engine, &found);
	assert_ptr_equal(thread->fs, main->fs);
	assert_ptr_equal(thread->fds, main->fds);
	assert_ptr_equal(thread->program, main->program);
	assert_int_equal(main->nthreads, 2);
}

static void replaces_a_descriptor(void **state)
{
	struct driven_machine *machine = *state;
	struct state *engine = machine->drive.state;
	struct state_fds *fds = state_thread_add(engine, 70, 70)->fds;
	struct scap_fd found = {.num = 3, .type = SCAP_FD_FILE, .name = "/a", .ino = 7, .dev = 8};
	const struct state_fd *fd = state_load_fd(engine, fds, &found);

	assert_string_equal(fd->name, "/a");
	assert_int_equal(state_fd_ino(fd), 7);
	assert_int_equal(fd->dev, 8);
	assert_false(state_fds_cloexec(fds, 3));
	found.name = "/b";
	found.flags = file_flags__O_CLOEXEC;
	assert_string_equal(state_load_fd(engine, fds, &found)->name, "/b");
	assert_true(state_fds_cloexec(fds, 3));
	assert_int_equal(state_fds_count(fds), 1);
	found.num = -1;
	assert_null(state_load_fd(engine, fds, &found));
}

static const struct CMUnitTest tests[] = {
#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, driven_machine_setup, driven_machine_teardown)
	TEST(names_sockets),
	TEST(shares_with_the_process),
	TEST(replaces_a_descriptor),
};

UNIT_GROUP(tests);
