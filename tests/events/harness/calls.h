/* SPDX-License-Identifier: MIT */
/*
 * Calls and their events in few lines. What a kernel answers may differ, down to not knowing the
 * call, so the result is compared with what the call gave; the parameters are exact.
 */
#ifndef TESTS_CALLS_H
#define TESTS_CALLS_H

#include "harness/fixture.h"
#include "harness/live.h"

/* In the place of a value: the parameter is absent; the test compares it by itself. */
#define NOTHING INT64_MIN
#define OTHER (INT64_MIN + 1)

/*
 * Makes the call, and compares its event: the result, then all other parameters in their order.
 * Values are computed after the call and may name `result`, which is also what this gives. Those
 * for types of 32 bits are cut to these.
 */
#define CHECK(name, arguments, ...)                                                                \
	({                                                                                         \
		long result = CALL arguments;                                                      \
                                                                                                   \
		expect_values(live_next(EVENT_##name), result, ##__VA_ARGS__);                     \
		result;                                                                            \
	})

/* Compares all parameters of an event, the first one included. */
#define expect_values(ev, ...)                                                                     \
	calls_expect_values(__FILE__, __LINE__, ev, (const int64_t[]){__VA_ARGS__},                \
			    sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* What the kernel writes, if the call worked. */
#define OUT(value) (result < 0 ? NOTHING : (int64_t)(value))

/* An address among the values. */
#define AT(pointer) ((int64_t)(uintptr_t)(pointer))

void calls_expect_values(const char *file, int line, const struct event *ev, const int64_t *values,
			 size_t count);

/* The number of a call that this C library may not name. */
#define NR(name) ((long)syscall_native_number(SC_##name))

/* The next event of that id; its first parameter has to be that result. */
#define next_with_result(id, ret) calls_next(__FILE__, __LINE__, id, ret)

/* Compares the fixed-size parameters from `first` on, as many as there are values. */
#define expect_numbers(ev, first, ...)                                                             \
	calls_expect_numbers(__FILE__, __LINE__, ev, first, (const int64_t[]){__VA_ARGS__},        \
			     sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* The parameters from `first` to `last` have to be absent. */
#define expect_absents(ev, first, last) calls_expect_absents(__FILE__, __LINE__, ev, first, last)

const struct event *calls_next(const char *file, int line, unsigned int id, long ret);
void calls_expect_numbers(const char *file, int line, const struct event *ev, unsigned int first,
			  const int64_t *values, size_t count);
void calls_expect_absents(const char *file, int line, const struct event *ev, unsigned int first,
			  unsigned int last);

#endif
