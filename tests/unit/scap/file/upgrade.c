/* SPDX-License-Identifier: MIT */
/*
 * Old events become what scap-conversions.tsv in tests/reference/facts says: every row of it and
 * every code of events.tsv, compared with a second implementation (upgrade_model.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "unit.h"
#include "upgrade_model.h"
#include "scap/file/upgrade.h"

enum { TID = 77, OLD_SEED = 0x21, ENTER_SEED = 0x61, CODE_EXECVE_2014 = 13 };

static struct scap_upgrade *upgrade;

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

static void renew(void)
{
	scap_upgrade_destroy(upgrade);
	assert_int_equal(scap_upgrade_create(&upgrade), 0);
}

static void check_given(const struct scap_event *event, const struct model_frame *expected)
{
	struct ppm_evt_hdr header;
	struct event ev;

	memcpy(&header, event->frame, sizeof(header));
	assert_int_equal(header.type, expected->code);
	assert_int_equal(header.nparams, expected->nparams);
	assert_int_equal(header.tid, TID);
	assert_int_equal(header.len, event->len);
	assert_int_equal(event_decode(event->frame, event->len, 0, &ev), 0);
	for (unsigned int i = 0; i < expected->nparams; i++) {
		assert_int_equal(ev.params[i].len, expected->params[i].len);
		assert_memory_equal(ev.params[i].data, expected->params[i].bytes, ev.params[i].len);
	}
	for (unsigned int i = expected->nparams; i < ev.desc->nparams; i++)
		assert_false(event_param_present(&ev, i));
	assert_int_equal(event->hidden, (ev.desc->flags & EF_UNSEEN) != 0);
}

/*
 * Upgrades an event that is in memory of just its size, for what the model makes of it when the
 * call's enter event is `enter`.
 */
static bool check_event(const struct model_frame *frame, const struct model_frame *enter)
{
	struct model_frame expected = *frame;
	uint8_t *bytes = malloc(MODEL_FRAME_BYTES);
	struct scap_event event = {0};
	bool keeps;
	int given;

	assert_non_null(bytes);
	event.len = (uint32_t)model_write(frame, TID, bytes);
	event.frame = bytes = realloc(bytes, event.len);
	given = model_upgrade(&expected, enter, &keeps);
	assert_int_equal(scap_upgrade_event(upgrade, false, &event), given < 0 ? -EBADMSG : given);
	if (given == 1)
		check_given(&event, &expected);
	free(bytes);
	return keeps;
}

/* The exit event alone, after its enter event, once more, and after that of another call. */
static void check_exit(const struct model_row *row)
{
	struct model_frame frame, enter, other;
	bool keeps;

	model_make(&frame, row->code, row->nparams, OLD_SEED);
	renew();
	check_event(&frame, NULL);

	model_make(&enter, row->code - 1, model_events[row->code - 1].nparams, ENTER_SEED);
	if (model_events[enter.code].managed) {
		check_event(&enter, NULL);
		model_upgrade(&enter, NULL, &keeps);
		check_event(&frame, keeps ? &enter : NULL);
		check_event(&frame, NULL);
	}

	model_make(&other, EVENT_close - 1, 1, ENTER_SEED);
	check_event(&other, NULL);
	check_event(&frame, row->code == EVENT_close ? &other : NULL);
}

static void check_enter(const struct model_row *row)
{
	struct model_frame frame;

	renew();
	model_make(&frame, row->code, row->nparams, ENTER_SEED);
	check_event(&frame, NULL);
}

static void test_every_row(void **state)
{
	assert_true(model_rows_count > 250);
	for (unsigned int i = 0; i < model_rows_count; i++)
		(model_rows[i].code % 2 ? check_exit : check_enter)(&model_rows[i]);
}

/* Numbers of parameters that no version had. */
static bool is_of_no_version(unsigned int code, unsigned int nparams)
{
	return nparams != model_events[code].nparams && !model_row_of(code, nparams);
}

static bool is_of_our_table(unsigned int code)
{
	return event_desc_get(code) != NULL;
}

/* An enter event that adds nothing to the exit event. */
static bool is_dropped(unsigned int code)
{
	return code % 2 == 0 && !model_events[code + 1].unused;
}

/* What becomes of a code as the last version has it. */
static int expected_of(unsigned int code)
{
	struct model_frame frame;
	bool keeps;

	if (model_events[code].managed || is_of_our_table(code)) {
		model_make(&frame, code, model_events[code].nparams, OLD_SEED);
		return model_upgrade(&frame, NULL, &keeps);
	}
	return is_dropped(code) ? 0 : -ENOENT;
}

static int upgrade_bytes(const uint8_t *bytes, size_t len, struct scap_event *event)
{
	*event = (struct scap_event){.frame = bytes, .len = (uint32_t)len};
	return scap_upgrade_event(upgrade, false, event);
}

