/* SPDX-License-Identifier: MIT */
/* TLS for connections, by OpenSSL. */
#ifndef OUTPUT_TARGETS_TLS_H
#define OUTPUT_TARGETS_TLS_H

#include <errno.h>

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

#endif
