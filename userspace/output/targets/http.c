/* SPDX-License-Identifier: MIT */
/* Targets that take batches by HTTP: what all profiles share; the file of what servers reject. */
#include "output/targets/http.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "event/event.h"
#include "net/url.h"
#include "output/record.h"
#include "output/targets/kinds.h"
#include "sinsp/fields/clock.h"
#include "util/clock.h"
#include "util/count.h"
#include "util/json.h"

/* Appends rejected records to a file of mode 600, up to its size. */

int http_dead_letters_open(struct http_dead_letters *letters, const char *path, uint64_t max_bytes,
			   struct error *err)
{
	struct stat status;
	int fd, r = 0;

	if (!path)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0 || fstat(fd, &status))
		r = -errno;
	else if (!S_ISREG(status.st_mode))
		r = -EINVAL;
	if (r) {
		if (fd >= 0)
			close(fd);
		return error_set(err, r, "dead-letter=%s: %s", path,
				 r == -EINVAL ? "it is not a regular file" : strerror(-r));
	}
	*letters = (struct http_dead_letters){path, fd, (uint64_t)status.st_size, max_bytes, {0}};
	return 0;
}

void http_dead_letters_close(struct http_dead_letters *letters)
{
	if (letters->path)
		close(letters->fd);
	buf_finish(&letters->text);
	*letters = (struct http_dead_letters){0};
}

static void append_record(struct buf *text, const struct output_record *record)
{
	size_t len = output_record_text_len(record);

	if (len > 1 && record->bytes[0] == '{' && record->bytes[len - 1] == '}') {
		BUF_LITERAL(text, ",\"record\":");
		buf_append(text, record->bytes, len);
	} else {
		BUF_LITERAL(text, ",\"record_b64\":");
		json_append_base64(text, record->bytes, record->len);
	}
}

void http_dead_letters_add(struct http_dead_letters *letters, const struct output_batch *batch,
			   const struct output_record *record, long status, const char *reason)
{
	char time[CLOCK_RFC3339_BYTES];
	struct clock utc = {0};
	struct buf *text = &letters->text;

	if (!letters->path)
		return;
	clock_rfc3339(&utc, clock_ns(CLOCK_REALTIME), time);
	BUF_LITERAL(text, "{\"time\":");
	json_append_string(text, time, sizeof(time));
	buf_printf(text, ",\"status\":%ld,\"reason\":", status);
	json_append_string(text, reason, strlen(reason));
	BUF_LITERAL(text, ",\"id\":\"");
	record_id_append(text, batch, record);
	buf_append_char(text, '"');
	append_record(text, record);
	BUF_LITERAL(text, "}\n");
}

/* As many whole lines as there is space for. */
static size_t dead_letters_fitting(const struct http_dead_letters *letters)
{
	uint64_t space =
		letters->max_bytes > letters->bytes ? letters->max_bytes - letters->bytes : 0;
	const char *end;

	if (letters->text.len <= space)
		return letters->text.len;
	end = memrchr(letters->text.data, '\n', (size_t)space);
	return end ? (size_t)(end - letters->text.data) + 1 : 0;
}

