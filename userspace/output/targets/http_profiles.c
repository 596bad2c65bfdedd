/* SPDX-License-Identifier: MIT */
/* The table of profiles, and the plain one: lines of JSON, an array of objects, one, or bytes. */
#include "output/targets/http.h"

#include <errno.h>
#include <string.h>

static int http_profiles_check(const struct output_config *config, struct error *err)
{
	const struct http_keys *keys = config->own;
	const char *format = config->format ? config->format : "json";

	if (keys->body == BODY_ARRAY && strcmp(format, "json") != 0)
		return error_set(err, -EINVAL, "body=array needs format=json");
	if (keys->body == BODY_SINGLE && strcmp(format, "json") != 0 && strcmp(format, "text") != 0)
		return error_set(err, -EINVAL, "body=single needs format=json or text");
	return 0;
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

/* A line is a whole body, without its end: see records_max. */
static void write_single(struct http_target *target, const struct output_batch *batch)
{
	http_body_add(&target->body, batch->records[0].bytes,
		      output_record_text_len(&batch->records[0]));
}

static void http_profiles_write_body(struct http_target *target, const struct output_batch *batch)
{
	if (target->keys->body == BODY_ARRAY)
		write_array(target, batch);
	else if (target->keys->body == BODY_SINGLE)
		write_single(target, batch);
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
