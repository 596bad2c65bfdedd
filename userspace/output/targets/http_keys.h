/* SPDX-License-Identifier: MIT */
/* The keys of outputs over HTTP: of the kinds http and otlp. */
#ifndef OUTPUT_TARGETS_HTTP_KEYS_H
#define OUTPUT_TARGETS_HTTP_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "output/config.h"
#include "output/targets/http_body.h"

/* Members in the order of their rows, which document them. Texts that are not given are NULL. */
struct http_keys {
	/* Of all. */
	char *ca, *cert, *key;
	bool insecure;
	char *user, *password, *password_file, *token, *token_file;
	struct output_list headers;
	char *proxy;
	unsigned int compress; /* enum http_pack_method */
	uint64_t timeout_ns, connect_ns;
	char *dead_letter;
	uint64_t dead_letter_bytes;
	char *host;
	/* Of http. */
	unsigned int profile; /* the index in HTTP_PROFILES */
	unsigned int body; /* enum http_body_form */
	char *index, *table;
	struct output_list labels;
	bool metadata, acknowledge, deduplicate;
	uint64_t concurrency; /* requests at a time; 0 of otlp, which has one */
	/* Of otlp. */
	struct output_list attributes;
};

enum http_body_form { BODY_NDJSON, BODY_ARRAY, BODY_SINGLE };

/* The tables; they end without a name. */
extern const struct output_key HTTP_KEYS[];
extern const struct output_key OTLP_KEYS[];

/*
 * Whether the keys of all kinds fit together and to the URL. Returns 0, -EINVAL with a message, or
 * -ENOMEM.
 */
int http_keys_check(const struct http_keys *keys, const char *url, struct error *err);

#endif
