/* SPDX-License-Identifier: MIT */
/* A target is opened; or tried: then it is closed, and nothing is sent. */
#include <errno.h>
#include <string.h>

#include "fake_target.h"
#include "output/delivery/thread.h"
#include "unit.h"

static void expect(int code)
{
	struct output_config *config = fake_config("");
	struct error err = {""};

	fake_begin();
	fake_target.open_code = code;
	assert_int_equal(output_target_try(config, &err), code);
	assert_string_equal(err.text, code ? "cannot open it" : "");
	assert_int_equal(fake_target.opened, 1);
	assert_int_equal(fake_target.closed, 1);
	assert_int_equal(fake_target.called, 0);
	output_config_destroy(config);
	fake_end();
}

static void test_open(void **state)
{
	struct output_config *config = fake_config("");
	struct output_stop stop;
	void *target = NULL;

	fake_begin();
	assert_int_equal(output_stop_init(&stop), 0);
	assert_int_equal(output_target_open(config, &stop, &target, NULL), 0);
	assert_ptr_equal(target, &stop); /* as that kind does */
	assert_int_equal(fake_target.opened, 1);
	assert_int_equal(fake_target.closed, 0);
	output_stop_finish(&stop);
	output_config_destroy(config);
	fake_end();
}

static void test_opens(void **state)
{
	expect(0);
}

static void test_does_not_open(void **state)
{
	expect(-EACCES);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_open),
	cmocka_unit_test(test_opens),
	cmocka_unit_test(test_does_not_open),
};

UNIT_GROUP(tests);
