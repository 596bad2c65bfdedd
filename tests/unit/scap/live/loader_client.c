/* SPDX-License-Identifier: MIT */
/* A capture whose programs are loaded over a socket; and answers that no loader would give. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/live/live.h"
#include "scap/live/loader.h"
#include "unit.h"

enum { CALLS = 50 };

struct served {
	struct loader_client client;
	pthread_t thread;
	int other;
	void (*answer)(struct served *served); /* NULL: as a loader does */
	struct loader_request request;
};

static void *serve(void *context)
{
	struct served *served = context;
	size_t none;

	if (!served->answer) {
		assert_int_equal(loader_serve(served->other), 0);
	} else if (loader_receive(served->other, &served->request, sizeof(served->request), NULL, 0,
				  &none) == 0) {
		served->answer(served);
	}
	close(served->other);
	return NULL;
}

static void begin(struct served *served, void (*answer)(struct served *served))
{
	int ends[2];

	memset(served, 0, sizeof(*served));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	loader_client_init(&served->client, ends[0]);
	served->other = ends[1];
	served->answer = answer;
	assert_int_equal(pthread_create(&served->thread, NULL, serve, served), 0);
}

static void end(struct served *served)
{
	loader_client_finish(&served->client);
	assert_int_equal(pthread_join(served->thread, NULL), 0);
}

static struct scap_live_config config_with(struct served *served)
{
	return (struct scap_live_config){
		.loader = &served->client.loader,
		.ring_bytes = 1 << 16,
		.snaplen = SNAPLEN_DEFAULT,
		.events = {[EVENT_mkdirat] = true},
	};
}

/* From the load to the last event, and again. */
static void test_captures(void **state)
{
	struct served served;
	struct scap_live_config config;

	begin(&served, NULL);
	config = config_with(&served);
	for (int round = 0; round < 2; round++) {
		static struct scap_live_stats stats;
		struct scap_live *live = NULL;
		struct error err = {""};
		struct scap_event event;
		unsigned int got = 0;
		int code = scap_live_open(&config, &live, &err);

		if (code == -EPERM)
			skip();
		if (code)
			fail_msg("%s", err.text);
		for (int i = 0; i < CALLS; i++)
			assert_int_equal(mkdirat(-1, "x", 0700), -1);
		scap_live_stop(live);
		while (scap_source_next(scap_live_source(live), 10, &event) == 1)
			got++;
		assert_true(got >= CALLS);
		assert_int_equal(scap_live_stats(live, &stats), 0);
		assert_int_equal(stats.seen[EVENT_mkdirat], stats.delivered[EVENT_mkdirat]);
		assert_true(scap_live_map_bytes(live) > 0);
		scap_source_destroy(scap_live_source(live));
	}
	end(&served);
}

static void expect_failure(void (*answer)(struct served *served), int code, const char *text)
{
	struct scap_live *live = NULL;
	struct scap_live_config config;
	struct error err = {""};
	struct served served;

	begin(&served, answer);
	config = config_with(&served);
	assert_int_equal(scap_live_open(&config, &live, &err), code);
	assert_null(live);
	if (!strstr(err.text, text))
		fail_msg("no \"%s\" in \"%s\"", text, err.text);
	end(&served);
}

static void send_answer(struct served *served, struct loader_answer *answer, size_t fds)
{
	int list[LOADER_PARTS_MAX];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (size_t i = 0; i < fds; i++)
		list[i] = null;
	assert_int_equal(loader_send(served->other, answer, sizeof(*answer), list, fds), 0);
	close(null);
}

static void close_at_once(struct served *served)
{
}

static void refuse(struct served *served)
{
	struct loader_answer answer = {.result = -ENOTSUP, .is_last = 1};

	memset(answer.text, 'x', sizeof(answer.text)); /* without an end */
	send_answer(served, &answer, 0);
}

static void give_nothing(struct served *served)
{
	send_answer(served, &(struct loader_answer){.is_last = 1, .cpus = 1}, 0);
}

static void give_too_few(struct served *served)
{
	send_answer(served, &(struct loader_answer){.is_last = 1, .parts = 3}, 2);
}

static void give_unknown(struct served *served)
{
	struct loader_answer answer = {.is_last = 1, .parts = 1, .list = {{LIVE_PART_KINDS, 0}}};

	send_answer(served, &answer, 1);
}

static void give_unknown_row(struct served *served)
{
	struct loader_answer answer = {
		.is_last = 1, .parts = 1, .list = {{LIVE_PROGRAM, UINT16_MAX}}};

	send_answer(served, &answer, 1);
}

static void give_no_cpus(struct served *served)
{
	struct loader_answer answer = {.is_last = 1, .parts = LIVE_MAP_OTHER};

	for (uint16_t row = 0; row < LIVE_MAP_OTHER; row++)
		answer.list[row] = (struct loader_part){LIVE_MAP, row};
	send_answer(served, &answer, LIVE_MAP_OTHER);
}

static void give_bytes(struct served *served)
{
	assert_int_equal(loader_send(served->other, "short", 5, NULL, 0), 0);
}

static void test_answers(void **state)
{
	expect_failure(close_at_once, -EPIPE, "the process that loads programs has ended");
	expect_failure(refuse, -ENOTSUP, "xxxx");
	expect_failure(give_nothing, -EBADMSG, "a BPF map was not handed over");
	expect_failure(give_too_few, -EBADMSG, "the process that loads programs");
	expect_failure(give_unknown, -EBADMSG, "the process that loads programs");
	expect_failure(give_unknown_row, -EBADMSG, "the process that loads programs");
	expect_failure(give_no_cpus, -EBADMSG, "what was handed over is malformed");
	expect_failure(give_bytes, -EBADMSG, "the process that loads programs");
}

static void wait_until_closed(struct served *served)
{
	size_t none;

	loader_receive(served->other, &served->request, sizeof(served->request), NULL, 0, &none);
}

/* A ring is opened by the thread that reads events: it does not wait for long, and only once. */
static void test_no_answer(void **state)
{
	struct error err = {""};
	struct served served;
	struct live_loader *loader = &served.client.loader;

	begin(&served, wait_until_closed);
	assert_int_equal(loader->ops->open_ring(loader, 0, 1 << 16, false, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.text, "does not answer"));
	assert_int_equal(loader->ops->open_ring(loader, 0, 1 << 16, false, &err), -EPIPE);
	end(&served);
}

/* Nor for another thread, whose load takes its time. */
static void test_busy(void **state)
{
	struct error err = {""};
	struct served served;
	struct live_loader *loader = &served.client.loader;

	begin(&served, NULL);
	pthread_mutex_lock(&served.client.mutex);
	assert_int_equal(loader->ops->open_ring(loader, 0, 1 << 16, false, &err), -EBUSY);
	pthread_mutex_unlock(&served.client.mutex);
	assert_int_not_equal(loader->ops->open_ring(loader, 0, 100, false, &err), -EBUSY);
	end(&served);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_captures),
	cmocka_unit_test(test_answers),
	cmocka_unit_test(test_no_answer),
	cmocka_unit_test(test_busy),
};

UNIT_GROUP(tests, .unfilled = true);
