/* SPDX-License-Identifier: MIT */
/* What threads change of themselves: ids, sessions, groups, names, and what they share. */
#include <errno.h>
#include <linux/prctl.h>

#include "drive.h"
#include "unit.h"

enum { PARAMS_MAX = 3 };

/* An event of numbers alone: the result, then up to three more. */
static const struct state_thread *change(struct drive *drive, uint16_t id, int64_t tid,
					 int64_t result, const int64_t params[PARAMS_MAX])
{
	struct frame *frame = drive_begin(drive, id, tid);

	frame_put_i64(frame, 0, result);
	for (unsigned int i = 1; i < event_desc_get(id)->scap_nparams; i++)
		frame_put_i64(frame, i, params[i - 1]);
	return drive_end(drive)->thread;
}

#define CHANGE(id, tid, result, ...)                                                               \
	change(*state, EVENT_##id, tid, result, (const int64_t[PARAMS_MAX]){__VA_ARGS__})

static void users_change(void **state)
{
	assert_int_equal(CHANGE(setuid, 100, 0, 5)->uid, 5);
	assert_int_equal(CHANGE(setuid, 100, -EPERM, 6)->uid, 5);
	assert_int_equal(CHANGE(setreuid, 100, 0, 7, -1)->uid, 5);
	assert_int_equal(CHANGE(setreuid, 100, 0, -1, 8)->uid, 8);
	assert_int_equal(CHANGE(setresuid, 100, 0, 1, 9, 2)->uid, 9);
	assert_int_equal(CHANGE(setresuid, 100, 0, 1, -1, 2)->uid, 9);
	assert_int_equal(CHANGE(setresuid, 100, -EPERM, 1, 10, 2)->uid, 9);
}

/* What the kernel has counts, not what was asked for. */
static void ids_are_those_of_the_kernel(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_setuid, 100);

	frame_put_i64(frame, setuid__res, 0);
	frame_put_i64(frame, setuid__uid, 0);
	frame_put_i64(frame, setuid__effective_uid, 65534);
	assert_int_equal(drive_end(drive)->thread->uid, 65534);
	frame = drive_begin(drive, EVENT_setresgid, 100);
	frame_put_i64(frame, setresgid__res, 0);
	frame_put_i64(frame, setresgid__egid, 0);
	frame_put_i64(frame, setresgid__effective_gid, 65534);
	assert_int_equal(drive_end(drive)->thread->gid, 65534);
}

/* A call that never ran changes nothing, whatever it is. */
static void faked_calls_change_nothing(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_setuid, 100);
	uint32_t uid = drive_thread(drive, 100)->uid;

	frame_put_i64(frame, setuid__res, 0);
	frame_put_i64(frame, setuid__uid, uid + 1);
	frame->marks.is_faked = 1;
	assert_int_equal(drive_end(drive)->thread->uid, uid);
}

static void groups_change(void **state)
{
	assert_int_equal(CHANGE(setgid, 100, 0, 5)->gid, 5);
	assert_int_equal(CHANGE(setregid, 100, 0, 7, 8)->gid, 8);
	assert_int_equal(CHANGE(setresgid, 100, 0, 1, 9, 2)->gid, 9);
	assert_int_equal(CHANGE(setresgid, 100, -EPERM, 1, 10, 2)->gid, 9);
	assert_int_not_equal(drive_thread(*state, 100)->uid, 9);
}

static void sessions_begin(void **state)
{
	const struct state_thread *thread = CHANGE(setsid, 100, 100);

	assert_int_equal(thread->sid, 100);
	assert_int_equal(thread->vpgid, 100);
	assert_int_equal(thread->pgid, 100);
	assert_int_equal(CHANGE(setsid, 100, -EPERM)->sid, 100);
}

static void groups_are_joined(void **state)
{
	drive_fork(*state, 100, 200);
	CHANGE(setpgid, 100, 0, 200, 0);
	assert_int_equal(drive_thread(*state, 200)->pgid, 200);
	assert_int_equal(drive_thread(*state, 200)->vpgid, 200);
	CHANGE(setpgid, 100, 0, 0, 200);
	assert_int_equal(drive_thread(*state, 100)->pgid, 200);
	CHANGE(setpgid, 100, -EPERM, 0, 0);
	assert_int_equal(drive_thread(*state, 100)->pgid, 200);
	CHANGE(setpgid, 100, 0, 0, 0);
	assert_int_equal(drive_thread(*state, 100)->pgid, 100);
	/* Somebody who is not known. */
	CHANGE(setpgid, 100, 0, 999, 999);
}

