/* SPDX-License-Identifier: MIT */
/* OpenTelemetry over HTTP: settings, resources, bodies and answers. */
#ifndef OUTPUT_TARGETS_OTLP_H
#define OUTPUT_TARGETS_OTLP_H

#include "output/config.h"
#include "output/targets/http_keys.h"
#include "util/buf.h"

/* The two forms of OTLP: what the kind otlp chooses from. */

struct http_profile;

extern const struct http_profile otlp_profile_proto;
extern const struct http_profile otlp_profile_json;
extern const struct http_profile otlp_profile_metrics;

/*
 * The resource of OTLP: which program on which machine sends. Its attributes are texts, and the
 * user's own replace those that are found out.
 */

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

/*
 * The settings of an output of OTLP: its keys, and for what they do not say the environment
 * variables that all exporters of OpenTelemetry know.
 */

/* The variables below that name files; ends with NULL. */
extern const char *const OTLP_FILE_VARIABLES[];
extern const char *const OTLP_METRICS_FILE_VARIABLES[];

struct otlp_settings {
	struct http_keys keys; /* owned */
	char *url; /* owned */
};

/*
 * Reads $OTEL_EXPORTER_OTLP_LOGS_NAME, of metrics $OTEL_EXPORTER_OTLP_METRICS_NAME, else
 * $OTEL_EXPORTER_OTLP_NAME, for ENDPOINT (if the target is empty), HEADERS, COMPRESSION, TIMEOUT,
 * CERTIFICATE, CLIENT_CERTIFICATE and CLIENT_KEY. Returns 0, -EINVAL with a message, or -ENOMEM;
 * release with otlp_settings_finish() in every case.
 */
int otlp_settings_init(struct otlp_settings *settings, const struct output_config *config,
		       struct error *err);
void otlp_settings_finish(struct otlp_settings *settings);

#endif
