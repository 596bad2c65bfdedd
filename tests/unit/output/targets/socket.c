/* SPDX-License-Identifier: MIT */
/* The kinds unix, tcp and tls: their keys, and records that arrive. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "output/targets/kinds.h"
#include "peer.h"
#include "sent.h"
#include "tree.h"
#include "unit.h"

static struct peer peer;
static struct sent_target target;

static void test_rejected(void **state)
{
	static const struct {
		const struct output_kind *kind;
		const char *text, *message;
	} wrong[] = {
		{&output_kind_unix, "unix:", "a path is missing"},
		{&output_kind_unix,
		 "unix:/"
		 "123456789012345678901234567890123456789012345678901234567890123456789012345678901"
		 "2"
		 "3456789012345678901234567890",
		 "paths of sockets have at most 107 bytes"},
		{&output_kind_unix, "unix:/s,type=packet", "is not stream or datagram"},
		{&output_kind_unix, "unix:/s,type=datagram,framing=octets",
		 "a datagram is a frame"},
		{&output_kind_unix, "unix:/s,timeout=0", "timeout= is 0"},
		{&output_kind_tcp, "tcp:a:1", "is not //HOST:PORT"},
		{&output_kind_tcp, "tcp://a", "does not end with a port"},
		{&output_kind_tcp, "tcp://a:1,framing=lines", "is not newline, octets or length"},
		{&output_kind_tcp, "tcp://a:1,framing=length,format=protobuf",
		 "have their length before them"},
		{&output_kind_tcp, "tcp://a:1,ca=/x", "there is no key 'ca'"},
#ifdef WITH_TLS_OUTPUTS
		{&output_kind_tls, "tls://a:1,cert=/x", "cert= and key= belong together"},
		{&output_kind_tls, "tls://a", "does not end with a port"},
#endif
	};
	struct error err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(sent_try(&target, wrong[i].kind, wrong[i].text, &err), -EINVAL);
		if (!strstr(err.text, wrong[i].message))
			assert_string_equal(err.text, wrong[i].message);
	}
}

/* Sends three records to a stream that is there, and reads them. */
static void expect_stream(const struct output_kind *kind, const char *text, const char *wanted)
{
	struct error err;
	int fd;

	sent_open(&target, kind, text);
	assert_int_equal(sent_all(&target, 8, 3, 5, &err), 0);
	fd = peer_accept(&peer);
	peer_expect(fd, wanted);
	close(fd);
	/* The next second sees that the peer is gone. */
	assert_int_equal(kind->tick(target.target, &err), 0);
	assert_int_equal(sent_all(&target, 11, 1, 5, &err), 0);
	close(peer_accept(&peer));
	sent_close(&target);
}

static void test_tcp(void **state)
{
	char text[64];

	peer_open(&peer, SOCK_STREAM, 0);
	snprintf(text, sizeof(text), "tcp://127.0.0.1:%u", (unsigned int)peer.port);
	expect_stream(&output_kind_tcp, text, "8 ..\n9 ..\n10 .\n");
	snprintf(text, sizeof(text), "tcp://localhost:%u,framing=octets", (unsigned int)peer.port);
	expect_stream(&output_kind_tcp, text, "4 8 ..4 9 ..4 10 .");
	peer_close(&peer);
}

/* No server is no error of open(); records are sent again when there is one. */
static void test_server_comes_later(void **state)
{
	uint16_t port = peer_free_port();
	struct sent sent;
	struct error err;
	char text[64];
	int fd;

	snprintf(text, sizeof(text), "tcp://127.0.0.1:%u", (unsigned int)port);
	sent_open(&target, &output_kind_tcp, text);
	sent_init(&sent, 1, 1, 5);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -ECONNREFUSED);
	assert_non_null(strstr(err.text, "Connection refused"));
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), 1);
	assert_false(sent.batch.uncertain);
	peer_open(&peer, SOCK_STREAM, port);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), 0);
	fd = peer_accept(&peer);
	peer_expect(fd, "1 ..\n");
	sent_finish(&sent);
	sent_close(&target);
	close(fd);
	peer_close(&peer);
}

static void test_unix(void **state)
{
	struct tree tree;
	struct error err;
	char path[TREE_PATH_BYTES], text[2 * TREE_PATH_BYTES], got[16];

	tree_create(&tree);
	tree_path(&tree, "s", path);
	peer_open_unix(&peer, SOCK_STREAM, path);
	snprintf(text, sizeof(text), "unix:%s", path);
	expect_stream(&output_kind_unix, text, "8 ..\n9 ..\n10 .\n");
	peer_close(&peer);
	tree_path(&tree, "d", path);
	peer_open_unix(&peer, SOCK_DGRAM, path);
	snprintf(text, sizeof(text), "unix:%s,type=datagram", path);
	sent_open(&target, &output_kind_unix, text);
	assert_int_equal(sent_all(&target, 8, 2, 5, &err), 0);
	peer_receive(&peer, got, sizeof(got));
	assert_string_equal(got, "8 ..");
	peer_receive(&peer, got, sizeof(got));
	assert_string_equal(got, "9 ..");
	/* Its server begins anew: one message says so, nothing is lost. */
	peer_close(&peer);
	assert_return_code(unlink(path), errno);
	peer_open_unix(&peer, SOCK_DGRAM, path);
	assert_int_equal(sent_all(&target, 10, 1, 5, &err), 1);
	peer_receive(&peer, got, sizeof(got));
	assert_string_equal(got, "10 .");
	sent_close(&target);
	peer_close(&peer);
	tree_destroy(&tree);
}

static void test_abstract(void **state)
{
	peer_open_unix(&peer, SOCK_STREAM, "@lanner-test-socket");
	expect_stream(&output_kind_unix, "unix:@lanner-test-socket", "8 ..\n9 ..\n10 .\n");
	peer_close(&peer);
}

#ifdef WITH_TLS_OUTPUTS
/* Files of certificates are looked at when the output is opened. */
static void test_tls_files(void **state)
{
	struct error err;

	assert_int_equal(sent_try(&target, &output_kind_tls, "tls://a:1,ca=/no/such", &err),
			 -EINVAL);
	assert_string_equal(err.text,
			    "cannot use the certificates of /no/such: No such file or directory");
}
#endif

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rejected),	   cmocka_unit_test(test_tcp),
	cmocka_unit_test(test_server_comes_later), cmocka_unit_test(test_unix),
	cmocka_unit_test(test_abstract),
#ifdef WITH_TLS_OUTPUTS
	cmocka_unit_test(test_tls_files),
#endif
};

UNIT_GROUP(tests);
