/* SPDX-License-Identifier: MIT */
/* TLS: certificates that are right and wrong, of both sides; large writes; servers that go. */
#include "output/targets/tls.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include "patience.h"
#include "tls_server.h"
#include "tree.h"
#include "unit.h"

#define MS UINT64_C(1000000)

enum { LARGE_BYTES = 5 << 20 };

/* Files of the folder. */
enum { CA, CA_KEY, SERVER, SERVER_KEY, CLIENT, CLIENT_KEY, OTHER, OTHER_KEY, FILES };

static struct tree tree;
static char files[FILES][TREE_PATH_BYTES];
static struct output_stop stop;
static struct tls_server *server;
static struct tls *tls;
static struct connection connection;
static struct error err;

static int setup_files(void **state)
{
	char name[2] = "a";

	tree_create(&tree);
	for (int i = 0; i < FILES; i++, name[0]++)
		tree_path(&tree, name, files[i]);
	tls_make_certificate("ca.example", NULL, NULL, files[CA], files[CA_KEY]);
	tls_make_certificate("other.example", NULL, NULL, files[OTHER], files[OTHER_KEY]);
	tls_make_certificate("127.0.0.1", files[CA], files[CA_KEY], files[SERVER],
			     files[SERVER_KEY]);
	tls_make_certificate("client.example", files[CA], files[CA_KEY], files[CLIENT],
			     files[CLIENT_KEY]);
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

static int teardown_files(void **state)
{
	tree_destroy(&tree);
	return 0;
}

static int setup(void **state)
{
	tls = NULL;
	server = NULL;
	connection.fd = -1;
	return output_stop_init(&stop);
}

static int teardown(void **state)
{
	connection_close(&connection);
	tls_destroy(tls);
	if (server)
		tls_server_stop(server);
	output_stop_finish(&stop);
	return 0;
}

static void start(const struct tls_server_config *more)
{
	struct tls_server_config config = *more;
	struct connection_config to = {.timeout_ns = 60000 * MS};
	uint16_t port;

	config.cert = files[SERVER];
	config.key = files[SERVER_KEY];
	server = tls_server_start(&config, &port);
	strcpy(to.endpoint.host, "127.0.0.1");
	snprintf(to.endpoint.port, sizeof(to.endpoint.port), "%u", (unsigned int)port);
	connection_init(&connection, &to, &stop);
}

/* Connects with a config of the client. */
static int open_with(const struct tls_config *config)
{
	connection_close(&connection);
	tls_destroy(tls);
	assert_int_equal(tls_create(config, &tls, &err), 0);
	connection.config.security = &TLS_SECURITY;
	connection.config.security_context = tls;
	return connection_open(&connection, &err);
}

static void write_text(const char *text)
{
	size_t done = 0;

	assert_int_equal(connection_write(&connection, text, strlen(text), &done, &err), 0);
	assert_int_equal(done, strlen(text));
}

/* It is an error at once: the default of OpenSSL is to ask the terminal, and to wait. */
static void test_key_with_a_passphrase(void **state)
{
	char locked[TREE_PATH_BYTES], command[3 * TREE_PATH_BYTES];
	struct tls_config config = {.cert = files[CLIENT], .key = locked};

	tree_path(&tree, "locked", locked);
	snprintf(command, sizeof(command), "openssl pkey -in %s -aes128 -passout pass:abcd -out %s",
		 files[CLIENT_KEY], locked);
	assert_int_equal(system(command), 0);
	assert_int_equal(tls_create(&config, &tls, &err), -EINVAL);
	tls = NULL;
	assert_non_null(strstr(err.text, "it has a passphrase, which nobody can enter"));
}

static void test_names(void **state)
{
	start(&(struct tls_server_config){0});
	assert_int_equal(
		open_with(&(struct tls_config){.ca = files[CA], .server_name = "127.0.0.1"}), 0);
	write_text("hello");
	assert_memory_equal(tls_server_received(server, 5), "hello", 5);
	assert_int_equal(
		open_with(&(struct tls_config){.ca = files[CA], .server_name = "127.0.0.2"}),
		-EPROTO);
	assert_string_equal(err.text, "the certificate of the server is not accepted: IP address "
				      "mismatch; see ca= and server-name=");
	assert_int_equal(connection.fd, -1);
	assert_int_equal(
		open_with(&(struct tls_config){.ca = files[CA], .server_name = "a.example"}),
		-EPROTO);
	assert_non_null(strstr(err.text, "hostname mismatch"));
	assert_int_equal(
		open_with(&(struct tls_config){.ca = files[OTHER], .server_name = "127.0.0.1"}),
		-EPROTO);
	assert_non_null(strstr(err.text, "unable to get local issuer certificate"));
	/* Without ca= those of the system are trusted, which do not have ours. */
	assert_int_equal(open_with(&(struct tls_config){.server_name = "127.0.0.1"}), -EPROTO);
	assert_int_equal(open_with(&(struct tls_config){.server_name = "a", .insecure = true}), 0);
	write_text("again");
	assert_memory_equal(tls_server_received(server, 10), "helloagain", 10);
}

/* The server wants a certificate; in TLS 1.3 it says so after the handshake. */
static void test_client_certificate(void **state)
{
	static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

	for (size_t i = 0; i < 2; i++) {
		start(&(struct tls_server_config){.client_ca = files[CA],
						  .version_max = versions[i]});
		assert_int_equal(open_with(&(struct tls_config){.ca = files[CA],
								.server_name = "127.0.0.1"}),
				 -EPROTO);
		assert_non_null(strstr(err.text, i ? "alert certificate required"
						   : "alert handshake failure"));
		assert_int_equal(open_with(&(struct tls_config){.ca = files[CA],
								.cert = files[OTHER],
								.key = files[OTHER_KEY],
								.server_name = "127.0.0.1"}),
				 -EPROTO);
		assert_int_equal(open_with(&(struct tls_config){.ca = files[CA],
								.cert = files[CLIENT],
								.key = files[CLIENT_KEY],
								.server_name = "127.0.0.1"}),
				 0);
		write_text("hello");
		assert_memory_equal(tls_server_received(server, 5), "hello", 5);
		connection_close(&connection);
		tls_server_stop(server);
		server = NULL;
	}
}

static void test_files(void **state)
{
	char wanted[2 * TREE_PATH_BYTES];

	assert_int_equal(tls_create(&(struct tls_config){.ca = "/no/such"}, &tls, &err), -EINVAL);
	assert_string_equal(err.text,
			    "cannot use the certificates of /no/such: No such file or directory");
	assert_int_equal(
		tls_create(&(struct tls_config){.cert = "/no/such", .key = files[CLIENT_KEY]}, &tls,
			   &err),
		-EINVAL);
	assert_int_equal(
		tls_create(&(struct tls_config){.cert = files[CLIENT], .key = files[OTHER_KEY]},
			   &tls, &err),
		-EINVAL);
	snprintf(wanted, sizeof(wanted), "cannot use the private key of %s: key values mismatch",
		 files[OTHER_KEY]);
	assert_string_equal(err.text, wanted);
	assert_null(tls);
}

static void test_large(void **state)
{
	char *bytes = malloc(LARGE_BYTES);
	size_t done = 0;

	for (size_t i = 0; i < LARGE_BYTES; i++)
		bytes[i] = (char)(i * 31 >> 3);
	start(&(struct tls_server_config){.no_tickets = true});
	assert_int_equal(
		open_with(&(struct tls_config){.ca = files[CA], .server_name = "127.0.0.1"}), 0);
	assert_int_equal(connection_write(&connection, bytes, LARGE_BYTES, &done, &err), 0);
	assert_int_equal(done, LARGE_BYTES);
	assert_memory_equal(tls_server_received(server, LARGE_BYTES), bytes, LARGE_BYTES);
	free(bytes);
}

static void test_server_goes(void **state)
{
	start(&(struct tls_server_config){0});
	assert_int_equal(
		open_with(&(struct tls_config){.ca = files[CA], .server_name = "127.0.0.1"}), 0);
	write_text("1");
	tls_server_received(server, 1);
	assert_int_equal(connection_open(&connection, &err), 0);
	tls_server_hang_up(server);
	assert_int_equal(
		poll(&(struct pollfd){.fd = connection.fd, .events = POLLRDHUP}, 1, PATIENCE_MS),
		1);
	assert_int_equal(connection_check(&connection, &err), 0);
	assert_int_equal(connection.fd, -1);
	assert_int_equal(connection_open(&connection, &err), 0);
	write_text("2");
	assert_memory_equal(tls_server_received(server, 2), "12", 2);
}

static void test_silent_server(void **state)
{
	start(&(struct tls_server_config){.silent = true});
	connection.config.timeout_ns = 100 * MS;
	assert_int_equal(
		open_with(&(struct tls_config){.ca = files[CA], .server_name = "127.0.0.1"}),
		-ETIMEDOUT);
	assert_string_equal(err.text, "no answer to the TLS handshake in time");
	connection.config.timeout_ns = 60000 * MS;
	output_stop_now(&stop);
	assert_int_equal(
		open_with(&(struct tls_config){.ca = files[CA], .server_name = "127.0.0.1"}),
		-ECANCELED);
	assert_int_equal(connection.fd, -1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_names, setup, teardown),
	cmocka_unit_test_setup_teardown(test_key_with_a_passphrase, setup, teardown),
	cmocka_unit_test_setup_teardown(test_client_certificate, setup, teardown),
	cmocka_unit_test_setup_teardown(test_files, setup, teardown),
	cmocka_unit_test_setup_teardown(test_large, setup, teardown),
	cmocka_unit_test_setup_teardown(test_server_goes, setup, teardown),
	cmocka_unit_test_setup_teardown(test_silent_server, setup, teardown),
};

UNIT_GROUP(tests, .setup = setup_files, .teardown = teardown_files);
