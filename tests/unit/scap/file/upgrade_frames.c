/* SPDX-License-Identifier: MIT */
/*
 * Frames that are not as they should be: corrupt ones, ones with parameters of ours or of later
 * versions, and results that have no room. Corrupt frames are upgraded from memory of just their
 * size, so that a sanitizer sees any read beyond.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "upgrade_model.h"
#include "frame.h"
#include "scap/file/upgrade.h"

enum {
	TID = 77,
	SEED = 0x21,
	CODE_CONTAINER_2015 = 228,
	LEN_AT = offsetof(struct ppm_evt_hdr, len),
	NPARAMS_AT = offsetof(struct ppm_evt_hdr, nparams),
	LENGTHS_AT = sizeof(struct ppm_evt_hdr),
};

static struct scap_upgrade *upgrade;
static struct frame frame;

static int begin(void **state)
{
	model_load();
	return scap_upgrade_create(&upgrade);
}

static int end(void **state)
{
	scap_upgrade_destroy(upgrade);
	return 0;
}

/* What comes out is in memory of its own until the next call. */
static int upgrade_copy(bool native, const void *bytes, size_t len, struct scap_event *out)
{
	static uint8_t *copy;
	int code;

	free(copy);
	copy = malloc(len ? len : 1);
	assert_non_null(copy);
	memcpy(copy, bytes, len);
	*out = (struct scap_event){.frame = copy, .len = (uint32_t)len};
	code = scap_upgrade_event(upgrade, native, out);
	assert_true(code == 0 || code == 1 || code == -EBADMSG || code == -ENOENT);
	return code;
}

static void decode(const struct scap_event *event, struct event *ev)
{
	assert_int_equal(event_decode(event->frame, event->len, 0, ev), 0);
}

/* Every row, cut off everywhere, and with every byte changed: at worst an error. */
static void check_corrupt(const struct model_row *row)
{
	static uint8_t bytes[MODEL_FRAME_BYTES];
	struct model_frame model;
	struct scap_event out;
	struct event ev;
	size_t len;

	model_make(&model, row->code, row->nparams, SEED);
	len = model_write(&model, TID, bytes);
	for (size_t cut = 0; cut < len; cut++) {
		uint32_t cut_len = (uint32_t)cut;

		assert_int_equal(upgrade_copy(false, bytes, cut, &out), -EBADMSG);
		if (cut < LENGTHS_AT)
			continue;
		memcpy(bytes + LEN_AT, &cut_len, sizeof(cut_len));
		assert_int_equal(upgrade_copy(false, bytes, cut, &out), -EBADMSG);
		assert_int_equal(upgrade_copy(false, bytes, len, &out), -EBADMSG);
		memcpy(bytes + LEN_AT, &(uint32_t){(uint32_t)len}, sizeof(uint32_t));
	}
	for (size_t at = LEN_AT; at < len; at += UNIT_STEP) {
		uint8_t good = bytes[at];

		for (unsigned int change = 1; change < 256; change += 1 + change / 3) {
			bytes[at] = (uint8_t)(good + change);
			if (upgrade_copy(false, bytes, len, &out) == 1 &&
			    event_decode(out.frame, out.len, 0, &ev) == 0)
				assert_true(out.len >= LENGTHS_AT && out.len <= FRAME_BYTES_MAX);
		}
		bytes[at] = good;
	}
}

static void test_corrupt(void **state)
{
	for (unsigned int i = 0; i < model_rows_count; i++)
		check_corrupt(&model_rows[i]);
}

/* Counts that are no counts. */
static void test_claims(void **state)
{
	static const uint32_t claims[] = {EVENT_PARAMS_MAX + 1, UINT16_MAX, FRAME_TIMED,
					  FRAME_TIMED + 2, UINT32_MAX};
	static uint8_t bytes[MODEL_FRAME_BYTES];
	struct model_frame model;
	struct scap_event out;
	size_t len;

	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		model_make(&model, EVENT_read, 2, SEED);
		len = model_write(&model, TID, bytes);
		memcpy(bytes + NPARAMS_AT, &claims[i], sizeof(claims[i]));
		assert_int_equal(upgrade_copy(false, bytes, len, &out), -EBADMSG);
	}
}

static struct scap_event open_frame(void)
{
	frame_begin(&frame, EVENT_open, 5, TID);
	frame_put_i64(&frame, open__fd, 7);
	frame_put_string(&frame, open__name, "/name");
	frame_put_i64(&frame, open__ino, 9);
	frame_put_string(&frame, open__path, "/path");
	return frame_end(&frame);
}

/* Parameters after those of the .scap world are ours in our own files alone. */
static void test_own_parameters(void **state)
{
	struct scap_event whole = open_frame(), out;
	struct event ev;

	assert_int_equal(upgrade_copy(true, whole.frame, whole.len, &out), 1);
	assert_int_equal(out.len, whole.len);
	decode(&out, &ev);
	assert_string_equal(event_param_string(&ev, open__path), "/path");

	assert_int_equal(upgrade_copy(false, whole.frame, whole.len, &out), 1);
	decode(&out, &ev);
	assert_int_equal(event_param_i64(&ev, open__fd), 7);
	assert_string_equal(event_param_string(&ev, open__name), "/name");
	assert_int_equal(event_param_i64(&ev, open__ino), 9);
	assert_null(event_param_string(&ev, open__path));
	assert_false(event_param_present(&ev, open__name_at_enter));
}

