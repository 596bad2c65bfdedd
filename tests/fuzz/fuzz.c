/* SPDX-License-Identifier: MIT */
/* Helpers of the fuzz targets. */
#include "fuzz.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_fail(const char *file, int line, const char *condition, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%d: not %s: ", file, line, condition);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

void fuzz_check_error(const char *text, const struct filter_error *err)
{
	struct buf out = {0};

	REQUIRE(err->position <= strlen(text), "%zu", err->position);
	REQUIRE(err->line && err->column, "%u, %u", err->line, err->column);
	REQUIRE(err->text[0] && memchr(err->text, '\0', sizeof(err->text)), "message");
	filter_error_render(text, err, &out);
	REQUIRE(out.len && !out.failed, "%zu", out.len);
	buf_finish(&out);
}

void fuzz_check_json(const struct buf *json)
{
	json_error_t err;
	json_t *value =
		json_loadb(json->data, json->len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &err);

	REQUIRE(value && json_is_object(value), "%s: %.*s", err.text, (int)json->len, json->data);
	json_decref(value);
}
