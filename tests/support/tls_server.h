/* SPDX-License-Identifier: MIT */
/*
 * A server of TLS on the loopback, with certificates that it makes. It serves one connection after
 * the other and keeps what it reads.
 */
#ifndef TESTS_TLS_SERVER_H
#define TESTS_TLS_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes a certificate for a name ("localhost", or an address of IPv4) and its key, as files of PEM.
 * issuer, issuer_key: files of the certificate that signs it; NULL: it signs itself.
 */
void tls_make_certificate(const char *name, const char *issuer, const char *issuer_key,
			  const char *cert, const char *key);

struct tls_server;

struct tls_server_config {
	const char *cert, *key; /* files */
	const char *client_ca; /* of the certificate that clients must have; NULL: none */
	int version_max; /* as TLS1_2_VERSION; 0: any */
	bool no_tickets; /* TLS 1.3: says nothing after the handshake */
	bool silent; /* accepts connections and does not answer */
};

struct tls_server *tls_server_start(const struct tls_server_config *config, uint16_t *port);

/* Ends the current connection, in an orderly way. */
void tls_server_hang_up(struct tls_server *server);

/* Waits until it read `len` bytes in all. The test fails if they do not come. Borrowed. */
const char *tls_server_received(struct tls_server *server, size_t len);
void tls_server_stop(struct tls_server *server);

#endif
