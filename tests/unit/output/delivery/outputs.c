/* SPDX-License-Identifier: MIT */
/* The set of outputs, and its change while events come. */
#include "output/delivery/outputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_target.h"
#include "formatted.h"
#include "unit.h"
#include "util/clock.h"

static struct output *make(const char *keys, const char *format)
{
	struct output_config *config = fake_config(keys);
	struct output_view view = {.format = &format_text};
	struct output *output;

	assert_int_equal(formatter_create_format(&format_text, format, &view.formatter, NULL), 0);
	if (config->filter)
		assert_int_equal(filter_create(config->filter, NULL, &view.filter, NULL), 0);
	assert_int_equal(output_create(config, &view, &output, NULL), 0);
	return output;
}

static struct outputs make_two(const char *keys, const char *other_keys)
{
	struct outputs outputs = {0};

	assert_int_equal(outputs_add(&outputs, make(keys, "a%evt.num")), 0);
	assert_int_equal(outputs_add(&outputs, make(other_keys, "b%evt.num")), 0);
	return outputs;
}

static int setup(void **state)
{
	fake_begin();
	return formatted_setup(state);
}

static int teardown(void **state)
{
	fake_end();
	return world_teardown(state);
}

/* Makes an output one of a kind that takes metrics. */
static void take_metrics(struct output *output)
{
	static struct output_kind kind;

	kind = fake_kind;
	kind.takes_metrics = true;
	output->config->kind = &kind;
	formatter_destroy(output->view.formatter);
	output->view.formatter = NULL;
}

/* Some get events, others metrics; only those of events have a say in what is captured. */
static void test_metrics(void **state)
{
	struct outputs outputs = make_two(",x=1,filter=evt.type=open", ",x=2");
	struct buf text = {0}, metric = {.data = "m\n", .len = 2}, failed = {.failed = true};
	struct drive *world = *state;
	struct output_account account;

	assert_false(outputs_take_metrics(&outputs));
	assert_false(outputs_have_filters(&outputs));
	take_metrics(outputs.list[1]);
	assert_true(outputs_take_metrics(&outputs));
	assert_true(outputs_have_filters(&outputs));
	outputs_append_filters(&outputs, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "(evt.type=open)");
	buf_finish(&text);
	assert_int_equal(outputs_open(&outputs, false, NULL, NULL), 0);
	outputs_measure(&outputs, 5, &metric);
	assert_true(outputs_event(&outputs, &world->event));
	assert_int_equal(outputs.list[0]->number, 1);
	assert_int_equal(outputs.list[1]->number, 1);
	/* One for which there was no memory is lost. */
	outputs_measure(&outputs, 6, &failed);
	outputs_close(&outputs, NULL);
	output_account(outputs.list[1], &account);
	assert_int_equal(account.formatted, 2);
	assert_int_equal(account.delivered, 1);
	assert_int_equal(account.dropped[GAP_NO_MEMORY], 1);
	outputs_finish(&outputs);
}

/* Outputs of metrics alone leave it to the filter of the options. */
static void test_metrics_alone(void **state)
{
	struct outputs outputs = {0};

	assert_int_equal(outputs_add(&outputs, make(",x=1", "a")), 0);
	take_metrics(outputs.list[0]);
	assert_false(outputs_have_filters(&outputs));
	outputs_finish(&outputs);
}

static void test_filters(void **state)
{
	struct outputs outputs = make_two(",x=1,filter=evt.type=open", ",x=2,filter=evt.type=dup");
	struct drive *world = *state;
	struct buf text = {0};

	assert_true(outputs_have_filters(&outputs));
	outputs_append_filters(&outputs, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "(evt.type=open) or (evt.type=dup)");
	assert_int_equal(outputs_open(&outputs, false, NULL, NULL), 0);
	assert_true(outputs_event(&outputs, &world->event));
	outputs_close(&outputs, NULL);
	fake_expect("a1\n");
	outputs_finish(&outputs);
	assert_int_equal(fake_target.closed, 2);
	buf_finish(&text);
	outputs = make_two(",x=1,filter=evt.type=open", ",x=2");
	assert_false(outputs_have_filters(&outputs));
	outputs_finish(&outputs);
}

static void test_needs(void **state)
{
	struct outputs outputs = make_two("", ",filter=proc.name=cat");

	assert_true(outputs_needs(&outputs) & NEEDS_THREADS);
	outputs_finish(&outputs);
}

