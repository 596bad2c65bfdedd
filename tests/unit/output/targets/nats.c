/* SPDX-License-Identifier: MIT */
/* NATS: what a real nats-server gets, with and without JetStream; a server that goes and returns.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <nats/nats.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/targets/kinds.h"
#include "sent.h"
#include "unit.h"

enum { LINE_BYTES = 100, TRIES = 6000, TRY_US = 10000, PORT_MIN = 20000, PORTS = 12000 };

struct server {
	char folder[64], url[64], port[8];
	pid_t pid;
};

static bool is_free(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				      .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool bound = bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

	close(fd);
	return bound;
}

/*
 * Below those that the kernel gives: the server ends and takes it again, and nobody may get it
 * meanwhile, nor the client itself, which tries to connect to it.
 */
static int free_port(void)
{
	int port = PORT_MIN + (int)(getpid() % PORTS);

	while (!is_free(port))
		port = PORT_MIN + (port - PORT_MIN + 1) % PORTS;
	return port;
}

static natsConnection *connect_client(const struct server *server)
{
	natsConnection *client = NULL;

	for (int i = 0; i < TRIES && !client; i++)
		if (natsConnection_ConnectTo(&client, server->url) != NATS_OK)
			usleep(TRY_US);
	assert_non_null(client);
	return client;
}

static void start(struct server *server)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	server->pid = fork();
	assert_true(server->pid >= 0);
	if (server->pid == 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execlp("nats-server", "nats-server", "-a", "127.0.0.1", "-p", server->port, "-js",
		       "-sd", server->folder, NULL);
		_exit(127);
	}
	close(null);
	natsConnection_Destroy(connect_client(server));
}

static void end(struct server *server)
{
	kill(server->pid, SIGKILL);
	waitpid(server->pid, NULL, 0);
}

static int setup(void **state)
{
	struct server *server = calloc(1, sizeof(*server));
	int port = free_port();

	*state = server;
	strcpy(server->folder, "/tmp/lanner-nats-XXXXXX");
	assert_non_null(mkdtemp(server->folder));
	snprintf(server->port, sizeof(server->port), "%d", port);
	snprintf(server->url, sizeof(server->url), "nats://127.0.0.1:%d", port);
	start(server);
	return 0;
}

static int teardown(void **state)
{
	struct server *server = *state;
	char command[128];

	end(server);
	snprintf(command, sizeof(command), "rm -r %s", server->folder);
	assert_int_equal(system(command), 0);
	free(server);
	return 0;
}

static void open_target(struct sent_target *target, const struct server *server, const char *keys)
{
	char text[256];

	snprintf(text, sizeof(text), "%s/host.events%s", server->url, keys);
	sent_open(target, &output_kind_nats, text);
}

/* Takes messages: each is the line of its record, in their order. */
static void expect_messages(natsSubscription *subscription, uint64_t from, size_t count)
{
	natsMsg *message = NULL;

	for (size_t i = 0; i < count; i++) {
		assert_int_equal(natsSubscription_NextMsg(&message, subscription, 5000), NATS_OK);
		assert_string_equal(natsMsg_GetSubject(message), "host.events");
		assert_int_equal(natsMsg_GetDataLength(message), LINE_BYTES - 1);
		assert_int_equal(strtoull(natsMsg_GetData(message), NULL, 10), from + i);
		natsMsg_Destroy(message);
	}
	assert_int_equal(natsSubscription_NextMsg(&message, subscription, 50), NATS_TIMEOUT);
}

static void test_messages(void **state)
{
	const struct server *server = *state;
	natsConnection *client = connect_client(server);
	natsSubscription *subscription = NULL;
	struct sent_target target;
	struct error err;

	assert_int_equal(natsConnection_SubscribeSync(&subscription, client, "host.>"), NATS_OK);
	assert_int_equal(natsConnection_Flush(client), NATS_OK);
	open_target(&target, server, "");
	assert_int_equal(sent_all(&target, 1, 1000, LINE_BYTES, &err), 0);
	assert_int_equal(sent_all(&target, 1001, 1, LINE_BYTES, &err), 0);
	expect_messages(subscription, 1, 1001);
	sent_close(&target);
	natsSubscription_Destroy(subscription);
	natsConnection_Destroy(client);
}

static uint64_t count_stored(natsConnection *client)
{
	jsCtx *context = NULL;
	jsStreamInfo *info = NULL;
	uint64_t count;

	assert_int_equal(natsConnection_JetStream(&context, client, NULL), NATS_OK);
	assert_int_equal(js_GetStreamInfo(&info, context, "EVENTS", NULL, NULL), NATS_OK);
	count = info->State.Msgs;
	jsStreamInfo_Destroy(info);
	jsCtx_Destroy(context);
	return count;
}

static void create_stream(natsConnection *client)
{
	const char *subjects[] = {"host.>"};
	jsStreamConfig config;
	jsCtx *context = NULL;

	jsStreamConfig_Init(&config);
	config.Name = "EVENTS";
	config.Subjects = subjects;
	config.SubjectsLen = 1;
	assert_int_equal(natsConnection_JetStream(&context, client, NULL), NATS_OK);
	assert_int_equal(js_AddStream(NULL, context, &config, NULL, NULL), NATS_OK);
	jsCtx_Destroy(context);
}