/* Returns 0, or -errno after a part of it. */
static int dead_letters_write_all(struct http_dead_letters *letters, size_t len)
{
	const char *bytes = letters->text.data;

	while (len) {
		ssize_t n = write(letters->fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		len -= (size_t)n;
		letters->bytes += (uint64_t)n;
	}
	return 0;
}

int http_dead_letters_write(struct http_dead_letters *letters, struct error *err)
{
	size_t len = letters->path && !letters->text.failed ? dead_letters_fitting(letters) : 0;
	bool all = len == letters->text.len && !letters->text.failed;
	int r = dead_letters_write_all(letters, len);

	buf_clear(&letters->text);
	if (r)
		return error_set(err, r, "dead-letter=%s: %s", letters->path, strerror(-r));
	if (all)
		return 0;
	return error_set(
		err, -EFBIG,
		"dead-letter=%s: the file is as large as dead-letter-size= allows: move it "
		"away, and reload",
		letters->path);
}

/* Kubernetes' downward API: the pod names a variable so that has spec.nodeName. */
#define NODE_NAME_VARIABLE "NODE_NAME"

/*
 * Credentials that are wrong are no fault of the records: they wait. So do those that a server
 * redirects, which needs another URL.
 */
const struct http_verdict HTTP_VERDICTS[] = {
	{200, 299, OUTPUT_DELIVERED},
	{300, 399, OUTPUT_RETRY},
	{401, 401, OUTPUT_RETRY},
	{403, 403, OUTPUT_RETRY},
	{407, 407, OUTPUT_RETRY},
	{408, 408, OUTPUT_RETRY, .uncertain = true},
	{413, 413, OUTPUT_RETRY, .too_large = true},
	{429, 429, OUTPUT_RETRY},
	{400, 400, OUTPUT_REJECTED, .divides = true},
	{422, 422, OUTPUT_REJECTED, .divides = true},
	{400, 499, OUTPUT_REJECTED},
	{503, 503, OUTPUT_RETRY},
	{500, 599, OUTPUT_RETRY, .uncertain = true},
	{0},
};

static const struct http_verdict unknown_status = {.result = OUTPUT_RETRY, .uncertain = true};

static char *http_find_host(const struct http_keys *keys)
{
	const char *node = getenv(NODE_NAME_VARIABLE);
	struct utsname machine;

	if (keys->host)
		return strdup(keys->host);
	if (node && *node)
		return strdup(node);
	return strdup(uname(&machine) == 0 ? machine.nodename : "unknown");
}

/* What the records of a batch are, one after the other. */
static const char *content_type(const struct http_target *target)
{
	static const struct {
		const char *format, *type;
	} rows[] = {
		{"text", "Content-Type: text/plain; charset=utf-8"},
		{"protobuf", "Content-Type: application/octet-stream"},
	};
	const char *format = target->config->format;

	if (target->profile->content_type)
		return target->profile->content_type;
	for (size_t i = 0; format && i < COUNT(rows); i++)
		if (strcmp(format, rows[i].format) == 0)
			return rows[i].type;
	return target->keys->body != BODY_NDJSON ? "Content-Type: application/json"
						 : "Content-Type: application/x-ndjson";
}

enum { HEADERS_MAX = 8 };

static int create_client(struct http_target *target, struct error *err)
{
	const struct http_profile *profile = target->profile;
	const char *headers[HEADERS_MAX + 1] = {content_type(target)};
	struct http_client_config config = {
		.keys = target->keys, .scheme = profile->scheme, .headers = headers};

	for (size_t i = 0; profile->headers && profile->headers[i] && i + 1 < HEADERS_MAX; i++)
		headers[i + 1] = profile->headers[i];
	return http_client_create(&config, target->stop, &target->client, err);
}

static int complete_url(struct http_target *target, const char *text, struct error *err)
{
	const struct http_profile *profile = target->profile;
	struct url *url;
	int r = url_create(text, &url, err);

	if (r)
		return r;
	if (profile->path && !url_has_path(url))
		r = url_set_path(url, profile->path);
	if (r == 0 && profile->open)
		r = profile->open(target, url);
	target->url = r ? NULL : url_text(url);
	url_destroy(url);
	return target->url ? 0 : error_set(err, -ENOMEM, "out of memory");
}

int http_target_open(const struct output_config *config, const struct http_keys *keys,
		     const struct http_profile *profile, const char *url, struct output_stop *stop,
		     void **result, struct error *err)
{
	struct http_target *target = calloc(1, sizeof(*target));
	int r;

	if (!target)
		return error_set(err, -ENOMEM, "out of memory");
	target->config = config;
	target->keys = keys;
	target->profile = profile;
	target->stop = stop;
	target->host = http_find_host(keys);
	r = target->host ? complete_url(target, url, err)
			 : error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = http_dead_letters_open(&target->letters, keys->dead_letter,
					   keys->dead_letter_bytes, err);
	if (r == 0)
		r = create_client(target, err);
	if (r)
		http_target_close(target);
	else
		*result = target;
	return r;
}

void http_target_close(void *data)
{
	struct http_target *target = data;

	if (!target)
		return;
	if (target->profile->close)
		target->profile->close(target);
	http_client_destroy(target->client);
	http_body_finish(&target->body);
	http_answer_finish(&target->answer);
	http_dead_letters_close(&target->letters);
	free(target->host);
	free(target->url);
	free(target);
}

static int http_post(struct http_target *target, struct output_batch *batch, struct error *err)
{
	const struct http_profile *profile = target->profile;
	const char *url = profile->url ? profile->url(target, batch) : target->url;
	struct http_body *body = &target->body;

	http_body_clear(body);
	profile->write(target, batch);
	if (!http_body_end(body) || !url)
		return error_set(err, -ENOMEM, "out of memory");
	return http_client_post(target->client, url, body->parts, body->count, &target->answer,
				err);
}

int http_target_send(void *data, struct output_batch *batch, struct error *err)
{
	struct http_target *target = data;
	struct error lost;
	int r = http_post(target, batch, err);

	if (r) {
		batch->uncertain = target->answer.sent;
		return r;
	}
	batch->retry_after_ns = target->answer.retry_after_ns;
	r = target->profile->read ? target->profile->read(target, batch, err)
				  : http_read_status(target, batch, err);
	/* That the dead letters are lost is more than that there are some. */
	if (http_dead_letters_write(&target->letters, &lost))
		r = error_set(err, -EIO, "%s", lost.text);
	return r;
}

void http_reject(struct http_target *target, struct output_batch *batch, size_t i, long status,
		 const char *reason)
{
	batch->results[i] = OUTPUT_REJECTED;
	http_dead_letters_add(&target->letters, batch, &batch->records[i], status, reason);
}

int http_report_rejected(const struct http_target *target, size_t rejected, size_t count,
			 const char *reason, struct error *err)
{
	return error_set(err, -EBADMSG, "%s rejected %zu of %zu records: %s", target->url, rejected,
			 count, reason);
}

/* What the user can do about some statuses. */
static const char *find_hint(long status)
{
	static const struct {
		long status;
		const char *hint;
	} rows[] = {
		{301, "; redirects are not followed: give the URL that it names"},
		{302, "; redirects are not followed: give the URL that it names"},
		{307, "; redirects are not followed: give the URL that it names"},
		{308, "; redirects are not followed: give the URL that it names"},
		{401, "; check user=, password= or token="},
		{403, "; the user or token may not write there"},
		{404, "; check the path of the URL"},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].status == status)
			return rows[i].hint;
	return "";
}

