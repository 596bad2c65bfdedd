/* SPDX-License-Identifier: MIT */
/* A batch in several requests at a time: concurrency= of outputs over HTTP. */
#include "output/targets/http.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct http_lane {
	void *target; /* owned */
	struct output_batch part; /* of the batch that is sent */
	struct iovec *pieces; /* owned; its bytes */
	pthread_t thread;
	bool has_thread;
	int result; /* of send() */
	struct error err;
};

struct http_lanes {
	const struct output_config *config; /* borrowed */
	size_t count;
	struct http_lane lanes[HTTP_LANES_MAX];
};

int http_lanes_open(const struct output_config *config, const struct http_profile *profile,
		    struct output_stop *stop, void **target, struct error *err)
{
	const struct http_keys *keys = config->own;
	struct http_lanes *lanes = calloc(1, sizeof(*lanes));
	int r = lanes ? 0 : error_set(err, -ENOMEM, "out of memory");

	for (size_t i = 0; i < keys->concurrency && r == 0; i++) {
		/* The text of the output is the URL. */
		r = http_target_open(config, keys, profile, config->to, stop,
				     &lanes->lanes[i].target, err);
		lanes->count += r == 0;
	}
	if (r) {
		http_lanes_close(lanes);
		return r;
	}
	lanes->config = config;
	*target = lanes;
	return 0;
}

void http_lanes_close(void *data)
{
	struct http_lanes *lanes = data;

	for (size_t i = 0; lanes && i < lanes->count; i++) {
		http_target_close(lanes->lanes[i].target);
		free(lanes->lanes[i].pieces);
	}
	free(lanes);
}

/* How many records from one on are a request: as many as are a batch where there is one lane. */
static size_t find_end(const struct http_lanes *lanes, const struct output_batch *batch, size_t at)
{
	const struct output_config *config = lanes->config;
	const struct http_keys *keys = config->own;
	size_t most = keys->body == BODY_SINGLE ? 1 : (size_t)config->batch_count, bytes = 0;

	for (size_t count = 0; at < batch->count && count < most; count++) {
		if (bytes >= config->batch_bytes)
			break;
		bytes += batch->records[at++].len;
	}
	return at;
}

/* Makes a lane's part of the records from `at` to `end`, whose bytes begin at `from`. */
static int set_part(struct http_lane *lane, const struct output_batch *batch, size_t at, size_t end,
		    size_t from)
{
	struct output_batch *part = &lane->part;
	struct iovec *pieces =
		reallocarray(lane->pieces, batch->parts_count + 1, sizeof(lane->pieces[0]));

	if (!pieces)
		return -ENOMEM;
	lane->pieces = pieces;
	*part = (struct output_batch){.records = batch->records + at,
				      .count = end - at,
				      .parts = pieces,
				      .stream = batch->stream,
				      .results = batch->results + at};
	for (size_t i = at; i < end; i++)
		part->bytes += batch->records[i].len;
	part->parts_count =
		output_batch_slice(batch, from, from + part->bytes, pieces, batch->parts_count);
	return 0;
}

/* Divides the batch. Returns how many lanes have a part, or -ENOMEM. */
static int divide_batch(struct http_lanes *lanes, const struct output_batch *batch)
{
	size_t n = 0, from = 0;

	for (size_t at = 0; at < batch->count; n++) {
		size_t end = n + 1 < lanes->count ? find_end(lanes, batch, at) : batch->count;
		int r = set_part(&lanes->lanes[n], batch, at, end, from);

		if (r)
			return r;
		from += lanes->lanes[n].part.bytes;
		at = end;
	}
	return (int)n;
}

static void *send_part(void *data)
{
	struct http_lane *lane = data;

	lane->err = (struct error){""};
	lane->result = http_target_send(lane->target, &lane->part, &lane->err);
	return NULL;
}

/* What the parts say is said of the batch; of several errors the first. */
static int join_lane(struct http_lane *lane, struct output_batch *batch, int result,
		     struct error *err)
{
	if (lane->has_thread)
		pthread_join(lane->thread, NULL);
	lane->has_thread = false;
	batch->uncertain |= lane->part.uncertain;
	batch->too_large |= lane->part.too_large;
	batch->divide |= lane->part.divide;
	if (lane->part.retry_after_ns > batch->retry_after_ns)
		batch->retry_after_ns = lane->part.retry_after_ns;
	if (result == 0 && lane->result)
		*err = lane->err;
	return result ? result : lane->result;
}

/*
 * A request has a thread for as long as it takes, with the privileges of the one that sends; the
 * first needs none.
 */
int http_lanes_send(void *data, struct output_batch *batch, struct error *err)
{
	struct http_lanes *lanes = data;
	int n, result = 0;

	if (lanes->count == 1)
		return http_target_send(lanes->lanes[0].target, batch, err);
	n = divide_batch(lanes, batch);
	if (n < 0)
		return error_set(err, n, "out of memory");
	for (int i = 1; i < n; i++) {
		struct http_lane *lane = &lanes->lanes[i];

		lane->has_thread = pthread_create(&lane->thread, NULL, send_part, lane) == 0;
	}
	for (int i = 0; i < n; i++) {
		if (!lanes->lanes[i].has_thread)
			send_part(&lanes->lanes[i]);
		result = join_lane(&lanes->lanes[i], batch, result, err);
	}
	return result;
}
