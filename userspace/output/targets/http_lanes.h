/* SPDX-License-Identifier: MIT */
/*
 * Several requests at a time: a target of HTTP for each, between which a batch is divided. What
 * comes of them is settled together, in the order of the records.
 */
#ifndef OUTPUT_TARGETS_HTTP_LANES_H
#define OUTPUT_TARGETS_HTTP_LANES_H

#include "output/targets/http.h"

enum { HTTP_LANES_MAX = 16 };

/* As open(), send() and close() of a kind; as many lanes as the keys say. */
int http_lanes_open(const struct output_config *config, const struct http_profile *profile,
		    struct output_stop *stop, void **target, struct error *err);
int http_lanes_send(void *target, struct output_batch *batch, struct error *err);
void http_lanes_close(void *target);

#endif
