/* SPDX-License-Identifier: MIT */
/* The kind syslog: its targets and keys, and what arrives over each transport but TLS. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "event/event.h"
#include "output/targets/kinds.h"
#include "peer.h"
#include "sent.h"
#include "tree.h"
#include "unit.h"

static struct peer peer;
static struct sent_target target;
static struct error err;

static void test_rejected(void **state)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{"syslog:host", "the target is udp://HOST, tcp://HOST or tls://HOST"},
		{"syslog:udp:host", "is not //HOST:PORT"},
		{"syslog:tcp://a:0", "does not end with a port"},
		{"syslog:udp://a,facility=local8", "local6 or local7"},
		{"syslog:udp://a,app=a b", "app= takes 1 to 48"},
		{"syslog:udp://a,host=", "host= takes 1 to 255"},
		{"syslog:udp://a,sd-id=x]", "sd-id= takes 1 to 32"},
		{"syslog:udp://a,size=479", "size= is at least 480"},
		{"syslog:udp://a,framing=newline", "only tcp:// can have newline"},
		{"syslog:tls://a,framing=newline", "only tcp:// can have newline"},
		{"syslog:tcp://a,framing=length", "only tcp:// can have newline"},
		{"syslog:tcp://a,timeout=0", "timeout= is 0"},
		{"syslog:tls://a,key=/x", "cert= and key= belong together"},
		{"syslog:,format=protobuf", "does not take format=protobuf"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(sent_try(&target, &output_kind_syslog, wrong[i].text, &err),
				 -EINVAL);
		if (!strstr(err.text, wrong[i].message))
			assert_string_equal(err.text, wrong[i].message);
	}
}

static void open_target(const char *form, unsigned int port)
{
	char text[256];

	snprintf(text, sizeof(text), form, port);
	sent_open(&target, &output_kind_syslog, text);
}

/* Sends one record; its number is `number`. */
static void send_one(uint64_t number)
{
	struct sent sent;

	sent_init_text(&sent, number, "the\nmessage\n");
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), 0);
	sent_finish(&sent);
}

/* What a record of sent.h is in RFC 5424. */
static const char *wanted(const char *before, const char *host, int number)
{
	static char text[512];

	snprintf(text, sizeof(text),
		 "%s2023-11-14T22:13:20.123456Z %s lanner %d %s [meta sequenceId=\"%d\"]"
		 "[lanner@32473 id=\"0123456789abcdef-%d\"] the message",
		 before, host, (int)getpid(), event_desc_get(1)->name, number, number);
	return text;
}

static void test_udp(void **state)
{
	char got[512], host[256] = "";

	gethostname(host, sizeof(host) - 1);
	peer_open(&peer, SOCK_DGRAM, 0);
	open_target("syslog:udp://127.0.0.1:%u", peer.port);
	send_one(1);
	send_one(2);
	peer_receive(&peer, got, sizeof(got));
	assert_string_equal(got, wanted("<30>1 ", host, 1));
	peer_receive(&peer, got, sizeof(got));
	assert_string_equal(got, wanted("<30>1 ", host, 2));
	sent_close(&target);
	peer_close(&peer);
}

static void test_tcp(void **state)
{
	char before[32];
	size_t len = strlen(wanted("<134>1 ", "h", 7));
	int fd;

	snprintf(before, sizeof(before), "%zu <134>1 ", len);
	peer_open(&peer, SOCK_STREAM, 0);
	open_target("syslog:tcp://127.0.0.1:%u,facility=local0,host=h", peer.port);
	send_one(7);
	fd = peer_accept(&peer);
	peer_expect(fd, wanted(before, "h", 7));
	close(fd);
	sent_close(&target);
	open_target("syslog:tcp://127.0.0.1:%u,framing=newline,host=h", peer.port);
	send_one(7);
	fd = peer_accept(&peer);
	peer_expect(fd, strcat((char *)wanted("<30>1 ", "h", 7), "\n"));
	close(fd);
	assert_int_equal(target.kind->tick(target.target, &err), 0);
	sent_close(&target);
	peer_close(&peer);
}

static void test_local(void **state)
{
	struct tree tree;
	char path[TREE_PATH_BYTES], text[2 * TREE_PATH_BYTES], got[256];

	setenv("TZ", "UTC", 1);
	tzset();
	tree_create(&tree);
	tree_path(&tree, "log", path);
	peer_open_unix(&peer, SOCK_DGRAM, path);
	snprintf(text, sizeof(text), "syslog:%s,app=x,facility=user", path);
	sent_open(&target, &output_kind_syslog, text);
	send_one(1);
	peer_receive(&peer, got, sizeof(got));
	snprintf(text, sizeof(text), "<14>Nov 14 22:13:20 x[%d]: the message", (int)getpid());
	assert_string_equal(got, text);
	sent_close(&target);
	peer_close(&peer);
	tree_destroy(&tree);
}

static void test_size(void **state)
{
	struct sent sent;
	char got[4096];

	peer_open(&peer, SOCK_DGRAM, 0);
	open_target("syslog:udp://127.0.0.1:%u", peer.port);
	sent_init(&sent, 1, 1, 5000);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), 0);
	peer_receive(&peer, got, sizeof(got));
	assert_int_equal(strlen(got), 2048);
	assert_string_equal(got + 2048 - strlen("[truncated: 4999 bytes in all]"),
			    "[truncated: 4999 bytes in all]");
	sent_finish(&sent);
	sent_close(&target);
	peer_close(&peer);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rejected), cmocka_unit_test(test_udp),  cmocka_unit_test(test_tcp),
	cmocka_unit_test(test_local),	 cmocka_unit_test(test_size),
};

UNIT_GROUP(tests);
