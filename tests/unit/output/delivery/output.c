/* SPDX-License-Identifier: MIT */
/* Events that become records of an output. */
#include "output/delivery/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_target.h"
#include "formatted.h"
#include "rules/ruleset.h"
#include "unit.h"
#include "util/clock.h"

static struct output *make_closed(const char *keys, const char *format, const char *filter)
{
	struct output_view view = {.format = &format_text};
	struct output *output;

	if (format)
		assert_int_equal(
			formatter_create_format(&format_text, format, &view.formatter, NULL), 0);
	if (filter)
		assert_int_equal(filter_create(filter, NULL, &view.filter, NULL), 0);
	assert_int_equal(output_create(fake_config(keys), &view, &output, NULL), 0);
	return output;
}

static struct output *make(const char *keys, const char *format, const char *filter)
{
	struct output *output = make_closed(keys, format, filter);

	assert_int_equal(output_open(output, false, NULL, NULL), 0);
	assert_int_equal(strlen(output->stream), OUTPUT_STREAM_BYTES - 1);
	return output;
}

static void end(struct output *output)
{
	output_end(output, "the run ended", clock_ns(CLOCK_MONOTONIC));
	while (!output_has_ended(output, clock_ns(CLOCK_MONOTONIC), false))
		;
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

/* An output numbers its records, whatever the number of the event. */
static void test_events(void **state)
{
	struct drive *world = *state;
	struct output *output = make("", "%evt.num %evt.type", "evt.num!=101");
	struct output_account account;

	world->event.num = 100;
	assert_true(output_event(output, &world->event));
	world->event.num = 101;
	assert_false(output_event(output, &world->event));
	world->event.num = 102;
	assert_true(output_event(output, &world->event));
	assert_int_equal(world->event.num, 102);
	end(output);
	fake_expect("1 open\n2 open\n");
	buf_append_char(&fake_target.ends, '\0');
	assert_string_equal(fake_target.ends.data,
			    "end: 2 records, the last is 2, 0 dropped: the run ended\n");
	output_account(output, &account);
	assert_int_equal(account.formatted, 2);
	assert_int_equal(account.delivered, 2);
	assert_int_equal(account.queued, 0);
	assert_int_equal(account.queued_bytes, 0);
	assert_string_equal(account.name, "fake");
	output_destroy(output);
}

/* An event of which there is nothing to print takes no number. */
static void test_nothing_to_print(void **state)
{
	struct drive *world = *state;
	struct output *output = make("", "%fd.sport", NULL);

	assert_true(output_event(output, &world->event));
	assert_int_equal(output->number, 0);
	end(output);
	assert_int_equal(fake_target.called, 0);
	assert_int_equal(fake_target.ends.len, 0);
	output_destroy(output);
}

static void test_matches(void **state)
{
	static const char text[] = "- rule: r\n  desc: d\n  condition: evt.type=open\n"
				   "  output: n=%evt.num\n  priority: ERROR\n";
	const struct rules_input input = {.path = "r", .text = text, .len = sizeof(text) - 1};
	const struct ruleset_line lines[] = {{&format_json}, {&format_text}};
	const struct ruleset_config config = {
		.rules.least = PRIORITY_DEBUG, .lines = lines, .lines_count = 2};
	struct drive *world = *state;
	struct output *output = make("", NULL, NULL);
	struct rules_counts counts;
	struct yaml_report report;
	struct ruleset *ruleset;

	assert_int_equal(ruleset_create(&input, 1, &config, &ruleset, &counts, &report), 0);
	output->view.line = 1;
	world->event.num = 55;
	assert_true(output_match(output, ruleset, 0, &world->event));
	assert_int_equal(output->block->records[0].priority, PRIORITY_ERROR);
	assert_int_equal(output->block->records[0].event, EVENT_open);
	end(output);
	assert_true(fake_target.got.len > 12);
	assert_memory_equal(fake_target.got.data + fake_target.got.len - 10, "Error n=1\n", 10);
	ruleset_destroy(ruleset);
	output_destroy(output);
	yaml_report_finish(&report);
}

/* Records are handed over when the sender waits for them, and at once when a block is full. */
static void test_steps(void **state)
{
	struct drive *world = *state;
	struct output *output = make(",batch-age=0", "*%evt.num", NULL);

	assert_false(output_has_more(output));
	output_event(output, &world->event);
	assert_true(output_has_more(output));
	while (queue_demand(&output->queue) != QUEUE_HUNGRY)
		;
	assert_int_equal(fake_target.called, 0);
	output_step(output, clock_ns(CLOCK_MONOTONIC));
	assert_false(output_has_more(output));
	fake_expect("1\n");
	output_step(output, clock_ns(CLOCK_MONOTONIC));
	end(output);
	output_destroy(output);
}

/* A target that does not answer costs records, which are counted, and no memory. */
static void test_a_target_that_hangs(void **state)
{
	struct drive *world = *state;
	struct output *output = make(",queue=8K,stop=10ms", "%evt.num %evt.type", NULL);
	struct output_account account;

	fake_target.calls[0] = (struct fake_call){.results = "T", .waits = true};
	for (int i = 0; i < 10000; i++)
		output_event(output, &world->event);
	output_account(output, &account);
	assert_int_equal(account.formatted, 10000);
	assert_true(account.queued_bytes <= 8 << 10);
	assert_true(account.dropped[GAP_QUEUE_FULL] > 9000);
	end(output);
	output_account(output, &account);
	assert_int_equal(account.queued, 0);
	assert_int_equal(account.dropped[GAP_QUEUE_FULL] + account.dropped[GAP_END], 10000);
	output_destroy(output);
}

static int try_to_remove(const char *path)
{
	struct dirent *entry;
	DIR *folder = opendir(path);

	while (folder && (entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	return rmdir(path);
}

static void remove_spool(const char *path)
{
	assert_int_equal(try_to_remove(path), 0);
}

/* As a run does: until the thread that takes records wants them. */
static void hand_over(struct output *output)
{
	for (uint64_t ns = 1; output->block && output->block->count; ns += 1000000000) {
		output_step(output, ns);
		usleep(1000);
	}
}

/* Its threads may open it only meanwhile, and make files in it, or itself. */
static void remove_used_spool(const struct output *output, const char *path)
{
	while (!spooler_is_gone(&output->spooler)) {
		try_to_remove(path);
		usleep(1000);
	}
}

/*
 * What a run could not deliver the next one does, in order and before what is new; numbers and the
 * stream go on. What may have been sent before is marked.
 */
static void test_a_spool_outlives_the_run(void **state)
{
	char path[] = "/tmp/lanner-output-XXXXXX", keys[64];
	struct drive *world = *state;
	struct output_account account;
	struct output *output;
	char stream[OUTPUT_STREAM_BYTES];

	assert_non_null(mkdtemp(path));
	snprintf(keys, sizeof(keys), ",retry=1ms,spool=%s", path);
	output = make(keys, "%evt.num", NULL);
	memcpy(stream, output->stream, sizeof(stream));
	for (int i = 0; i < FAKE_CALLS_MAX; i++)
		fake_target.calls[i] =
			(struct fake_call){.results = "T", .code = -EIO, .uncertain = true};
	output_event(output, &world->event);
	output_event(output, &world->event);
	end(output);
	output_account(output, &account);
	assert_int_equal(account.formatted, 2);
	assert_int_equal(account.delivered, 0);
	assert_int_equal(account.queued, 2);
	/* Nothing waits in memory. */
	assert_true(account.oldest_ns > 0);
	output_destroy(output);

	fake_end();
	fake_begin();
	output = make(keys, "%evt.num", NULL);
	assert_string_equal(output->stream, stream);
	output_event(output, &world->event);
	end(output);
	fake_expect("redelivered: 1\nredelivered: 2\n3\n");
	output_account(output, &account);
	assert_int_equal(account.formatted, 1);
	assert_int_equal(account.backlog, 2);
	assert_int_equal(account.delivered, 3);
	assert_int_equal(account.queued, 0);
	output_destroy(output);
	remove_spool(path);
}

/* Another process has the spool, until spool_close(). */
static struct spool *occupy(const char *path)
{
	const struct spool_config config = {.path = path, .limit_bytes = 1 << 20};
	struct error err = {""};
	struct spool *spool;

	if (spool_open(&config, &spool, &err))
		fail_msg("%s", err.text);
	return spool;
}

/*
 * Without a spool there are no numbers, and no records: what would be one is counted, and the first
 * thing that the stream says.
 */
static void test_a_spool_that_opens_later(void **state)
{
	char spool[] = "/tmp/lanner-output-XXXXXX", keys[128];
	struct drive *world = *state;
	struct output_account account;
	struct error err = {""};
	struct output *output;
	struct spool *other;

	assert_non_null(mkdtemp(spool));
	other = occupy(spool);
	snprintf(keys, sizeof(keys), ",spool=%s", spool);
	output = make(keys, "%evt.num", NULL);
	assert_int_equal(delivery_status_take(&output->spooler.status, 1, &err),
			 DELIVERY_STATUS_FAILS);
	assert_non_null(strstr(err.text, spool));
	output_event(output, &world->event);
	output_event(output, &world->event);
	output_account(output, &account);
	assert_int_equal(account.formatted, 2);
	assert_int_equal(account.dropped[GAP_SPOOL_CLOSED], 2);
	spool_close(other);
	while (!spooler_is_open(&output->spooler)) {
		spooler_hurry(&output->spooler);
		usleep(1000);
	}
	output_event(output, &world->event);
	assert_string_equal(output->stream, output->form.stream);
	end(output);
	output_account(output, &account);
	assert_int_equal(account.formatted, 3);
	assert_int_equal(account.delivered, 1);
	assert_int_equal(account.queued, 0);
	output_destroy(output);
	buf_append_char(&fake_target.got, '\0');
	assert_memory_equal(fake_target.got.data, "drop: 2 records, 20", 19);
	assert_non_null(
		strstr(fake_target.got.data, ": the spool could not be opened (open 2)\n1\n"));
	remove_spool(spool);
}

/* Then nothing is lost at the end either: everything is counted. */
static void test_a_spool_that_never_opens(void **state)
{
	char spool[] = "/tmp/lanner-output-XXXXXX", keys[128];
	struct drive *world = *state;
	struct output_account account;
	struct output *output;
	struct spool *other;

	assert_non_null(mkdtemp(spool));
	other = occupy(spool);
	snprintf(keys, sizeof(keys), ",spool=%s", spool);
	output = make(keys, "%evt.num", NULL);
	output_event(output, &world->event);
	end(output);
	output_account(output, &account);
	assert_int_equal(account.formatted, 1);
	assert_int_equal(account.dropped[GAP_SPOOL_CLOSED], 1);
	assert_int_equal(account.queued, 0);
	output_destroy(output);
	fake_expect("");
	spool_close(other);
	remove_spool(spool);
}

/* The folder is removed by somebody else: said, counted, made anew, and the numbers go on. */
static void test_a_spool_that_is_removed(void **state)
{
	char spool[] = "/tmp/lanner-output-XXXXXX", keys[128], stream[OUTPUT_STREAM_BYTES];
	struct drive *world = *state;
	struct output_account account;
	struct error err = {""};
	struct output *output;

	assert_non_null(mkdtemp(spool));
	snprintf(keys, sizeof(keys), ",spool=%s,batch-age=1ms,retry=30s", spool);
	fake_target.calls[0] = (struct fake_call){.results = "T", .code = -EIO};
	output = make(keys, "%evt.num", NULL);
	memcpy(stream, output->stream, sizeof(stream));
	output_event(output, &world->event);
	output_event(output, &world->event);
	hand_over(output);
	fake_expect_calls(1);
	remove_used_spool(output, spool);
	while (spooler_is_gone(&output->spooler)) {
		output_check_spool(output);
		usleep(1000);
	}
	assert_int_equal(access(spool, F_OK), 0);
	assert_int_not_equal(delivery_status_take(&output->spooler.status, 1, &err),
			     DELIVERY_STATUS_NONE);
	if (!strstr(err.text, "the folder of its spool was removed, and with it 2 records"))
		fail_msg("%s", err.text);
	output_event(output, &world->event);
	end(output);
	output_account(output, &account);
	assert_int_equal(account.formatted, 3);
	assert_int_equal(account.dropped[GAP_SPOOL_REMOVED], 2);
	assert_int_equal(account.delivered, 1);
	assert_int_equal(account.queued, 0);
	assert_string_equal(output->stream, stream);
	output_destroy(output);
	buf_append_char(&fake_target.got, '\0');
	assert_non_null(strstr(fake_target.got.data, "drop: 2 records, 1 to 2, "));
	assert_non_null(strstr(fake_target.got.data, ": the folder of the spool was removed\n3\n"));
	remove_spool(spool);
}

/* So large a stack has no room: no thread can be started. */
static void let_threads_start(bool may)
{
	static pthread_attr_t before;
	pthread_attr_t none;

	if (may) {
		assert_int_equal(pthread_setattr_default_np(&before), 0);
		return;
	}
	assert_int_equal(pthread_getattr_default_np(&before), 0);
	assert_int_equal(pthread_getattr_default_np(&none), 0);
	assert_int_equal(pthread_attr_setstacksize(&none, (size_t)1 << 46), 0);
	assert_int_equal(pthread_setattr_default_np(&none), 0);
}

static void remove_and_renew(struct output *output, const char *spool)
{
	remove_used_spool(output, spool);
	let_threads_start(false);
	while (spooler_is_gone(&output->spooler)) {
		output_check_spool(output);
		usleep(1000);
	}
	assert_true(output->awaits_threads);
}

/* The threads of the new spool are started as soon as that is possible. */
static void test_threads_that_do_not_start(void **state)
{
	char spool[] = "/tmp/lanner-output-XXXXXX", keys[128];
	struct drive *world = *state;
	struct output_account account;
	struct output *output;

	assert_non_null(mkdtemp(spool));
	snprintf(keys, sizeof(keys), ",spool=%s,batch-age=1ms", spool);
	output = make(keys, "%evt.num", NULL);
	remove_and_renew(output, spool);
	output_event(output, &world->event);
	output_check_spool(output);
	assert_true(output->awaits_threads);
	let_threads_start(true);
	output_check_spool(output);
	assert_false(output->awaits_threads);
	end(output);
	output_account(output, &account);
	assert_int_equal(account.delivered, 1);
	assert_int_equal(account.queued, 0);
	output_destroy(output);
	remove_spool(spool);
}

/* If that is never, the output ends all the same, and what waited is lost. */
static void test_threads_that_never_start(void **state)
{
	char spool[] = "/tmp/lanner-output-XXXXXX", keys[128];
	struct drive *world = *state;
	struct output_account account;
	struct output *output;

	assert_non_null(mkdtemp(spool));
	snprintf(keys, sizeof(keys), ",spool=%s,batch-age=1ms", spool);
	output = make(keys, "%evt.num", NULL);
	remove_and_renew(output, spool);
	output_event(output, &world->event);
	end(output);
	let_threads_start(true);
	output_account(output, &account);
	assert_int_equal(account.formatted, 1);
	assert_int_equal(account.dropped[GAP_SPOOL_REMOVED], 1);
	assert_int_equal(account.queued, 0);
	output_destroy(output);
	remove_spool(spool);
}

static const char other_stream[] = "0123456789abcdef";

/* An output goes on where that of another agent ended. */
static struct output *continue_other(const char *keys, const struct output_past *past)
{
	struct output *output = make_closed(keys, "%evt.num", NULL);

	output_continue(output, past);
	assert_int_equal(output_open(output, false, NULL, NULL), 0);
	return output;
}

static void expect_drop(const char *range, const char *cause)
{
	const char *drop;

	pthread_mutex_lock(&fake_target.lock);
	buf_append_char(&fake_target.got, '\0');
	drop = strstr(fake_target.got.data, range);
	if (!drop || !strstr(drop, cause))
		fail_msg("not '%s' ... '%s': %s", range, cause, fake_target.got.data);
	fake_target.got.len--;
	pthread_mutex_unlock(&fake_target.lock);
}

static void test_goes_on(void **state)
{
	struct output_past past = {.number = 7};
	struct drive *world = *state;
	struct output_account account;
	struct output *output;

	memcpy(past.stream, other_stream, sizeof(past.stream));
	output = continue_other("", &past);
	assert_string_equal(output->stream, other_stream);
	output_event(output, &world->event);
	output_event(output, &world->event);
	end(output);
	fake_expect("8\n9\n");
	output_account(output, &account);
	assert_int_equal(account.formatted, 2);
	assert_int_equal(account.delivered, 2);
	output_destroy(output);
}

/* What did not arrive is said, and that nobody knows whether it did. */
static void test_what_the_other_agent_left(void **state)
{
	struct output_past past = {.number = 7, .undelivered = 3};
	struct output *output;

	memcpy(past.stream, other_stream, sizeof(past.stream));
	output = continue_other("", &past);
	end(output);
	expect_drop("3 records, 5 to 7", "not delivered before the end");
	output_destroy(output);
	past.died = true;
	past.undelivered = 9; /* no more than there are */
	output = continue_other("", &past);
	end(output);
	expect_drop("7 records, 1 to 7", "not known whether the agent before delivered them");
	output_destroy(output);
}

/* A spool has all of an agent that ended well, and knows what it has of one that died. */
static void test_goes_on_with_a_spool(void **state)
{
	char path[] = "/tmp/lanner-output-XXXXXX", keys[64];
	struct output_past past = {.number = 4, .undelivered = 4};
	struct drive *world = *state;
	struct output *output;

	assert_non_null(mkdtemp(path));
	snprintf(keys, sizeof(keys), ",retry=1ms,spool=%s", path);
	output = make(keys, "%evt.num", NULL);
	output_event(output, &world->event);
	output_event(output, &world->event);
	memcpy(past.stream, output->stream, sizeof(past.stream));
	end(output);
	output_destroy(output);
	output = continue_other(keys, &past);
	assert_int_equal(output->number, 4);
	output_event(output, &world->event);
	end(output);
	output_destroy(output);
	fake_expect("1\n2\n5\n");
	past.number = 8;
	past.died = true;
	output = continue_other(keys, &past);
	end(output);
	expect_drop("3 records, 6 to 8", "not known whether the agent before delivered them");
	output_destroy(output);
	/* Of another folder than that of the other agent. */
	memcpy(past.stream, other_stream, sizeof(past.stream));
	past.number = 100;
	output = continue_other(keys, &past);
	assert_string_not_equal(output->stream, other_stream);
	assert_int_not_equal(output->number, 100);
	end(output);
	output_destroy(output);
	remove_spool(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_events),
	TEST(test_nothing_to_print),
	TEST(test_matches),
	TEST(test_steps),
	TEST(test_a_target_that_hangs),
	TEST(test_a_spool_outlives_the_run),
	TEST(test_a_spool_that_opens_later),
	TEST(test_a_spool_that_never_opens),
	TEST(test_a_spool_that_is_removed),
	TEST(test_threads_that_do_not_start),
	TEST(test_threads_that_never_start),
	TEST(test_goes_on),
	TEST(test_what_the_other_agent_left),
	TEST(test_goes_on_with_a_spool),
};

UNIT_GROUP(tests);
