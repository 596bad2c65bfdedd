/* SPDX-License-Identifier: MIT */
/* The kind otlp: collectors that take logs of OpenTelemetry by HTTP. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/targets/otlp_profile.h"
#include "output/targets/otlp_settings.h"
#include "output/targets/http_pairs.h"
#include "output/targets/http_profile.h"
#include "output/targets/kinds.h"

struct otlp_target {
	struct otlp_settings settings;
	void *http; /* owned; the target that sends */
};

static int otlp_check(const struct output_config *config, struct error *err)
{
	const struct http_keys *keys = config->own;
	int code = http_pairs_check(&keys->attributes, "attribute", err);

	/* Without a target the environment names one: that is checked with its other variables. */
	if (code || !*config->target)
		return code;
	return http_keys_check(keys, config->target, err);
}

static void otlp_close(void *data)
{
	struct otlp_target *target = data;

	if (!target)
		return;
	http_target_close(target->http);
	otlp_settings_finish(&target->settings);
	free(target);
}

static const struct http_profile *profile_of(const struct output_config *config)
{
	return config->format && strcmp(config->format, "otlp-json") == 0
		       ? &http_profile_otlp_json
		       : &http_profile_otlp_proto;
}

static int otlp_open(const struct output_config *config, struct output_stop *stop, void **result,
		     struct error *err)
{
	struct otlp_target *target = calloc(1, sizeof(*target));
	int code;

	if (!target)
		return error_set(err, -ENOMEM, "out of memory");
	code = otlp_settings_init(&target->settings, config, err);
	if (code == 0)
		code = http_target_open(config, &target->settings.keys, profile_of(config),
					target->settings.url, stop, &target->http, err);
	if (code)
		otlp_close(target);
	else
		*result = target;
	return code;
}

static int otlp_send(void *target, struct output_batch *batch, struct error *err)
{
	return http_target_send(((struct otlp_target *)target)->http, batch, err);
}

static const char *const names[] = {"otlp", NULL};
static const char *const formats[] = {"otlp-proto", "otlp-json", NULL};
static const struct output_default defaults[] = {{NULL, "otel"}};

const struct output_kind output_kind_otlp = {
	.names = names,
	.target = "http[s]://HOST[:PORT][/PATH]",
	.help = "a collector of OpenTelemetry, by HTTP; without a target as "
		"$OTEL_EXPORTER_OTLP_ENDPOINT says",
	.keys = OTLP_KEYS,
	.own_bytes = sizeof(struct http_keys),
	.formats = formats,
	.defaults = defaults,
	.acknowledges = true,
	.has_deadlines = true,
	.uses = OUTPUT_USES_NETWORK,
	.file_variables = OTLP_FILE_VARIABLES,
	.check = otlp_check,
	.open = otlp_open,
	.send = otlp_send,
	.close = otlp_close,
};