int http_apply(struct http_target *target, struct output_batch *batch,
	       const struct http_verdict *verdict, const char *why, struct error *err)
{
	long status = target->answer.status;
	uint8_t result = verdict->result;

	/* What is too large alone never fits. */
	if (verdict->too_large && batch->count == 1)
		result = OUTPUT_REJECTED;
	batch->divide = verdict->divides && batch->count > 1;
	if (batch->divide)
		result = OUTPUT_RETRY;
	output_batch_set(batch, result);
	batch->uncertain = verdict->uncertain;
	batch->too_large = verdict->too_large && result == OUTPUT_RETRY;
	if (result == OUTPUT_DELIVERED || batch->too_large || batch->divide)
		return 0;
	for (size_t i = 0; i < batch->count && result == OUTPUT_REJECTED; i++)
		http_reject(target, batch, i, status, why);
	return error_set(err, result == OUTPUT_REJECTED ? -EBADMSG : -EAGAIN,
			 "%s %s %zu records with status %ld%s%s%s", target->url,
			 result == OUTPUT_REJECTED ? "rejected" : "did not take", batch->count,
			 status, *why ? ": " : "", why, find_hint(status));
}

int http_read_status(struct http_target *target, struct output_batch *batch, struct error *err)
{
	const struct http_verdict *row = target->profile->verdicts;
	char why[HTTP_EXCERPT_BYTES];
	long status = target->answer.status;

	while (row->last && (status < row->first || status > row->last))
		row++;
	http_answer_excerpt(&target->answer, why);
	return http_apply(target, batch, row->last ? row : &unknown_status, why, err);
}

const char *http_record_type(const struct output_record *record)
{
	const struct event_desc *desc = event_desc_get(record->event);

	if (record->flags & RECORD_IS_DROP)
		return record->flags & RECORD_IS_END ? "end" : "drop";
	return desc ? desc->name : "unknown";
}

int http_check_json(const struct output_config *config, struct error *err)
{
	if (!config->format || strcmp(config->format, "json") == 0)
		return 0;
	return error_set(err, -EINVAL, "this profile takes format=json alone, not %s",
			 config->format);
}
