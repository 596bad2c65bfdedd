/* SPDX-License-Identifier: MIT */
/* Batches for a server of the forward protocol: confirmed, not confirmed, wrongly confirmed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fluent_server.h"
#include "output/targets/kinds.h"
#include "peer.h"
#include "sent.h"
#include "unit.h"

static struct sent_target target;

static void open_target(uint16_t port, const char *keys)
{
	char text[256];

	snprintf(text, sizeof(text), "fluent://127.0.0.1:%u%s", (unsigned int)port, keys);
	sent_open(&target, &output_kind_fluent, text);
}

static int send_text(const char *text, struct sent *sent, struct error *err)
{
	sent_init_text(sent, 1, text);
	return target.kind->send(target.target, &sent->batch, err);
}

static void test_confirmed(void **state)
{
	const struct fluent_server_config config = {
		.shared_key = "key", .user = "u", .password = "p"};
	struct fluent_server *server;
	struct error err = {""};
	struct sent sent;
	uint16_t port;

	server = fluent_server_start(&config, &port);
	open_target(port, ",timeout=60s,shared-key=key,user=u,password=p");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(send_text("{\"a\":1}\n", &sent, &err), 0);
		assert_int_equal(sent_count(&sent, OUTPUT_DELIVERED), 1);
		sent_finish(&sent);
		assert_int_equal(target.kind->tick(target.target, &err), 0);
	}
	/* What the server cannot have as a map is rejected. */
	assert_int_equal(send_text("text\n", &sent, &err), -EBADMSG);
	assert_int_equal(sent_count(&sent, OUTPUT_REJECTED), 1);
	sent_finish(&sent);
	sent_close(&target);
	assert_int_equal(fluent_server_stop(server), 3);
}

/* The server got it, but does not say so: it may come twice. */
static void test_unconfirmed(void **state)
{
	const struct fluent_server_config config = {.unconfirmed = 1};
	struct fluent_server *server;
	struct error err = {""};
	struct sent sent;
	uint16_t port;

	server = fluent_server_start(&config, &port);
	open_target(port, ",timeout=2s");
	assert_int_not_equal(send_text("{\"a\":1}\n", &sent, &err), 0);
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), 1);
	assert_true(sent.batch.uncertain);
	sent_finish(&sent);
	assert_int_equal(send_text("{\"a\":1}\n", &sent, &err), 0);
	sent_finish(&sent);
	sent_close(&target);
	assert_int_equal(fluent_server_stop(server), 2);
}

static void test_wrongly_confirmed(void **state)
{
	const struct fluent_server_config config = {.chunk = "other"};
	struct fluent_server *server;
	struct error err = {""};
	struct sent sent;
	uint16_t port;

	server = fluent_server_start(&config, &port);
	open_target(port, ",timeout=60s");
	assert_int_equal(send_text("{\"a\":1}\n", &sent, &err), -EPROTO);
	assert_non_null(strstr(err.text, "the server confirmed something else"));
	assert_true(sent.batch.uncertain);
	sent_finish(&sent);
	sent_close(&target);
	fluent_server_stop(server);
}

static void test_nobody_there(void **state)
{
	struct error err = {""};
	struct sent sent;

	open_target(peer_free_port(), ",timeout=60s");
	assert_int_equal(send_text("{\"a\":1}\n", &sent, &err), -ECONNREFUSED);
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), 1);
	assert_false(sent.batch.uncertain);
	sent_finish(&sent);
	sent_close(&target);
}

static void test_rejected_words(void **state)
{
	static const char *const wrong[] = {
		"fluent:",
		"fluent:a",
		"fluent://a:x",
		"fluent://a,timeout=0",
		"fluent://a,user=u",
		"fluent://a,ca=/x",
		"fluent://a,tls,cert=/x",
		"fluent://a,format=text",
	};
	struct error err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(sent_try(&target, &output_kind_fluent, wrong[i], &err), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_confirmed),	  cmocka_unit_test(test_unconfirmed),
	cmocka_unit_test(test_wrongly_confirmed), cmocka_unit_test(test_nobody_there),
	cmocka_unit_test(test_rejected_words),
};

UNIT_GROUP(tests);
