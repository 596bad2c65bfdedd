/* SPDX-License-Identifier: MIT */
/*
 * What other protocols, and noise, are taken for: never for sure for one that they are not, nor for
 * a likely one by what both sides say; and what is believed in the end.
 */
#include "unit.h"
#include "requests/recognition.h"

#include <string.h>

#define BYTES(literal) (const uint8_t *)(literal), sizeof(literal) - 1

/* How a conversation begins, or goes on where one joins late. */
static const struct conversation {
	const char *name;
	const uint8_t *client;
	size_t client_len;
	const uint8_t *server;
	size_t server_len;
	const struct protocol *protocol; /* that it is; NULL: none of these */
} conversations[] = {
	{"http", BYTES("GET /a HTTP/1.1\r\nHost: h\r\n\r\n"),
	 BYTES("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), &protocol_http1},
	{"redis", BYTES("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"), BYTES("$1\r\nv\r\n"), &protocol_redis},
	{"redis, subscribed", BYTES("*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n"),
	 BYTES("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"), &protocol_redis},
	{"HTTP/2", BYTES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x12\4\0\0\0\0\0\0\3\0\0\0\x64"),
	 BYTES("\0\0\6\4\0\0\0\0\0\0\3\0\0\0\x80\0\0\0\4\1\0\0\0\0"), &protocol_http2},
	{"HTTP/2, joined late", BYTES("\0\0\5\1\5\0\0\0\x15\x82\x86\x84\xbf\xbe"),
	 BYTES("\0\0\2\1\4\0\0\0\x15\x88\xbe\0\0\1\0\1\0\0\0\x15x"), &protocol_http2},
	{"gRPC, joined late",
	 BYTES("\0\0\6\1\4\0\0\0\x15\x83\x86\xc3\xc2\xc1\xc0\0\0\5\0\1\0\0\0\x15\0\0\0\0\0"),
	 BYTES("\0\0\2\1\4\0\0\0\x15\x88\xbf\0\0\5\0\0\0\0\0\x15\0\0\0\0\0\0\0\1\1\5\0\0\0\x15"
	       "\xbe"),
	 &protocol_http2},
	{"TLS",
	 BYTES("\x16\3\1\2\0\1\0\1\xfc\3\3ABCDEFGHIJKLMNOPQRSTUVWXYZ012345 GET / HTTP/1.1\r\n"),
	 BYTES("\x16\3\3\0\x7a\2\0\0\x76\3\3ABCDEFGHIJKLMNOPQRSTUVWXYZ012345 \x13\2"),
	 &protocol_tls},
	{"TLS, joined late",
	 BYTES("\x17\3\3\0\x20"
	       "01234567890123456789012345678901"),
	 BYTES("\x17\3\3\0\x13"
	       "*1\r\n$4\r\nPING\r\n+OK\r\n")},
	{"SSH", BYTES("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\0\0\4\xcc\n\x14"),
	 BYTES("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n")},
	{"MySQL", BYTES("\x11\0\0\0\3SELECT 1 FROM dual"),
	 BYTES("\x4a\0\0\0\x0a"
	       "8.0.36\0\x0a\0\0\0abcdefgh\0\xff\xf7\xff\2\0\xff\xdf\x15"),
	 &protocol_mysql},
	{"MySQL, joined late", BYTES("\1\0\0\0\x0e"), BYTES("\7\0\0\1\0\0\0\2\0\0\0"),
	 &protocol_mysql},
	{"MySQL, compressed", BYTES("\x0c\0\0\0\0\0\0\x08\0\0\0\3SELECT 1"),
	 BYTES("\x0b\0\0\0\0\0\0\7\0\0\1\0\0\0\2\0\0\0")},
	{"PostgreSQL", BYTES("\0\0\0\x22\0\3\0\0user\0postgres\0database\0d\0\0"),
	 BYTES("R\0\0\0\x08\0\0\0\0S\0\0\0\x16"
	       "application_name\0\0Z\0\0\0\5I"),
	 &protocol_postgres},
	{"PostgreSQL, joined late", BYTES("Q\0\0\0\x0eSELECT 1;\0"),
	 BYTES("T\0\0\0\x21\0\1?column?\0\0\0\0\0\0\0\0\0\0\x17\0\4"), &protocol_postgres},
	{"memcached", BYTES("get key\r\n"), BYTES("VALUE key 0 1\r\nv\r\nEND\r\n"),
	 &protocol_memcached},
	{"memcached, upper case", BYTES("GET key\r\n"), BYTES("ERROR\r\n")},
	{"memcached, set", BYTES("set key 0 0 5\r\nhello\r\n"), BYTES("STORED\r\n"),
	 &protocol_memcached},
	{"memcached, incr", BYTES("incr n 1\r\n"), BYTES("12\r\n")},
	{"memcached, meta", BYTES("mg key v\r\n"), BYTES("VA 1\r\nv\r\n"), &protocol_memcached},
	{"memcached, binary", BYTES("\x80\0\0\3\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0key"),
	 BYTES("\x81\0\0\0\4\0\0\0\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0v"), &protocol_memcached},
	{"SMTP", BYTES("EHLO client.example\r\nMAIL FROM:<a@b>\r\n"),
	 BYTES("220 mail.example ESMTP Postfix\r\n250-PIPELINING\r\n")},
	{"SMTP, the end", BYTES("QUIT\r\n"), BYTES("221 2.0.0 Bye\r\n")},
	{"SMTP, login", BYTES("AUTH PLAIN AGEAYg==\r\n"), BYTES("235 2.7.0 ok\r\n")},
	{"FTP", BYTES("USER anonymous\r\n"), BYTES("220 (vsFTPd 3.0.3)\r\n")},
	{"FTP, type", BYTES("TYPE I\r\n"), BYTES("200 Switching to Binary mode.\r\n")},
	{"FTP, status", BYTES("STAT\r\nHELP\r\nQUIT\r\n"), BYTES("211-FTP server status:\r\n")},
	{"POP3", BYTES("USER a\r\n"), BYTES("+OK POP3 ready\r\n")},
	{"POP3, the end", BYTES("QUIT\r\n"), BYTES("+OK\r\n")},
	{"POP3, login", BYTES("AUTH\r\n"), BYTES("-ERR no\r\n")},
	{"IMAP", BYTES("a1 LOGIN u p\r\n"),
	 BYTES("* OK [CAPABILITY IMAP4rev1] ready\r\na1 OK\r\n")},
	{"IRC", BYTES("NICK n\r\nUSER u 0 * :r\r\n"), BYTES(":irc.example 001 n :Welcome\r\n")},
	{"NATS", BYTES("CONNECT {\"verbose\":false}\r\nPING\r\n"),
	 BYTES("INFO {\"server_id\":\"N\"}\r\nPONG\r\n"), &protocol_nats},
	{"NATS, error", BYTES("PING\r\n"), BYTES("-ERR 'Stale Connection'\r\n"), &protocol_nats},
	{"NATS, joined late", BYTES("PUB a.b 5\r\nhello\r\n"), BYTES("+OK\r\n"), &protocol_nats},
	{"SIP", BYTES("OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/TCP h\r\n\r\n"),
	 BYTES("SIP/2.0 200 OK\r\n\r\n")},
	{"RTSP", BYTES("OPTIONS rtsp://h/s RTSP/1.0\r\nCSeq: 1\r\n\r\n"),
	 BYTES("RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n")},
	{"HTTP/0.9", BYTES("GET /\r\n"), BYTES("<html></html>\r\n")},
	{"Kafka",
	 BYTES("\0\0\0\x1f\0\x12\0\3\0\0\0\1\0\7console\0\5java\6"
	       "3.7.0\0"),
	 BYTES("\0\0\1\x42\0\0\0\1\0\0\x3c\0\0\0\0\0\x0b\0"), &protocol_kafka},
	{"MongoDB", BYTES("\x3a\0\0\0\1\0\0\0\0\0\0\0\xdd\7\0\0\0\0\0\0\0\x25\0\0\0\x01hello\0"),
	 BYTES("\x3a\0\0\0\2\0\0\0\1\0\0\0\xdd\7\0\0\0\0\0\0\0\x25\0\0\0\1ok\0"),
	 &protocol_mongodb},
	{"AMQP", BYTES("AMQP\0\0\x09\1"), BYTES("\1\0\0\0\0\1\xda\0\x0a\0\x0a\0\x09\0\0"),
	 &protocol_amqp},
	{"MQTT", BYTES("\x10\x10\0\4MQTT\4\2\0\x3c\0\4mqtt"), BYTES("\x20\2\0\0\x90\3\0\1\0"),
	 &protocol_mqtt},
	{"ZooKeeper", BYTES("\0\0\0\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x75\x30\0\0\0\0\0\0\0\0"),
	 BYTES("\0\0\0\x25\0\0\0\0\0\0\x75\x30\1\0\0\x3a\x9c\0\0\1\0\0\0\x10")},
	{"ZooKeeper, further requests", BYTES("\0\0\0\x0f\0\0\0\3\0\0\0\4\0\0\0\2/a\0"),
	 BYTES("\0\0\0\x10\0\0\0\2\0\0\0\0\0\0\0\x20\0\0\0\0")},
	{"ZooKeeper, a request in two writes", BYTES("\0\0\0\x0f\0\0\0\3\0\0\0\4"),
	 BYTES("\0\0\0\x10\0\0\0\2\0\0\0\0\0\0\0\x20\0\0\0\0")},
	{"ZooKeeper, create",
	 BYTES("\0\0\0\x2f\0\0\0\5\0\0\0\1\0\0\0\2/a\0\0\0\1x\0\0\0\1\0\0\0\x1f\0\0\0\5world"
	       "\0\0\0\6"
	       "anyone\0\0\0\0"),
	 BYTES("\0\0\0\x16\0\0\0\4\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\2/a")},
	{"ZooKeeper, after a million", BYTES("\0\0\0\x0f\0\x12\0\3\0\0\0\4\0\0\0\2/a\0"),
	 BYTES("\0\0\0\x10\0\x12\0\2\0\0\0\0\0\x14\0\x20\0\0\0\0")},
	{"ZooKeeper, words", BYTES("ruok"), BYTES("imok")},
	{"Cassandra",
	 BYTES("\4\0\0\0\1\0\0\0\x16\0\1\0\x0b"
	       "CQL_VERSION\0\5"
	       "3.0.0"),
	 BYTES("\x84\0\0\0\2\0\0\0\0"), &protocol_cassandra},
	{"Dubbo",
	 BYTES("\xda\xbb\xc2\0\0\0\0\0\0\0\0\1\0\0\0\x10\5"
	       "2.0.2"),
	 BYTES("\xda\xbb\2\x14\0\0\0\0\0\0\0\1\0\0\0\2\x91"), &protocol_dubbo},
	{"RocketMQ", BYTES("\0\0\0\x2b\0\0\0\x27{\"code\":105,\"flag\":0,\"opaque\":6}          "),
	 BYTES("\0\0\0\x22\0\0\0\x1e{\"code\":0,\"flag\":1,\"opaque\":6} "), &protocol_rocketmq},
	{"WebSocket", BYTES("\x81\x83\1\2\3\4abc"), BYTES("\x81\5hello"), &protocol_websocket},
	{"FastCGI", BYTES("\1\1\0\1\0\x08\0\0\0\1\0\0\0\0\0\0"), BYTES("\1\6\0\1\0\5\0\0hello"),
	 &protocol_fastcgi},
	{"DNS", BYTES("\0\x1d\x12\x34\1\0\0\1\0\0\0\0\0\0\7example\3com\0\0\1\0\1"),
	 BYTES("\0\x2d\x12\x34\x81\x80\0\1\0\1\0\0\0\0\7example\3com\0\0\1\0\1"),
	 &protocol_dns_tcp},
	{"DNS, datagrams", BYTES("\x12\x34\1\0\0\1\0\0\0\0\0\0\7example\3com\0\0\1\0\1"),
	 BYTES("\x12\x34\x81\x80\0\1\0\1\0\0\0\0\7example\3com\0\0\1\0\1\xc0\x0c\0\1\0\1\0\0\1\0\0"
	       "\4\1\2\3\4"),
	 &protocol_dns},
	{"MongoDB, lengths alone", BYTES("\x3a\0\0\0"), BYTES("\x3a\0\0\0")},
	{"NTP", BYTES("\x23\0\6\xec\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
	 BYTES("\x24\2\6\xe8\0\0\1\x23\0\0\0\x40\x0a\0\0\1\xe8\x01\x02\x03\0\0\0\0\0\0\0\0\0\0\0"
	       "\0")},
	{"SNMP",
	 BYTES("\x30\x26\2\1\1\4\6public\xa0\x19\2\4\x12\x34\x56\x78\2\1\0\2\1\0\x30\x0b\x30\x09\6"
	       "\5\x2b\6\1\2\1\5\0"),
	 BYTES("\x30\x27\2\1\1\4\6public\xa2\x1a\2\4\x12\x34\x56\x78\2\1\0\2\1\0\x30\x0c\x30\x0a\6"
	       "\5\x2b\6\1\2\1\2\1\1")},
	{"STUN",
	 BYTES("\0\1\0\x08\x21\x12\xa4\x42"
	       "abcdefghijkl\x80\x28\0\4\1\2\3\4"),
	 BYTES("\1\1\0\x0c\x21\x12\xa4\x42"
	       "abcdefghijkl\0\x20\0\x08\0\1\x12\x34\1\2\3\4")},
	{"QUIC",
	 BYTES("\xc3\0\0\0\1\x08"
	       "abcdefgh\0\0\x44\x9e"
	       "ijklmnopqrstuvwxyz"),
	 BYTES("\xc1\0\0\0\1\0\x08"
	       "hgfedcba\0\x40\x75"
	       "zyxwvutsrqponmlkji")},
	{"statsd", BYTES("requests.count:1|c\n"), BYTES("requests.time:320|ms\n")},
	{"LDAP", BYTES("\x30\x0c\2\1\1\x60\7\2\1\3\4\0\x80\0"),
	 BYTES("\x30\x0c\2\1\1\x61\7\x0a\1\0\4\0\4\0")},
	{"RDB", BYTES("REPLCONF ACK 0\r\n"),
	 BYTES("REDIS0011\xfa\x09redis-ver\5"
	       "7.0.1")},
};

static const struct protocol *const all[] = {
	&protocol_http1,     &protocol_http2,	  &protocol_tls,       &protocol_redis,
	&protocol_dns,	     &protocol_dns_tcp,	  &protocol_postgres,  &protocol_mysql,
	&protocol_memcached, &protocol_nats,	  &protocol_mqtt,      &protocol_amqp,
	&protocol_mongodb,   &protocol_kafka,	  &protocol_cassandra, &protocol_dubbo,
	&protocol_rocketmq,  &protocol_websocket, &protocol_fastcgi};

enum {
	ALL = sizeof(all) / sizeof(all[0]),
	LIKELY_BYTES = 5,
	RANDOM_MIB = 8,
	RANDOM_PAIRS = 1 << 20,
	WINDOW = 64
};

static enum protocol_verdict recognise(const struct protocol *protocol, enum protocol_side side,
				       const uint8_t *data, size_t len)
{
	struct protocol_input input = {data, len, false};

	return protocol->recognise(side, &input);
}

/* Every beginning of the bytes, as either side of a protocol that they are not. */
static void expect_unsure(const struct conversation *conversation, const struct protocol *protocol,
			  const uint8_t *data, size_t len)
{
	for (size_t n = 1; n <= len; n++)
		for (unsigned int side = 0; side < PROTOCOL_SIDES; side++)
			if (recognise(protocol, side, data, n) == PROTOCOL_YES)
				fail_msg("%s is taken for %s", conversation->name, protocol->name);
}

/* Whether both directions can be those of the protocol, or one is for sure. */
static bool is_likely(const struct protocol *protocol, const struct conversation *conversation,
		      bool is_turned)
{
	const struct conversation *c = conversation;
	enum protocol_side client = is_turned ? PROTOCOL_RESPONSES : PROTOCOL_REQUESTS;
	enum protocol_side server = is_turned ? PROTOCOL_REQUESTS : PROTOCOL_RESPONSES;
	enum protocol_verdict asks, answers;

	if (c->client_len < LIKELY_BYTES || c->server_len < LIKELY_BYTES)
		return false;
	asks = recognise(protocol, client, c->client, c->client_len);
	answers = recognise(protocol, server, c->server, c->server_len);
	return asks == PROTOCOL_YES || answers == PROTOCOL_YES ||
	       (asks == PROTOCOL_MAYBE && answers == PROTOCOL_MAYBE);
}

/* What is believed when the server has answered, whoever is the client; NULL: nothing. */
static const struct protocol *believed(const uint8_t *client, size_t client_len,
				       const uint8_t *server, size_t server_len)
{
	const struct protocol_input inputs[DIRECTIONS] = {
		[DIRECTION_IN] = {client, client_len, false},
		[DIRECTION_OUT] = {server, server_len, false}};
	struct recognition found;

	return recognition_try(inputs, DIRECTION_OUT, PROTOCOL_SIDES, &found) == RECOGNITION_FOUND
		       ? found.protocol
		       : NULL;
}

/* Also of what was sent before the last byte came. */
static void test_believed(void **state)
{
	for (size_t i = 0; i < sizeof(conversations) / sizeof(conversations[0]); i++) {
		const struct conversation *c = &conversations[i];

		for (size_t n = 1; n <= c->client_len; n++) {
			const struct protocol *protocol =
				believed(c->client, n, c->server, c->server_len);

			if (protocol && protocol != c->protocol)
				fail_msg("%s: %zu bytes are believed to be %s", c->name, n,
					 protocol->name);
		}
	}
}

static void test_other_protocols(void **state)
{
	for (size_t i = 0; i < sizeof(conversations) / sizeof(conversations[0]); i++)
		for (size_t p = 0; p < ALL; p++) {
			const struct conversation *c = &conversations[i];
			bool is_it = c->protocol == all[p];

			if (is_likely(all[p], c, false) != is_it || is_likely(all[p], c, true))
				fail_msg("%s: likely %s", c->name, all[p]->name);
			if (is_it)
				continue;
			expect_unsure(c, all[p], c->client, c->client_len);
			expect_unsure(c, all[p], c->server, c->server_len);
		}
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Noise at every offset of a block that is filled anew again and again, the same each time. */
static void test_noise(void **state)
{
	enum { BLOCK = 1 << 20 };
	static uint64_t block[(BLOCK + WINDOW) / sizeof(uint64_t)];
	const uint8_t *bytes = (const uint8_t *)block;
	uint64_t seed = 88172645463325252u;

	for (int mib = 0; mib < UNIT_ROUNDS(RANDOM_MIB); mib++) {
		for (size_t i = 0; i < sizeof(block) / sizeof(block[0]); i++)
			block[i] = next_random(&seed);
		for (size_t at = 0; at < BLOCK; at++)
			for (size_t i = 0; i < ALL * PROTOCOL_SIDES; i++)
				if (recognise(all[i / 2], i % 2, bytes + at, WINDOW) ==
				    PROTOCOL_YES)
					fail_msg("noise is taken for %s", all[i / 2]->name);
	}
}

/* Noise of both sides, in pieces of that length: nothing is sure, nor do both make it so. */
static void expect_nothing_believed(size_t len, int pairs)
{
	uint64_t block[2][WINDOW / sizeof(uint64_t)], seed = 88172645463325252u + len;

	for (int n = 0; n < pairs; n++) {
		const struct protocol *protocol;

		for (size_t i = 0; i < sizeof(block) / sizeof(block[0][0]); i++)
			block[i / (WINDOW / sizeof(uint64_t))][i % (WINDOW / sizeof(uint64_t))] =
				next_random(&seed);
		protocol = believed((uint8_t *)block[0], len, (uint8_t *)block[1], len);
		if (protocol)
			fail_msg("noise of %zu bytes is believed to be %s", len, protocol->name);
	}
}

static void test_noise_of_both_sides(void **state)
{
	static const size_t lengths[] = {5, 8, 12, 20, 32, 48, WINDOW};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		expect_nothing_believed(lengths[i], UNIT_ROUNDS(RANDOM_PAIRS));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_other_protocols),
	cmocka_unit_test(test_believed),
	cmocka_unit_test(test_noise),
	cmocka_unit_test(test_noise_of_both_sides),
};

UNIT_GROUP(tests, .slow = true);
