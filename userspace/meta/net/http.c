/* SPDX-License-Identifier: MIT */
/* Requests with libcurl, which keeps connections of HTTP/1.1 for the next one. */
#include "meta/net/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>

#include "util/clock.h"

enum { NS_PER_MS = 1000000, URL_MAX_BYTES = 512 };

struct http {
	CURL *curl; /* owned */
	char *path; /* owned */
};

/* Appends to a part of the reply. Returns what libcurl takes for success: `len`. */
static size_t take(struct buf *part, size_t max, const char *bytes, size_t len)
{
	if (part->len + len > max)
		return 0;
	buf_append(part, bytes, len);
	return part->failed ? 0 : len;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *reply)
{
	return take(&((struct http_reply *)reply)->body, HTTP_BODY_MAX, bytes, size * count);
}

static size_t take_header(char *bytes, size_t size, size_t count, void *reply)
{
	return take(&((struct http_reply *)reply)->headers, HTTP_HEADERS_MAX, bytes, size * count);
}

int http_open(const char *path, struct http **result, struct error *err)
{
	struct http *http = calloc(1, sizeof(*http));
	CURLcode code = http ? curl_global_init(CURL_GLOBAL_DEFAULT) : CURLE_OUT_OF_MEMORY;

	if (code) {
		free(http);
		return error_set(err, -ENOMEM, "libcurl: %s", curl_easy_strerror(code));
	}
	http->path = strdup(path);
	http->curl = curl_easy_init();
	if (!http->path || !http->curl) {
		http_close(http);
		return error_set(err, -ENOMEM, "out of memory");
	}
	*result = http;
	return 0;
}

void http_close(struct http *http)
{
	if (!http)
		return;
	curl_easy_cleanup(http->curl);
	curl_global_cleanup();
	free(http->path);
	free(http);
}

/* Why the socket could not be connected to. */
static int connect_errno(const struct http *http)
{
	long number = 0;

	curl_easy_getinfo(http->curl, CURLINFO_OS_ERRNO, &number);
	return number > 0 && number != ENOENT ? -(int)number : -ECONNREFUSED;
}

/* What libcurl's result means for the caller. */
static int to_errno(const struct http *http, CURLcode code)
{
	static const struct {
		CURLcode code;
		int result;
	} rows[] = {
		{CURLE_OK, 0},
		{CURLE_OPERATION_TIMEDOUT, -ETIMEDOUT},
		{CURLE_WRITE_ERROR, -EMSGSIZE},
		{CURLE_OUT_OF_MEMORY, -ENOMEM},
	};

	if (code == CURLE_COULDNT_CONNECT)
		return connect_errno(http);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].code == code)
			return rows[i].result;
	}
	return -EPROTO;
}

static int fail(const struct http *http, CURLcode code, struct error *err)
{
	int result = to_errno(http, code);
	const char *why = curl_easy_strerror(code);

	if (code == CURLE_COULDNT_CONNECT)
		why = strerror(-result);
	else if (code == CURLE_WRITE_ERROR)
		why = "the answer is too long";
	return error_set(err, result, "%s: %s", http->path, why);
}

/* The options of one request; all others are as libcurl has them at the start. */
static CURLcode set_options(struct http *http, const struct http_request *request,
			    struct curl_slist *headers, long timeout_ms, struct http_reply *reply)
{
	long version = request->http2 ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE : CURL_HTTP_VERSION_1_1;
	char url[URL_MAX_BYTES];
	struct buf text = buf_fixed(url, sizeof(url));
	CURLcode code = CURLE_OK;

	buf_printf(&text, "http://localhost%s", request->path);
	buf_append_char(&text, '\0');
	if (text.failed)
		return CURLE_URL_MALFORMAT;
	curl_easy_reset(http->curl);
#define SET(option, value) code = code ? code : curl_easy_setopt(http->curl, option, value)
	SET(CURLOPT_UNIX_SOCKET_PATH, http->path);
	SET(CURLOPT_URL, url);
	SET(CURLOPT_PATH_AS_IS, 1L);
	SET(CURLOPT_PROTOCOLS_STR, "http");
	SET(CURLOPT_PROXY, ""); /* the environment's is not for sockets */
	SET(CURLOPT_HTTP_VERSION, version);
	SET(CURLOPT_HTTPHEADER, headers);
	/* A signal for a time-out would hit the threads of others. */
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)HTTP_CONNECT_MS);
	SET(CURLOPT_TIMEOUT_MS, timeout_ms);
	SET(CURLOPT_WRITEFUNCTION, take_body);
	SET(CURLOPT_WRITEDATA, reply);
	SET(CURLOPT_HEADERFUNCTION, take_header);
	SET(CURLOPT_HEADERDATA, reply);
	/* libcurl before 8.0 fails when it uses a connection of HTTP/2 again (curl's issue 10634).
	 */
	SET(CURLOPT_FRESH_CONNECT, (long)request->http2);
	SET(CURLOPT_FORBID_REUSE, (long)request->http2);
	if (request->body) {
		SET(CURLOPT_POST, 1L);
		SET(CURLOPT_POSTFIELDSIZE, (long)request->body->len);
		SET(CURLOPT_POSTFIELDS, request->body->data);
	}
#undef SET
	return code;
}

static void reply_clear(struct http_reply *reply)
{
	reply->status = 0;
	buf_clear(&reply->body);
	buf_clear(&reply->headers);
}

int http_request(struct http *http, const struct http_request *request, struct http_reply *reply,
		 struct error *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct curl_slist *headers = NULL;
	CURLcode code = CURLE_OPERATION_TIMEDOUT;

	reply_clear(reply);
	for (const char *const *header = request->headers; header && *header; header++) {
		struct curl_slist *more = curl_slist_append(headers, *header);

		if (!more) {
			curl_slist_free_all(headers);
			return error_set(err, -ENOMEM, "out of memory");
		}
		headers = more;
	}
	if (now + NS_PER_MS <= request->deadline_ns) {
		uint64_t left_ms = (request->deadline_ns - now) / NS_PER_MS;
		long ms = left_ms < INT_MAX ? (long)left_ms : INT_MAX;

		code = set_options(http, request, headers, ms, reply);
		code = code ? code : curl_easy_perform(http->curl);
	}
	curl_slist_free_all(headers);
	if (code)
		return fail(http, code, err);
	curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &reply->status);
	return 0;
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
