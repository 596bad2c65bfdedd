/* SPDX-License-Identifier: MIT */
/* Rows of keys that become the settings of an HTTP client, and the checks of their values. */
#include "output/targets/http_keys.h"

#include <errno.h>
#include <string.h>

#include "net/url.h"
#include "output/targets/http.h"
#include "util/count.h"

#define MEMBER(member) offsetof(struct http_keys, member)

static const char *const body_words[] = {"ndjson", "array", "single", NULL};

/* clang-format off */
#define KEYS_OF_ALL                                                                                \
	{"ca", "FILE", "certificates to trust, PEM; default: those of the system", OUTPUT_FILE,    \
	 MEMBER(ca)},                                                                              \
	{"cert", "FILE", "certificate of the client, PEM", OUTPUT_FILE, MEMBER(cert)},             \
	{"key", "FILE", "its private key, PEM", OUTPUT_FILE, MEMBER(key)},                         \
	{"insecure", "yes|no", "does not check the certificate of the server", OUTPUT_FLAG,          \
	 MEMBER(insecure)},                                                                        \
	{"user", "NAME", "the user, with a password", OUTPUT_TEXT, MEMBER(user)},                  \
	{"password", "TEXT", "the password", OUTPUT_TEXT, MEMBER(password), .secret = true},       \
	{"password-file", "FILE", "a file with the password", OUTPUT_FILE, MEMBER(password_file)}, \
	{"token", "TEXT", "a token in place of user and password", OUTPUT_TEXT, MEMBER(token),     \
	 .secret = true},                                                                          \
	{"token-file", "FILE", "a file with the token, which is read anew each minute",            \
	 OUTPUT_FILE, MEMBER(token_file)},                                                         \
	{"header", "HEADER", "one more header, \"Name: value\"; may be given several times",       \
	 OUTPUT_LIST, MEMBER(headers), .secret = true},                                            \
	{"proxy", "URL", "a proxy; default: none, whatever the environment says", OUTPUT_TEXT,     \
	 MEMBER(proxy), .secret = true},                                                           \
	{"compress", "METHOD", "none, gzip or zstd", OUTPUT_WORD, MEMBER(compress), "none",        \
	 HTTP_PACK_WORDS},                                                                         \
	{"timeout", "TIME", "for a request and its answer", OUTPUT_TIME, MEMBER(timeout_ns),       \
	 "30s"},                                                                                   \
	{"connect-timeout", "TIME", "of that, until there is a connection", OUTPUT_TIME,           \
	 MEMBER(connect_ns), "10s"},                                                               \
	{"dead-letter", "FILE", "where records go that the server rejects", OUTPUT_FILE_WRITTEN,   \
	 MEMBER(dead_letter)},                                                                     \
	{"dead-letter-size", "BYTES", "the most that it takes", OUTPUT_BYTES,                      \
	 MEMBER(dead_letter_bytes), "64M"},                                                        \
	{"host", "NAME", "the name of this machine; default: $NODE_NAME, or its own", OUTPUT_TEXT, \
	 MEMBER(host)}

const struct output_key HTTP_KEYS[] = {
	{"profile", "NAME",
	 "what the server is: plain, elasticsearch, loki, splunk, victorialogs or clickhouse",
	 OUTPUT_WORD, MEMBER(profile), "plain", HTTP_PROFILE_WORDS},
	{"body", "FORM", "plain: ndjson, or one array; or single: a record a request", OUTPUT_WORD, MEMBER(body), "ndjson",
	 body_words},
	{"index", "NAME",
	 "elasticsearch: the index or data stream, with %Y, %m, %d and %H of the time; default: "
	 "lanner; splunk: the index",
	 OUTPUT_TEXT, MEMBER(index)},
	{"table", "NAME", "clickhouse: the table; default: lanner.events", OUTPUT_TEXT,
	 MEMBER(table)},
	{"label", "NAME=VALUE",
	 "loki: one more label; victorialogs: one more field; may be given several times",
	 OUTPUT_LIST, MEMBER(labels)},
	{"metadata", "yes|no", "loki: structured metadata with the id and the type of each record",
	 OUTPUT_FLAG, MEMBER(metadata), "yes"},
	{"acknowledge", "yes|no", "splunk: delivered is what the indexer acknowledged", OUTPUT_FLAG,
	 MEMBER(acknowledge)},
	{"deduplicate", "yes|no",
	 "clickhouse, from 22.2: a batch that was inserted before is not inserted again",
	 OUTPUT_FLAG, MEMBER(deduplicate)},
	{"concurrency", "COUNT", "requests that may be on their way at a time, 1 to 16",
	 OUTPUT_COUNT, MEMBER(concurrency), "1"},
	KEYS_OF_ALL,
	{0},
};

