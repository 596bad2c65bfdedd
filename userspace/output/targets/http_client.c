/* SPDX-License-Identifier: MIT */
/* A handle of libcurl with the settings of an output, and one POST after the other with it. */
#include "output/targets/http_client.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "net/fetch.h"
#include "net/url.h"
#include "util/base64.h"
#include "util/clock.h"

enum { NS_PER_MS = 1000000, STATUS_UNAUTHORIZED = 401 };
#define NS_PER_S UINT64_C(1000000000)

struct http_client {
	const struct http_keys *keys;
	const char *scheme;
	struct fetch *fetch; /* owned */
	struct http_packer *packer; /* owned; NULL: bodies are not compressed */
	struct buf packed; /* owned */
	struct net_token secret; /* the file of a token or password */
	struct buf authorization; /* owned; the header, "": none */
	char **headers; /* owned, each, too; the last but NULL is the authorization, not owned */
	size_t headers_count; /* without the authorization */
};

/* Whether the keys have a header of that name. */
static bool http_client_is_replaced(const struct http_keys *keys, const char *header)
{
	size_t len = (size_t)(strchr(header, ':') - header) + 1;

	for (size_t i = 0; i < keys->headers.count; i++)
		if (strncasecmp(keys->headers.items[i], header, len) == 0)
			return true;
	return false;
}

static int http_client_add_header(struct http_client *client, const char *header)
{
	char *copy = strdup(header);

	if (!copy)
		return -ENOMEM;
	client->headers[client->headers_count++] = copy;
	return 0;
}

static int http_client_add_headers(struct http_client *client, const char *const *given)
{
	static const char *const encodings[PACK_METHODS] = {
		[PACK_GZIP] = "Content-Encoding: gzip",
		[PACK_ZSTD] = "Content-Encoding: zstd",
	};
	const struct http_keys *keys = client->keys;
	const char *encoding = encodings[keys->compress];
	size_t count = 0;
	int r = 0;

	while (given[count])
		count++;
	/* The encoding, the authorization and NULL. */
	client->headers = calloc(count + keys->headers.count + 3, sizeof(*client->headers));
	if (!client->headers)
		return -ENOMEM;
	for (size_t i = 0; i < count && r == 0; i++)
		if (!http_client_is_replaced(keys, given[i]))
			r = http_client_add_header(client, given[i]);
	for (size_t i = 0; i < keys->headers.count && r == 0; i++)
		r = http_client_add_header(client, keys->headers.items[i]);
	if (r == 0 && encoding)
		r = http_client_add_header(client, encoding);
	return r;
}

int http_client_create(const struct http_client_config *config, const struct output_stop *stop,
		       struct http_client **result, struct error *err)
{
	const struct http_keys *keys = config->keys;
	struct http_client *client = calloc(1, sizeof(*client));
	int r;

	if (!client)
		return error_set(err, -ENOMEM, "out of memory");
	client->keys = keys;
	client->scheme = config->scheme;
	client->secret.path = keys->token_file ? keys->token_file : keys->password_file;
	r = http_client_add_headers(client, config->headers);
	if (r == 0 && keys->compress) {
		client->packer = http_packer_create((enum http_pack_method)keys->compress);
		r = client->packer ? 0 : -ENOMEM;
	}
	r = r ? error_set(err, r, "out of memory") : fetch_create(&client->fetch, err);
	if (r) {
		http_client_destroy(client);
		return r;
	}
	fetch_stop_by(client->fetch, stop->fd);
	*result = client;
	return 0;
}

void http_client_destroy(struct http_client *client)
{
	if (!client)
		return;
	fetch_destroy(client->fetch);
	http_packer_destroy(client->packer);
	buf_finish(&client->packed);
	buf_finish(&client->authorization);
	net_token_finish(&client->secret);
	for (size_t i = 0; i < client->headers_count; i++)
		free(client->headers[i]);
	free(client->headers);
	free(client);
}

