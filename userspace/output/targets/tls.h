/* SPDX-License-Identifier: MIT */
/* TLS for connections, by OpenSSL, and the keys of outputs that use it. */
#ifndef OUTPUT_TARGETS_TLS_H
#define OUTPUT_TARGETS_TLS_H

#include <errno.h>

#include "output/config.h"
#include "output/targets/connection.h"

/* Files in PEM; NULL: not given. */
struct tls_config {
	const char *ca; /* what to trust; NULL: what the system trusts */
	const char *cert, *key; /* of the client: both or none; cert may be a chain */
	const char *server_name; /* the name that the server's certificate must have */
	bool insecure; /* any certificate will do */
};

struct tls;

#ifdef WITH_TLS_OUTPUTS

/* Loads the files. Returns 0, or -errno with a message. The config is borrowed. */
int tls_create(const struct tls_config *config, struct tls **tls, struct error *err);
void tls_destroy(struct tls *tls); /* accepts NULL */

/* The security of a connection; its context is a struct tls. */
extern const struct connection_security TLS_SECURITY;

#else

static const struct connection_security TLS_SECURITY;

static inline int tls_create(const struct tls_config *config, struct tls **tls, struct error *err)
{
	return error_set(err, -EOPNOTSUPP, "this agent was built without TLS (tls_outputs)");
}

static inline void tls_destroy(struct tls *tls)
{
}

#endif

/* The keys of outputs that use TLS over sockets. */

struct tls_keys {
	const char *ca, *cert, *key, *server_name;
	bool insecure;
};

/* Rows of a table of keys. MEMBER(name): the offset of a member of struct tls_keys. */
#define TLS_KEY_ROWS(MEMBER)                                                                       \
	{"ca", "FILE", "certificates to trust, PEM; default: those of the system", OUTPUT_FILE,    \
	 MEMBER(ca)},                                                                              \
		{"cert", "FILE", "certificate of the client, PEM", OUTPUT_FILE, MEMBER(cert)},     \
		{"key", "FILE", "its private key, PEM", OUTPUT_FILE, MEMBER(key)},                 \
		{"server-name", "NAME", "the name in the server's certificate; default: the host", \
		 OUTPUT_TEXT, MEMBER(server_name)},                                                \
	{                                                                                          \
		"insecure", "yes|no", "does not check the certificate of the server", OUTPUT_FLAG, \
			MEMBER(insecure)                                                           \
	}

/* Whether they fit together. Returns 0, or -EINVAL with a message. */
static inline int tls_keys_check(const struct tls_keys *keys, const char *text, struct error *err)
{
	if (!keys->cert == !keys->key)
		return 0;
	return error_set(err, -EINVAL, "%s: cert= and key= belong together", text);
}

/*
 * Loads the files, and makes a connection use them. Returns 0, or -errno with a message. config,
 * which it fills: for its endpoint.
 */
static inline int tls_keys_apply(const struct tls_keys *keys, struct connection_config *config,
				 struct tls **tls, struct error *err)
{
	const struct tls_config files = {
		.ca = keys->ca,
		.cert = keys->cert,
		.key = keys->key,
		.server_name = keys->server_name ? keys->server_name : config->endpoint.host,
		.insecure = keys->insecure,
	};
	int r = tls_create(&files, tls, err);

	if (r)
		return r;
	config->security = &TLS_SECURITY;
	config->security_context = *tls;
	return 0;
}

#endif
