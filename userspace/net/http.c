/* SPDX-License-Identifier: MIT */
/* Whole answers of servers on unix sockets, in memory. */
#include "net/http.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>

#include "net/fetch.h"
#include "util/clock.h"
#include "util/count.h"

enum { NS_PER_MS = 1000000 };

enum { STATUS_OK = 200 };

struct http {
	struct fetch *fetch; /* owned */
	char *path; /* owned */
	bool checks_owner;
	uint32_t owner;
};

/* An answer that comes. */
struct answer {
	const struct http_request *request;
	struct http_reply *reply;
	bool too_long, out_of_memory;
};

int http_open(const char *path, struct http **result, struct error *err)
{
	struct http *http = calloc(1, sizeof(*http));
	int r;

	if (!http)
		return error_set(err, -ENOMEM, "out of memory");
	http->path = strdup(path);
	r = http->path ? fetch_create(&http->fetch, err) : error_set(err, -ENOMEM, "out of memory");
	if (r) {
		http_close(http);
		return r;
	}
	*result = http;
	return 0;
}

void http_set_owner(struct http *http, uint32_t owner)
{
	http->checks_owner = true;
	http->owner = owner;
}

void http_close(struct http *http)
{
	if (!http)
		return;
	fetch_destroy(http->fetch);
	free(http->path);
	free(http);
}

/* Returns whether the rest is wanted. */
static bool http_append(struct answer *answer, struct buf *part, size_t max, const char *bytes,
			size_t len)
{
	answer->too_long = part->len + len > max;
	if (answer->too_long)
		return false;
	buf_append(part, bytes, len);
	answer->out_of_memory = part->failed;
	return !part->failed;
}

static bool http_take(void *data, long status, const char *bytes, size_t len)
{
	struct answer *answer = data;
	const struct http_request *request = answer->request;

	if (request->take && status == STATUS_OK)
		return request->take(request->data, bytes, len);
	return http_append(answer, &answer->reply->body, HTTP_BODY_MAX, bytes, len);
}

static bool http_take_header(void *data, const char *bytes, size_t len)
{
	struct answer *answer = data;

	return http_append(answer, &answer->reply->headers, HTTP_HEADERS_MAX, bytes, len);
}

/* What a failure of fetch_get() means for the caller. */
static int http_to_errno(int code)
{
	static const struct {
		int code, result;
	} rows[] = {
		{-ENOENT, -ECONNREFUSED}, /* nobody made the socket */
		{-EMSGSIZE, -EPROTO},
		{-EHOSTUNREACH, -EPROTO},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].code == code)
			return rows[i].result;
	return code;
}

static int http_send_request(struct http *http, const struct http_request *request,
			     uint32_t timeout_ms, struct answer *answer, struct error *err)
{
	const struct buf *sent = request->body;
	struct iovec body = {.iov_base = sent ? sent->data : NULL, .iov_len = sent ? sent->len : 0};
	struct buf url = {0};
	struct fetch_request fetch = {
		.socket = http->path,
		.checks_owner = http->checks_owner,
		.owner = http->owner,
		.headers = request->headers,
		.body = sent ? &body : NULL,
		.body_parts = 1,
		.http2 = request->http2,
		.timeout_ms = timeout_ms,
		.connect_ms = HTTP_CONNECT_MS,
		.take = http_take,
		.take_header = http_take_header,
		.data = answer,
	};
	struct fetch_end end = {0};
	int r = -ENOMEM;

	buf_printf(&url, "http://localhost%s", request->path);
	buf_append_char(&url, '\0');
	fetch.url = url.data;
	if (url.failed)
		error_set(err, r, "out of memory");
	else
		r = fetch_get(http->fetch, &fetch, &end, err);
	buf_finish(&url);
	answer->reply->status = end.status;
	return http_to_errno(r);
}

int http_request(struct http *http, const struct http_request *request, struct http_reply *reply,
		 struct error *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct answer answer = {.request = request, .reply = reply};
	struct error why = {"no time left to ask"};
	int r = -ETIMEDOUT;

	reply->status = 0;
	buf_clear(&reply->body);
	buf_clear(&reply->headers);
	if (now + NS_PER_MS <= request->deadline_ns) {
		uint64_t left_ms = (request->deadline_ns - now) / NS_PER_MS;

		r = http_send_request(http, request,
				      left_ms < INT_MAX ? (uint32_t)left_ms : INT_MAX, &answer,
				      &why);
	}
	if (answer.too_long)
		r = error_set(&why, -EMSGSIZE, "the answer is too long");
	if (answer.out_of_memory)
		r = error_set(&why, -ENOMEM, "out of memory");
	return r ? error_set(err, r, "%s: %s", http->path, why.text) : 0;
}

bool http_header(const struct http_reply *reply, const char *name, char *value, size_t size)
{
	const char *line = reply->headers.data, *end;
	size_t name_len = strlen(name), len = 0;
	const char *found = NULL;

	if (!line)
		return false;
	end = line + reply->headers.len;
	while (line < end) {
		const char *line_end = memchr(line, '\n', (size_t)(end - line));

		line_end = line_end ? line_end : end;
		if ((size_t)(line_end - line) > name_len && line[name_len] == ':' &&
		    strncasecmp(line, name, name_len) == 0) {
			found = line + name_len + 1;
			len = (size_t)(line_end - found);
		}
		line = line_end + 1;
	}
	if (!found)
		return false;
	for (; len > 0 && (*found == ' ' || *found == '\t'); len--)
		found++;
	while (len > 0 && (found[len - 1] == '\r' || found[len - 1] == ' '))
		len--;
	len = len < size - 1 ? len : size - 1;
	memcpy(value, found, len);
	value[len] = '\0';
	return true;
}

void http_reply_finish(struct http_reply *reply)
{
	buf_finish(&reply->body);
	buf_finish(&reply->headers);
}
