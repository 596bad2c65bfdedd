/* SPDX-License-Identifier: MIT */
/*
 * A call made twice, as a 64-bit program makes it and as a 32-bit one does: both events have to be
 * the same, but for what the test excepts. What the first has to be is checked by its own test.
 */
#ifndef TESTS_ALIKE_H
#define TESTS_ALIKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALIKE_ARGS = 6 };

struct alike_call {
	long number;
	long args[ALIKE_ARGS];
};

struct alike {
	struct alike_call native, compat;
	bool makes_fd; /* its result is closed again */
	uint64_t except; /* a bit for each parameter that may differ */
};

#define alike_check(...) alike_check_at(__FILE__, __LINE__, &(struct alike){__VA_ARGS__})

void alike_check_at(const char *file, int line, const struct alike *alike);

/* The same arguments on both sides. */
#define expect_alike(native_number, compat_number, ...)                                            \
	alike_check({native_number, {__VA_ARGS__}}, {compat_number, {__VA_ARGS__}})

/* Arguments in the memory of a 32-bit program: the address of such words. */
#define LOW_WORDS(...)                                                                             \
	low_copy((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}))

long low_copy(const void *data, size_t len);
long low_text(const char *text);

#endif
