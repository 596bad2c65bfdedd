/* SPDX-License-Identifier: MIT */
/* Certificates, handshakes, and encrypted bytes. */
#include "output/targets/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "output/targets/connection.h"

enum { ERROR_BYTES = 256, DRAIN_BYTES = 4096, DRAINS_MAX = 64, VERDICT_MS = 300 };

struct tls {
	SSL_CTX *context; /* owned */
	const char *server_name;
	bool insecure;
};

/* What OpenSSL says was the first cause; forgets it. */
static void take_cause(char text[ERROR_BYTES])
{
	unsigned long code = ERR_get_error();
	const char *reason = code ? ERR_reason_error_string(code) : NULL;

	if (ERR_SYSTEM_ERROR(code))
		reason = strerror((int)ERR_GET_REASON(code));
	if (reason)
		snprintf(text, ERROR_BYTES, "%s", reason);
	else
		ERR_error_string_n(code, text, ERROR_BYTES);
	ERR_clear_error();
}

static int fail_file(const char *what, const char *path, struct error *err)
{
	char text[ERROR_BYTES];

	take_cause(text);
	return error_set(err, -EINVAL, "cannot use the %s of %s: %s", what, path, text);
}

/* Nobody is there to enter one. OpenSSL's own function would ask the terminal, and wait. */
static int reject_passphrase(char *bytes, int size, int writes, void *asked)
{
	*(bool *)asked = true;
	return -1;
}

static int load_key(SSL_CTX *context, const char *path, struct error *err)
{
	bool asked = false;
	int loaded;

	SSL_CTX_set_default_passwd_cb(context, reject_passphrase);
	SSL_CTX_set_default_passwd_cb_userdata(context, &asked);
	loaded = SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM);
	SSL_CTX_set_default_passwd_cb_userdata(context, NULL);
	if (loaded == 1)
		return 0;
	if (!asked)
		return fail_file("private key", path, err);
	ERR_clear_error();
	return error_set(err, -EINVAL,
			 "cannot use the private key of %s: it has a passphrase, which nobody can "
			 "enter; openssl pkey -in %s -out NEW makes one without",
			 path, path);
}

static int tls_load(const struct tls_config *config, SSL_CTX *context, struct error *err)
{
	if (!config->ca)
		SSL_CTX_set_default_verify_paths(context);
	else if (SSL_CTX_load_verify_file(context, config->ca) != 1)
		return fail_file("certificates", config->ca, err);
	if (!config->cert)
		return 0;
	if (SSL_CTX_use_certificate_chain_file(context, config->cert) != 1)
		return fail_file("certificate", config->cert, err);
	return load_key(context, config->key, err);
}

int tls_create(const struct tls_config *config, struct tls **result, struct error *err)
{
	struct tls *tls = calloc(1, sizeof(*tls));
	int r;

	if (tls)
		tls->context = SSL_CTX_new(TLS_client_method());
	if (!tls || !tls->context) {
		tls_destroy(tls);
		return error_set(err, -ENOMEM, "out of memory");
	}
	tls->server_name = config->server_name;
	tls->insecure = config->insecure;
	SSL_CTX_set_min_proto_version(tls->context, TLS1_2_VERSION);
	SSL_CTX_set_mode(tls->context,
			 SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_verify(tls->context, config->insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER,
			   NULL);
	r = tls_load(config, tls->context, err);
	if (r)
		tls_destroy(tls);
	else
		*result = tls;
	return r;
}

void tls_destroy(struct tls *tls)
{
	if (tls)
		SSL_CTX_free(tls->context);
	free(tls);
}

/* The name that is asked for and that the certificate must have; an address is not asked for. */
static bool tls_set_name(const struct tls *tls, SSL *session)
{
	X509_VERIFY_PARAM *param = SSL_get0_param(session);
	unsigned char address[sizeof(struct in6_addr)];
	const char *name = tls->server_name;

	if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1)
		return X509_VERIFY_PARAM_set1_ip_asc(param, name) == 1;
	return SSL_set_tlsext_host_name(session, name) == 1 &&
	       X509_VERIFY_PARAM_set1_host(param, name, 0) == 1;
}

struct tls_session {
	SSL *ssl; /* owned */
	char problem[ERROR_BYTES];
};

/*
 * What a result of OpenSSL means: -EAGAIN (`events` are to be waited for), -EPIPE if the server
 * ended the session, another -errno if the socket failed, -EPROTO with session->problem otherwise.
 */
static int meaning(struct tls_session *session, int result, short *events)
{
	int saved = errno;

	switch (SSL_get_error(session->ssl, result)) {
	case SSL_ERROR_WANT_READ:
		*events = POLLIN;
		return -EAGAIN;
	case SSL_ERROR_WANT_WRITE:
		*events = POLLOUT;
		return -EAGAIN;
	case SSL_ERROR_ZERO_RETURN:
		return -EPIPE;
	case SSL_ERROR_SYSCALL:
		return saved ? -saved : -EPIPE;
	}
	/* A connection that ends without the end of the session. */
	if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
		return -EPIPE;
	take_cause(session->problem);
	return -EPROTO;
}

