/* SPDX-License-Identifier: MIT */
/* A profile of a child that is captured: its stacks on the CPU, its waits off it, its end. */
#include "profile/capture/profile_capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "profile_abi.h"
#include "unit.h"
#include "util/clock.h"

enum { FREQUENCY_HZ = 997, SLEEP_MS = 20, SAMPLES_WANTED = 50 };

static const uint64_t limit_ns = UINT64_C(60000000000);

static const char *missing(void)
{
	return geteuid() == 0 ? NULL : "root";
}

/* A child that computes or sleeps, until it is killed. */
static pid_t start(bool sleeps)
{
	const struct timespec pause = {0, SLEEP_MS * 1000000};
	pid_t pid = fork();

	while (pid == 0)
		if (sleeps)
			nanosleep(&pause, NULL);
	return pid;
}

static pid_t start_as(uid_t uid)
{
	const struct timespec pause = {0, SLEEP_MS * 1000000};
	pid_t pid = fork();

	if (pid == 0 && setuid(uid))
		_exit(1);
	while (pid == 0)
		nanosleep(&pause, NULL);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool describe(void *context, struct stack_process *process)
{
	(*(int *)context)++;
	process->container_id = "of a container";
	return true;
}

static bool reject(void *context, struct stack_process *process)
{
	return false;
}

struct capturing {
	struct profile_capture *capture;
	struct stacks stacks;
	int proc, described;
};

static void begin(struct capturing *capturing, pid_t pid, bool off_cpu)
{
	struct profile_capture_config config = {.on_cpu = !off_cpu,
						.off_cpu = off_cpu,
						.frequency_hz = FREQUENCY_HZ,
						.pids = &pid,
						.pids_count = 1,
						.describe = describe,
						.context = &capturing->described};
	struct error err = {""};

	*capturing = (struct capturing){.proc = open("/proc", O_RDONLY | O_CLOEXEC)};
	config.proc = capturing->proc;
	assert_int_equal(stacks_init(&capturing->stacks), 0);
	if (profile_capture_open(&config, &capturing->capture, &err))
		fail_msg("%s", err.text);
	if (profile_capture_begin(capturing->capture, &err))
		fail_msg("%s", err.text);
}

static void finish(struct capturing *capturing)
{
	profile_capture_close(capturing->capture);
	stacks_finish(&capturing->stacks);
	close(capturing->proc);
}

/* Follows and reads until it has seen so much. */
static uint64_t follow(struct capturing *capturing, uint64_t times_wanted)
{
	uint64_t times = 0, until = clock_ns(CLOCK_MONOTONIC) + limit_ns;

	while (times < times_wanted && clock_ns(CLOCK_MONOTONIC) < until) {
		struct pollfd fd = {profile_capture_fd(capturing->capture), POLLIN, 0};

		poll(&fd, 1, 50);
		assert_true(profile_capture_step(capturing->capture) >= 0);
		assert_int_equal(profile_capture_read(capturing->capture, &capturing->stacks), 0);
		times = 0;
		for (size_t i = 0; i < capturing->stacks.rows_count; i++)
			times += capturing->stacks.rows[i].times;
	}
	return times;
}

static void samples_a_process(void **state)
{
	pid_t pid = start(false);
	struct capturing capturing;
	const struct stacks *stacks = &capturing.stacks;
	uint64_t whole = 0, late = 0, runs, run_ns;

	begin(&capturing, pid, false);
	assert_true(follow(&capturing, SAMPLES_WANTED) >= SAMPLES_WANTED);
	profile_capture_cost(capturing.capture, &run_ns, &runs);
	assert_in_range(profile_capture_read_each(capturing.capture), 40000000, 1000000000);
	profile_capture_stop(capturing.capture);
	assert_int_equal(stacks->processes_count, 1);
	assert_int_equal(stacks->processes[0].pid, pid);
	assert_int_equal(stacks->processes[0].ns_pid, pid);
	assert_true(stacks->processes[0].was_read);
	assert_int_equal(stacks->processes[0].uid, 0);
	assert_string_equal(stacks->processes[0].container_id, "of a container");
	assert_int_equal(capturing.described, 1);
	assert_int_equal(stacks->period_ns, 1000000000 / FREQUENCY_HZ);
	for (size_t i = 0; i < stacks->rows_count; i++) {
		const struct stack_row *row = &stacks->rows[i];

		assert_int_equal(row->kind, STACK_ON_CPU);
		assert_int_equal(row->reason, STACK_NO_REASON);
		assert_int_equal(row->tid, pid);
		assert_int_equal(row->value, row->times);
		if (row->user.lack == STACK_WHOLE && row->user.count > 3)
			whole += row->times;
		late += row->user.lack == STACK_TABLE_LATE ? row->times : 0;
	}
	assert_true(whole > 0 && whole + late >= SAMPLES_WANTED * 9 / 10);
	/* This program, which is open, whatever becomes of it. */
	for (size_t i = 1; i < stacks->files_count; i++)
		if (stacks->files[i].kind == STACK_FILE && strstr(stacks->files[i].path, "test_"))
			assert_true(stacks->files[i].fd >= 0 && stacks->files[i].ino);
	end(pid);
	finish(&capturing);
}

/* Nothing of them is in the set. */
static void leaves_out_whom_nobody_wants(void **state)
{
	pid_t pid = start(true);
	struct profile_capture_config config = {.proc = open("/proc", O_RDONLY | O_CLOEXEC),
						.off_cpu = true,
						.pids = &pid,
						.pids_count = 1,
						.describe = reject};
	struct capturing capturing = {.proc = config.proc};

	assert_int_equal(stacks_init(&capturing.stacks), 0);
	assert_int_equal(profile_capture_open(&config, &capturing.capture, NULL), 0);
	assert_int_equal(profile_capture_begin(capturing.capture, NULL), 0);
	usleep(5 * SLEEP_MS * 1000);
	profile_capture_stop(capturing.capture);
	for (int i = 0; i < 2; i++)
		assert_int_equal(profile_capture_read(capturing.capture, &capturing.stacks), 0);
	assert_int_equal(profile_capture_release(capturing.capture, &capturing.stacks), 0);
	assert_int_equal(profile_capture_read_waits(capturing.capture, &capturing.stacks), 0);
	assert_int_equal(capturing.stacks.rows_count, 0);
	end(pid);
	finish(&capturing);
}

/* The map of rows of a capture of this process, which has one; -1: none. */
static int find_rows(void)
{
	for (int fd = 3; fd < 1024; fd++) {
		struct bpf_map_info info = {0};
		uint32_t bytes = sizeof(info);
		char path[32], name[32] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (readlink(path, name, sizeof(name) - 1) > 0 && strstr(name, "bpf-map") &&
		    bpf_obj_get_info_by_fd(fd, &info, &bytes) == 0 &&
		    strcmp(info.name, "rows") == 0)
			return fd;
	}
	return -1;
}

static bool has_rows(pid_t pid)
{
	struct profile_row row, *before = NULL;
	int map = find_rows();

	assert_true(map >= 0);
	for (; bpf_map_get_next_key(map, before, &row) == 0; before = &row)
		if (row.pid == (uint32_t)pid)
			return true;
	return false;
}

/* Of a process that nobody wants the kernel counts nothing from then on. */
static void has_the_kernel_leave_them_out(void **state)
{
	pid_t pid = start(false);
	struct profile_capture_config config = {.proc = open("/proc", O_RDONLY | O_CLOEXEC),
						.on_cpu = true,
						.frequency_hz = FREQUENCY_HZ,
						.pids = &pid,
						.pids_count = 1,
						.describe = reject};
	struct capturing capturing = {.proc = config.proc};
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + limit_ns;

	assert_int_equal(stacks_init(&capturing.stacks), 0);
	assert_int_equal(profile_capture_open(&config, &capturing.capture, NULL), 0);
	assert_int_equal(profile_capture_begin(capturing.capture, NULL), 0);
	while (!has_rows(pid) && clock_ns(CLOCK_MONOTONIC) < until)
		usleep(1000);
	assert_true(has_rows(pid));
	/* Here it is described. Then what was counted before is removed. */
	assert_true(profile_capture_step(capturing.capture) >= 0);
	assert_int_equal(profile_capture_read(capturing.capture, &capturing.stacks), 0);
	assert_int_equal(profile_capture_read(capturing.capture, &capturing.stacks), 0);
	for (int i = 0; i < 100; i++) {
		usleep(1000);
		assert_false(has_rows(pid));
	}
	assert_int_equal(capturing.stacks.rows_count, 0);
	end(pid);
	finish(&capturing);
}

/* Each wait is as long as the sleep, or longer; the sums of a time are not more than that time. */
static void measures_waits(void **state)
{
	pid_t pid = start(true);
	struct capturing capturing;
	const struct stacks *stacks = &capturing.stacks;
	uint64_t begun = clock_ns(CLOCK_MONOTONIC), all = 0, asleep = 0, sleeps = 0;

	begin(&capturing, pid, true);
	follow(&capturing, SAMPLES_WANTED);
	profile_capture_stop(capturing.capture);
	assert_int_equal(profile_capture_read(capturing.capture, &capturing.stacks), 0);
	assert_int_equal(profile_capture_read_waits(capturing.capture, &capturing.stacks), 0);
	for (size_t i = 0; i < stacks->rows_count; i++) {
		const struct stack_row *row = &stacks->rows[i];

		assert_int_equal(row->kind, STACK_OFF_CPU);
		all += row->value;
		if (row->reason == STACK_SLEEP) {
			asleep += row->value;
			sleeps += row->times;
		}
	}
	assert_true(sleeps >= SAMPLES_WANTED / 3);
	assert_true(asleep >= (sleeps - 1) * SLEEP_MS * 1000000);
	assert_true(all <= clock_ns(CLOCK_MONOTONIC) - begun);
	end(pid);
	finish(&capturing);
}

/* That of this process: other captures on the machine have such maps as well. */
static int open_map(const char *name)
{
	enum { FDS = 1024 };

	for (int fd = 0; fd < FDS; fd++) {
		struct bpf_map_info info = {0};
		uint32_t bytes = sizeof(info);
		char path[32], target[32] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (readlink(path, target, sizeof(target) - 1) > 0 &&
		    strcmp(target, "anon_inode:bpf-map") == 0 &&
		    bpf_obj_get_info_by_fd(fd, &info, &bytes) == 0 && strcmp(info.name, name) == 0)
			return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	}
	fail_msg("there is no map %s", name);
	return -1;
}

/* Where no waits are measured there is no memory for them. */
static void has_room_for_waits_if_they_are_measured(void **state)
{
	static const char *const names[] = {"waits", "waiting"};
	pid_t pid = start(true);

	for (int off_cpu = 0; off_cpu < 2; off_cpu++) {
		struct capturing capturing;

		begin(&capturing, pid, off_cpu);
		for (size_t i = 0; i < 2; i++) {
			struct bpf_map_info info = {0};
			uint32_t bytes = sizeof(info);
			int map = open_map(names[i]);

			assert_int_equal(bpf_obj_get_info_by_fd(map, &info, &bytes), 0);
			assert_true(off_cpu ? info.max_entries > 1000 : info.max_entries == 1);
			close(map);
		}
		finish(&capturing);
	}
	end(pid);
}

/* As bpf/core/share_owner.bpf.h makes it. */
static uint64_t share_of_user(uid_t uid)
{
	return UINT64_C(1) << 63 | uid;
}

/* A user who has as many waits as one may have gets no more; what ends gives its place back. */
static void keeps_waits_of_a_user_few(void **state)
{
	const uint64_t share = share_of_user(4711);
	const uint32_t most = PROFILE_WAITS;
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + limit_ns;
	struct capturing capturing;
	uint32_t waiting = 0;
	pid_t pid = start_as(4711);
	int map;

	begin(&capturing, pid, true);
	map = open_map("waiting");
	assert_true(follow(&capturing, SAMPLES_WANTED) >= SAMPLES_WANTED);
	assert_int_equal(bpf_map_lookup_elem(map, &share, &waiting), 0);
	assert_true(waiting <= 1);
	assert_int_equal(capturing.stacks.lost[STACKS_LOST_STARTS_OF_SHARE], 0);
	assert_int_equal(bpf_map_update_elem(map, &share, &most, BPF_ANY), 0);
	while (!capturing.stacks.lost[STACKS_LOST_STARTS_OF_SHARE] &&
	       clock_ns(CLOCK_MONOTONIC) < until) {
		/* One that ends meanwhile gives its place. */
		assert_int_equal(bpf_map_update_elem(map, &share, &most, BPF_ANY), 0);
		assert_int_equal(profile_capture_read(capturing.capture, &capturing.stacks), 0);
	}
	assert_true(capturing.stacks.lost[STACKS_LOST_STARTS_OF_SHARE] > 0);
	assert_int_equal(capturing.stacks.lost[STACKS_LOST_STARTS], 0);
	close(map);
	end(pid);
	finish(&capturing);
}

/* A kernel may hide switches: a wait whose end was not seen is counted as lost when the next one
 * begins. */
static void counts_waits_whose_end_is_hidden(void **state)
{
	const struct profile_wait hidden = {.share = share_of_user(4711)};
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + limit_ns;
	struct capturing capturing;
	pid_t pid = start(false);
	const uint32_t tid = (uint32_t)pid;
	int map;

	begin(&capturing, pid, true);
	map = open_map("waits");
	while (!capturing.stacks.lost[STACKS_LOST_ENDS] && clock_ns(CLOCK_MONOTONIC) < until) {
		/* While it runs there is none. */
		bpf_map_update_elem(map, &tid, &hidden, BPF_NOEXIST);
		assert_int_equal(profile_capture_read(capturing.capture, &capturing.stacks), 0);
	}
	assert_true(capturing.stacks.lost[STACKS_LOST_ENDS] > 0);
	close(map);
	end(pid);
	finish(&capturing);
}

/* The waits of a process that were counted. */
static uint64_t waits_of(const struct stacks *stacks, pid_t pid)
{
	uint64_t times = 0;

	for (size_t i = 0; i < stacks->rows_count; i++)
		if (stacks->processes[stacks->rows[i].process].pid == pid)
			times += stacks->rows[i].times;
	return times;
}

/*
 * One has three quarters of the places by acting as somebody else. As himself he has as many as are
 * free: he gets no more, and another one does.
 */
static void leaves_places_to_others(void **state)
{
	const uint64_t share = share_of_user(4711), all = PROFILE_WAITS / 4 * 3;
	const uint32_t own = PROFILE_WAITS / 4, what = PROFILE_SHARED_WAITS;
	const pid_t pids[] = {start_as(4711), start_as(4712)};
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + limit_ns;
	struct profile_capture_config config = {.off_cpu = true, .pids = pids, .pids_count = 2};
	struct capturing capturing = {.proc = open("/proc", O_RDONLY | O_CLOEXEC)};
	struct error err = {""};
	int waiting, taken;

	config.proc = capturing.proc;
	assert_int_equal(stacks_init(&capturing.stacks), 0);
	if (profile_capture_open(&config, &capturing.capture, &err))
		fail_msg("%s", err.text);
	waiting = open_map("waiting");
	taken = open_map("taken");
	assert_int_equal(bpf_map_update_elem(waiting, &share, &own, BPF_ANY), 0);
	assert_int_equal(bpf_map_update_elem(taken, &what, &all, BPF_ANY), 0);
	assert_int_equal(profile_capture_begin(capturing.capture, &err), 0);
	while (waits_of(&capturing.stacks, pids[1]) < SAMPLES_WANTED &&
	       clock_ns(CLOCK_MONOTONIC) < until) {
		struct pollfd fd = {profile_capture_fd(capturing.capture), POLLIN, 0};

		poll(&fd, 1, 50);
		assert_true(profile_capture_step(capturing.capture) >= 0);
		assert_int_equal(profile_capture_read(capturing.capture, &capturing.stacks), 0);
	}
	assert_true(waits_of(&capturing.stacks, pids[1]) >= SAMPLES_WANTED);
	assert_int_equal(waits_of(&capturing.stacks, pids[0]), 0);
	assert_true(capturing.stacks.lost[STACKS_LOST_STARTS_OF_SHARE] > 0);
	close(waiting);
	close(taken);
	end(pids[0]);
	end(pids[1]);
	finish(&capturing);
}

/* Of a wait that began before, what is after it counts. */
static void counts_from_a_time_on(void **state)
{
	pid_t pid = start(true);
	struct capturing capturing;
	const struct stacks *stacks = &capturing.stacks;
	uint64_t begin_ns = 0, all = 0;

	begin(&capturing, pid, true);
	usleep(SLEEP_MS * 2500);
	assert_int_equal(profile_capture_restart(capturing.capture, &begin_ns), 0);
	usleep(SLEEP_MS * 500);
	profile_capture_stop(capturing.capture);
	assert_int_equal(profile_capture_read(capturing.capture, &capturing.stacks), 0);
	assert_int_equal(profile_capture_read_waits(capturing.capture, &capturing.stacks), 0);
	for (size_t i = 0; i < stacks->rows_count; i++)
		all += stacks->rows[i].value;
	assert_true(all > 0 && all <= clock_ns(CLOCK_MONOTONIC) - begin_ns);
	end(pid);
	finish(&capturing);
}

static void rejects_a_process_that_is_not_there(void **state)
{
	const pid_t pid = 0x3ffffff;
	struct profile_capture_config config = {.proc = open("/proc", O_RDONLY | O_CLOEXEC),
						.on_cpu = true,
						.frequency_hz = FREQUENCY_HZ,
						.pids = &pid,
						.pids_count = 1};
	struct profile_capture *capture;
	struct error err = {""};

	assert_int_equal(profile_capture_open(&config, &capture, &err), -ESRCH);
	assert_string_equal(err.text, "there is no process 67108863");
	close(config.proc);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(samples_a_process),
	cmocka_unit_test(measures_waits),
	cmocka_unit_test(leaves_out_whom_nobody_wants),
	cmocka_unit_test(has_the_kernel_leave_them_out),
	cmocka_unit_test(has_room_for_waits_if_they_are_measured),
	cmocka_unit_test(keeps_waits_of_a_user_few),
	cmocka_unit_test(counts_waits_whose_end_is_hidden),
	cmocka_unit_test(leaves_places_to_others),
	cmocka_unit_test(counts_from_a_time_on),
	cmocka_unit_test(rejects_a_process_that_is_not_there),
};

UNIT_GROUP(tests, .missing = missing);