/* The names are in another namespace: whose 3 that is, is not known. */
static void groups_in_a_namespace(void **state)
{
	static const struct drive_clone child = {
		.id = EVENT_fork, .pid = 300, .ptid = 100, .vtid = 2, .vpid = 2, .comm = "sh"};
	const struct state_thread *thread;
	int64_t pgid;

	drive_clone(*state, 300, 0, &child);
	pgid = drive_thread(*state, 300)->pgid;
	thread = CHANGE(setpgid, 300, 0, 0, 3);
	assert_int_equal(thread->vpgid, 3);
	assert_int_equal(thread->pgid, pgid);
	thread = CHANGE(setpgid, 300, 0, 2, 2);
	assert_int_equal(thread->vpgid, 2);
	assert_int_equal(thread->pgid, 300);
}

static void set_name(struct drive *drive, int64_t result, uint32_t option, const char *name)
{
	struct frame *frame = drive_begin(drive, EVENT_prctl, 100);

	frame_put_i64(frame, prctl__res, result);
	frame_put_i64(frame, prctl__option, option);
	if (name)
		frame_put_string(frame, prctl__arg2_str, name);
	frame_put_i64(frame, prctl__arg2_int, 0);
	drive_end(drive);
}

static void names_change(void **state)
{
	set_name(*state, 0, PR_SET_NAME, "worker");
	assert_string_equal(drive_thread(*state, 100)->comm, "worker");
	set_name(*state, -EFAULT, PR_SET_NAME, "no");
	set_name(*state, 0, PR_GET_NAME, "no");
	set_name(*state, 0, PR_SET_NAME, NULL);
	assert_string_equal(drive_thread(*state, 100)->comm, "worker");
	set_name(*state, 0, PR_SET_NAME, "longer than names can be");
	assert_string_equal(drive_thread(*state, 100)->comm, "longer than nam");
}

static void shares(void **state)
{
	static const struct drive_clone thread = {.id = EVENT_clone,
						  .pid = 100,
						  .ptid = 1,
						  .comm = "sh",
						  .flags = clone_flags__CLONE_THREAD |
							   clone_flags__CLONE_FS |
							   clone_flags__CLONE_FILES};

	drive_chdir(*state, 100, 0, "/w");
	drive_open(*state, 100, 3, "/three", 0);
	drive_clone(*state, 101, 0, &thread);
}

static void a_directory_of_its_own(void **state)
{
	shares(state);
	CHANGE(unshare, 101, -EPERM, clone_flags__CLONE_FS);
	assert_ptr_equal(drive_thread(*state, 101)->fs, drive_thread(*state, 100)->fs);
	CHANGE(unshare, 101, 0, clone_flags__CLONE_FS);
	drive_chdir(*state, 101, 0, "/x");
	assert_string_equal(drive_thread(*state, 101)->fs->cwd, "/x/");
	assert_string_equal(drive_thread(*state, 100)->fs->cwd, "/w/");
	assert_ptr_equal(drive_thread(*state, 101)->fds, drive_thread(*state, 100)->fds);
}

static void descriptors_of_its_own(void **state)
{
	shares(state);
	CHANGE(unshare, 101, 0, clone_flags__CLONE_FILES);
	drive_close(*state, 101, 0, 3);
	drive_any(*state, 101); /* closed when the event is finished */
	assert_true(drive_has_fd(*state, 100, 3));
	assert_false(drive_has_fd(*state, 101, 3));
	assert_ptr_equal(drive_thread(*state, 101)->fs, drive_thread(*state, 100)->fs);
}

enum { ALL_CAPS_BITS = 41 };

static const uint64_t all_caps = (UINT64_C(1) << ALL_CAPS_BITS) - 1;

static void capabilities_change(void **state)
{
	const struct state_thread *thread = CHANGE(capset, 100, 0, 1, 2, 3);

	assert_int_equal(thread->caps_inheritable, 1);
	assert_int_equal(thread->caps_permitted, 2);
	assert_int_equal(thread->caps_effective, 3);
	/* They are those after the call in any case. */
	thread = CHANGE(capset, 100, -EPERM, 4, 5, 6);
	assert_int_equal(thread->caps_effective, 6);
	drive_begin(*state, EVENT_capset, 100);
	assert_int_equal(drive_end(*state)->thread->caps_effective, 6);
}