static void test_every_code(void **state)
{
	static uint8_t bytes[MODEL_FRAME_BYTES];
	struct scap_event event;
	struct model_frame frame;

	for (unsigned int code = 0; code < MODEL_CODES; code++) {
		const struct model_event *known = &model_events[code];
		size_t len;

		model_make(&frame, code, known->nparams, OLD_SEED);
		len = model_write(&frame, TID, bytes);
		assert_int_equal(upgrade_bytes(bytes, len, &event), expected_of(code));
		if (!known->old && !known->unused) {
			assert_true(is_of_our_table(code));
			assert_ptr_equal(event.frame, bytes);
		}
		/* What was appended last may be missing where it never was there. */
		for (unsigned int n = 0; n < known->nparams; n++) {
			frame.nparams = n;
			len = model_write(&frame, TID, bytes);
			if (is_of_our_table(code) && is_of_no_version(code, n))
				assert_int_equal(upgrade_bytes(bytes, len, &event),
						 known->managed ? -EBADMSG : 1);
		}
	}
	for (unsigned int code = MODEL_CODES; code <= UINT16_MAX; code++) {
		struct ppm_evt_hdr header = {.len = sizeof(header), .type = (uint16_t)code};

		assert_int_equal(upgrade_bytes((uint8_t *)&header, sizeof(header), &event),
				 -ENOENT);
	}
}

/* Enter events that are not given out are counted, given ones are not. */
static void test_count(void **state)
{
	static const struct {
		unsigned int code, nparams;
		bool counted;
	} cases[] = {
		{EVENT_read - 1, 2, true},    {EVENT_clone - 1, 0, true},
		{EVENT_open_enter, 3, false}, {EVENT_execve_enter, 1, false},
		{EVENT_read, 2, false},
	};
	struct model_frame frame;

	renew();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t before = scap_upgrade_joined(upgrade);

		model_make(&frame, cases[i].code, cases[i].nparams, OLD_SEED);
		check_event(&frame, NULL);
		assert_int_equal(scap_upgrade_joined(upgrade) - before, cases[i].counted);
	}
}

/* Frames of the first version: their number of parameters follows from their lengths. */
static void check_count(unsigned int code, unsigned int nparams)
{
	struct model_frame frame;
	uint8_t *bytes = malloc(MODEL_FRAME_BYTES);
	size_t len;

	assert_non_null(bytes);
	model_make(&frame, code, nparams, OLD_SEED);
	len = model_write(&frame, TID, bytes);
	bytes = realloc(bytes, len);
	assert_int_equal(scap_upgrade_count_params(bytes, len), nparams);
	if (nparams)
		assert_int_equal(scap_upgrade_count_params(bytes, len - 1), -EBADMSG);
	free(bytes);
}

static void test_counting_parameters(void **state)
{
	struct ppm_evt_hdr header = {0};

	for (unsigned int code = 0; code < MODEL_CODES; code++)
		if ((model_events[code].managed || is_of_our_table(code)) &&
		    !model_events[code].large)
			for (unsigned int n = 0; n <= model_events[code].nparams; n++)
				check_count(code, n);
	header.type = EVENT_clone - 1;
	assert_int_equal(scap_upgrade_count_params(&header, sizeof(header)), 0);
	header.type = MODEL_CODES;
	assert_int_equal(scap_upgrade_count_params(&header, sizeof(header)), -ENOENT);
	assert_int_equal(scap_upgrade_count_params(&header, sizeof(header) - 1), -EBADMSG);
}

/* Seven events, and then what the last one lacks. */
static void test_execve_of_2014(void **state)
{
	static uint8_t bytes[MODEL_FRAME_BYTES];
	struct scap_event given;
	struct model_frame frame;
	struct event ev;

	renew();
	model_make(&frame, CODE_EXECVE_2014 - 1, 0, 0);
	assert_int_equal(upgrade_bytes(bytes, model_write(&frame, TID, bytes), &given), 1);
	assert_int_equal(event_decode(given.frame, given.len, 0, &ev), 0);
	assert_ptr_equal(ev.desc, event_desc_get(EVENT_execve_enter));
	assert_true(given.hidden);

	model_make(&frame, CODE_EXECVE_2014, 8, OLD_SEED);
	assert_int_equal(upgrade_bytes(bytes, model_write(&frame, TID, bytes), &given), 1);
	assert_int_equal(event_decode(given.frame, given.len, 0, &ev), 0);
	assert_ptr_equal(ev.desc, event_desc_get(EVENT_execve));
	assert_string_equal(event_param_string(&ev, execve__exe), (char *)frame.params[1].bytes);
	assert_memory_equal(ev.params[execve__fdlimit].data, frame.params[7].bytes, 8);
	for (unsigned int i = execve__fdlimit + 1; i < ev.desc->nparams; i++)
		assert_false(event_param_present(&ev, i));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_row),      cmocka_unit_test(test_every_code),
	cmocka_unit_test(test_count),	       cmocka_unit_test(test_counting_parameters),
	cmocka_unit_test(test_execve_of_2014),
};

UNIT_GROUP(tests, .setup = begin, .teardown = end);
