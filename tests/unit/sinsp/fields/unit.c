/* SPDX-License-Identifier: MIT */
/* What the numbers of fields count. */
#include <string.h>

#include "sinsp/fields/field.h"
#include "unit.h"

/* A time whose name ends so is in seconds, and a constant with a unit would be wrong otherwise. */
static void test_units_of_seconds(void **state)
{
	unsigned int found = 0;

	for (size_t t = 0; field_tables[t]; t++) {
		for (const struct field_desc *desc = field_tables[t]; desc->name; desc++) {
			const char *end = strrchr(desc->name, '.');

			if ((desc->type != PT_RELTIME && desc->type != PT_ABSTIME) ||
			    strcmp(end, ".s") != 0)
				continue;
			if (desc->unit != FIELD_UNIT_S)
				fail_msg("the row of %s needs .unit = FIELD_UNIT_S", desc->name);
			found++;
		}
	}
	assert_true(found >= 3);
}

static void test_units(void **state)
{
	static const struct {
		const char *field;
		enum field_unit unit;
	} units[] = {
		{"evt.reltime", FIELD_UNIT_NS},	       {"evt.reltime.s", FIELD_UNIT_S},
		{"evt.reltime.ns", FIELD_UNIT_NS},     {"evt.deltatime.s", FIELD_UNIT_S},
		{"evt.rawtime", FIELD_UNIT_NS},	       {"evt.rawtime.s", FIELD_UNIT_S},
		{"evt.around[5]", FIELD_UNIT_MS},      {"proc.duration", FIELD_UNIT_NS},
		{"evt.buflen", FIELD_UNIT_BYTES},      {"evt.buflen.net.out", FIELD_UNIT_BYTES},
		{"evt.rawres", FIELD_UNIT_BYTES},      {"proc.vmsize", FIELD_UNIT_KIB},
		{"thread.vmrss", FIELD_UNIT_KIB},      {"thread.vmsize.b", FIELD_UNIT_BYTES},
		{"proc.cmdlenargs", FIELD_UNIT_BYTES}, {"evt.rawarg.size", FIELD_UNIT_BYTES},
		{"evt.rawarg.vm_rss", FIELD_UNIT_KIB}, {"evt.rawarg.mode", FIELD_UNIT_NONE},
		{"evt.num", FIELD_UNIT_NONE},	       {"proc.nthreads", FIELD_UNIT_NONE},
		{"proc.name", FIELD_UNIT_NONE},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const char *field = units[i].field;
		struct field_ref ref;

		assert_int_equal(field_ref_init(&ref, field, strlen(field), NULL), 0);
		assert_int_equal(field_unit(&ref), units[i].unit);
		field_ref_finish(&ref);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_units_of_seconds),
	cmocka_unit_test(test_units),
};

UNIT_GROUP(tests);
