/* SPDX-License-Identifier: MIT */
/*
 * The settings of an output of OTLP: its keys, and for what they do not say the environment
 * variables that all exporters of OpenTelemetry know.
 */
#ifndef OUTPUT_TARGETS_OTLP_SETTINGS_H
#define OUTPUT_TARGETS_OTLP_SETTINGS_H

#include "output/config.h"
#include "output/targets/http_keys.h"

/* The variables below that name files; ends with NULL. */
extern const char *const OTLP_FILE_VARIABLES[];

struct otlp_settings {
	struct http_keys keys; /* owned */
	char *url; /* owned */
};

/*
 * Reads $OTEL_EXPORTER_OTLP_LOGS_NAME, else $OTEL_EXPORTER_OTLP_NAME, for ENDPOINT (if the target
 * is empty), HEADERS, COMPRESSION, TIMEOUT, CERTIFICATE, CLIENT_CERTIFICATE and CLIENT_KEY. Returns
 * 0, -EINVAL with a message, or -ENOMEM; release with otlp_settings_finish() in every case.
 */
int otlp_settings_init(struct otlp_settings *settings, const struct output_config *config,
		       struct error *err);
void otlp_settings_finish(struct otlp_settings *settings);

#endif