/* Before each call of OpenSSL: old errors would be taken for its own. */
static void forget_errors(void)
{
	ERR_clear_error();
	errno = 0;
}

static int fail_handshake(const struct tls_session *session, int code, struct error *err)
{
	long verified = SSL_get_verify_result(session->ssl);

	if (code == -ETIMEDOUT)
		return error_set(err, code, "no answer to the TLS handshake in time");
	if (code == -EPROTO && verified != X509_V_OK)
		return error_set(err, code,
				 "the certificate of the server is not accepted: %s; see ca= and "
				 "server-name=",
				 X509_verify_cert_error_string(verified));
	return error_set(err, code, "TLS: %s",
			 code == -EPROTO  ? session->problem
			 : code == -EPIPE ? "the server closed the connection"
					  : strerror(-code));
}

static int tls_shake_hands(struct tls_session *session, int fd, const struct output_stop *stop,
			   uint64_t deadline_ns)
{
	short events;
	int r;

	do {
		forget_errors();
		r = SSL_connect(session->ssl);
		if (r == 1)
			return 0;
		r = meaning(session, r, &events);
		if (r == -EAGAIN) {
			r = connection_wait(stop, fd, events, deadline_ns);
			if (r == 1)
				r = -EAGAIN;
		}
	} while (r == -EAGAIN);
	return r;
}

static int session_drain(void *opened)
{
	struct tls_session *session = opened;
	char bytes[DRAIN_BYTES];
	short events;
	size_t n;

	for (int i = 0; i < DRAINS_MAX; i++) {
		int r;

		forget_errors();
		if (SSL_read_ex(session->ssl, bytes, sizeof(bytes), &n) == 1)
			continue;
		r = meaning(session, 0, &events);
		return r == -EAGAIN ? 0 : r;
	}
	return 0;
}

/* Reads all but the data of the server, which stays. */
static int session_peek(void *opened)
{
	struct tls_session *session = opened;
	short events;
	char byte;
	size_t n;
	int r;

	forget_errors();
	if (SSL_peek_ex(session->ssl, &byte, 1, &n) == 1)
		return 0;
	r = meaning(session, 0, &events);
	return r == -EAGAIN ? 0 : r;
}

/*
 * In TLS 1.3 the server looks at the client's certificate after the client's part of the handshake:
 * what is sent before its answer may be lost. The tickets that servers send at once are an answer.
 */
static int await_verdict(struct tls_session *session, int fd, const struct output_stop *stop)
{
	int r;

	if (SSL_version(session->ssl) < TLS1_3_VERSION)
		return 0;
	r = output_wait(stop, fd, POLLIN, VERDICT_MS);
	return r == -ETIMEDOUT ? 0 : r < 0 ? r : session_peek(session);
}

static void session_close(void *opened)
{
	struct tls_session *session = opened;

	if (!session)
		return;
	forget_errors();
	/* Says so to the server, and does not wait for its answer. */
	if (session->ssl && SSL_is_init_finished(session->ssl))
		SSL_shutdown(session->ssl);
	ERR_clear_error();
	SSL_free(session->ssl);
	free(session);
}

static int session_open(void *context, int fd, const struct output_stop *stop, uint64_t deadline_ns,
			void **result, struct error *err)
{
	const struct tls *tls = context;
	struct tls_session *session = calloc(1, sizeof(*session));
	int r;

	if (session)
		session->ssl = SSL_new(tls->context);
	if (!session || !session->ssl || SSL_set_fd(session->ssl, fd) != 1 ||
	    !tls_set_name(tls, session->ssl)) {
		session_close(session);
		return error_set(err, -ENOMEM, "out of memory");
	}
	r = tls_shake_hands(session, fd, stop, deadline_ns);
	if (r == 0)
		r = await_verdict(session, fd, stop);
	if (r) {
		fail_handshake(session, r, err);
		session_close(session);
	} else {
		*result = session;
	}
	return r;
}

static ssize_t session_write(void *opened, const void *bytes, size_t len, short *events)
{
	struct tls_session *session = opened;
	size_t written;

	forget_errors();
	return SSL_write_ex(session->ssl, bytes, len, &written) == 1 ? (ssize_t)written
								     : meaning(session, 0, events);
}

static ssize_t session_read(void *opened, void *bytes, size_t size, short *events)
{
	struct tls_session *session = opened;
	size_t n;

	forget_errors();
	return SSL_read_ex(session->ssl, bytes, size, &n) == 1 ? (ssize_t)n
							       : meaning(session, 0, events);
}

static const char *session_problem(const void *opened)
{
	return ((const struct tls_session *)opened)->problem;
}

const struct connection_security TLS_SECURITY = {
	.open = session_open,
	.write = session_write,
	.read = session_read,
	.peek = session_peek,
	.drain = session_drain,
	.problem = session_problem,
	.close = session_close,
};