/* What is the same stays, with its numbers; the other delivers what it has, and ends. */
static void test_change(void **state)
{
	struct outputs outputs = make_two(",x=1,batch-age=0", ",x=2,batch-age=0");
	struct outputs next = make_two(",x=3,batch-age=0", ",x=1,batch-age=0");
	struct drive *world = *state;
	struct output *kept = outputs.list[0];
	struct error err = {""};
	struct buf text = {0};

	assert_int_equal(outputs_open(&outputs, false, NULL, NULL), 0);
	outputs_event(&outputs, &world->event);
	assert_int_equal(outputs_change(&outputs, &next, &err), 0);
	assert_int_equal(outputs.count, 2);
	assert_ptr_equal(outputs.list[1], kept);
	assert_int_equal(outputs.ending_count, 1);
	fake_expect("b1\n");
	/* As time goes: a busy machine lets the thread that delivers wait for long. */
	for (; outputs.ending_count; usleep(10000))
		outputs_step(&outputs, clock_ns(CLOCK_MONOTONIC), &text);
	fake_expect("b1\na1\n");
	buf_append_char(&text, '\0');
	assert_string_equal(text.data,
			    "agent: output fake: ended by a reload\n"
			    "agent: output fake: formatted 1 = delivered 1 + dropped 0\n");
	outputs_event(&outputs, &world->event);
	output_end(kept, "the run ended", 0);
	fake_expect("b1\na1\na2\n");
	outputs_finish(&next);
	outputs_finish(&outputs);
	fake_expect("b1\na1\na2\na1\n");
	buf_finish(&text);
}

/* What an output prints for rules, and whether it prints events, follows from the new ones. */
static void test_change_of_lines(void **state)
{
	struct outputs outputs = make_two(",x=1", ",x=2"), next = make_two(",x=2", ",x=1");
	struct formatter *goes_on = outputs.list[0]->view.formatter;

	assert_non_null(goes_on);
	formatter_destroy(next.list[0]->view.formatter);
	next.list[0]->view.formatter = NULL;
	next.list[0]->view.line = 1;
	next.list[1]->view.line = 2;
	assert_int_equal(outputs_open(&outputs, false, NULL, NULL), 0);
	assert_int_equal(outputs_change(&outputs, &next, NULL), 0);
	assert_null(outputs.list[0]->view.formatter);
	assert_int_equal(outputs.list[0]->view.line, 1);
	assert_ptr_equal(outputs.list[1]->view.formatter, goes_on);
	assert_int_equal(outputs.list[1]->view.line, 2);
	outputs_finish(&next);
	outputs_finish(&outputs);
}

/* The output that takes the place of another one with the same spool goes on with its numbers. */
static void test_change_with_a_spool(void **state)
{
	static const char account[] = "agent: output fake: ended by a reload\n"
				      "agent: output fake: formatted 1 = ";
	char path[] = "/tmp/lanner-outputs-XXXXXX", keys[64], other_keys[64];
	struct outputs outputs = {0}, next = {0};
	struct drive *world = *state;
	struct error err = {""};
	struct buf text = {0};

	assert_non_null(mkdtemp(path));
	snprintf(keys, sizeof(keys), ",x=1,spool=%s", path);
	snprintf(other_keys, sizeof(other_keys), ",x=2,spool=%s", path);
	assert_int_equal(outputs_add(&outputs, make(keys, "a%evt.num")), 0);
	assert_int_equal(outputs_add(&next, make(other_keys, "b%evt.num")), 0);
	assert_int_equal(outputs_open(&outputs, false, NULL, NULL), 0);
	outputs_event(&outputs, &world->event);
	assert_int_equal(outputs_change(&outputs, &next, &err), 0);
	assert_int_equal(outputs.ending_count, 0);
	outputs_event(&outputs, &world->event);
	outputs_step(&outputs, clock_ns(CLOCK_MONOTONIC), &text);
	/* The account of the first one in one line, and nothing else to report. */
	buf_append_char(&text, '\0');
	assert_ptr_equal(strstr(text.data, account), text.data);
	assert_ptr_equal(strchr(text.data + strlen(account), '\n'), text.data + text.len - 2);
	outputs_close(&outputs, NULL);
	assert_int_equal(output_counter_get(&outputs.list[0]->counters.dropped[GAP_SPOOL_CLOSED]),
			 0);
	outputs_finish(&next);
	outputs_finish(&outputs);
	/* A send that was stopped may have arrived. */
	buf_append_char(&fake_target.got, '\0');
	assert_non_null(strstr(fake_target.got.data, "a1\nb2\n"));
	buf_finish(&text);
	assert_int_equal(chdir(path), 0);
	assert_int_equal(unlink("state") | unlink("lock"), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(path), 0);
}

static void test_two_with_one_spool(void **state)
{
	struct outputs outputs = make_two(",x=1,spool=/tmp/s", ",x=2,spool=/tmp/s");
	struct error err = {""};

	assert_int_equal(outputs_open(&outputs, false, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "have the same spool /tmp/s: give each"));
	assert_int_equal(fake_target.opened, 0);
	outputs_finish(&outputs);
}

static struct output *make_json(bool prints)
{
	struct output_config *config = fake_config(",batch-age=0");
	struct output_view view = {.format = &format_json};
	struct output *output;

	if (prints)
		assert_int_equal(
			formatter_create_fields(&format_json, "evt.num", &view.formatter, NULL), 0);
	assert_int_equal(output_create(config, &view, &output, NULL), 0);
	return output;
}

