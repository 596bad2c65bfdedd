/* SPDX-License-Identifier: MIT */
/* The thread between a queue of requests and the answers. tests/unit/meta/meta.c tests it whole. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "meta/stage.h"
#include "util/clock.h"

#define WAIT_NS UINT64_C(5000000000)

static int destroyed;

/* Knows all but "m"; a part of "p" could not be read. */
static int describe(struct meta_source *source, const struct meta_request *request,
		    struct sinsp_container_info *info, struct error *err)
{
	if (*request->id == 'm')
		return -ENOENT;
	if (*request->id == 'p')
		error_set(err, -EIO, "a part of it fails");
	info->name = "web";
	info->texts.left_out = 3;
	return 0;
}

static void destroy(struct meta_source *source)
{
	destroyed++;
	free(source);
}

static struct meta_requests *in;
static struct meta_sink *out;
static struct meta_thread *thread;

static int setup(void **state)
{
	static const struct meta_source_ops ops = {describe, destroy};
	struct meta_source *source = calloc(1, sizeof(*source));

	assert_non_null(source);
	source->ops = &ops;
	in = meta_requests_create();
	out = meta_sink_create();
	destroyed = 0;
	assert_int_equal(meta_stage_start(source, in, out, &thread), 0);
	return 0;
}

static int teardown(void **state)
{
	meta_thread_end(thread, clock_ns(CLOCK_MONOTONIC) + WAIT_NS);
	meta_requests_unref(in);
	meta_sink_unref(out);
	assert_int_equal(destroyed, 1);
	return 0;
}

static void ask(const char *id)
{
	meta_requests_add(in, meta_asked_create(&(struct meta_request){.id = id}));
}

static void expect(const char *id, bool known, const char *text)
{
	struct meta_update *answer;

	assert_true(meta_sink_wait(out, WAIT_NS));
	answer = meta_sink_take(out);
	assert_true(answer->is_answer);
	assert_string_equal(answer->id, id);
	assert_int_equal(answer->info != NULL, known);
	assert_string_equal(answer->err.text, text);
	meta_update_destroy(answer);
}

static void test_answers(void **state)
{
	ask("a");
	ask("m");
	ask("p");
	expect("a", true, "");
	expect("m", false, "");
	expect("p", true, "a part of it fails");
	assert_int_equal(meta_sink_counter(out, META_DESCRIBED), 2);
	assert_int_equal(meta_sink_counter(out, META_MISSING), 1);
	assert_int_equal(meta_sink_counter(out, META_FAILED), 1);
	assert_int_equal(meta_sink_counter(out, META_LEFT_OUT), 6);
}

static void test_end_with_requests(void **state)
{
	for (int i = 0; i < 100; i++)
		ask("a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_answers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_end_with_requests, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
