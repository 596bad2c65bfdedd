/* SPDX-License-Identifier: MIT */
/* Requests to a Docker daemon: its version, a container, an image once. */
#include <errno.h>
#include <string.h>

#include "meta/runtimes/docker_api.h"
#include "fake_runtime.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define CONTAINER(image)                                                                           \
	"{\"Id\": \"" ID "\", \"Name\": \"/web\", \"Image\": \"sha256:1a2b\","                     \
	" \"Config\": {\"Image\": \"" image "\"}}"
#define IMAGE                                                                                      \
	"{\"Id\": \"sha256:1a2b\", \"RepoTags\": [\"reg:5000/a/b:2\"],"                            \
	" \"RepoDigests\": [\"reg:5000/a/b@sha256:cd\"]}"

struct daemon {
	struct fake_runtime *runtime;
	struct http *http;
	struct docker_api docker;
	struct state_container_info *info;
};

static int start(struct daemon *daemon, const struct fake_answer *answers, size_t count)
{
	daemon->runtime = fake_runtime_start(answers, count);
	daemon->info = state_container_info_create();
	assert_non_null(daemon->info);
	assert_int_equal(http_open(fake_runtime_path(daemon->runtime), &daemon->http, NULL), 0);
	return docker_api_init(&daemon->docker, daemon->http, fake_runtime_path(daemon->runtime),
			       UINT64_MAX, NULL);
}

static int describe(struct daemon *daemon, const char *id)
{
	return docker_api_describe(&daemon->docker, id, UINT64_MAX, daemon->info, NULL);
}

static void again(struct daemon *daemon)
{
	state_container_info_destroy(daemon->info);
	daemon->info = state_container_info_create();
	assert_non_null(daemon->info);
}

static void stop(struct daemon *daemon)
{
	state_container_info_destroy(daemon->info);
	docker_api_finish(&daemon->docker);
	http_close(daemon->http);
	fake_runtime_stop(daemon->runtime);
}

static void test_container_and_image(void **state)
{
	static const struct fake_answer answers[] = {
		{FAKE_JSON, 200, "OK", 0},
		{FAKE_JSON, 200, CONTAINER("b:2"), 0},
		{FAKE_JSON, 200, IMAGE, 0},
		{FAKE_JSON, 200, CONTAINER("sha256:1a2b"), 0},
	};
	struct daemon daemon;

	assert_int_equal(start(&daemon, answers, 4), 0);
	assert_false(daemon.docker.is_podman);
	assert_int_equal(describe(&daemon, ID), 0);
	assert_string_equal(daemon.info->name, "web");
	assert_string_equal(daemon.info->image.name, "b:2");
	assert_string_equal(daemon.info->image.repository, "b");
	assert_string_equal(daemon.info->image.digest, "sha256:cd");
	/* The image is not asked for again; its name is better than its id. */
	again(&daemon);
	assert_int_equal(describe(&daemon, ID), 0);
	assert_string_equal(daemon.info->image.name, "reg:5000/a/b:2");
	assert_string_equal(daemon.info->image.repository, "reg:5000/a/b");
	assert_string_equal(daemon.info->image.tag, "2");
	assert_string_equal(daemon.info->image.digest, "sha256:cd");
	assert_int_equal(fake_runtime_requests(daemon.runtime), 4);
	assert_string_equal(fake_runtime_request(daemon.runtime, 0), "GET /_ping HTTP/1.1");
	assert_string_equal(fake_runtime_request(daemon.runtime, 1),
			    "GET /v1.41/containers/" ID "/json HTTP/1.1");
	assert_string_equal(fake_runtime_request(daemon.runtime, 2),
			    "GET /v1.41/images/sha256:1a2b/json HTTP/1.1");
	stop(&daemon);
}

static void test_image_is_gone(void **state)
{
	static const struct fake_answer answers[] = {
		{FAKE_JSON, 200, "OK", 0},
		{FAKE_JSON, 200, CONTAINER("sha256:1a2b"), 0},
		{FAKE_JSON, 404, "{}", 0},
		{FAKE_JSON, 200, CONTAINER("c"), 0},
	};
	struct daemon daemon;

	assert_int_equal(start(&daemon, answers, 4), 0);
	assert_int_equal(describe(&daemon, ID), 0);
	assert_string_equal(daemon.info->image.name, "sha256:1a2b");
	assert_null(daemon.info->image.digest);
	again(&daemon);
	assert_int_equal(describe(&daemon, ID), 0);
	assert_string_equal(daemon.info->image.name, "c");
	assert_int_equal(fake_runtime_requests(daemon.runtime), 4);
	stop(&daemon);
}

static void test_newer_version_is_not_used(void **state)
{
	static const struct fake_answer answers[] = {
		{FAKE_BYTES, 0,
		 "HTTP/1.1 200 OK\r\nApi-Version: 1.99\r\nLibpod-Api-Version: 5.0\r\n"
		 "Content-Length: 2\r\n\r\nOK",
		 0},
		{FAKE_JSON, 404, "{}", 0},
	};
	struct daemon daemon;

	assert_int_equal(start(&daemon, answers, 2), 0);
	assert_true(daemon.docker.is_podman);
	assert_int_equal(describe(&daemon, ID), -ENOENT);
	assert_string_equal(fake_runtime_request(daemon.runtime, 1),
			    "GET /v1.51/containers/" ID "/json HTTP/1.1");
	stop(&daemon);
}

static void test_failures(void **state)
{
	static const struct fake_answer answers[] = {
		{FAKE_JSON, 200, "OK", 0},
		{FAKE_JSON, 500, "{\"message\": \"oops\"}", 0},
		{FAKE_JSON, 200, "no JSON", 0},
		/* Another one: the daemon takes names, too. */
		{FAKE_JSON, 200, "{\"Id\": \"1\"}", 0},
	};
	struct daemon daemon;

	assert_int_equal(start(&daemon, answers, 4), 0);
	assert_int_equal(describe(&daemon, ID), -EPROTO);
	assert_int_equal(describe(&daemon, ID), -EBADMSG);
	assert_int_equal(describe(&daemon, ID), -ENOENT);
	/* What cannot be an id is not sent. */
	assert_int_equal(describe(&daemon, "../images/a"), -ENOENT);
	assert_int_equal(describe(&daemon, "a b"), -ENOENT);
	assert_int_equal(describe(&daemon, ""), -ENOENT);
	assert_int_equal(fake_runtime_requests(daemon.runtime), 4);
	stop(&daemon);
}

static void test_something_else(void **state)
{
	static const struct fake_answer answers[] = {{FAKE_JSON, 404, "{}", 0}};
	struct daemon daemon;

	assert_int_equal(start(&daemon, answers, 1), -EPROTO);
	stop(&daemon);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_container_and_image),
	cmocka_unit_test(test_image_is_gone),
	cmocka_unit_test(test_newer_version_is_not_used),
	cmocka_unit_test(test_failures),
	cmocka_unit_test(test_something_else),
};

UNIT_GROUP(tests);
