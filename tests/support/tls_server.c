/* SPDX-License-Identifier: MIT */
#include "tls_server.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

enum { RECEIVED_MAX = 32 << 20, WAITS_MAX = 30000, WAIT_US = 2000, POLL_MS = 10, DAY_S = 86400 };

struct tls_server {
	struct tls_server_config config;
	SSL_CTX *context;
	int listener;
	pthread_t thread;
	atomic_bool stopped, hang_up;
	char *received;
	atomic_size_t len;
};

static void add_extension(X509 *cert, X509 *issuer, int id, const char *value)
{
	X509V3_CTX context;
	X509_EXTENSION *extension;

	X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
	extension = X509V3_EXT_conf_nid(NULL, &context, id, value);
	assert_non_null(extension);
	X509_add_ext(cert, extension, -1);
	X509_EXTENSION_free(extension);
}

static void *read_pem(const char *path, bool is_key)
{
	FILE *file = fopen(path, "r");
	void *read;

	assert_non_null(file);
	read = is_key ? (void *)PEM_read_PrivateKey(file, NULL, NULL, NULL)
		      : (void *)PEM_read_X509(file, NULL, NULL, NULL);
	fclose(file);
	assert_non_null(read);
	return read;
}

static void write_pem(const char *path, X509 *cert, EVP_PKEY *key)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(key ? PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL)
			     : PEM_write_X509(file, cert),
			 1);
	assert_int_equal(fclose(file), 0);
}

void tls_make_certificate(const char *name, const char *issuer, const char *issuer_key,
			  const char *cert_path, const char *key_path)
{
	static int serial = 1;
	EVP_PKEY *key = EVP_EC_gen("P-256"), *signer = issuer ? read_pem(issuer_key, true) : key;
	X509 *cert = X509_new(), *above = issuer ? read_pem(issuer, false) : cert;
	bool is_address = name[0] >= '0' && name[0] <= '9';
	char alternative[128];

	assert_non_null(key);
	X509_set_version(cert, X509_VERSION_3);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), serial++);
	X509_gmtime_adj(X509_getm_notBefore(cert), -DAY_S);
	X509_gmtime_adj(X509_getm_notAfter(cert), DAY_S);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
				   (const unsigned char *)name, -1, -1, 0);
	X509_set_issuer_name(cert, X509_get_subject_name(above));
	X509_set_pubkey(cert, key);
	add_extension(cert, above, NID_basic_constraints, issuer ? "CA:FALSE" : "critical,CA:TRUE");
	snprintf(alternative, sizeof(alternative), "%s:%s", is_address ? "IP" : "DNS", name);
	add_extension(cert, above, NID_subject_alt_name, alternative);
	assert_true(X509_sign(cert, signer, EVP_sha256()) > 0);
	write_pem(cert_path, cert, NULL);
	write_pem(key_path, NULL, key);
	if (issuer) {
		EVP_PKEY_free(signer);
		X509_free(above);
	}
	EVP_PKEY_free(key);
	X509_free(cert);
}

static bool readable(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, POLL_MS) > 0;
}

static void serve(struct tls_server *server, int fd)
{
	SSL *ssl = SSL_new(server->context);
	bool goes_on = !server->config.silent;

	SSL_set_fd(ssl, fd);
	if (goes_on && SSL_accept(ssl) != 1)
		goes_on = false;
	while (!server->stopped && !atomic_exchange(&server->hang_up, false) &&
	       (goes_on || server->config.silent)) {
		size_t n;

		if (server->config.silent || (!SSL_pending(ssl) && !readable(fd))) {
			usleep(server->config.silent ? WAIT_US : 0);
			continue;
		}
		goes_on = SSL_read_ex(ssl, server->received + server->len,
				      RECEIVED_MAX - server->len, &n) == 1;
		if (goes_on)
			server->len += n;
	}
	SSL_shutdown(ssl);
	SSL_free(ssl);
	close(fd);
}

static void *run(void *argument)
{
	struct tls_server *server = argument;

	while (!server->stopped) {
		int fd = readable(server->listener)
				 ? accept4(server->listener, NULL, NULL, SOCK_CLOEXEC)
				 : -1;

		if (fd >= 0)
			serve(server, fd);
	}
	return NULL;
}

struct tls_server *tls_server_start(const struct tls_server_config *config, uint16_t *port)
{
	struct tls_server *server = calloc(1, sizeof(*server));
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);

	server->config = *config;
	server->received = malloc(RECEIVED_MAX);
	server->context = SSL_CTX_new(TLS_server_method());
	assert_int_equal(SSL_CTX_use_certificate_chain_file(server->context, config->cert), 1);
	assert_int_equal(
		SSL_CTX_use_PrivateKey_file(server->context, config->key, SSL_FILETYPE_PEM), 1);
	if (config->client_ca) {
		SSL_CTX_load_verify_file(server->context, config->client_ca);
		SSL_CTX_set_verify(server->context,
				   SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
	}
	if (config->version_max)
		SSL_CTX_set_max_proto_version(server->context, config->version_max);
	if (config->no_tickets)
		SSL_CTX_set_num_tickets(server->context, 0);
	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_return_code(bind(server->listener, (struct sockaddr *)&address, len), errno);
	assert_return_code(listen(server->listener, 8), errno);
	assert_return_code(getsockname(server->listener, (struct sockaddr *)&address, &len), errno);
	*port = ntohs(address.sin_port);
	assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
	return server;
}

void tls_server_hang_up(struct tls_server *server)
{
	server->hang_up = true;
	for (int i = 0; i < WAITS_MAX && server->hang_up; i++)
		usleep(WAIT_US);
	assert_false(server->hang_up);
}

const char *tls_server_received(struct tls_server *server, size_t len)
{
	for (int i = 0; i < WAITS_MAX && server->len < len; i++)
		usleep(WAIT_US);
	assert_int_equal(server->len, len);
	return server->received;
}

void tls_server_stop(struct tls_server *server)
{
	server->stopped = true;
	pthread_join(server->thread, NULL);
	close(server->listener);
	SSL_CTX_free(server->context);
	free(server->received);
	free(server);
}
