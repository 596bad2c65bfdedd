/* SPDX-License-Identifier: MIT */
/* The pages of a run, fetched while its loop moves, and while it does not. */
#include "agent/run/run.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/control.h"
#include "fake_input.h"
#include "fake_target.h"
#include "unit.h"

static struct options options;
static struct fake_input input;
static struct run run;
static char path[64], address[80];
static atomic_bool ended;

static int setup(void **state)
{
	struct error err = {""};

	snprintf(path, sizeof(path), "/tmp/lanner-pages-%d", (int)getpid());
	snprintf(address, sizeof(address), "unix:%s", path);
	options = (struct options){.format = &format_text, .http = {address}};
	fake_input_run(&input, &run, &options);
	input.input.live = NULL; /* as for a capture file */
	atomic_store(&ended, false);
	if (pages_begin(&run, &err))
		fail_msg("%s", err.text);
	return 0;
}

static int teardown(void **state)
{
	run_finish(&run);
	return 0;
}

/* Fetches a page; the answer is that of the last fetch. */
static char answer[65536];

static void fetch(const char *page)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	size_t len = 0;
	ssize_t n;

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	dprintf(fd, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", page);
	while (len + 1 < sizeof(answer) &&
	       (n = read(fd, answer + len, sizeof(answer) - 1 - len)) > 0)
		len += (size_t)n;
	answer[len] = '\0';
	close(fd);
}

static void *move(void *data)
{
	while (!atomic_load(&ended)) {
		pages_serve(&run.pages);
		usleep(1000);
	}
	return NULL;
}

static void test_pages(void **state)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, move, NULL), 0);
	fetch("/healthz");
	assert_non_null(strstr(answer, "HTTP/1.1 200"));
	assert_non_null(strstr(answer, "\r\n\r\nok\n"));
	fetch("/metrics");
	assert_non_null(strstr(answer, "version=0.0.4"));
	assert_non_null(strstr(answer, "\nlanner_fake_total 1\n"));
	fetch("/status");
	assert_non_null(strstr(answer, "\nevents: counters, matched 0"));
	fetch("/readyz");
	assert_non_null(strstr(answer, "HTTP/1.1 200"));
	assert_non_null(strstr(answer, "no events of processes are captured"));
	atomic_store(&ended, true);
	pthread_join(thread, NULL);
}

/* An output whose thread has done the same since the machine started. */
static void add_output(enum output_heartbeat_place place)
{
	struct output_view view = {.format = &format_text};
	struct output *output;

	assert_int_equal(output_create(fake_config(""), &view, &output, NULL), 0);
	assert_int_equal(outputs_add(&run.outputs, output), 0);
	atomic_store(&output->sender.heartbeat.state, place);
}

/* A call of a target may last; code of the agent may not. */
static void test_threads_of_outputs(void **state)
{
	pthread_t thread;

	add_output(HEARTBEAT_IN_TARGET);
	assert_int_equal(pthread_create(&thread, NULL, move, NULL), 0);
	fetch("/healthz");
	assert_non_null(strstr(answer, "HTTP/1.1 200"));
	assert_non_null(
		strstr(answer, "\r\n\r\nok\noutput 1 (fake): its thread has been in a call "));
	atomic_store(&run.outputs.list[0]->sender.heartbeat.state, HEARTBEAT_WORKS);
	fetch("/healthz");
	assert_non_null(strstr(answer, "HTTP/1.1 503"));
	assert_non_null(strstr(answer, "\r\n\r\noutput 1 (fake): its thread has been in code of "));
	assert_non_null(strstr(answer, ": it hangs\n"));
	atomic_store(&ended, true);
	pthread_join(thread, NULL);
}

static void test_loop_that_is_stuck(void **state)
{
	fetch("/healthz");
	assert_non_null(strstr(answer, "HTTP/1.1 503"));
	assert_non_null(strstr(answer, "has not moved for 5 seconds"));
}

static void test_no_pages(void **state)
{
	struct options none = {0};
	struct run other = {.options = &none};
	struct error err;

	assert_int_equal(pages_begin(&other, &err), 0);
	assert_null(other.pages.controls[0]);
	pages_end(&other.pages);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_pages, setup, teardown),
	cmocka_unit_test_setup_teardown(test_threads_of_outputs, setup, teardown),
	cmocka_unit_test_setup_teardown(test_loop_that_is_stuck, setup, teardown),
	cmocka_unit_test(test_no_pages),
};

UNIT_GROUP(tests);
