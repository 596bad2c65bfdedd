/* SPDX-License-Identifier: MIT */
/*
 * The resource of OTLP: which program on which machine sends. Its attributes are texts, and the
 * user's own replace those that are found out.
 */
#ifndef OUTPUT_TARGETS_OTLP_RESOURCE_H
#define OUTPUT_TARGETS_OTLP_RESOURCE_H

#include "output/targets/http_keys.h"
#include "util/buf.h"

enum { OTLP_ATTRIBUTES_MAX = 64 };

struct otlp_attribute {
	char *name, *value; /* owned */
};

struct otlp_resource {
	struct otlp_attribute attributes[OTLP_ATTRIBUTES_MAX];
	size_t count;
};

/*
 * Collects the attributes: what is found out, then $OTEL_RESOURCE_ATTRIBUTES and
 * $OTEL_SERVICE_NAME, then the key `attribute`. Returns 0, or -EINVAL with a message, or -ENOMEM.
 */
int otlp_resource_init(struct otlp_resource *resource, const char *host,
		       const struct output_list *given, struct error *err);
void otlp_resource_finish(struct otlp_resource *resource);

/* Append the message Resource, or its JSON. */
void otlp_resource_append_proto(const struct otlp_resource *resource, struct buf *out);
void otlp_resource_append_json(const struct otlp_resource *resource, struct buf *out);

/* Replaces %XX by the byte, in place, as values of the variables of OpenTelemetry have them. */
void otlp_unescape(char *text);

#endif
