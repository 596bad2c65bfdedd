/* SPDX-License-Identifier: MIT */
/* What is decided of parameters in advance. */
#include <errno.h>
#include <string.h>

#include "sinsp/fields/encoder.h"
#include "sinsp/fields/param_form.h"
#include "unit.h"

static void append_item(struct buf *out)
{
	buf_append_char(out, ';');
}

static void append_key(struct buf *out, const char *name, size_t len)
{
	buf_append_char(out, '<');
	buf_append(out, name, len);
	buf_append_char(out, '>');
}

static const struct encoder keys = {.item = append_item, .key = append_key};

static void expect_key(const struct param_plan *plan, const char *name)
{
	struct buf key = {0};

	append_item(&key);
	assert_int_equal(plan->separator_len, key.len);
	append_key(&key, name, strlen(name));
	assert_int_equal(plan->key_len, key.len);
	assert_memory_equal(plan->key, key.data, key.len);
	buf_finish(&key);
}

/* Each parameter of each event has what a look-up finds. */
static void test_all(void **state)
{
	const struct param_plans *plans, *again;

	assert_int_equal(param_plans_get(&keys, &plans), 0);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		assert_int_equal(plans->of[id] != NULL, desc && desc->nparams);
		for (unsigned int i = 0; desc && i < desc->nparams; i++) {
			const struct param_plan *plan = &plans->of[id][i];
			const struct param_flag *set;

			assert_int_equal(plan->kind, param_form_of(desc, i, &set));
			assert_ptr_equal(plan->set, set);
			assert_int_equal(plan->fixed_size,
					 param_type_size(desc->params[i].type) != 0);
			expect_key(plan, desc->params[i].name);
		}
	}
	assert_int_equal(param_plans_get(&keys, &again), 0);
	assert_ptr_equal(again, plans);
}

static void other_key(struct buf *out, const char *name, size_t len)
{
	buf_append(out, name, len);
}

static const struct encoder other_keys = {.item = append_item, .key = other_key};

static void test_other_keys(void **state)
{
	const struct param_plans *plans, *others;

	assert_int_equal(param_plans_get(&keys, &plans), 0);
	assert_int_equal(param_plans_get(&other_keys, &others), 0);
	assert_memory_equal(others->of[EVENT_openat][0].key, ";fd", 3);
	assert_memory_equal(plans->of[EVENT_openat][0].key, ";<fd>", 5);
}

static void fail_key(struct buf *out, const char *name, size_t len)
{
	buf_fail(out);
}

static const struct encoder failing_keys = {.item = append_item, .key = fail_key};

static void test_no_memory(void **state)
{
	const struct param_plans *plans;

	assert_int_equal(param_plans_get(&failing_keys, &plans), -ENOMEM);
	assert_int_equal(param_plans_get(&failing_keys, &plans), -ENOMEM);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all),
	cmocka_unit_test(test_other_keys),
	cmocka_unit_test(test_no_memory),
};

UNIT_GROUP(tests);
