/* SPDX-License-Identifier: MIT */
/* What is answered to requests of a process that may be an attacker's. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "scap/live/loader.h"
#include "unit.h"

enum { RANDOM_REQUESTS = 600 };

struct served {
	pthread_t thread;
	int socket; /* of the test */
	int other;
	int result;
	int fds[LOADER_PARTS_MAX];
	struct loader_answer answer;
};

static void *serve(void *context)
{
	struct served *served = context;

	served->result = loader_serve(served->other);
	return NULL;
}

static void begin(struct served *served)
{
	int ends[2];

	memset(served, 0, sizeof(*served));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	served->socket = ends[0];
	served->other = ends[1];
	assert_int_equal(pthread_create(&served->thread, NULL, serve, served), 0);
}

static void end(struct served *served)
{
	close(served->socket);
	assert_int_equal(pthread_join(served->thread, NULL), 0);
	assert_int_equal(served->result, 0);
	close(served->other);
}

/* Receives an answer; returns its result. Its descriptors are closed. */
static int answer_of(struct served *served)
{
	size_t count = 0;

	assert_int_equal(loader_receive(served->socket, &served->answer, sizeof(served->answer),
					served->fds, LOADER_PARTS_MAX, &count),
			 0);
	assert_int_equal(count, served->answer.parts);
	for (size_t i = 0; i < count; i++)
		close(served->fds[i]);
	return served->answer.result;
}

static int ask(struct served *served, const struct loader_request *request)
{
	assert_int_equal(loader_send(served->socket, request, sizeof(*request), NULL, 0), 0);
	return answer_of(served);
}

static void expect_text(const struct served *served, const char *text)
{
	assert_int_equal(served->answer.is_last, 1);
	assert_int_equal(served->answer.parts, 0);
	if (!strstr(served->answer.text, text))
		fail_msg("no \"%s\" in \"%s\"", text, served->answer.text);
}

/* Each is answered, and the next one, too. */
static void test_malformed(void **state)
{
	static const uint32_t kinds[] = {0, LOADER_REQUESTS, 1000, UINT32_MAX};
	struct loader_request request = {0};
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct served served;

	begin(&served);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		request.kind = kinds[i];
		assert_int_equal(ask(&served, &request), -EINVAL);
		expect_text(&served, "a request to the loader is malformed");
	}
	assert_int_equal(loader_send(served.socket, "short", 5, NULL, 0), 0);
	assert_int_equal(answer_of(&served), -EINVAL);
	request.kind = LOADER_RELEASE;
	assert_int_equal(loader_send(served.socket, &request, sizeof(request), &null, 1), 0);
	assert_int_equal(answer_of(&served), -EINVAL);
	request.kind = LOADER_LOAD;
	assert_int_equal(ask(&served, &request), -EINVAL);
	expect_text(&served, "a request to load programs is malformed: the size of ring buffers");
	request.kind = LOADER_RELEASE;
	assert_int_equal(ask(&served, &request), 0);
	close(null);
	end(&served);
}

static void test_rings(void **state)
{
	static const uint32_t sizes[] = {0, 100, 12288, UINT32_MAX, UINT32_C(1) << 31};
	struct loader_request request = {.kind = LOADER_RING};
	struct served served;

	begin(&served);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		request.ring_bytes = sizes[i];
		assert_int_equal(ask(&served, &request), -EINVAL);
	}
	request.ring_bytes = 1 << 16;
	request.cpu = UINT32_MAX - 1;
	assert_true(ask(&served, &request) < 0);
	request.cpu = 1 << 20;
	assert_true(ask(&served, &request) < 0);
	request.cpu = 0;
	if (ask(&served, &request) == 0)
		assert_int_equal(served.answer.parts, 1);
	end(&served);
}

/* Bytes that mean nothing, of the right size: an answer each, and no more descriptors than that. */
static void test_random(void **state)
{
	struct loader_request request;
	uint64_t random = 1;
	struct served served;

	begin(&served);
	for (int i = 0; i < RANDOM_REQUESTS; i++) {
		unsigned char *bytes = (unsigned char *)&request;

		for (size_t at = 0; at < sizeof(request); at++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			bytes[at] = (unsigned char)(random >> 56);
		}
		/* Each kind, and one beyond; a release succeeds. */
		request.kind = (uint32_t)i % (LOADER_REQUESTS + 1);
		assert_int_equal(ask(&served, &request) == 0, request.kind == LOADER_RELEASE);
		assert_int_equal(served.answer.parts, 0);
		assert_int_equal(served.answer.is_last, 1);
	}
	end(&served);
}

/* Nothing is loaded that could be attached. */
static void test_order(void **state)
{
	struct loader_request request = {.kind = LOADER_ATTACH};
	struct served served;

	begin(&served);
	assert_int_equal(ask(&served, &request), -EINVAL);
	expect_text(&served, "no BPF programs are loaded");
	request.kind = LOADER_RELEASE;
	assert_int_equal(ask(&served, &request), 0);
	assert_int_equal(ask(&served, &request), 0);
	end(&served);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_malformed),
	cmocka_unit_test(test_rings),
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_order),
};

UNIT_GROUP(tests);
