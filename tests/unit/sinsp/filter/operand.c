/* SPDX-License-Identifier: MIT */
/*
 * Operands: which arguments transformers accept, what an operand is once it is bound, and the order
 * in which its steps compute it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_fields.h"
#include "sinsp/filter/operand.h"
#include "unit.h"

/* An operand, its memory, and what is wrong with it. */
struct bound {
	struct arena arena;
	struct filter_ref *refs;
	struct filter_error err;
	struct filter_operand operand;
	int code;
};

/* Uses registers from `reg` on. To be released by finish(). */
static void bind_text(struct bound *bound, const char *text, uint16_t reg)
{
	struct operand_binder binder = {&bound->arena, &bound->refs, text, &bound->err};
	struct filter_expr *expr;
	size_t end;

	*bound = (struct bound){.code = -1};
	if (filter_parse_operand(text, 0, &bound->arena, &expr, &end, &bound->err))
		fail_msg("'%s': %s", text, bound->err.text);
	assert_int_equal(text[end], '\0');
	bound->code = operand_bind(&binder, expr, reg, &bound->operand);
}

static void finish(struct bound *bound)
{
	operand_refs_finish(bound->refs);
	arena_finish(&bound->arena);
}

static void expect_shape(const char *text, enum param_type type, bool list)
{
	struct bound bound;

	bind_text(&bound, text, 0);
	if (bound.code)
		fail_msg("'%s': %s", text, bound.err.text);
	assert_int_equal(bound.operand.type, type);
	assert_int_equal(bound.operand.list, list);
	finish(&bound);
}

