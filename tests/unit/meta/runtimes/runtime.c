/* SPDX-License-Identifier: MIT */
/* Which runtime a socket is, and when it is asked. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "meta/runtimes/runtime.h"
#include "fake_runtime.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { NOBODY = 65534 };

/* Asks a runtime whose socket may be any. Returns the result. */
static int ask(struct runtime *runtime, unsigned int apis, struct error *err)
{
	struct state_container_info *info = state_container_info_create();
	int result;

	assert_non_null(info);
	result = runtime_describe(runtime, apis, ID, UINT64_MAX, info, err);
	if (result == 0)
		assert_string_equal(info->name, "web");
	state_container_info_destroy(info);
	return result;
}

static struct runtime *open_at(struct fake_runtime *server, unsigned int apis)
{
	struct runtime *runtime;

	assert_int_equal(runtime_open(fake_runtime_path(server), apis, &runtime, NULL), 0);
	return runtime;
}

/* Of CRI-O, which knows no container. HTTP/1.1 is answered in HTTP/2. */
static const struct fake_answer cri_answers[] = {
	{FAKE_BYTES, 0, "\0\0\0\4\0\0\0\0\0", 9},
	{FAKE_GRPC, 0,
	 "\x12\x05"
	 "cri-o",
	 7},
	{FAKE_GRPC, 5, NULL, 0},
	{FAKE_GRPC, 5, NULL, 0},
};

static void test_docker(void **state)
{
	static const struct fake_answer answers[] = {
		{FAKE_JSON, 200, "OK", 0},
		{FAKE_JSON, 200, "{\"Id\": \"" ID "\", \"Name\": \"/web\"}", 0},
		{FAKE_JSON, 404, "{}", 0},
	};
	struct fake_runtime *server = fake_runtime_start(answers, 3);
	struct runtime *runtime = open_at(server, RUNTIME_ONE);

	assert_int_equal(ask(runtime, RUNTIME_DOCKER, NULL), 0);
	/* Nor is one that does not know a container left alone. */
	assert_int_equal(ask(runtime, RUNTIME_DOCKER, NULL), -ENOENT);
	/* It is known to be Docker: not asked. */
	assert_int_equal(ask(runtime, RUNTIME_PODMAN | RUNTIME_CRI, NULL), -ENOENT);
	assert_int_equal(fake_runtime_requests(server), 3);
	runtime_close(runtime);
	fake_runtime_stop(server);
}

/* Podman behind the socket of Docker. */
static void test_another(void **state)
{
	static const struct fake_answer answers[] = {{FAKE_JSON, 200, "OK", 0}};
	struct fake_runtime *server = fake_runtime_start(answers, 1);
	struct runtime *runtime = open_at(server, RUNTIME_PODMAN);
	struct error err = {0};

	assert_int_equal(runtime_connect(runtime, UINT64_MAX, &err), -EOPNOTSUPP);
	assert_string_not_equal(err.text, "");
	assert_true(runtime_is_absent(runtime, -EOPNOTSUPP));
	runtime_close(runtime);
	fake_runtime_stop(server);
}

static void test_cri(void **state)
{
	struct fake_runtime *server = fake_runtime_start(cri_answers, 4);
	struct runtime *runtime = open_at(server, RUNTIME_ONE);

	assert_int_equal(ask(runtime, RUNTIME_CRI, NULL), -ENOENT);
	assert_int_equal(fake_runtime_requests(server), 4);
	runtime_close(runtime);
	fake_runtime_stop(server);
}

static void test_not_asked(void **state)
{
	static const struct fake_answer answers[] = {{FAKE_JSON, 200, "OK", 0}};
	struct fake_runtime *server = fake_runtime_start(answers, 1);
	struct runtime *runtime = open_at(server, RUNTIME_PODMAN);
	struct state_container_info *info = state_container_info_create();
	struct error err;

	assert_int_equal(ask(runtime, RUNTIME_DOCKER, NULL), -ENOENT);
	assert_int_equal(ask(runtime, RUNTIME_NONE, NULL), -ENOENT);
	assert_int_equal(runtime_describe(runtime, RUNTIME_PODMAN, ID, 1, info, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.text, "no time left"));
	assert_int_equal(fake_runtime_requests(server), 0);
	/* Which is not its failure: it is asked the next time. It turns out to be Docker. */
	assert_int_equal(ask(runtime, RUNTIME_PODMAN, NULL), -ENOENT);
	assert_int_equal(fake_runtime_requests(server), 1);
	state_container_info_destroy(info);
	runtime_close(runtime);
	fake_runtime_stop(server);
}

