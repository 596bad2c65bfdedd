/* SPDX-License-Identifier: MIT */
/* Names as programmers write them, and names that were made to cost time or memory. */
#include "scap/symbols/symbol_demangle.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static void reads_names_of_each_language(void **state)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{"_Z3foov", "foo"},
		{"_ZN3abc3defEi", "abc::def"},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi",
		 "std::vector<int, std::allocator<int> >::push_back"},
		{"_ZNK1AclEv", "A::operator()"},
		{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
		{"_ZN56_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..Clone$GT$"
		 "5clone17h0123456789abcdefE",
		 "<alloc::vec::Vec<T> as core::Clone>::clone"},
		{"_RNvCskwGfYPst2Cb_3foo3bar", "foo::bar"},
		{"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>"},
		{"main", NULL},
		{"", NULL},
		{"_Z", NULL},
		{"_R", NULL},
		{"_ZN", NULL},
		{"_Znonsense", NULL},
	};
	struct symbol_demangler demangler = {0};
	char text[SYMBOL_DEMANGLED_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool is_mangled = symbol_demangle(&demangler, rows[i].name, text);

		if (is_mangled != (rows[i].text != NULL))
			fail_msg("%s", rows[i].name);
		if (rows[i].text)
			assert_string_equal(text, rows[i].text);
	}
	assert_int_equal(demangler.refusals, 0);
}

/* Arguments of a template, each of which has twice the one before it. */
static void make_doubling(char *name, size_t bytes, unsigned int steps)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t len = (size_t)snprintf(name, bytes, "_Z1fI1a1bIS0_S0_E");

	for (unsigned int i = 2; i < steps && i < sizeof(digits) - 1; i++)
		len += (size_t)snprintf(name + len, bytes - len, "S1_IS%c_S%c_E", digits[i],
					digits[i]);
	snprintf(name + len, bytes - len, "Evv");
}

static void gives_up_what_has_no_end(void **state)
{
	struct symbol_demangler demangler = {0};
	char text[SYMBOL_DEMANGLED_BYTES], name[1024];

	make_doubling(name, sizeof(name), 4);
	assert_true(symbol_demangle(&demangler, name, text));
	make_doubling(name, sizeof(name), 30);
	for (unsigned int i = 0; i < SYMBOL_DEMANGLE_REFUSALS_MAX; i++)
		assert_false(symbol_demangle(&demangler, name, text));
	/* Had it not been given up, this would be tried. */
	assert_int_equal(demangler.refusals, SYMBOL_DEMANGLE_REFUSALS_MAX);
	assert_false(symbol_demangle(&demangler, "_Z3foov", text));
}

/* Rust, with references back: 2^n times a tuple. */
static void gives_up_references_without_end(void **state)
{
	struct symbol_demangler demangler = {0};
	char text[SYMBOL_DEMANGLED_BYTES];

	assert_false(symbol_demangle(&demangler,
				     "_RINvC1a1bTTTTTTTTTTTTTTTTuuEB9_EB8_EB7_EB6_EB5_EB4_EB3_EB2_"
				     "EB1_EB0_EuEuEuEuEuEuEE",
				     text));
	assert_true(demangler.refusals <= 1);
}

/* Conversion operators within each other: 24 of them took 3 s, 40 did not end. */
static void make_conversions(char *name, size_t bytes, unsigned int depth, const char *open,
			     const char *end)
{
	size_t len = (size_t)snprintf(name, bytes, "_Z");

	for (unsigned int i = 0; i < depth; i++)
		len += (size_t)snprintf(name + len, bytes - len, "%s", open);
	len += (size_t)snprintf(name + len, bytes - len, "cvT_IiE");
	for (unsigned int i = 0; i < depth; i++)
		len += (size_t)snprintf(name + len, bytes - len, "%s", end);
	snprintf(name + len, bytes - len, "v");
}

static void does_not_try_deep_conversions(void **state)
{
	static const struct {
		const char *open, *end;
	} rows[] = {
		{"cvT_ILZ", "vEEE"},	{"cvT0_ILZ", "vEEE"}, {"cvPT_ILZ", "vEEE"},
		{"cvTL0__ILZ", "vEEE"}, {"cvT_IT_I", "EE"},
	};
	struct symbol_demangler demangler = {0};
	char text[SYMBOL_DEMANGLED_BYTES], name[1024];

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_conversions(name, sizeof(name), 40, rows[i].open, rows[i].end);
		assert_false(symbol_demangle(&demangler, name, text));
		assert_int_equal(demangler.deep, i + 1);
	}
	assert_int_equal(demangler.refusals, 0);
	/* One is what programs have. */
	assert_true(symbol_demangle(&demangler, "_ZN1AcvT_I1BEEv", text));
	assert_int_equal(demangler.deep, sizeof(rows) / sizeof(rows[0]));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_names_of_each_language),
	cmocka_unit_test(gives_up_what_has_no_end),
	cmocka_unit_test(gives_up_references_without_end),
	cmocka_unit_test(does_not_try_deep_conversions),
};

UNIT_GROUP(tests);
