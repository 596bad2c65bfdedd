/* SPDX-License-Identifier: MIT */
/* Whether a sanitizer looks at memory, and what tests then do less of. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/*
 * How many of a series of random inputs a case takes, and of a series of given ones each how
 * many-th. Sanitizers make it ten times as slow, and look at memory, for which a part of the series
 * is enough: the answers are compared in the other build, which takes all. It is odd, so that what
 * takes turns in a series still does.
 */
enum { UNIT_STEP = SANITIZED ? 5 : 1 };
#define UNIT_ROUNDS(count) (((count) + UNIT_STEP - 1) / UNIT_STEP)

#endif
