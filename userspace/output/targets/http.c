/* SPDX-License-Identifier: MIT */
/* The kinds http and https: batches to servers that take JSON. */
#include <errno.h>
#include <stdlib.h>

#include "output/targets/http_profile.h"
#include "output/targets/http_profiles.h"
#include "output/targets/kinds.h"

static const struct http_profile *profile_of(const struct output_config *config)
{
	return HTTP_PROFILES[((const struct http_keys *)config->own)->profile];
}

static int http_check(const struct output_config *config, struct error *err)
{
	const struct http_profile *profile = profile_of(config);
	int code = http_keys_check(config->own, config->to, err);

	return code == 0 && profile->check ? profile->check(config, err) : code;
}

static int http_open_target(const struct output_config *config, struct output_stop *stop,
			    void **target, struct error *err)
{
	/* The text of the output is the URL. */
	return http_target_open(config, config->own, profile_of(config), config->to, stop, target,
				err);
}

static const char *const names[] = {"http", "https", NULL};

static const struct output_default defaults[] = {
	{"profile=elasticsearch", "ecs"},
	{NULL, "native"},
};

const struct output_kind output_kind_http = {
	.names = names,
	.target = "//HOST[:PORT][/PATH]",
	.help = "a server that takes batches by HTTP",
	.keys = HTTP_KEYS,
	.own_bytes = sizeof(struct http_keys),
	.defaults = defaults,
	.acknowledges = true,
	.has_deadlines = true,
	.uses = OUTPUT_USES_NETWORK,
	.check = http_check,
	.open = http_open_target,
	.send = http_target_send,
	.close = http_target_close,
};