static void test_own_events(void **state)
{
	struct scap_event whole, out;
	struct event ev;

	frame_begin(&frame, EVENT_getppid, 5, TID);
	frame_put_i64(&frame, getppid__res, 4);
	whole = frame_end(&frame);
	assert_int_equal(upgrade_copy(true, whole.frame, whole.len, &out), 1);
	assert_int_equal(upgrade_copy(false, whole.frame, whole.len, &out), -ENOENT);

	/* So are latencies. */
	open_frame();
	frame.latency_ns = 123;
	whole = frame_end(&frame);
	assert_int_equal(upgrade_copy(false, whole.frame, whole.len, &out), -EBADMSG);
	assert_int_equal(upgrade_copy(true, whole.frame, whole.len, &out), 1);
	decode(&out, &ev);
	assert_int_equal(ev.latency_ns, 123);
}

static void test_unseen(void **state)
{
	static const uint16_t ids[] = {EVENT_useradded, EVENT_groupdeleted, EVENT_connect_enter};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		for (int native = 0; native < 2; native++) {
			struct scap_event whole, out;

			frame_begin(&frame, ids[i], 5, TID);
			whole = frame_end(&frame);
			assert_int_equal(upgrade_copy(native, whole.frame, whole.len, &out), 1);
			assert_true(out.hidden);
		}
}

/* What a file says to hide stays hidden. */
static void test_hidden_stays(void **state)
{
	struct scap_event whole = open_frame();

	whole.hidden = true;
	assert_int_equal(scap_upgrade_event(upgrade, false, &whole), 1);
	assert_true(whole.hidden);
}

/* The text of a container as it was in `id` and `name`. */
static const char *container_json(const char *id, const char *name)
{
	static uint8_t bytes[4096];
	static struct event ev;
	struct model_frame model = {.code = CODE_CONTAINER_2015, .nparams = 4};
	struct scap_event out;
	size_t len;

	model.params[0].len = (uint32_t)strlen(id) + 1;
	memcpy(model.params[0].bytes, id, model.params[0].len);
	model.params[1].len = sizeof(uint32_t);
	model.params[2].len = (uint32_t)strlen(name);
	memcpy(model.params[2].bytes, name, model.params[2].len);
	len = model_write(&model, TID, bytes);
	assert_int_equal(upgrade_copy(false, bytes, len, &out), 1);
	decode(&out, &ev);
	assert_int_equal(ev.desc->id, EVENT_container);
	return event_param_string(&ev, container__json);
}

/* It is valid whatever the names are. */
static void test_container(void **state)
{
	assert_string_equal(container_json("3ad7b26ded6d", "web"),
			    "{\"id\":\"3ad7b26ded6d\",\"type\":0,\"name\":\"web\",\"image\":\"\"}");
	assert_string_equal(container_json("", "a\"b\\\n"),
			    "{\"id\":\"\",\"type\":0,\"name\":\"a\\\"b\\\\\\n\",\"image\":\"\"}");
}

/* `bytes` of data in an old event of a code, whose other parameters are absent. */
static int upgrade_large(uint16_t code, uint32_t nparams, uint32_t param, uint16_t bytes,
			 struct scap_event *out)
{
	size_t len = LENGTHS_AT + nparams * sizeof(uint16_t) + bytes;
	uint8_t *made = calloc(1, len);
	struct ppm_evt_hdr header = {
		.tid = TID, .len = (uint32_t)len, .type = code, .nparams = nparams};
	int r;

	assert_non_null(made);
	memcpy(made, &header, sizeof(header));
	memcpy(made + LENGTHS_AT + param * sizeof(bytes), &bytes, sizeof(bytes));
	memset(made + LENGTHS_AT + nparams * sizeof(bytes), '"', bytes - 1u);
	r = upgrade_copy(false, made, len, out);
	free(made);
	return r;
}

/* A read of two parameters becomes one of four: with lengths and values 16 bytes more. */
static void test_large_results(void **state)
{
	enum { FITS = FRAME_BYTES_MAX - LENGTHS_AT - 2 * 2 - 16 };
	struct scap_event out;

	assert_int_equal(upgrade_large(EVENT_read, 2, read__data, FITS, &out), 1);
	assert_int_equal(out.len, FRAME_BYTES_MAX);
	assert_int_equal(upgrade_large(EVENT_read, 2, read__data, FITS + 1, &out), -EBADMSG);
	/* Each quote becomes two bytes. */
	assert_int_equal(upgrade_large(CODE_CONTAINER_2015, 4, 0, 30000, &out), 1);
	assert_int_equal(upgrade_large(CODE_CONTAINER_2015, 4, 0, 40000, &out), -EBADMSG);
	/* The next event does not suffer. */
	assert_int_equal(upgrade_large(EVENT_read, 2, read__data, 5, &out), 1);
}

/* Lengths of 32 bits; what a later version appended is skipped by decoding. */
static void test_large_payload(void **state)
{
	const uint32_t lengths[] = {4, 2, 100000, 3};
	uint32_t len = LENGTHS_AT + sizeof(lengths) + 4 + 2 + 100000 + 3;
	struct ppm_evt_hdr header = {.len = len, .type = EVENT_asyncevent, .nparams = 4};
	uint8_t *bytes = calloc(1, len);
	struct scap_event out;
	struct event ev;

	assert_non_null(bytes);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + LENGTHS_AT, lengths, sizeof(lengths));
	assert_int_equal(upgrade_copy(false, bytes, len, &out), 1);
	decode(&out, &ev);
	assert_int_equal(ev.params[asyncevent__data].len, 100000);
	free(bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_corrupt),	       cmocka_unit_test(test_claims),
	cmocka_unit_test(test_own_parameters), cmocka_unit_test(test_own_events),
	cmocka_unit_test(test_unseen),	       cmocka_unit_test(test_hidden_stays),
	cmocka_unit_test(test_container),      cmocka_unit_test(test_large_results),
	cmocka_unit_test(test_large_payload),
};

UNIT_GROUP(tests, .setup = begin, .teardown = end);
