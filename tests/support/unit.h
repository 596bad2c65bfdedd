/* SPDX-License-Identifier: MIT */
/*
 * Unit tests: the files of a folder are one program, whose main() is in unit.c. A file is a group
 * of cases, which it registers with one line at its end:
 *
 *	static const struct CMUnitTest tests[] = {
 *		cmocka_unit_test(gives_aligned_blocks_of_every_size),
 *	};
 *
 *	UNIT_GROUP(tests);
 *
 * Each group runs in a process of its own: what it changes there, or breaks, is not seen by
 * another.
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

/* cmocka.h needs what stands before it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>

#include "sanitized.h"

struct unit_group {
	const char *file; /* of tests/unit: it names the group */
	const struct CMUnitTest *tests;
	size_t count;
	/* What follows may be left out. */
	int (*setup)(void **state); /* before the first case, and after the last one */
	int (*teardown)(void **state);
	const char *(*missing)(void); /* what it needs and this machine lacks; NULL: nothing */
	bool slow; /* takes seconds: left out with --quick */
	/*
	 * Takes and frees so much memory, as who loads programs does, whose types libbpf keeps in
	 * lists that grow, that to fill it each time takes as long as all else. The sanitizers'
	 * build fills the beginning of all memory by itself.
	 */
	bool unfilled;
	unsigned int limit_s; /* after which it is ended; UNIT_LIMIT_S when 0 */
	struct unit_group *next; /* of unit.c */
};

/* Registers the tests of a file: UNIT_GROUP(tests, .setup = create, .teardown = destroy). */
#define UNIT_GROUP(array, ...)                                                                     \
	__attribute__((constructor)) static void unit_register_file(void)                          \
	{                                                                                          \
		static struct unit_group unit_group = {.file = __FILE__,                           \
						       .tests = array,                             \
						       .count = sizeof(array) / sizeof(*(array)),  \
						       __VA_ARGS__};                               \
		unit_register(&unit_group);                                                        \
	}

void unit_register(struct unit_group *group);

#endif
