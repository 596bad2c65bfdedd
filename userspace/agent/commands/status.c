/* SPDX-License-Identifier: MIT */
/* Fetches /status from the address of --http of the other agent. */
#include <errno.h>
#include <string.h>

#include "agent/commands/commands.h"
#include "net/listen.h"
#include "agent/options/options.h"
#include "net/fetch.h"
#include "util/terminal.h"

enum { ANSWER_MAX = 1 << 20, TIMEOUT_MS = 10000, HTTP_OK = 200 };

static bool status_take(void *data, long status, const char *bytes, size_t len)
{
	struct buf *text = data;

	buf_append(text, bytes, len);
	return text->len < ANSWER_MAX;
}

/* Sets the URL, and the path of the socket or NULL. */
static void locate(const char *address, struct buf *url, const char **socket)
{
	static const char unix_prefix[] = "unix:";

	*socket = NULL;
	if (strncmp(address, unix_prefix, sizeof(unix_prefix) - 1) == 0) {
		*socket = address + sizeof(unix_prefix) - 1;
		address = "localhost";
	}
	buf_printf(url, "http://%s%s/status", address[0] == ':' ? "localhost" : "", address);
	buf_append_char(url, '\0');
}

static int fetch_status(const char *address, struct buf *text, struct error *err)
{
	struct buf url = {0};
	struct fetch_request request = {
		.take = status_take, .data = text, .timeout_ms = TIMEOUT_MS};
	struct fetch_end end = {0};
	struct fetch *fetch = NULL;
	int r;

	locate(address, &url, &request.socket);
	request.url = url.data;
	r = url.failed ? error_set(err, -ENOMEM, "out of memory") : fetch_create(&fetch, err);
	if (r == 0)
		r = fetch_get(fetch, &request, &end, err);
	if (r == 0 && end.status != HTTP_OK)
		r = error_set(err, -EPROTO, "the answer of %s is %ld: %.*s", address, end.status,
			      (int)text->len, text->data ? text->data : "");
	fetch_destroy(fetch);
	buf_finish(&url);
	return r;
}

int status_run(const struct options *options)
{
	struct buf text = {0};
	struct error err = {""};
	int r = listen_check(options->operand, &err);

	if (r)
		return command_fail(EXIT_USAGE, &err);
	r = fetch_status(options->operand, &text, &err);
	if (r == 0)
		terminal_print(stdout, &text);
	buf_finish(&text);
	if (r == 0)
		return command_finish_output();
	fprintf(stderr, "agent: %s: %s\nIs an agent running with --http %s?\n", options->operand,
		err.text, options->operand);
	return EXIT_FAILURE;
}
