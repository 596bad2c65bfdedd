/* SPDX-License-Identifier: MIT */
/* Two stages. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meta/stage.h"
#include "unit.h"
#include "util/clock.h"

#define WAIT_NS UINT64_C(60000000000)

/*
 * Sources by the first letter of an id: both know "a", the second all of it; the first alone "f",
 * wholly; the second alone "s"; nobody "m"; the first knows a part of "e", and the second nothing.
 * A part of "p" cannot be read by the first. "l" is known
 * to the second once it was asked for three times. Of "w" the first knows a part and the second
 * fails; at "x" the second always fails.
 */
static int destroyed, asked_first, asked_second;
static atomic_bool hangs; /* the second, when it is asked for "h" */

static int describe_first(struct meta_source *source, const struct meta_request *request,
			  struct state_container_info *info, struct error *err)
{
	asked_first++;
	if (strchr("mslx", *request->id))
		return -ENOENT;
	if (*request->id == 'p')
		error_set(err, -EIO, "a part of it fails");
	info->name = "web";
	info->texts.left_out = 3;
	return *request->id == 'f' ? 0 : META_SOURCE_PART;
}

static int describe_second(struct meta_source *source, const struct meta_request *request,
			   struct state_container_info *info, struct error *err)
{
	asked_second++;
	while (*request->id == 'h' && atomic_load(&hangs))
		usleep(1000);
	if (strchr("wx", *request->id))
		return error_set(err, -EIO, "it fails");
	if (strchr("mfe", *request->id) || (*request->id == 'l' && asked_second < 3))
		return -ENOENT;
	info->image.name = "nginx";
	return 0;
}

static void destroy(struct meta_source *source)
{
	destroyed++;
	free(source);
}

static struct meta_requests *queues[2];
static struct meta_sink *out;
static struct meta_thread *threads[2];

static int setup(void **state)
{
	static const struct meta_source_ops ops[] = {{describe_first, destroy},
						     {describe_second, destroy}};

	queues[0] = meta_requests_create();
	queues[1] = meta_requests_create();
	out = meta_sink_create();
	destroyed = asked_first = asked_second = 0;
	for (int i = 0; i < 2; i++) {
		struct meta_stage_queues of_stage = {queues[i], i ? NULL : queues[1], queues[0],
						     out};
		struct meta_source *source = calloc(1, sizeof(*source));

		assert_non_null(source);
		source->ops = &ops[i];
		assert_int_equal(meta_stage_start(source, &of_stage, &threads[i]), 0);
	}
	return 0;
}

static void end(void)
{
	for (int i = 0; i < 2; i++) {
		meta_thread_end(threads[i], clock_ns(CLOCK_MONOTONIC) + WAIT_NS);
		threads[i] = NULL;
	}
}

static int teardown(void **state)
{
	end();
	meta_requests_unref(queues[0]);
	meta_requests_unref(queues[1]);
	meta_sink_unref(out);
	assert_int_equal(destroyed, 2);
	return 0;
}

static void ask(const char *id)
{
	meta_requests_add(queues[0], meta_asked_create(&(struct meta_request){.id = id}));
}

static struct meta_update *take(const char *id, bool is_answer)
{
	struct meta_update *update;

	assert_true(meta_sink_wait(out, WAIT_NS));
	update = meta_sink_take(out);
	assert_int_equal(update->is_answer, is_answer);
	assert_string_equal(update->id, id);
	return update;
}

/* A name is of the first source, an image of the second; NULL: that one was not the source. */
static void expect(const char *id, bool is_answer, const char *name, const char *image)
{
	struct meta_update *update = take(id, is_answer);

	assert_int_equal(update->info != NULL, name || image);
	if (name)
		assert_string_equal(update->info->name, name);
	if (image)
		assert_string_equal(update->info->image.name, image);
	assert_string_equal(update->err.text, *id == 'p' ? "a part of it fails" : "");
	meta_update_destroy(update);
}

static void test_first_knows(void **state)
{
	ask("f");
	expect("f", true, "web", NULL);
	end();
	assert_int_equal(asked_second, 0);
	assert_int_equal(meta_sink_counter(out, META_DESCRIBED), 1);
	assert_int_equal(meta_sink_counter(out, META_LEFT_OUT), 3);
}

static void test_second_completes(void **state)
{
	ask("a");
	expect("a", true, "web", NULL);
	expect("a", false, NULL, "nginx");
	assert_int_equal(meta_sink_counter(out, META_DESCRIBED), 1);
	assert_int_equal(meta_sink_counter(out, META_MISSING), 0);
}

static void expect_part(const char *id, bool is_answer, bool is_partial)
{
	struct meta_update *update = take(id, is_answer);

	assert_int_equal(update->is_partial, is_partial);
	meta_update_destroy(update);
}

/* What is said while somebody else is asked is a part, until he has answered. */
static void test_parts(void **state)
{
	ask("f");
	expect_part("f", true, false);
	ask("a");
	expect_part("a", true, true);
	expect_part("a", false, false);
	ask("e");
	expect_part("e", true, true);
	expect("e", false, NULL, NULL);
	ask("m");
	expect_part("m", true, false);
	assert_int_equal(meta_sink_counter(out, META_DESCRIBED), 3);
}

