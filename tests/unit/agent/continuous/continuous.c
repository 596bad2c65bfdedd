/* SPDX-License-Identifier: MIT */
/* The processes that take profiles: they are there, and end; what is said and counted of them. */
#include "agent/continuous/continuous.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/continuous/worker.h"
#include "util/buf.h"
#include "unit.h"

/* Waits for a count, a minute at most. */
static void wait_until_counted(const _Atomic uint64_t *count)
{
	for (int i = 0; i < 6000 && atomic_load(count) == 0; i++)
		usleep(10000);
	assert_int_not_equal(atomic_load(count), 0);
}

static void starts_nothing_unasked(void **state)
{
	const struct continuous_options options = {0};
	struct continuous continuous = {0};
	struct exposition exposition = {.out = &(struct buf){0}};
	struct error err = {""};

	assert_int_equal(continuous_start(&options, NULL, &continuous, &err), 0);
	assert_int_equal(continuous.pid, 0);
	continuous_step(&continuous, 1);
	continuous_append_metrics(&continuous, &exposition);
	assert_int_equal(exposition.out->len, 0);
	continuous_finish(&continuous);
}

/* Whether it can take profiles here or not. */
static void ends_with_the_agent(void **state)
{
	const struct continuous_options options = {
		.folder = "/proc/none", .interval_ns = 1000000000, .frequency_hz = 19};
	struct continuous continuous = {0};
	struct buf text = {0};
	struct exposition exposition = {.out = &text};
	struct error err = {""};
	pid_t pid;

	assert_int_equal(continuous_start(&options, NULL, &continuous, &err), 0);
	pid = continuous.pid;
	assert_true(pid > 0);
	continuous_step(&continuous, 1);
	assert_false(continuous.ended);
	/* The folder cannot be: that process ends, is counted, and started again. */
	wait_until_counted(&continuous.counts->deaths);
	continuous_append_metrics(&continuous, &exposition);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "lanner_profile_files_total 0\n"));
	assert_non_null(strstr(text.data, "lanner_profile_up 1\n"));
	assert_null(strstr(text.data, "lanner_profile_restarts_total 0\n"));
	/* Who starts it ends: nobody takes profiles any more. */
	assert_int_equal(kill(pid, SIGKILL), 0);
	for (uint64_t now_ns = UINT64_C(2000000000); !continuous.ended; now_ns *= 2) {
		usleep(10000);
		continuous_step(&continuous, now_ns);
	}
	buf_clear(&text);
	continuous_append_metrics(&continuous, &exposition);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "lanner_profile_up 0\n"));
	buf_finish(&text);
	continuous_finish(&continuous);
	assert_int_equal(waitpid(pid, NULL, 0), -1);
	assert_int_equal(continuous.pid, 0);
}

/* It waits for a folder that another one has, which is no sign of life. */
static void kills_what_hangs(void **state)
{
	char top[] = "/tmp/lanner-hangs-XXXXXX";
	const struct continuous_options options = {.folder = mkdtemp(top),
						   .interval_ns = 1000000000,
						   .frequency_hz = 19,
						   .hangs_ns = 300000000};
	struct continuous continuous = {0};
	struct error err = {""};
	int fd;

	assert_non_null(options.folder);
	fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(continuous_start(&options, NULL, &continuous, &err), 0);
	wait_until_counted(&continuous.counts->hangs);
	wait_until_counted(&continuous.counts->deaths);
	continuous_finish(&continuous);
	close(fd);
	assert_int_equal(rmdir(top), 0);
}

static void looks_for_signs_of_life(void **state)
{
	struct continuous_counts counts = {.followed_ns = 100};

	assert_false(continuous_counts_hang(&counts, 110, 10));
	assert_true(continuous_counts_hang(&counts, 111, 10));
	/* The writer: only while it writes. */
	counts.followed_ns = 200;
	counts.writing_ns = 150;
	assert_false(continuous_counts_hang(&counts, 160, 10));
	assert_true(continuous_counts_hang(&counts, 161, 10));
	counts.writing_ns = 0;
	assert_false(continuous_counts_hang(&counts, 161, 10));
}

static void notices_its_end(void **state)
{
	const struct continuous_options options = {
		.folder = "/proc/none", .interval_ns = 1000000000, .frequency_hz = 19};
	struct continuous continuous = {0};
	struct error err = {""};
	siginfo_t end;

	assert_int_equal(continuous_start(&options, NULL, &continuous, &err), 0);
	kill(continuous.pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)continuous.pid, &end, WEXITED | WNOWAIT), 0);
	continuous_step(&continuous, UINT64_C(5000000000));
	assert_true(continuous.ended);
	continuous_finish(&continuous);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(starts_nothing_unasked), cmocka_unit_test(ends_with_the_agent),
	cmocka_unit_test(kills_what_hangs),	  cmocka_unit_test(looks_for_signs_of_life),
	cmocka_unit_test(notices_its_end),
};

UNIT_GROUP(tests);
