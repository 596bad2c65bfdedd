/* SPDX-License-Identifier: MIT */
/* The keys of outputs that use TLS over sockets. */
#ifndef OUTPUT_TARGETS_TLS_KEYS_H
#define OUTPUT_TARGETS_TLS_KEYS_H

#include "output/config.h"
#include "output/targets/tls.h"

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