const struct output_key OTLP_KEYS[] = {
	{"attribute", "NAME=VALUE", "an attribute of the resource; may be given several times",
	 OUTPUT_LIST, MEMBER(attributes)},
	KEYS_OF_ALL,
	{0},
};
/* clang-format on */

static bool http_keys_is_printable(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
			return false;
	return true;
}

/* "Name: value", without anything that ends the line. */
static bool is_header(const char *text)
{
	static const char punctuation[] = "!#$%&'*+-.^_`|~"; /* of names, RFC 9110, section 5.6.2 */
	const char *c = text;

	while ((*c >= '0' && *c <= '9') || ((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') ||
	       (*c && strchr(punctuation, *c)))
		c++;
	return c > text && *c == ':' && http_keys_is_printable(c);
}

static int check_headers(const struct http_keys *keys, struct error *err)
{
	for (size_t i = 0; i < keys->headers.count; i++)
		if (!is_header(keys->headers.items[i]))
			return error_set(err, -EINVAL, "header: not of the form \"Name: value\"");
	return 0;
}

/* All that cannot be together, a row each. */
static int check_together(const struct http_keys *keys, const char *url, struct error *err)
{
	bool tls = strncmp(url, "https:", 6) == 0;
	bool token = keys->token || keys->token_file;
	bool password = keys->password || keys->password_file;
	const struct {
		bool wrong;
		const char *message;
	} rows[] = {
		{!keys->cert != !keys->key, "cert= and key= belong together"},
		{keys->cert && !tls, "cert= needs https://"},
		{keys->ca && !tls, "ca= needs https://"},
		{keys->insecure && !tls, "insecure needs https://"},
		{keys->ca && keys->insecure, "ca= and insecure contradict each other"},
		{token && keys->user, "token= and user= contradict each other"},
		{keys->token && keys->token_file, "token= and token-file= contradict each other"},
		{keys->password && keys->password_file,
		 "password= and password-file= contradict each other"},
		{password && !keys->user, "a password needs user="},
		{keys->user && !password, "user= needs password= or password-file="},
		{keys->timeout_ns == 0, "timeout must not be 0"},
		{keys->concurrency > HTTP_LANES_MAX, "concurrency: 1 to 16"},
		{keys->concurrency > 1 && keys->dead_letter,
		 "concurrency= and dead-letter= cannot be together"},
		{keys->concurrency > 1 && keys->deduplicate,
		 "concurrency= and deduplicate cannot be together"},
		{keys->concurrency > 1 && HTTP_PROFILES[keys->profile]->is_ordered,
		 "concurrency= changes the order of records, which this profile needs"},
		{keys->body == BODY_SINGLE && keys->profile, "body=single needs profile=plain"},
		{keys->token && !*keys->token, "token: empty"},
		{keys->token && !http_keys_is_printable(keys->token), "token: control characters"},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].wrong)
			return error_set(err, -EINVAL, "%s", rows[i].message);
	return 0;
}

int http_keys_check(const struct http_keys *keys, const char *url, struct error *err)
{
	struct url *parts;
	int r = url_create(url, &parts, err);

	if (r)
		return r;
	url_destroy(parts);
	r = check_headers(keys, err);
	return r ? r : check_together(keys, url, err);
}

/* The kinds http and https: batches to servers that take JSON. */

static const struct http_profile *http_keys_profile_of(const struct output_config *config)
{
	return HTTP_PROFILES[((const struct http_keys *)config->own)->profile];
}

static int http_check(const struct output_config *config, struct error *err)
{
	const struct http_profile *profile = http_keys_profile_of(config);
	const struct http_keys *keys = config->own;
	int r = http_keys_check(keys, config->to, err);

	if (r == 0 && keys->concurrency == 0)
		r = error_set(err, -EINVAL, "concurrency: 1 to 16");
	return r == 0 && profile->check ? profile->check(config, err) : r;
}

static size_t http_records_max(const struct output_config *config)
{
	const struct http_keys *keys = config->own;

	return keys->body == BODY_SINGLE ? 1 : SIZE_MAX;
}

static size_t http_requests_max(const struct output_config *config)
{
	return (size_t)((const struct http_keys *)config->own)->concurrency;
}

static int http_open_target(const struct output_config *config, struct output_stop *stop,
			    void **target, struct error *err)
{
	return http_lanes_open(config, http_keys_profile_of(config), stop, target, err);
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
	.records_max = http_records_max,
	.requests_max = http_requests_max,
	.open = http_open_target,
	.send = http_lanes_send,
	.close = http_lanes_close,
};