static void test_accepted(void **state)
{
	static const struct {
		const char *text;
		enum param_type type;
		bool list;
	} rows[] = {
		{"text.a", PT_CHARBUF},
		{"list.num", PT_UINT64, true},
		{"list.text[1]", PT_CHARBUF, true},
		{"tolower(text.a)", PT_CHARBUF},
		{"toupper(path.a)", PT_FSPATH},
		{"tolower(list.text)", PT_CHARBUF, true},
		{"basename(text.a)", PT_CHARBUF},
		{"tolower('X')", PT_CHARBUF},
		{"b64(text.a)", PT_CHARBUF},
		{"b64(bytes.a)", PT_BYTEBUF},
		{"len(text.a)", PT_UINT64},
		{"len(bytes.a)", PT_UINT64},
		{"len(list.num)", PT_UINT64},
		{"len(path.a)", PT_UINT64},
		{"len(basename(text.a))", PT_UINT64},
		{"len((text.a, text.b))", PT_UINT64},
		{"concat(text.a, 'x')", PT_CHARBUF},
		{"concat(text.a, 5)", PT_CHARBUF},
		{"concat(1, 2)", PT_CHARBUF},
		{"concat(concat(text.a, 'x'), tolower(text.b))", PT_CHARBUF},
		{"join(',', list.text)", PT_CHARBUF},
		{"join(',', (text.a, num.u64))", PT_CHARBUF},
		{"join(',', (list.text, 'x', 0x10))", PT_CHARBUF},
		{"join(',', ())", PT_CHARBUF},
		{"join(',', (bool.a, num.port))", PT_CHARBUF},
		{"getopt(list.text, 'ab:')", PT_CHARBUF, true},
		{"getopt(list.text, 'ab:')[a]", PT_CHARBUF},
		{"getopt(('-a'), 'a')['a']", PT_CHARBUF},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_shape(rows[i].text, rows[i].type, rows[i].list);
}

static void expect_error(const char *text, size_t position, const char *says)
{
	struct bound bound;

	bind_text(&bound, text, 0);
	assert_int_equal(bound.code, -EINVAL);
	if (bound.err.position != position || !strstr(bound.err.text, says))
		fail_msg("'%s': %zu: %s", text, bound.err.position, bound.err.text);
	finish(&bound);
}

static void test_rejected(void **state)
{
	static const struct {
		const char *text;
		size_t position;
		const char *says;
	} rows[] = {
		{"text.q", 0, "unknown field 'text.q'"},
		{"text.a[1]", 0, "no argument allowed"},
		{"tolower(no.such)", 8, "unknown field 'no.such'"},
		{"tolower(num.u64)", 0, "transformer 'tolower' takes"},
		{"tolower(bytes.a)", 0, "transformer 'tolower' takes"},
		{"tolower(len(text.a))", 0, "transformer 'tolower' takes"},
		{"concat(tolower(num.u64), 'x')", 7, "transformer 'tolower' takes"},
		{"basename(ip.a)", 0, "takes"},
		{"b64(path.a)", 0, "takes"},
		{"b64(num.u64)", 0, "takes"},
		{"len(num.u64)", 0, "takes"},
		{"len(bool.a)", 0, "takes"},
		{"tolower(text.a, text.b)", 16, "'tolower' takes no more than 1 argument"},
		{"getopt(list.text, 'a', 'b')", 23, "'getopt' takes no more than 2 arguments"},
		{"join(',', list.text, text.a)", 21, "takes no more than 2"},
		{"concat(text.a)", 0, "transformer 'concat' needs 2 arguments"},
		{"join(',')", 0, "needs 2 arguments"},
		{"getopt(list.text)", 0, "needs 2 arguments"},
		{"concat(text.a, num.u64)", 0, "takes"},
		{"concat(text.a, list.text)", 0, "takes"},
		{"concat(text.a, path.a)", 0, "takes"},
		{"join(list.text, ',')", 0, "takes"},
		{"join(',', text.a)", 0, "takes"},
		{"join(',', list.num)", 0, "takes"},
		{"join(',', (text.a, bytes.a))", 19, "this element of the list has no text"},
		{"join(',', (num.double))", 11, "this element of the list has no text"},
		{"getopt(text.a, 'a')", 0, "takes"},
		{"getopt(list.text, 'a')[ab]", 0, "takes one character in brackets"},
		{"getopt(list.text, 'a')['']", 0, "takes one character in brackets"},
		{"tolower(text.a)[x]", 0, "'tolower' takes nothing in brackets"},
		{"tolower(text.only)", 8, "field 'text.only' cannot be given to a transformer"},
		{"join(',', (text.only))", 11, "cannot be given to a transformer"},
		{"concat('x', '\\x00')", 12, "the value has a NUL byte"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_error(rows[i].text, rows[i].position, rows[i].says);
}

/* `open`, n times the item, and the end. */
static char *repeated(const char *open, const char *item, int n, const char *close)
{
	struct buf text = {0};

	buf_append_string(&text, open);
	for (int i = 0; i < n; i++)
		buf_append_string(&text, item);
	buf_append_string(&text, close);
	buf_append_char(&text, '\0');
	assert_false(text.failed);
	return text.data;
}

/* Rejected beyond what a register can hold, and never cut. */
static void expect_most(const char *open, const char *item, const char *close, int most,
			const char *says)
{
	for (int n = most; n <= most + 1; n++) {
		char *text = repeated(open, item, n, close);
		struct bound bound;

		bind_text(&bound, text, 0);
		assert_int_equal(bound.code, n == most ? 0 : -EINVAL);
		if (bound.code)
			assert_non_null(strstr(bound.err.text, says));
		finish(&bound);
		free(text);
	}
}

static void test_widths(void **state)
{
	expect_most("concat(text.a", ",text.b", ")", FIELD_VALUES_MAX - 1,
		    "takes no more than 64 arguments");
	expect_most("join(',', (text.a", ",text.b", "))", FIELD_VALUES_MAX - 1,
		    "too many elements");
}

/* The registers of all operands of a filter are limited too. */
static void test_registers(void **state)
{
	struct operand_binder binder;
	struct filter_expr *expr;
	struct bound bound = {0};
	size_t end;

	binder = (struct operand_binder){&bound.arena, &bound.refs, "concat(text.a, text.b)",
					 &bound.err};
	assert_int_equal(
		filter_parse_operand(binder.text, 0, &bound.arena, &expr, &end, &bound.err), 0);
	assert_int_equal(operand_bind(&binder, expr, 1022, &bound.operand), 0);
	bound.operand = (struct filter_operand){0};
	assert_int_equal(operand_bind(&binder, expr, 1023, &bound.operand), -EINVAL);
	assert_int_equal(bound.err.position, 15);
	assert_non_null(strstr(bound.err.text, "too many arguments"));
	/* Nobody need read the error. */
	binder.err = NULL;
	bound.operand = (struct filter_operand){0};
	assert_int_equal(operand_bind(&binder, expr, 1023, &bound.operand), -EINVAL);
	finish(&bound);
}

static void test_field_alone(void **state)
{
	struct bound bound;

	bind_text(&bound, "num.i8", 3);
	assert_int_equal(bound.code, 0);
	assert_int_equal(bound.operand.nsteps, 1);
	assert_int_equal(bound.operand.reg, 3);
	assert_int_equal(bound.operand.regs_end, 4);
	assert_ptr_equal(bound.operand.field, bound.operand.steps[0].ref);
	assert_ptr_equal(bound.operand.field, &bound.refs->ref);
	assert_null(bound.operand.steps[0].run);
	assert_int_equal(bound.operand.needs, NEEDS_THREADS);
	finish(&bound);
	bind_text(&bound, "kin.text[2]", 0);
	assert_true(bound.operand.flags & FIELD_ANCESTORS);
	assert_int_equal(bound.operand.field->index, 2);
	finish(&bound);
}

/* Arguments come before what uses them, each in a register of its own from that of the result on.
 */
static void test_steps(void **state)
{
	struct bound bound;
	const struct filter_step *steps;

	bind_text(&bound, "concat(tolower(text.a), 'x', basename(text.b))", 5);
	assert_int_equal(bound.code, 0);
	steps = bound.operand.steps;
	assert_int_equal(bound.operand.nsteps, 6);
	assert_null(bound.operand.field);
	assert_int_equal(bound.operand.reg, 5);
	assert_int_equal(bound.operand.regs_end, 8);
	assert_non_null(steps[0].ref);
	assert_int_equal(steps[0].reg, 5);
	assert_int_equal(steps[1].reg, 5); /* tolower() replaces it */
	assert_string_equal(steps[2].text.data, "x");
	assert_int_equal(steps[2].reg, 6);
	assert_non_null(steps[3].ref);
	assert_int_equal(steps[3].reg, 7);
	assert_int_equal(steps[4].reg, 7);
	assert_int_equal(steps[5].reg, 5);
	assert_int_equal(steps[5].nargs, 3);
	finish(&bound);
	/* A number in a list is made text, and getopt() needs a register more. */
	bind_text(&bound, "getopt((num.u64, 'x'), 'x:')[x]", 0);
	assert_int_equal(bound.code, 0);
	assert_int_equal(bound.operand.nsteps, 6);
	assert_int_equal(bound.operand.steps[1].type, PT_UINT64);
	assert_int_equal(bound.operand.steps[3].nargs, 2);
	assert_int_equal(bound.operand.steps[5].text.data[0], 'x');
	assert_int_equal(bound.operand.regs_end, 3);
	finish(&bound);
}

/* Those of all fields, wherever they stand; all are to be released. */
static void test_needs(void **state)
{
	struct bound bound;
	unsigned int refs = 0;

	bind_text(&bound, "join(',', (num.i8, tolower(text.a), num.i64))", 0);
	assert_int_equal(bound.code, 0);
	assert_int_equal(bound.operand.needs, NEEDS_THREADS | NEEDS_FDS);
	for (const struct filter_ref *ref = bound.refs; ref; ref = ref->next)
		refs++;
	assert_int_equal(refs, 3);
	finish(&bound);
}

static int run(const struct bound *bound, struct filter_register *regs)
{
	static const struct state_event event;
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	const struct field_value *value = &regs[bound->operand.reg].values[0];
	int n = operand_get(&bound->operand, &event, regs, scratch);

	if (n == 1) /* texts are in the scratch memory, which goes away */
		assert_string_equal(value->bytes.data, "abc-7-x");
	free(scratch);
	return n;
}

static void test_get(void **state)
{
	struct filter_register *regs = calloc(8, sizeof(*regs));
	struct bound bound;

	fake_clear();
	fake_add_text("text.a", "ABC");
	fake_add_u64("num.u64", 7);
	bind_text(&bound, "join('-', (tolower(text.a), num.u64, 'x'))", 2);
	assert_int_equal(bound.code, 0);
	assert_in_range(bound.operand.regs_end, 3, 8);
	regs[1].count = regs[bound.operand.regs_end].count = 77;
	assert_int_equal(run(&bound, regs), 1);
	assert_int_equal(run(&bound, regs), 1);
	/* Only its registers are changed. */
	assert_int_equal(regs[1].count, 77);
	assert_int_equal(regs[bound.operand.regs_end].count, 77);
	fake_clear();
	assert_int_equal(run(&bound, regs), -1);
	finish(&bound);
	free(regs);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_accepted),    cmocka_unit_test(test_rejected),
	cmocka_unit_test(test_widths),	    cmocka_unit_test(test_registers),
	cmocka_unit_test(test_field_alone), cmocka_unit_test(test_steps),
	cmocka_unit_test(test_needs),	    cmocka_unit_test(test_get),
};

UNIT_GROUP(tests);
