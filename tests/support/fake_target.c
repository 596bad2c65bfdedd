/* SPDX-License-Identifier: MIT */
/* The script of a target, and what it got. */
#include "fake_target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "util/clock.h"

enum { WAIT_MS_MAX = 60000 };

struct fake_target fake_target;

void fake_begin(void)
{
	fake_target = (struct fake_target){0};
	pthread_mutex_init(&fake_target.lock, NULL);
}

void fake_end(void)
{
	buf_finish(&fake_target.got);
	buf_finish(&fake_target.ends);
	pthread_mutex_destroy(&fake_target.lock);
}

static int fake_open(const struct output_config *config, struct output_stop *stop, void **target,
		     struct error *err)
{
	fake_target.opened++;
	*target = stop;
	return fake_target.open_code ? error_set(err, fake_target.open_code, "cannot open it") : 0;
}

static void settle(const struct fake_call *call, struct output_batch *batch)
{
	const char *results = call->results ? call->results : "D";

	for (size_t i = 0; i < batch->count; i++) {
		const struct output_record *record = &batch->records[i];

		/* That of a run before, out of a spool. */
		if (record->flags & RECORD_IS_END) {
			buf_append(&fake_target.ends, record->bytes, record->len);
			batch->results[i] = OUTPUT_DELIVERED;
			continue;
		}
		batch->results[i] = *results == 'D'   ? OUTPUT_DELIVERED
				    : *results == 'R' ? OUTPUT_REJECTED
						      : OUTPUT_RETRY;
		if (*results == 'D')
			buf_append(&fake_target.got, record->bytes, record->len);
		results += results[1] != '\0';
	}
	batch->uncertain = call->uncertain;
	batch->too_large = call->too_large;
	batch->divide = call->divide;
	batch->retry_after_ns = call->retry_after_ns;
}

/* An end record is the last of its batch: it is taken, and no call of a test's script. */
static void take_end(struct output_batch *batch)
{
	const struct output_record *last = &batch->records[batch->count - 1];

	if (!(last->flags & RECORD_IS_END))
		return;
	buf_append(&fake_target.ends, last->bytes, last->len);
	batch->results[--batch->count] = OUTPUT_DELIVERED;
}

static int fake_send_others(void *target, struct output_batch *batch, struct error *err)
{
	struct fake_call call = {0};

	if (fake_target.called < FAKE_CALLS_MAX) {
		call = fake_target.calls[fake_target.called];
		fake_target.counts[fake_target.called] = batch->count;
		fake_target.times_ns[fake_target.called] = clock_ns(CLOCK_MONOTONIC);
	}
	fake_target.called++;
	settle(&call, batch);
	if (call.waits) {
		pthread_mutex_unlock(&fake_target.lock);
		output_wait(target, -1, 0, -1);
		pthread_mutex_lock(&fake_target.lock);
		return -ECANCELED;
	}
	return call.code ? error_set(err, call.code, "it failed") : 0;
}

static int fake_send(void *target, struct output_batch *batch, struct error *err)
{
	size_t count = batch->count;
	int r = 0;

	pthread_mutex_lock(&fake_target.lock);
	take_end(batch);
	if (batch->count)
		r = fake_send_others(target, batch, err);
	pthread_mutex_unlock(&fake_target.lock);
	batch->count = count;
	return r;
}

static int fake_tick(void *target, struct error *err)
{
	pthread_mutex_lock(&fake_target.lock);
	fake_target.ticks++;
	pthread_mutex_unlock(&fake_target.lock);
	return 0;
}

static int fake_reopen(void *target, struct error *err)
{
	pthread_mutex_lock(&fake_target.lock);
	fake_target.reopened++;
	pthread_mutex_unlock(&fake_target.lock);
	return 0;
}

static void fake_close(void *target)
{
	fake_target.closed++;
}

static const char *const names[] = {"fake", NULL};

struct fake_keys {
	const char *x;
	uint64_t most;
};

static const struct output_key keys[] = {
	{"x", "TEXT", "anything", OUTPUT_TEXT, offsetof(struct fake_keys, x)},
	{"most", "COUNT", "records that send() takes", OUTPUT_COUNT,
	 offsetof(struct fake_keys, most)},
	{0},
};

static size_t fake_records_max(const struct output_config *config)
{
	const struct fake_keys *own = config->own;

	return own->most ? (size_t)own->most : SIZE_MAX;
}

const struct output_kind fake_kind = {
	.names = names,
	.target = "",
	.help = "does what a test says",
	.keys = keys,
	.own_bytes = sizeof(struct fake_keys),
	.acknowledges = true,
	.records_max = fake_records_max,
	.open = fake_open,
	.send = fake_send,
	.tick = fake_tick,
	.reopen = fake_reopen,
	.close = fake_close,
};

const struct output_kind *const fake_kinds[] = {&fake_kind, NULL};

static bool has(const char *text, size_t calls)
{
	bool equal;

	pthread_mutex_lock(&fake_target.lock);
	equal = text ? fake_target.got.len == strlen(text) &&
				(!*text || memcmp(fake_target.got.data, text, strlen(text)) == 0)
		     : fake_target.called >= calls;
	pthread_mutex_unlock(&fake_target.lock);
	return equal;
}

static void wait_for(const char *text, size_t calls)
{
	const struct timespec wait = {.tv_nsec = 1000000};

	for (int ms = 0; !has(text, calls); ms++) {
		if (ms == WAIT_MS_MAX)
			fail_msg("%zu calls, got: %.*s", fake_target.called,
				 (int)fake_target.got.len, fake_target.got.data);
		nanosleep(&wait, NULL);
	}
}

void fake_expect(const char *text)
{
	wait_for(text, 0);
}

void fake_expect_calls(size_t calls)
{
	wait_for(NULL, calls);
}

struct output_config *fake_config(const char *more)
{
	struct output_config *config;
	struct error err = {""};
	char text[256];

	snprintf(text, sizeof(text), "fake:%s", more);
	if (output_config_read(fake_kinds, text, &config, &err))
		fail_msg("%s", err.text);
	return config;
}
