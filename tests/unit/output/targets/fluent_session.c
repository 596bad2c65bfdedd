/* SPDX-License-Identifier: MIT */
/* Sessions of the forward protocol: who both sides are, and servers that are wrong. */
#include "output/targets/fluent.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fluent_server.h"
#include "unit.h"

static const struct fluent_identity nobody = {.host = "client.example"};
static const struct fluent_identity known = {
	.host = "client.example", .shared_key = "key", .user = "u", .password = "p"};

/* Opens a session with a server that behaves as configured. Returns what came of it. */
static int open_session(const struct fluent_server_config *server_config,
			const struct fluent_identity *identity, struct error *err)
{
	struct connection_config config = {.has_answers = true,
					   .timeout_ns = UINT64_C(60000000000)};
	struct fluent_session session;
	struct fluent_server *server;
	struct output_stop stop;
	uint16_t port;
	int code;

	server = fluent_server_start(server_config, &port);
	strcpy(config.endpoint.host, "127.0.0.1");
	snprintf(config.endpoint.port, sizeof(config.endpoint.port), "%u", (unsigned int)port);
	assert_int_equal(output_stop_init(&stop), 0);
	assert_int_equal(fluent_session_init(&session, &config, identity, &stop, err), 0);
	code = fluent_session_open(&session, err);
	/* It stays open. */
	if (code == 0)
		assert_int_equal(fluent_session_open(&session, err), 0);
	fluent_session_finish(&session);
	output_stop_finish(&stop);
	fluent_server_stop(server);
	return code;
}

static void test_who_both_are(void **state)
{
	const struct fluent_server_config asking = {
		.shared_key = "key", .user = "u", .password = "p"};
	const struct fluent_server_config without_user = {.shared_key = "key"};
	struct error err = {""};

	assert_int_equal(open_session(&(struct fluent_server_config){0}, &nobody, &err), 0);
	assert_int_equal(open_session(&asking, &known, &err), 0);
	assert_int_equal(open_session(&without_user, &known, &err), 0);
}

static void test_refusals(void **state)
{
	const struct fluent_server_config other_key = {.shared_key = "other"};
	const struct fluent_server_config other_password = {
		.shared_key = "key", .user = "u", .password = "q"};
	struct error err = {""};

	assert_int_equal(open_session(&other_key, &known, &err), -EPROTO);
	assert_string_equal(err.text, "the server refused: wrong key or password");
	assert_int_equal(open_session(&other_password, &known, &err), -EPROTO);
	assert_string_equal(err.text, "the server refused: wrong key or password");
}

static void test_servers_that_are_wrong(void **state)
{
	static const struct {
		const char *raw, *message;
	} wrong[] = {
		{"\xc1", "the answer of the server is not understood"},
		{"\x01", "the server did not begin with HELO"},
		{"\x92\xa4PING\x80", "the server did not begin with HELO"},
		/* HELO without a nonce, then no PONG, or one that does not know the key. */
		{"\x92\xa4HELO\x80\x01", "the server answered something else than PONG"},
		{"\x92\xa4HELO\x80\x95\xa4PONG\xc3\xa0\xa1s\xa1x",
		 "the server does not know the shared key"},
		{"\x92\xa4HELO\x80\x95\xa4PONG\xc2\xa2no\xa0\xa0", "the server refused: no"},
	};
	struct error err = {""};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct fluent_server_config config = {.raw = wrong[i].raw};

		assert_int_equal(open_session(&config, &known, &err), -EPROTO);
		assert_string_equal(err.text, wrong[i].message);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_who_both_are),
	cmocka_unit_test(test_refusals),
	cmocka_unit_test(test_servers_that_are_wrong),
};

UNIT_GROUP(tests);