/* Lines of events that a reload brings have the ids of the stream, too. */
static void test_change_to_events(void **state)
{
	struct outputs outputs = {0}, next = {0};
	struct drive *world = *state;
	char start[64];

	assert_int_equal(outputs_add(&outputs, make_json(false)), 0);
	assert_int_equal(outputs_add(&next, make_json(true)), 0);
	assert_int_equal(outputs_open(&outputs, false, NULL, NULL), 0);
	assert_int_equal(outputs_change(&outputs, &next, NULL), 0);
	snprintf(start, sizeof(start), "{\"evt.id\":\"%s-1\"", outputs.list[0]->stream);
	outputs_event(&outputs, &world->event);
	outputs_finish(&next);
	outputs_finish(&outputs);
	assert_memory_equal(fake_target.got.data, start, strlen(start));
}

/* If one cannot be opened, everything stays as it was. */
static void test_change_fails(void **state)
{
	struct outputs outputs = make_two(",x=1", ",x=2"), next = make_two(",x=1", ",x=3");
	struct output *first = outputs.list[0];
	struct error err = {""};

	assert_int_equal(outputs_open(&outputs, false, NULL, NULL), 0);
	fake_target.open_code = -EACCES;
	assert_int_equal(outputs_change(&outputs, &next, &err), -EACCES);
	assert_string_equal(err.text, "output fake: cannot open it");
	assert_ptr_equal(outputs.list[0], first);
	assert_int_equal(outputs.count, 2);
	outputs_finish(&next);
	assert_false(sender_has_ended(&first->sender));
	outputs_finish(&outputs);
}

static void test_open_fails(void **state)
{
	struct outputs outputs = make_two(",x=1", ",x=2");
	struct error err = {""};

	fake_target.open_code = -EACCES;
	assert_int_equal(outputs_open(&outputs, false, NULL, &err), -EACCES);
	outputs_finish(&outputs);
	assert_int_equal(fake_target.opened, 1);
}

static void test_status(void **state)
{
	struct outputs outputs = make_two(",x=1,retry=1ms", ",x=2,retry=1ms");
	struct drive *world = *state;
	struct buf text = {0};

	fake_target.calls[0] = (struct fake_call){.results = "T", .code = -ESHUTDOWN};
	fake_target.calls[1] = fake_target.calls[0];
	assert_int_equal(outputs_open(&outputs, false, NULL, NULL), 0);
	assert_false(outputs_are_gone(&outputs));
	outputs_event(&outputs, &world->event);
	while (!outputs_are_gone(&outputs))
		outputs_step(&outputs, clock_ns(CLOCK_MONOTONIC), &text);
	buf_clear(&text);
	/* At most once a second. */
	for (uint64_t second = 1; second <= 2; second++)
		outputs_step(&outputs, clock_ns(CLOCK_MONOTONIC) + second * 2000000000, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "agent: output fake: it failed\n"
				       "agent: output fake: it failed\n");
	buf_finish(&text);
	outputs_finish(&outputs);
}

/* A failure that is over, and a step does not come any more. */
static void test_last_status(void **state)
{
	struct outputs outputs = make_two(",x=1,retry=1ms", ",x=2,retry=1ms");
	struct drive *world = *state;
	struct buf text = {0};

	fake_target.calls[0] = (struct fake_call){.results = "T", .code = -EIO};
	assert_int_equal(outputs_open(&outputs, false, NULL, NULL), 0);
	outputs_event(&outputs, &world->event);
	outputs_close(&outputs, NULL);
	outputs_append_last_status(&outputs, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "agent: output fake: it failed; it delivers again\n");
	buf_finish(&text);
	outputs_finish(&outputs);
}

static bool in_a_hurry(void)
{
	return true;
}

static void test_hurry(void **state)
{
	struct outputs outputs = make_two(",x=1,stop=1h", ",x=2,stop=1h");
	struct drive *world = *state;
	struct output_account account;

	fake_target.calls[0] = (struct fake_call){.results = "T", .waits = true};
	fake_target.calls[1] = fake_target.calls[0];
	assert_int_equal(outputs_open(&outputs, false, NULL, NULL), 0);
	outputs_event(&outputs, &world->event);
	outputs_close(&outputs, in_a_hurry);
	output_account(outputs.list[0], &account);
	assert_int_equal(account.dropped[GAP_END], 1);
	outputs_finish(&outputs);
}

static void test_reopen(void **state)
{
	struct outputs outputs = make_two(",x=1", ",x=2");
	size_t reopened;

	assert_int_equal(outputs_open(&outputs, false, NULL, NULL), 0);
	outputs_reopen(&outputs);
	do {
		pthread_mutex_lock(&fake_target.lock);
		reopened = fake_target.reopened;
		pthread_mutex_unlock(&fake_target.lock);
	} while (reopened < 2);
	outputs_finish(&outputs);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_filters),
	TEST(test_metrics),
	TEST(test_metrics_alone),
	TEST(test_needs),
	TEST(test_change),
	TEST(test_change_fails),
	TEST(test_change_to_events),
	TEST(test_change_with_a_spool),
	TEST(test_two_with_one_spool),
	TEST(test_change_of_lines),
	TEST(test_open_fails),
	TEST(test_status),
	TEST(test_last_status),
	TEST(test_hurry),
	TEST(test_reopen),
};

UNIT_GROUP(tests);