static void append_basic(struct buf *header, const char *user, const char *password)
{
	struct buf pair = {0};

	buf_printf(&pair, "%s:%s", user, password);
	BUF_LITERAL(header, "Authorization: Basic ");
	base64_append(header, pair.data, pair.len);
	if (pair.failed)
		buf_fail(header);
	buf_finish(&pair);
}

/* Makes the header anew: what is in a file may have changed. */
static int authorize(struct http_client *client, struct error *err)
{
	const struct http_keys *keys = client->keys;
	const char *secret = keys->token ? keys->token : keys->password;
	struct buf *header = &client->authorization;
	int r = net_token_refresh(&client->secret, clock_ns(CLOCK_MONOTONIC), err);

	if (r && !client->secret.text)
		return r;
	if (client->secret.path)
		secret = client->secret.text;
	client->headers[client->headers_count] = NULL;
	if (!secret)
		return 0;
	buf_clear(header);
	if (keys->user)
		append_basic(header, keys->user, secret);
	else
		buf_printf(header, "Authorization: %s %s", client->scheme, secret);
	buf_append_char(header, '\0');
	if (header->failed)
		return error_set(err, -ENOMEM, "out of memory");
	client->headers[client->headers_count] = header->data;
	return 0;
}

static bool http_client_take(void *data, long status, const char *bytes, size_t len)
{
	struct http_answer *answer = data;
	size_t space = HTTP_ANSWER_MAX - answer->body.len;

	answer->cut = answer->cut || len > space;
	buf_append(&answer->body, bytes, len < space ? len : space);
	answer->cut = answer->cut || answer->body.failed;
	return true;
}

static uint32_t to_ms(uint64_t ns)
{
	uint64_t ms = (ns + NS_PER_MS - 1) / NS_PER_MS;

	return ms < INT_MAX ? (uint32_t)ms : INT_MAX;
}

static int targets_http_client_post(struct http_client *client, const char *url,
				    const struct iovec *parts, size_t count,
				    struct http_answer *answer, struct error *err)
{
	const struct http_keys *keys = client->keys;
	struct fetch_request request = {
		.url = url,
		.proxy = keys->proxy,
		.headers = (const char *const *)client->headers,
		.body = parts,
		.body_parts = count,
		.ca_path = keys->ca,
		.trusts_any = keys->insecure,
		.cert_path = keys->cert,
		.key_path = keys->key,
		.timeout_ms = to_ms(keys->timeout_ns),
		.connect_ms = to_ms(keys->connect_ns),
		.take = http_client_take,
		.data = answer,
	};
	struct fetch_end end;
	int r = fetch_get(client->fetch, &request, &end, err);

	answer->status = end.status;
	answer->sent = end.sent;
	answer->retry_after_ns = end.retry_after_s * NS_PER_S;
	client->secret.rejected = end.status == STATUS_UNAUTHORIZED;
	return r;
}

int http_client_post(struct http_client *client, const char *url, const struct iovec *parts,
		     size_t count, struct http_answer *answer, struct error *err)
{
	struct iovec packed;
	int r;

	answer->status = 0;
	answer->sent = false;
	answer->cut = false;
	answer->retry_after_ns = 0;
	buf_clear(&answer->body);
	r = authorize(client, err);
	if (r)
		return r;
	if (!client->packer)
		return targets_http_client_post(client, url, parts, count, answer, err);
	r = http_pack(client->packer, parts, count, &client->packed);
	if (r)
		return error_set(err, r, "out of memory");
	packed = (struct iovec){client->packed.data, client->packed.len};
	return targets_http_client_post(client, url, &packed, 1, answer, err);
}

void http_answer_excerpt(const struct http_answer *answer, char text[HTTP_EXCERPT_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < answer->body.len && n < HTTP_EXCERPT_BYTES - 1; i++) {
		char c = answer->body.data[i];

		if (c > ' ' && c <= '~')
			text[n++] = c;
		else if (n && text[n - 1] != ' ')
			text[n++] = ' ';
	}
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
}

void http_answer_finish(struct http_answer *answer)
{
	buf_finish(&answer->body);
}