static void user_namespaces_give_power(void **state)
{
	static const struct drive_clone child = {
		.pid = 100, .ptid = 1, .comm = "sh", .flags = clone_flags__CLONE_NEWUSER};

	CHANGE(capset, 100, 0, 1, 2, 3);
	CHANGE(unshare, 100, -EPERM, clone_flags__CLONE_NEWUSER);
	assert_int_equal(drive_thread(*state, 100)->caps_effective, 3);
	drive_clone(*state, 100, 200, &child);
	assert_int_equal(drive_thread(*state, 100)->caps_effective, 3);
	assert_int_equal(drive_thread(*state, 200)->caps_effective, all_caps);
	CHANGE(unshare, 100, 0, clone_flags__CLONE_NEWUSER);
	assert_int_equal(drive_thread(*state, 100)->caps_effective, all_caps);
	assert_int_equal(drive_thread(*state, 100)->caps_permitted, all_caps);
	assert_int_equal(drive_thread(*state, 100)->caps_inheritable, 0);
}

static const struct state_thread *join(void **state, const char *name, uint32_t kinds,
				       int64_t result)
{
	drive_chdir(*state, 100, 0, "/w");
	CHANGE(capset, 100, 0, 1, 2, 3);
	drive_open(*state, 100, 3, name, 0);
	return CHANGE(setns, 100, result, 3, kinds);
}

static void namespaces_are_joined(void **state)
{
	uint32_t mounts = clone_flags__CLONE_NEWNS, users = clone_flags__CLONE_NEWUSER;

	assert_string_equal(join(state, "/proc/1/ns/mnt", mounts, -EPERM)->fs->cwd, "/w/");
	assert_string_equal(join(state, "/proc/1/ns/net", 0, 0)->fs->cwd, "/w/");
	assert_string_equal(join(state, "/run/netns/mnt", 0, 0)->fs->cwd, "/w/");
	assert_string_equal(join(state, "/some", mounts, 0)->fs->cwd, "/");
	assert_string_equal(join(state, "/proc/1/ns/mnt", 0, 0)->fs->cwd, "/");
	assert_int_equal(join(state, "/proc/1/ns/mnt", 0, 0)->caps_effective, 3);
	assert_int_equal(join(state, "/proc/1/ns/user", 0, 0)->caps_effective, all_caps);
	assert_int_equal(join(state, "/some", users, 0)->caps_effective, all_caps);
	assert_string_equal(join(state, "/some", users, 0)->fs->cwd, "/w/");
	/* Through a descriptor that is not known. */
	assert_string_equal(CHANGE(setns, 100, 0, 77, 0)->fs->cwd, "/w/");
	assert_string_equal(CHANGE(setns, 100, 0, 77, users | mounts)->fs->cwd, "/");
}

struct limits {
	int64_t pid, newcur, newmax, oldcur, oldmax;
	int64_t resource; /* 0: that of open files */
};

static void limit(struct drive *drive, int64_t result, const struct limits *limits)
{
	struct frame *frame = drive_begin(drive, EVENT_prlimit, 100);

	frame_put_i64(frame, prlimit__res, result);
	frame_put_i64(frame, prlimit__newcur, limits->newcur);
	frame_put_i64(frame, prlimit__newmax, limits->newmax);
	frame_put_i64(frame, prlimit__oldcur, limits->oldcur);
	frame_put_i64(frame, prlimit__oldmax, limits->oldmax);
	frame_put_i64(frame, prlimit__pid, limits->pid);
	frame_put_i64(frame, prlimit__resource,
		      limits->resource ? limits->resource : rlimit_resources__RLIMIT_NOFILE);
	drive_end(drive);
}

#define LIMIT(result, ...) limit(*state, result, &(struct limits){__VA_ARGS__})

