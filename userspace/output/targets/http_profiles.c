/* SPDX-License-Identifier: MIT */
/* The table of profiles, and the plain one: lines of JSON, an array of objects, or bytes. */
#include "output/targets/http.h"

#include <errno.h>
#include <string.h>

static int http_profiles_check(const struct output_config *config, struct error *err)
{
	const struct http_keys *keys = config->own;

	if (keys->body != BODY_ARRAY || !config->format || strcmp(config->format, "json") == 0)
		return 0;
	return error_set(err, -EINVAL, "body=array needs format=json");
}

static void write_array(struct http_target *target, const struct output_batch *batch)
{
	struct http_body *body = &target->body;

	for (size_t i = 0; i < batch->count; i++) {
		buf_append_char(&body->text, i ? ',' : '[');
		http_body_add(body, batch->records[i].bytes, batch->records[i].len);
	}
	buf_append_char(&body->text, ']');
}

static void http_profiles_write_body(struct http_target *target, const struct output_batch *batch)
{
	if (target->keys->body == BODY_ARRAY)
		write_array(target, batch);
	else
		for (size_t i = 0; i < batch->parts_count; i++)
			http_body_add(&target->body, batch->parts[i].iov_base,
				      batch->parts[i].iov_len);
}

const struct http_profile http_profile_plain = {
	.scheme = "Bearer",
	.verdicts = HTTP_VERDICTS,
	.check = http_profiles_check,
	.write = http_profiles_write_body,
};

const struct http_profile *const HTTP_PROFILES[] = {
	&http_profile_plain,  &http_profile_elasticsearch, &http_profile_loki,
	&http_profile_splunk, &http_profile_victorialogs,  &http_profile_clickhouse,
};

const char *const HTTP_PROFILE_WORDS[] = {
	"plain", "elasticsearch", "loki", "splunk", "victorialogs", "clickhouse", NULL,
};
