/* SPDX-License-Identifier: MIT */
/* Hellos field by field: what is not whole is not known. */
#include "requests/protocols/tls_hello.h"

#include <stdio.h>
#include <string.h>

#include "requests/protocols/text.h"

enum {
	HANDSHAKE_BYTES = 4, /* type and length */
	VERSION_BYTES = 2,
	RANDOM_BYTES = 32,
	EXTENSION_NAME = 0,
	EXTENSION_ALPN = 16,
	EXTENSION_VERSIONS = 43,
	TLS_1_2 = 0x0303,
	TLS_1_3 = 0x0304,
};

/* Bytes that are left; after a read behind their end none are. */
struct tls_bytes {
	const uint8_t *data;
	size_t len;
};

static struct tls_bytes hello_take_bytes(struct tls_bytes *bytes, size_t len)
{
	struct tls_bytes taken = {bytes->data, len <= bytes->len ? len : bytes->len};

	bytes->data += taken.len;
	bytes->len -= taken.len;
	if (taken.len < len)
		taken.len = 0;
	return taken;
}

/* 0 if they are not there. */
static uint32_t hello_take_number(struct tls_bytes *bytes, size_t len)
{
	struct tls_bytes taken = hello_take_bytes(bytes, len);
	uint32_t number = 0;

	for (size_t i = 0; i < taken.len; i++)
		number = number << 8 | taken.data[i];
	return number;
}

/* What stands behind its length, as far as it is there. */
static struct tls_bytes take_vector(struct tls_bytes *bytes, size_t length_bytes)
{
	size_t len = hello_take_number(bytes, length_bytes);

	return hello_take_bytes(bytes, len < bytes->len ? len : bytes->len);
}

static bool is_printable(struct tls_bytes text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] <= ' ' || text.data[i] >= 0x7f)
			return false;
	return text.len > 0;
}

/* A list of names with their type, of which that of a host is 0. */
static void hello_take_name(struct protocol_message *message, struct tls_bytes extension)
{
	struct tls_bytes list = take_vector(&extension, 2);
	bool is_host = list.len && hello_take_number(&list, 1) == 0;
	struct tls_bytes name = take_vector(&list, 2);

	if (is_host && is_printable(name))
		protocol_text_put(message->host, sizeof(message->host), name.data, name.len);
}

/* Names with a comma between two. */
static void take_offers(struct protocol_message *message, struct tls_bytes extension)
{
	struct tls_bytes list = take_vector(&extension, 2);
	size_t at = 0;

	while (list.len) {
		struct tls_bytes name = take_vector(&list, 1);

		if (!is_printable(name) || at + name.len + 2 > sizeof(message->target))
			return;
		if (at)
			message->target[at++] = ',';
		protocol_text_put(message->target + at, sizeof(message->target) - at, name.data,
				  name.len);
		at += name.len;
	}
}

static void take_client_hello(struct protocol_message *message, struct tls_bytes hello)
{
	struct tls_bytes extensions;

	take_vector(&hello, 1); /* the session */
	take_vector(&hello, 2); /* ciphers */
	take_vector(&hello, 1); /* compression */
	extensions = take_vector(&hello, 2);
	while (extensions.len) {
		uint32_t type = hello_take_number(&extensions, 2);
		struct tls_bytes extension = take_vector(&extensions, 2);

		if (type == EXTENSION_NAME)
			hello_take_name(message, extension);
		else if (type == EXTENSION_ALPN && !message->target[0])
			take_offers(message, extension);
	}
}

/* The real version may be in an extension, of which a hello that is not whole may lack any. */
static uint16_t take_server_hello(struct tls_bytes hello, uint16_t version, bool is_whole)
{
	struct tls_bytes extensions;

	take_vector(&hello, 1); /* the session */
	hello_take_number(&hello, 2); /* the cipher */
	hello_take_number(&hello, 1); /* compression */
	extensions = take_vector(&hello, 2);
	if (!is_whole && version == TLS_1_2)
		version = 0;
	while (extensions.len) {
		uint32_t type = hello_take_number(&extensions, 2);
		struct tls_bytes extension = take_vector(&extensions, 2);

		if (type == EXTENSION_VERSIONS)
			version = (uint16_t)hello_take_number(&extension, 2);
	}
	return version;
}

/* TLS 1.2 is 3.3: 1.0 was the version behind SSL 3.0. */
static void put_version(struct protocol_message *message, uint16_t version)
{
	if (version > 0x0300 && version <= TLS_1_3)
		snprintf(message->version, sizeof(message->version), "1.%u", (version & 0xffu) - 1);
}

/* The random of a hello that is none: SHA-256 of "HelloRetryRequest". */
static bool is_retry(struct tls_bytes random)
{
	static const uint8_t retry[] = {0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11};

	return random.len >= sizeof(retry) && memcmp(random.data, retry, sizeof(retry)) == 0;
}

enum tls_hello_kind tls_take_hello(struct protocol_message *message, const uint8_t *data,
				   size_t len, uint16_t *version)
{
	struct tls_bytes hello = {data, len};
	uint32_t type = hello_take_number(&hello, 1);
	size_t size = hello_take_number(&hello, HANDSHAKE_BYTES - 1);
	bool is_whole = hello.len >= size;
	struct tls_bytes random;

	*version = (uint16_t)hello_take_number(&hello, VERSION_BYTES);
	random = hello_take_bytes(&hello, RANDOM_BYTES);
	if (type == TLS_CLIENT_HELLO) {
		take_client_hello(message, hello);
		return TLS_CLIENT_HELLO;
	}
	if (type != TLS_SERVER_HELLO)
		return TLS_NO_HELLO;
	*version = take_server_hello(hello, *version, is_whole);
	put_version(message, *version);
	return is_retry(random) ? TLS_RETRY : TLS_SERVER_HELLO;
}

const char *tls_alert_name(uint8_t code)
{
	static const struct {
		uint8_t code;
		const char *name;
	} names[] = {
		{0, "close_notify"},
		{10, "unexpected_message"},
		{20, "bad_record_mac"},
		{22, "record_overflow"},
		{40, "handshake_failure"},
		{42, "bad_certificate"},
		{43, "unsupported_certificate"},
		{44, "certificate_revoked"},
		{45, "certificate_expired"},
		{46, "certificate_unknown"},
		{47, "illegal_parameter"},
		{48, "unknown_ca"},
		{49, "access_denied"},
		{50, "decode_error"},
		{51, "decrypt_error"},
		{70, "protocol_version"},
		{71, "insufficient_security"},
		{80, "internal_error"},
		{86, "inappropriate_fallback"},
		{90, "user_canceled"},
		{109, "missing_extension"},
		{110, "unsupported_extension"},
		{112, "unrecognized_name"},
		{113, "bad_certificate_status_response"},
		{115, "unknown_psk_identity"},
		{116, "certificate_required"},
		{120, "no_application_protocol"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].code == code)
			return names[i].name;
	return "alert";
}