static void limits_change(void **state)
{
	const struct state_thread *thread = drive_thread(*state, 100);
	int64_t files = rlimit_resources__RLIMIT_NOFILE, cpu = rlimit_resources__RLIMIT_CPU;

	assert_int_equal(CHANGE(setrlimit, 100, 0, 50, 60, files)->fd_limit, 50);
	assert_int_equal(CHANGE(setrlimit, 100, -EPERM, 51, 60, files)->fd_limit, 50);
	assert_int_equal(CHANGE(setrlimit, 100, 0, 52, 60, cpu)->fd_limit, 50);
	LIMIT(0, .newcur = 70, .newmax = 80);
	assert_int_equal(thread->fd_limit, 70);
	LIMIT(-EPERM, .newcur = 71, .newmax = 80, .oldcur = -1, .oldmax = -1);
	LIMIT(0, .newcur = 72, .newmax = 80, .resource = rlimit_resources__RLIMIT_STACK);
	/* The old one alone was asked for. */
	LIMIT(0, .oldcur = 70, .oldmax = 80);
	assert_int_equal(thread->fd_limit, 70);
	LIMIT(0, .newmax = 80, .oldcur = 70, .oldmax = 80);
	assert_int_equal(thread->fd_limit, 0);
	LIMIT(0, .newcur = 5, .newmax = 5);
	LIMIT(0, .newcur = 0);
	assert_int_equal(thread->fd_limit, 0);
}

static void limits_of_others_change(void **state)
{
	shares(state);
	drive_fork(*state, 100, 200);
	drive_thread(*state, 100)->vpid = 100;
	LIMIT(0, .pid = 200, .newcur = 90, .newmax = 90);
	assert_int_equal(drive_thread(*state, 200)->fd_limit, 90);
	assert_int_not_equal(drive_thread(*state, 100)->fd_limit, 90);
	LIMIT(0, .pid = 999, .newcur = 91, .newmax = 91);
	/* One thread's are those of its process. */
	CHANGE(setrlimit, 101, 0, 30, 60, rlimit_resources__RLIMIT_NOFILE);
	assert_int_equal(drive_thread(*state, 100)->fd_limit, 30);
	assert_int_equal(drive_thread(*state, 101)->fd_limit, 30);
}

static void a_range_is_closed(void **state)
{
	static const int64_t numbers[] = {0, 3, 4, 31, 32, 64, 1000};

	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		drive_open(*state, 100, numbers[i], "/f", 0);
	CHANGE(close_range, 100, -EINVAL, 0, 1000, 0);
	CHANGE(close_range, 100, 0, 4, 64, 0);
	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_int_equal(drive_has_fd(*state, 100, numbers[i]),
				 numbers[i] < 4 || numbers[i] > 64);
	CHANGE(close_range, 100, 0, 3, UINT32_MAX, 0);
	assert_true(drive_has_fd(*state, 100, 0));
	assert_false(drive_has_fd(*state, 100, 1000));
}

static void a_range_is_marked(void **state)
{
	drive_open(*state, 100, 3, "/three", 0);
	drive_open(*state, 100, 4, "/four", 0);
	CHANGE(close_range, 100, 0, 4, UINT32_MAX, close_range_flags__CLOSE_RANGE_CLOEXEC);
	assert_true(drive_has_fd(*state, 100, 4));
	drive_exec(*state, 100, "cat");
	assert_true(drive_has_fd(*state, 100, 3));
	assert_false(drive_has_fd(*state, 100, 4));
}

static void a_range_of_its_own(void **state)
{
	shares(state);
	CHANGE(close_range, 101, 0, 0, 10, close_range_flags__CLOSE_RANGE_UNSHARE);
	assert_true(drive_has_fd(*state, 100, 3));
	assert_false(drive_has_fd(*state, 101, 3));
}

#define TEST(function)                                                                             \
	cmocka_unit_test_setup_teardown(function, drive_setup_process, drive_teardown)

static const struct CMUnitTest tests[] = {
	TEST(users_change),
	TEST(ids_are_those_of_the_kernel),
	TEST(faked_calls_change_nothing),
	TEST(groups_change),
	TEST(sessions_begin),
	TEST(groups_are_joined),
	TEST(groups_in_a_namespace),
	TEST(names_change),
	TEST(a_directory_of_its_own),
	TEST(descriptors_of_its_own),
	TEST(a_range_is_closed),
	TEST(a_range_is_marked),
	TEST(a_range_of_its_own),
	TEST(capabilities_change),
	TEST(user_namespaces_give_power),
	TEST(namespaces_are_joined),
	TEST(limits_change),
	TEST(limits_of_others_change),
};

UNIT_GROUP(tests);
