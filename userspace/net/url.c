/* SPDX-License-Identifier: MIT */
/* URLs, checked and completed by libcurl; tokens, which others replace before they expire. */
#include "net/url.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/proc/text.h"
#include "util/buf.h"

#define TOKEN_AGE_NS (TOKEN_AGE_S * UINT64_C(1000000000))

static int url_read_file(const char *path, struct buf *text)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	int r = fd < 0 ? -errno : proc_read_regular(fd, TOKEN_BYTES_MAX, text);

	if (fd >= 0)
		close(fd);
	return r;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Part of a header: a token has neither spaces nor control characters. */
static bool url_is_valid(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return len > 0;
}

static int url_take(struct net_token *token, const struct buf *file)
{
	const char *text = file->data;
	size_t len = file->len;
	char *copy;

	for (; len && is_space(text[0]); len--)
		text++;
	while (len && is_space(text[len - 1]))
		len--;
	if (!url_is_valid(text, len))
		return -EBADMSG;
	copy = strndup(text, len);
	if (!copy)
		return -ENOMEM;
	free(token->text);
	token->text = copy;
	return 0;
}

int net_token_refresh(struct net_token *token, uint64_t now_ns, struct error *err)
{
	struct buf file = {0};
	int r;

	if (!token->path)
		return 0;
	if (token->text && !token->rejected && now_ns - token->read_ns < TOKEN_AGE_NS)
		return 0;
	token->read_ns = now_ns;
	token->rejected = false;
	r = url_read_file(token->path, &file);
	if (r == 0)
		r = url_take(token, &file);
	buf_finish(&file);
	if (r == 0)
		return 0;
	return error_set(err, r, "reading the token %s: %s", token->path,
			 r == -EBADMSG	? "it is no token"
			 : r == -EINVAL ? "it is not a regular file"
					: strerror(-r));
}

void net_token_finish(struct net_token *token)
{
	free(token->text);
	token->text = NULL;
}

struct url {
	CURLU *parts; /* owned */
};

/* A part of it, for the caller to curl_free(); NULL: there is none. */
static char *url_get(const struct url *url, CURLUPart part)
{
	char *text = NULL;

	return curl_url_get(url->parts, part, &text, 0) == CURLUE_OK ? text : NULL;
}

static bool url_has(const struct url *url, CURLUPart part)
{
	char *text = url_get(url, part);

	curl_free(text);
	return text;
}

static bool is_http(const struct url *url)
{
	char *scheme = url_get(url, CURLUPART_SCHEME);
	bool is = scheme && (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);

	curl_free(scheme);
	return is;
}

static int url_read_text(struct url *url, const char *text, struct error *err)
{
	CURLUcode code;

	for (const char *c = text; *c; c++)
		if (*c <= ' ' || *c > '~')
			return error_set(err, -EINVAL,
					 "the URL has a blank, a control character or one beyond "
					 "ASCII: write it as %%20");
	code = curl_url_set(url->parts, CURLUPART_URL, text, 0);
	if (code == CURLUE_OUT_OF_MEMORY)
		return error_set(err, -ENOMEM, "out of memory");
	if (url_has(url, CURLUPART_USER) || url_has(url, CURLUPART_PASSWORD))
		return error_set(err, -EINVAL,
				 "a URL with a user would be shown in messages: leave it out, and "
				 "give user= and password-file=");
	/* What has a user or a query may have a password: it is not shown. */
	if (code || !is_http(url))
		return error_set(err, -EINVAL, "'%s' is no URL such as https://host:443/path%s%s",
				 strpbrk(text, "@?") ? "..." : text, code ? ": " : "",
				 code ? curl_url_strerror(code) : "");
	return 0;
}

int url_create(const char *text, struct url **result, struct error *err)
{
	struct url *url = calloc(1, sizeof(*url));
	int r;

	if (url)
		url->parts = curl_url();
	r = url && url->parts ? url_read_text(url, text, err)
			      : error_set(err, -ENOMEM, "out of memory");
	if (r)
		url_destroy(url);
	else
		*result = url;
	return r;
}

void url_destroy(struct url *url)
{
	if (!url)
		return;
	curl_url_cleanup(url->parts);
	free(url);
}

bool url_has_path(const struct url *url)
{
	char *path = url_get(url, CURLUPART_PATH);
	bool more = path && strcmp(path, "/") != 0;

	curl_free(path);
	return more;
}

static int url_set(struct url *url, CURLUPart part, const char *text, unsigned int flags)
{
	return curl_url_set(url->parts, part, text, flags) ? -ENOMEM : 0;
}

int url_set_path(struct url *url, const char *path)
{
	return url_set(url, CURLUPART_PATH, path, 0);
}

int url_append_path(struct url *url, const char *path)
{
	char *begin = url_get(url, CURLUPART_PATH);
	size_t len = begin ? strlen(begin) : 0;
	struct buf whole = {0};
	int r;

	if (len && begin[len - 1] == '/')
		len--;
	buf_append(&whole, begin, len);
	buf_append(&whole, path, strlen(path) + 1);
	curl_free(begin);
	r = whole.failed ? -ENOMEM : url_set_path(url, whole.data);
	buf_finish(&whole);
	return r;
}

int url_add_query(struct url *url, const char *name, const char *value)
{
	struct buf text = {0};
	int r;

	buf_append_string(&text, name);
	buf_append_char(&text, '=');
	buf_append(&text, value, strlen(value) + 1);
	r = text.failed
		    ? -ENOMEM
		    : url_set(url, CURLUPART_QUERY, text.data, CURLU_APPENDQUERY | CURLU_URLENCODE);
	buf_finish(&text);
	return r;
}

char *url_text(const struct url *url)
{
	char *text = url_get(url, CURLUPART_URL), *copy = text ? strdup(text) : NULL;

	curl_free(text);
	return copy;
}
