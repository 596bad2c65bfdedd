/* SPDX-License-Identifier: MIT */
/* What a request has of the keys, and what is kept of the answer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_server.h"
#include "output/targets/http_client.h"
#include "tree.h"
#include "unit.h"

static struct output_stop stop;
static struct http_keys keys;
static struct http_client *client;
static struct http_answer answer;
static struct fake_server *server;
static struct error err;

static const struct fake_response responses[] = {
	{FAKE_OK("Content-Length: 4\r\nRetry-After: 3\r\n", "\n{a\1"), true, 0},
	{FAKE_OK("Content-Length: 0\r\n", ""), true, 0},
	{"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", true, 0},
	{FAKE_OK("Content-Length: 0\r\n", ""), true, 0},
};

static int setup(void **state)
{
	keys = (struct http_keys){.timeout_ns = UINT64_C(60000000000)};
	server = fake_server_start(responses, 4);
	return output_stop_init(&stop);
}

static int teardown(void **state)
{
	http_client_destroy(client);
	client = NULL;
	http_answer_finish(&answer);
	fake_server_stop(server);
	output_stop_finish(&stop);
	return 0;
}

static void create(const char *scheme)
{
	static const char *const headers[] = {"Content-Type: a/b", "X-One: 1", NULL};
	struct http_client_config config = {.keys = &keys, .scheme = scheme, .headers = headers};

	assert_int_equal(http_client_create(&config, &stop, &client, &err), 0);
}

static int post(void)
{
	struct iovec parts[] = {{(void *)"a", 1}, {(void *)"bc", 2}};

	return http_client_post(client, fake_server_url(server), parts, 2, &answer, &err);
}

static bool has(size_t number, const char *text)
{
	return strstr(fake_server_request(server, number), text);
}

static void test_plain(void **state)
{
	char text[HTTP_EXCERPT_BYTES];

	create("Bearer");
	assert_int_equal(post(), 0);
	assert_int_equal(answer.status, 200);
	assert_true(answer.sent);
	assert_false(answer.cut);
	assert_true(answer.retry_after_ns == UINT64_C(3000000000));
	assert_int_equal(answer.body.len, 4);
	http_answer_excerpt(&answer, text);
	assert_string_equal(text, "{a");
	assert_string_equal(fake_server_body(server, 0), "abc");
	assert_true(has(0, "\r\nContent-Type: a/b\r\n"));
	assert_true(has(0, "\r\nX-One: 1\r\n"));
	assert_false(has(0, "Authorization"));
	assert_false(has(0, "Content-Encoding"));
	/* Nothing of the answer before is left. */
	assert_int_equal(post(), 0);
	assert_int_equal(answer.body.len, 0);
	assert_true(answer.retry_after_ns == 0);
}

static void test_headers(void **state)
{
	char *items[] = {(char *)"content-type: mine", (char *)"X-Two: 2"};

	keys.headers = (struct output_list){items, 2};
	keys.user = (char *)"me";
	keys.password = (char *)"pass word";
	keys.compress = PACK_GZIP;
	create("Bearer");
	assert_int_equal(post(), 0);
	assert_true(has(0, "\r\ncontent-type: mine\r\n"));
	assert_false(has(0, "a/b"));
	assert_true(has(0, "\r\nX-Two: 2\r\n"));
	assert_true(has(0, "\r\nAuthorization: Basic bWU6cGFzcyB3b3Jk\r\n"));
	assert_true(has(0, "\r\nContent-Encoding: gzip\r\n"));
	assert_memory_equal(fake_server_body(server, 0), "\x1f\x8b", 2);
}

/* A token in a file is read again when the server rejects it. */
static void test_token_file(void **state)
{
	char path[TREE_PATH_BYTES];
	struct tree tree;

	tree_create(&tree);
	tree_path(&tree, "token", path);
	keys.token_file = path;
	create("ApiKey");
	assert_int_equal(post(), -ENOENT);
	assert_false(answer.sent);
	assert_non_null(strstr(err.text, path));
	http_client_destroy(client);
	tree_write(&tree, "token", "one\n");
	create("ApiKey");
	assert_int_equal(post(), 0);
	assert_true(has(0, "\r\nAuthorization: ApiKey one\r\n"));
	tree_write(&tree, "token", "two\n");
	assert_int_equal(post(), 0);
	assert_true(has(1, "ApiKey one"));
	assert_int_equal(post(), 0);
	assert_int_equal(answer.status, 401);
	assert_int_equal(post(), 0);
	assert_true(has(3, "\r\nAuthorization: ApiKey two\r\n"));
	tree_destroy(&tree);
}

static void test_stop(void **state)
{
	create("Bearer");
	output_stop_now(&stop);
	for (int i = 0; i < 4; i++)
		if (post() == -ECANCELED)
			return;
	fail_msg("it goes on");
}

static void test_nobody(void **state)
{
	struct iovec part = {(void *)"a", 1};

	create("Bearer");
	assert_int_equal(http_client_post(client, "http://127.0.0.1:1/", &part, 1, &answer, &err),
			 -ECONNREFUSED);
	assert_false(answer.sent);
	assert_int_equal(answer.status, 0);
	http_client_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_plain, setup, teardown),
	cmocka_unit_test_setup_teardown(test_headers, setup, teardown),
	cmocka_unit_test_setup_teardown(test_token_file, setup, teardown),
	cmocka_unit_test_setup_teardown(test_stop, setup, teardown),
	cmocka_unit_test_setup_teardown(test_nobody, setup, teardown),
};

UNIT_GROUP(tests);
