/* SPDX-License-Identifier: MIT */
/* A client with a connection that is kept; what the server answers is not read but for its status.
 */
#include "agent/continuous/sender.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#ifdef WITH_FETCH

#include "net/fetch.h"
#include "net/url.h"

static const char path[] = "/v1development/profiles";

struct sender {
	struct fetch *fetch;
	char *url;
};

int sender_create(const char *endpoint, struct sender **sender, struct error *err)
{
	struct sender *made = calloc(1, sizeof(*made));
	struct url *url = NULL;
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	r = url_create(endpoint, &url, err);
	if (r == 0 && !url_has_path(url))
		r = url_set_path(url, path);
	if (r == 0) {
		made->url = url_text(url);
		r = made->url ? fetch_create(&made->fetch, err) : -ENOMEM;
	}
	url_destroy(url);
	if (r) {
		sender_destroy(made);
		return err->text[0] ? r : error_set(err, r, "out of memory");
	}
	*sender = made;
	return 0;
}

void sender_destroy(struct sender *sender)
{
	if (!sender)
		return;
	fetch_destroy(sender->fetch);
	free(sender->url);
	free(sender);
}

static bool sender_take(void *data, long status, const char *bytes, size_t len)
{
	return true;
}

int sender_send(struct sender *sender, const struct buf *message, struct error *err)
{
	static const char *const headers[] = {"Content-Type: application/x-protobuf", NULL};
	const struct iovec body = {message->data, message->len};
	const struct fetch_request request = {
		.url = sender->url,
		.headers = headers,
		.body = &body,
		.body_parts = 1,
		.timeout_ms = SENDER_TIMEOUT_MS,
		.take = sender_take,
	};
	struct fetch_end end = {0};
	struct error why = {""};
	int r = fetch_get(sender->fetch, &request, &end, &why);

	if (r)
		return error_set(err, r, "%s: %s", sender->url, why.text);
	if (end.status < 200 || end.status > 299)
		return error_set(err, -EPROTO, "%s: the server answers with status %ld",
				 sender->url, end.status);
	return 0;
}

#else

int sender_create(const char *endpoint, struct sender **sender, struct error *err)
{
	return error_set(err, -ENOSYS, "endpoint: this program was built without libcurl");
}

void sender_destroy(struct sender *sender)
{
}

int sender_send(struct sender *sender, const struct buf *message, struct error *err)
{
	return -ENOSYS;
}

#endif