static void test_failed_one_is_left_alone(void **state)
{
	static const struct fake_answer answers[] = {{FAKE_JSON, 200, "OK", 0},
						     {FAKE_JSON, 200, "[]", 0}};
	struct fake_runtime *server = fake_runtime_start(answers, 2);
	struct runtime *runtime = open_at(server, RUNTIME_ONE);
	struct error err;

	assert_int_equal(ask(runtime, RUNTIME_DOCKER, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "no JSON object"));
	/* That is not to say that it knows nothing. */
	for (int i = 0; i < 10; i++)
		assert_int_equal(ask(runtime, RUNTIME_DOCKER, NULL), -EAGAIN);
	assert_int_equal(fake_runtime_requests(server), 2);
	runtime_close(runtime);
	fake_runtime_stop(server);
}

/* Behind the socket of a runtime that ends another one may start. */
static void test_restart(void **state)
{
	static const struct fake_answer docker[] = {{FAKE_JSON, 200, "OK", 0},
						    {FAKE_JSON, 404, "{}", 0}};
	struct fake_runtime *server = fake_runtime_start(docker, 2);
	struct runtime *runtime = open_at(server, RUNTIME_ONE);

	assert_int_equal(ask(runtime, RUNTIME_DOCKER, NULL), -ENOENT);
	assert_int_equal(fake_runtime_requests(server), 2);
	fake_runtime_restart(server, cri_answers, 4);
	assert_int_equal(ask(runtime, RUNTIME_DOCKER, NULL), -EPROTO);
	assert_int_equal(fake_runtime_requests(server), 1);
	fake_runtime_restart(server, cri_answers, 4);
	usleep((useconds_t)(BACKOFF_FIRST_NS + BACKOFF_FIRST_NS / 4) / 1000);
	assert_int_equal(ask(runtime, RUNTIME_CRI, NULL), -ENOENT);
	assert_int_equal(fake_runtime_requests(server), 4);
	runtime_close(runtime);
	fake_runtime_stop(server);
}

/* The socket is root's, but a user listens: the runtime is his, if any. */
static void test_stranger(void **state)
{
	static const struct fake_answer answers[] = {
		{FAKE_JSON, 200, "OK", 0},
		{FAKE_JSON, 200, "{\"Id\": \"" ID "\", \"Name\": \"/web\"}", 0},
	};
	struct fake_runtime *server;
	struct runtime *runtime;
	struct error err;

	if (geteuid() != 0)
		skip();
	server = fake_runtime_start_as(NOBODY, answers, 2);
	runtime = open_at(server, RUNTIME_ONE);
	assert_int_equal(ask(runtime, RUNTIME_DOCKER, &err), -EPERM);
	assert_non_null(strstr(err.text, "user 65534 listens there"));
	/* While it is left alone it is not forgotten why. */
	assert_int_equal(ask(runtime, RUNTIME_DOCKER, NULL), -EPERM);
	assert_int_equal(fake_runtime_requests(server), 0);
	usleep((useconds_t)(BACKOFF_FIRST_NS + BACKOFF_FIRST_NS / 4) / 1000);
	runtime_set_owner(runtime, NOBODY);
	assert_int_equal(ask(runtime, RUNTIME_DOCKER, NULL), 0);
	runtime_close(runtime);
	fake_runtime_stop(server);
}

static void test_missing(void **state)
{
	struct runtime *runtime;

	assert_int_equal(runtime_open("/tmp/no/such/socket", RUNTIME_ONE, &runtime, NULL), 0);
	assert_int_equal(ask(runtime, RUNTIME_CRI, NULL), -ENOENT);
	assert_int_equal(ask(runtime, RUNTIME_CRI, NULL), -ENOENT);
	runtime_close(runtime);
	runtime_close(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_docker),
	cmocka_unit_test(test_cri),
	cmocka_unit_test(test_another),
	cmocka_unit_test(test_not_asked),
	cmocka_unit_test(test_failed_one_is_left_alone),
	cmocka_unit_test(test_restart),
	cmocka_unit_test(test_stranger),
	cmocka_unit_test(test_missing),
};

UNIT_GROUP(tests);
