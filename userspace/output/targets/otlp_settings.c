/* SPDX-License-Identifier: MIT */
#include "output/targets/otlp_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/url.h"
#include "output/targets/otlp_resource.h"
#include "output/targets/http_pairs.h"
#include "util/buf.h"

#define PREFIX "OTEL_EXPORTER_OTLP_"
#define DEFAULT_ENDPOINT "http://localhost:4318"

enum { NAME_BYTES = 80 };

const char *const OTLP_FILE_VARIABLES[] = {
	PREFIX "LOGS_CERTIFICATE",
	PREFIX "CERTIFICATE",
	PREFIX "LOGS_CLIENT_CERTIFICATE",
	PREFIX "CLIENT_CERTIFICATE",
	PREFIX "LOGS_CLIENT_KEY",
	PREFIX "CLIENT_KEY",
	NULL,
};

/* A variable that is set and not empty, or NULL; `name` becomes its whole name. */
static const char *find(const char *suffix, char name[NAME_BYTES])
{
	static const char *const prefixes[] = {PREFIX "LOGS_", PREFIX};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const char *value;

		snprintf(name, NAME_BYTES, "%s%s", prefixes[i], suffix);
		value = getenv(name);
		if (value && *value)
			return value;
	}
	return NULL;
}

/* Sets a key; a message names where the value comes from. */
static int set(struct http_keys *keys, const char *name, const char *value, const char *variable,
	       struct error *err)
{
	const struct output_key *key = output_key_find(OTLP_KEYS, name);
	struct error why;
	int code = output_key_set(key, value, keys, &why);

	return code ? error_set(err, code, "$%s: %s", variable, why.text) : 0;
}

/* "name=value,name=value", escaped: a header each. */
static int read_headers(struct http_keys *keys, const char *text, const char *variable,
			struct error *err)
{
	char *copy = strdup(text), *rest = copy, *item;
	int code = copy ? 0 : error_set(err, -ENOMEM, "out of memory");

	while (code == 0 && (item = strsep(&rest, ","))) {
		struct buf header = {0};
		struct http_pair pair;

		item += strspn(item, " \t");
		if (!*item)
			continue;
		pair = http_pair_of(item);
		/* Not shown: it may be a token. */
		if (!pair.name_len || !item[pair.name_len]) {
			code = error_set(err, -EINVAL, "$%s: not of the form NAME=VALUE", variable);
			break;
		}
		otlp_unescape((char *)pair.value);
		buf_append(&header, pair.name, pair.name_len);
		BUF_LITERAL(&header, ": ");
		buf_append(&header, pair.value, strlen(pair.value) + 1);
		code = header.failed ? error_set(err, -ENOMEM, "out of memory")
				     : set(keys, "header", header.data, variable, err);
		buf_finish(&header);
	}
	free(copy);
	return code;
}

/* The timeout is in ms there. */
static int read_timeout(struct http_keys *keys, const char *text, const char *variable,
			struct error *err)
{
	char value[32];

	snprintf(value, sizeof(value), "%.20sms", text);
	return set(keys, "timeout", value, variable, err);
}

static int read_variables(struct http_keys *keys, struct error *err)
{
	static const struct {
		const char *suffix, *key;
	} rows[] = {
		{"COMPRESSION", "compress"},
		{"CERTIFICATE", "ca"},
		{"CLIENT_CERTIFICATE", "cert"},
		{"CLIENT_KEY", "key"},
	};
	char name[NAME_BYTES];
	const char *value;
	int code = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && code == 0; i++) {
		value = find(rows[i].suffix, name);
		if (value)
			code = set(keys, rows[i].key, value, name, err);
	}
	value = code ? NULL : find("TIMEOUT", name);
	if (value)
		code = read_timeout(keys, value, name, err);
	value = code ? NULL : find("HEADERS", name);
	return value ? read_headers(keys, value, name, err) : code;
}

/* The keys of the user come last: theirs count. */
static int read_given(struct http_keys *keys, const struct output_config *config, struct error *err)
{
	for (size_t i = 0; i < config->given.count; i++) {
		struct http_pair pair = http_pair_of(config->given.items[i]);
		char name[NAME_BYTES];
		const struct output_key *key;
		int code;

		snprintf(name, sizeof(name), "%.*s", (int)pair.name_len, pair.name);
		key = output_key_find(OTLP_KEYS, name);
		code = key ? output_key_set(key, pair.value, keys, err) : 0;
		if (code)
			return code;
	}
	return 0;
}

/* The general variable is a base that gets the path of logs, that for logs is used as it is. */
static int find_url(struct otlp_settings *settings, const struct output_config *config,
		    struct error *err)
{
	const char *logs = getenv(PREFIX "LOGS_ENDPOINT"), *base = getenv(PREFIX "ENDPOINT");
	struct url *url = NULL;
	int code;

	if (*config->target || (logs && *logs)) {
		settings->url = strdup(*config->target ? config->target : logs);
		return settings->url ? 0 : error_set(err, -ENOMEM, "out of memory");
	}
	code = url_create(base && *base ? base : DEFAULT_ENDPOINT, &url, err);
	if (code)
		return code;
	code = url_append_path(url, "/v1/logs");
	settings->url = code ? NULL : url_text(url);
	url_destroy(url);
	return settings->url ? 0 : error_set(err, -ENOMEM, "out of memory");
}

int otlp_settings_init(struct otlp_settings *settings, const struct output_config *config,
		       struct error *err)
{
	int code;

	*settings = (struct otlp_settings){0};
	code = output_keys_init(OTLP_KEYS, &settings->keys);
	if (code)
		return error_set(err, code, "out of memory");
	code = read_variables(&settings->keys, err);
	if (code == 0)
		code = read_given(&settings->keys, config, err);
	if (code == 0)
		code = find_url(settings, config, err);
	return code ? code : http_keys_check(&settings->keys, settings->url, err);
}

void otlp_settings_finish(struct otlp_settings *settings)
{
	output_keys_finish(OTLP_KEYS, &settings->keys);
	free(settings->url);
	*settings = (struct otlp_settings){0};
}