/* Who fails has not answered: he is asked again, and it remains a part meanwhile. */
static void test_part_remains(void **state)
{
	int parts = 0;

	ask("w");
	for (uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + WAIT_NS;
	     parts < 3 && clock_ns(CLOCK_MONOTONIC) < end_ns;) {
		struct meta_update *update;

		assert_true(meta_sink_wait(out, WAIT_NS));
		update = meta_sink_take(out);
		assert_int_equal(update->is_partial, update->kind == META_CONTAINER);
		parts += update->is_partial;
		meta_update_destroy(update);
	}
	end();
	assert_int_equal(parts, 3);
	assert_true(asked_second >= 2);
	assert_int_equal(meta_sink_counter(out, META_DESCRIBED), 1);
	assert_int_equal(meta_sink_counter(out, META_FAILED), 1);
}

static void test_second_answers(void **state)
{
	ask("s");
	expect("s", true, NULL, "nginx");
	assert_int_equal(meta_sink_counter(out, META_DESCRIBED), 1);
}

static void test_part_fails(void **state)
{
	ask("p");
	meta_update_destroy(take("p", true));
	assert_int_equal(meta_sink_counter(out, META_FAILED), 1);
}

/* What was described already: the failure comes by itself. */
static void test_second_fails(void **state)
{
	struct meta_update *update;

	ask("w");
	expect("w", true, "web", NULL);
	update = take("w", false);
	assert_int_equal(update->kind, META_FAILURE);
	assert_string_equal(update->err.text, "it fails");
	meta_update_destroy(update);
	assert_int_equal(meta_sink_counter(out, META_FAILED), 1);
	assert_int_equal(meta_sink_counter(out, META_DESCRIBED), 1);
}

/* However often it is asked for. */
static void test_failure_counts_once(void **state)
{
	struct meta_update *update;

	ask("x");
	update = take("x", true);
	assert_string_equal(update->err.text, "it fails");
	meta_update_destroy(update);
	assert_false(meta_sink_wait(out, UINT64_C(150000000)));
	end();
	assert_true(asked_second > 1);
	assert_int_equal(meta_sink_counter(out, META_FAILED), 1);
}

/* Who waits for one container does not delay the others. */
static void test_second_hangs(void **state)
{
	atomic_store(&hangs, true);
	ask("h");
	ask("a");
	expect("h", true, "web", NULL);
	expect("a", true, "web", NULL);
	atomic_store(&hangs, false);
	expect("h", false, NULL, "nginx");
	expect("a", false, NULL, "nginx");
}

/* Nobody knows it: that is the answer. It is asked for again later, and less often each time. */
static void test_known_later(void **state)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	ask("l");
	expect("l", true, NULL, NULL);
	expect("l", false, NULL, "nginx");
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin_ns >= (30 + 60) * UINT64_C(1000000));
	end();
	assert_int_equal(asked_first, 3);
	assert_int_equal(meta_sink_counter(out, META_DESCRIBED), 1);
	assert_int_equal(meta_sink_counter(out, META_MISSING), 0);
}

static void test_missing(void **state)
{
	ask("m");
	expect("m", true, NULL, NULL);
	assert_int_equal(meta_sink_counter(out, META_MISSING), 1);
	/* New ones are not delayed by it. */
	ask("f");
	expect("f", true, "web", NULL);
}

/* What is not asked for again is counted. */
static void test_too_many_missing(void **state)
{
	atomic_store(&hangs, true);
	ask("h");
	for (int i = 0; i < 10 * META_REQUESTS_LATER_MAX; i++)
		ask("m");
	atomic_store(&hangs, false);
	for (int i = 0; i < 10 * META_REQUESTS_LATER_MAX + 2; i++) {
		assert_true(meta_sink_wait(out, WAIT_NS));
		meta_update_destroy(meta_sink_take(out));
	}
	end();
	assert_in_range(meta_sink_counter(out, META_REJECTED), 1, 9 * META_REQUESTS_LATER_MAX);
}

static void test_end_with_requests(void **state)
{
	for (int i = 0; i < 100; i++)
		ask(i % 2 ? "a" : "m");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_first_knows, setup, teardown),
	cmocka_unit_test_setup_teardown(test_second_completes, setup, teardown),
	cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
	cmocka_unit_test_setup_teardown(test_part_remains, setup, teardown),
	cmocka_unit_test_setup_teardown(test_second_answers, setup, teardown),
	cmocka_unit_test_setup_teardown(test_part_fails, setup, teardown),
	cmocka_unit_test_setup_teardown(test_second_fails, setup, teardown),
	cmocka_unit_test_setup_teardown(test_failure_counts_once, setup, teardown),
	cmocka_unit_test_setup_teardown(test_too_many_missing, setup, teardown),
	cmocka_unit_test_setup_teardown(test_second_hangs, setup, teardown),
	cmocka_unit_test_setup_teardown(test_known_later, setup, teardown),
	cmocka_unit_test_setup_teardown(test_missing, setup, teardown),
	cmocka_unit_test_setup_teardown(test_end_with_requests, setup, teardown),
};

UNIT_GROUP(tests);
