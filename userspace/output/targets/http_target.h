/* SPDX-License-Identifier: MIT */
/*
 * A server that takes batches by HTTP: one request for each, and the next one after its answer, so
 * that records arrive in their order. The kinds http and otlp differ in the profile alone.
 */
#ifndef OUTPUT_TARGETS_HTTP_TARGET_H
#define OUTPUT_TARGETS_HTTP_TARGET_H

#include "output/targets/http_body.h"
#include "output/targets/http_client.h"
#include "output/targets/dead_letters.h"
#include "output/targets/http_keys.h"
#include "output/target.h"

struct http_profile;

struct http_target {
	const struct output_config *config; /* borrowed */
	const struct http_keys *keys; /* borrowed */
	const struct http_profile *profile;
	char *url; /* owned */
	char *host; /* owned; the name of this machine */
	struct http_client *client; /* owned */
	struct http_body body;
	struct http_answer answer;
	struct dead_letters letters;
	struct output_stop *stop; /* borrowed */
	void *own; /* of the profile */
};

/* As open(), send() and close() of a kind. `keys` are borrowed, `url` is that of the server. */
int http_target_open(const struct output_config *config, const struct http_keys *keys,
		     const struct http_profile *profile, const char *url, struct output_stop *stop,
		     void **target, struct error *err);
int http_target_send(void *target, struct output_batch *batch, struct error *err);
void http_target_close(void *target);

#endif
