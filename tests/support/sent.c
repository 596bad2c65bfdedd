/* SPDX-License-Identifier: MIT */
#include "sent.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES_MAX = 6000, TRY_MS = 10 };

int sent_try(struct sent_target *target, const struct output_kind *kind, const char *text,
	     struct error *err)
{
	const struct output_kind *const kinds[] = {kind, NULL};
	int code;

	*target = (struct sent_target){.kind = kind};
	assert_int_equal(output_stop_init(&target->stop), 0);
	code = output_config_read(kinds, text, &target->config, err);
	if (code == 0)
		code = kind->open(target->config, &target->stop, &target->target, err);
	if (code)
		sent_close(target);
	return code;
}

void sent_open(struct sent_target *target, const struct output_kind *kind, const char *text)
{
	struct error err = {""};
	int code = sent_try(target, kind, text, &err);

	if (code)
		fail_msg("%s", err.text);
}

void sent_close(struct sent_target *target)
{
	target->kind->close(target->target);
	output_config_destroy(target->config);
	output_stop_finish(&target->stop);
	*target = (struct sent_target){0};
}

static void init(struct sent *sent, uint64_t number, size_t count, size_t len)
{
	*sent = (struct sent){
		.records = calloc(count, sizeof(*sent->records)),
		.bytes = malloc(count * len + 1),
	};
	sent->part = (struct iovec){sent->bytes, count * len};
	sent->batch = (struct output_batch){
		.records = sent->records,
		.count = count,
		.bytes = count * len,
		.parts = &sent->part,
		.parts_count = 1,
		.stream = "0123456789abcdef",
		.results = calloc(count, 1),
	};
	for (size_t i = 0; i < count; i++)
		sent->records[i] = (struct output_record){
			.bytes = sent->bytes + i * len,
			.number = number + i,
			.ts_ns = UINT64_C(1700000000123456789) + i,
			.len = (uint32_t)len,
			.event = 1,
			.priority = 6,
		};
}

void sent_init(struct sent *sent, uint64_t number, size_t count, size_t len)
{
	init(sent, number, count, len);
	memset(sent->bytes, '.', count * len);
	for (size_t i = 0; i < count; i++) {
		char *line = sent->bytes + i * len, text[SENT_LINE_MAX];
		int n = snprintf(text, sizeof(text), "%llu ", (unsigned long long)(number + i));

		assert_in_range(n, 1, len - 1);
		memcpy(line, text, (size_t)n);
		line[len - 1] = '\n';
	}
}

void sent_init_text(struct sent *sent, uint64_t number, const char *text)
{
	init(sent, number, 1, strlen(text));
	memcpy(sent->bytes, text, strlen(text));
}

void sent_init_texts(struct sent *sent, uint64_t number, const char *const *texts, size_t count)
{
	size_t longest = 0, at = 0;

	for (size_t i = 0; i < count; i++)
		longest = strlen(texts[i]) > longest ? strlen(texts[i]) : longest;
	init(sent, number, count, longest);
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(texts[i]);

		memcpy(sent->bytes + at, texts[i], len);
		sent->records[i].bytes = sent->bytes + at;
		sent->records[i].len = (uint32_t)len;
		at += len;
	}
	sent->part.iov_len = at;
	sent->batch.bytes = at;
}

void sent_finish(struct sent *sent)
{
	free(sent->records);
	free(sent->bytes);
	free(sent->batch.results);
	*sent = (struct sent){0};
}

size_t sent_count(const struct sent *sent, enum output_result result)
{
	size_t count = 0;

	for (size_t i = 0; i < sent->batch.count; i++)
		count += sent->batch.results[i] == result;
	return count;
}

/* Of records in order those at the beginning are delivered. */
static size_t send_once(struct sent_target *target, uint64_t number, size_t count, size_t len,
			size_t *errors, struct error *err)
{
	struct sent sent;
	size_t delivered = 0;

	sent_init(&sent, number, count, len);
	*errors += target->kind->send(target->target, &sent.batch, err) != 0;
	while (delivered < count && sent.batch.results[delivered] == OUTPUT_DELIVERED)
		delivered++;
	assert_int_equal(sent_count(&sent, OUTPUT_DELIVERED), delivered);
	assert_int_equal(sent_count(&sent, OUTPUT_REJECTED), 0);
	sent_finish(&sent);
	return delivered;
}

size_t sent_all(struct sent_target *target, uint64_t number, size_t count, size_t len,
		struct error *err)
{
	size_t done = 0, errors = 0;
	int tries = 0;

	while (done < count) {
		size_t now = send_once(target, number + done, count - done, len, &errors, err);

		done += now;
		tries = now ? 0 : tries + 1;
		assert_in_range(tries, 0, TRIES_MAX);
		if (done < count)
			output_wait(&target->stop, -1, 0, TRY_MS);
	}
	return errors;
}
