/* SPDX-License-Identifier: MIT */
/* The clear part of TLS: what hellos and alerts say. Used by tls*.c of this folder alone. */
#ifndef REQUESTS_PROTOCOLS_TLS_HELLO_H
#define REQUESTS_PROTOCOLS_TLS_HELLO_H

#include "requests/protocols/protocol.h"

enum tls_hello_kind {
	TLS_NO_HELLO,
	TLS_CLIENT_HELLO,
	TLS_SERVER_HELLO,
	TLS_RETRY, /* a server wants another hello of the client */
};

/*
 * Takes a message of a handshake, or its beginning: of a client which server it names, and which
 * protocols it offers; of a server the version that both speak from now on, 0 if it does not say.
 */
enum tls_hello_kind tls_take_hello(struct protocol_message *message, const uint8_t *data,
				   size_t len, uint16_t *version);

/* What an alert is called, as RFC 8446 has it: handshake_failure. */
const char *tls_alert_name(uint8_t code);

#endif
