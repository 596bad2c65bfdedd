/* SPDX-License-Identifier: MIT */
/* Words for categories, types, formats and signals; every type has one, other numbers have none. */
#include <limits.h>
#include <signal.h>
#include <string.h>

#include "event/names.h"
#include "unit.h"

struct row {
	unsigned int number;
	const char *name; /* NULL: none */
};

static void expect(const char *name, const struct row *row)
{
	if (!row->name) {
		if (name)
			fail_msg("%u has the name %s", row->number, name);
		return;
	}
	if (!name)
		fail_msg("%u has no name", row->number);
	assert_string_equal(name, row->name);
}

static void test_categories(void **state)
{
	static const struct row rows[] = {
		{EC_UNKNOWN, "unknown"},
		{EC_OTHER, "other"},
		{EC_IPC, "IPC"},
		{EC_TIME, "time"},
		{EC_TIME + 1, NULL},
		{EC_IO_READ, NULL},
		{EC_IO_WRITE, NULL},
		{EC_IO_OTHER, NULL},
		{EC_WAIT, "wait"},
		{EC_SCHEDULER, "scheduler"},
		{EC_SCHEDULER + 1, NULL},
		{0xff, NULL},
		/* Where the event comes from is no part of the name. */
		{EC_SYSCALL | EC_FILE, "file"},
		{EC_TRACEPOINT | EC_SCHEDULER, "scheduler"},
		{EC_SYSCALL | EC_IO_READ, NULL},
		{EC_INTERNAL, "unknown"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(event_category_name(rows[i].number), &rows[i]);
}

/* Of every event; I/O has that of its descriptor. */
static void test_categories_of_events(void **state)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!desc)
			continue;
		if (desc->category & EC_IO_READ)
			assert_null(event_category_name(desc->category));
		else if (!event_category_name(desc->category))
			fail_msg("no name for the category of %s", desc->name);
	}
}

static void test_types(void **state)
{
	static const struct row rows[] = {
		{PT_INT8, "number"},	{PT_UINT64, "number"},	  {PT_DOUBLE, "number"},
		{PT_FLAGS64, "flags"},	{PT_ENUMFLAGS8, "name"},  {PT_FD, "descriptor"},
		{PT_ERRNO, "result"},	{PT_SIGSET, "signals"},	  {PT_FSRELPATH, "path"},
		{PT_BYTEBUF, "bytes"},	{PT_SOCKADDR, "address"}, {PT_SOCKTUPLE, "addresses"},
		{PT_BITSET, "numbers"}, {PT_IPNET, "network"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(event_param_type_name((enum param_type)rows[i].number), &rows[i]);
}

/* Of every parameter, none with an empty text. */
static void test_types_of_parameters(void **state)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		for (unsigned int i = 0; desc && i < desc->nparams; i++) {
			const char *name = event_param_type_name(desc->params[i].type);

			if (!name || !name[0])
				fail_msg("no name for the type of %s.%s", desc->name,
					 desc->params[i].name);
		}
	}
}

static void test_formats(void **state)
{
	static const struct row rows[] = {
		{PF_NA, NULL},	   {PF_DEC, "decimal"},	       {PF_HEX, "hexadecimal"},
		{PF_OCT, "octal"}, {PF_PADDED_DEC, "decimal"}, {PF_ID, NULL},
		{PF_DIR, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(event_param_format_name((enum param_format)rows[i].number), &rows[i]);
}

static void test_signals(void **state)
{
	static const struct row rows[] = {
		{0, NULL},
		{32, NULL},
		{64, NULL},
		{UINT_MAX, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(event_signal_name(rows[i].number), &rows[i]);
	for (int number = 1; number < 32; number++) {
		const char *name = event_signal_name((unsigned int)number);

		/* glibc's abbreviation is the name without SIG. */
		assert_non_null(name);
		assert_memory_equal(name, "SIG", 3);
		assert_string_equal(name + 3, number == SIGIO ? "IO" : sigabbrev_np(number));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_categories), cmocka_unit_test(test_categories_of_events),
	cmocka_unit_test(test_types),	   cmocka_unit_test(test_types_of_parameters),
	cmocka_unit_test(test_formats),	   cmocka_unit_test(test_signals),
};

UNIT_GROUP(tests);