static void test_jetstream(void **state)
{
	const struct server *server = *state;
	natsConnection *client = connect_client(server);
	struct sent_target target;
	struct error err = {""};
	struct sent sent;

	/* Without a stream nobody stores them. */
	open_target(&target, server, ",jetstream,timeout=2s");
	sent_init(&sent, 1, 10, LINE_BYTES);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -EIO);
	assert_non_null(strstr(err.text, "JetStream does not store messages of host.events"));
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), 10);
	sent_finish(&sent);
	create_stream(client);
	assert_int_equal(sent_all(&target, 1, 100, LINE_BYTES, &err), 0);
	assert_int_equal(count_stored(client), 100);
	/* What is sent again is stored once. */
	assert_int_equal(sent_all(&target, 51, 100, LINE_BYTES, &err), 0);
	assert_int_equal(count_stored(client), 150);
	sent_close(&target);
	natsConnection_Destroy(client);
}

/* Two at one place of the stream are two messages, each stored once. */
static void test_drops(void **state)
{
	const struct server *server = *state;
	natsConnection *client = connect_client(server);
	struct sent_target target;
	struct error err = {""};
	struct sent sent;

	create_stream(client);
	open_target(&target, server, ",jetstream");
	sent_init(&sent, 7, 2, LINE_BYTES);
	for (size_t i = 0; i < 2; i++) {
		sent.records[i].number = 7;
		sent.records[i].ts_ns = 1000 + i;
		sent.records[i].flags = RECORD_IS_DROP;
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(target.kind->send(target.target, &sent.batch, &err), 0);
	assert_int_equal(count_stored(client), 2);
	sent_finish(&sent);
	sent_close(&target);
	natsConnection_Destroy(client);
}

/* Says what a server says, and then reads nothing any more. */
static void *stall(void *context)
{
	static const char info[] = "INFO {\"server_id\":\"a\",\"version\":\"2.9.0\","
				   "\"max_payload\":1048576}\r\n";
	int listener = *(int *)context, fd = accept(listener, NULL, NULL);
	char bytes[1000] = "";
	size_t len = 0;

	assert_int_equal(send(fd, info, sizeof(info) - 1, 0), sizeof(info) - 1);
	while (!strstr(bytes, "PING\r\n")) {
		ssize_t n = recv(fd, bytes + len, sizeof(bytes) - 1 - len, 0);

		assert_true(n > 0);
		len += (size_t)n;
	}
	assert_int_equal(send(fd, "PONG\r\n", 6, 0), 6);
	return (void *)(intptr_t)fd;
}

/* It does not hold up the output for longer than timeout=. */
static void test_server_that_stalls(void **state)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct sent_target target;
	struct error err = {""};
	struct sent sent;
	pthread_t thread;
	char text[100];
	void *fd;

	assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	assert_int_equal(pthread_create(&thread, NULL, stall, &listener), 0);
	snprintf(text, sizeof(text), "nats://127.0.0.1:%d/a,timeout=1s", ntohs(address.sin_port));
	sent_open(&target, &output_kind_nats, text);
	sent_init(&sent, 1, 300, 100000);
	alarm(60);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -EIO);
	alarm(0);
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), 300);
	assert_true(sent.batch.uncertain);
	sent_finish(&sent);
	sent_close(&target);
	assert_int_equal(pthread_join(thread, &fd), 0);
	close((int)(intptr_t)fd);
	close(listener);
}

static void test_server_that_returns(void **state)
{
	struct server *server = *state;
	struct sent_target target;
	struct error err = {""};
	struct sent sent;

	open_target(&target, server, "");
	assert_int_equal(sent_all(&target, 1, 1, LINE_BYTES, &err), 0);
	end(server);
	sent_init(&sent, 2, 1, LINE_BYTES);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -EIO);
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), 1);
	sent_finish(&sent);
	start(server);
	sent_all(&target, 2, 1, LINE_BYTES, &err);
	sent_close(&target);
}

static void test_message_that_is_too_large(void **state)
{
	struct sent_target target;
	struct error err = {""};
	struct sent sent;

	open_target(&target, *state, "");
	sent_init(&sent, 1, 1, (1 << 20) + 2);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -EMSGSIZE);
	assert_int_equal(sent_count(&sent, OUTPUT_REJECTED), 1);
	sent_finish(&sent);
	sent_close(&target);
}

static void test_rejected_words(void **state)
{
	static const char *const wrong[] = {
		"nats:",	"nats://a",	"nats://a/",	      "nats://a/b c",
		"nats://a/b.*", "nats://a/b/c", "nats://a/b,cert=/c", "nats://a/b,ca=/c",
	};
	struct sent_target target;
	struct error err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(sent_try(&target, &output_kind_nats, wrong[i], &err), -EINVAL);
}

static int close_library(void **state)
{
	nats_Close();
	return 0;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_messages),
	TEST(test_jetstream),
	TEST(test_drops),
	cmocka_unit_test(test_server_that_stalls),
	TEST(test_server_that_returns),
	TEST(test_message_that_is_too_large),
	cmocka_unit_test(test_rejected_words),
};

UNIT_GROUP(tests, .teardown = close_library);
