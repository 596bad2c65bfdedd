/* SPDX-License-Identifier: MIT */
/*
 * Functions of x86-64 as bytes: where probes of them may stand, and what proves nothing. The first
 * is SSL_read() of Debian 12.
 */
#include "scap/tls/cheap.h"

#include <string.h>

#include "unit.h"
#include "util/count.h"

/* sub $24,%rsp; mov %fs:40,%rax; mov %rax,8(%rsp); xor %eax,%eax; test %edx,%edx */
#define BEGINS                                                                                     \
	0x48, 0x83, 0xec, 0x18, 0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0, 0x48, 0x89, 0x44,     \
		0x24, 0x08, 0x31, 0xc0, 0x85, 0xd2
/* mov 8(%rsp),%rdx; sub %fs:40,%rdx */
#define COMPARES 0x48, 0x8b, 0x54, 0x24, 0x08, 0x64, 0x48, 0x2b, 0x14, 0x25, 0x28, 0, 0, 0
/* add $24,%rsp; xor %edx,%edx; xor %esi,%esi */
#define LEAVES 0x48, 0x83, 0xc4, 0x18, 0x31, 0xd2, 0x31, 0xf6
#define CALL 0xe8, 0, 0, 0, 0

enum { AT_BEGIN = 22, AT_END = AT_BEGIN + 2 + 5 + 14, AT_CALL = AT_END + 2 + 9 };

static const uint8_t whole[] = {
	BEGINS, 0x78,	  30, /* js: to the second call */
	CALL,	COMPARES, 0x75, 16, /* jne: to the last one */
	LEAVES, 0xc3,	  CALL, 0xeb, 0xe0, /* jmp: to the comparison */
	CALL,
};

static void test_whole(void **state)
{
	struct tls_cheap cheap;

	assert_true(tls_cheap_find(whole, sizeof(whole), 3, &cheap));
	assert_int_equal(cheap.begin.at, AT_BEGIN);
	assert_int_equal(cheap.begin.stack, 24);
	assert_int_equal(cheap.count, 1);
	assert_int_equal(cheap.ends[0].at, AT_END);
	assert_int_equal(cheap.ends[0].stack, 24);
}

/* What is pushed counts, as what is popped. */
static void test_stack(void **state)
{
	static const uint8_t code[] = {
		0xf3, 0x0f, 0x1e, 0xfa, /* endbr64 */
		0x48, 0x81, 0xec, 0x00, 0x01, 0,    0, /* sub $256,%rsp */
		0x41, 0x54, 0x53, /* push %r12; push %rbx */
		0x75, 12, /* jne: to the call */
		0x5b, 0x41, 0x5c, 0x48, 0x81, 0xc4, 0x00, 0x01, 0, 0, /* pop, pop, add */
		0xf3, 0xc3, /* rep ret */
		CALL,
	};
	struct tls_cheap cheap;

	assert_true(tls_cheap_find(code, sizeof(code), 5, &cheap));
	assert_int_equal(cheap.begin.at, 11);
	assert_int_equal(cheap.begin.stack, 256);
	assert_int_equal(cheap.count, 1);
	assert_int_equal(cheap.ends[0].at, 14);
	assert_int_equal(cheap.ends[0].stack, 256 + 16);
}

/* A byte of `whole` that is another one. */
struct change {
	const char *why;
	size_t at;
	uint8_t byte;
};

/* Each of them makes one thing false that the places stand on. */
static void test_others(void **state)
{
	static const struct change changes[] = {
		{"an argument is overwritten", 19, 0xd2}, /* xor %edx,%edx */
		{"the stack pointer is", 19, 0xe4},
		{"an instruction is not known", 18, 0x06},
		{"the begin is a target", AT_BEGIN + 1, 0xfc},
		{"a branch goes into an instruction", AT_BEGIN + 1, 0xf8},
		{"a branch goes away", AT_BEGIN + 1, 0x7f},
		{"a branch goes right before the function", AT_BEGIN + 1, 0xe7},
		{"a branch goes into the end", AT_BEGIN + 1, 25},
		{"the check is a condition", AT_END + 1, 9},
		{"the result is overwritten", AT_END + 7, 0xc0},
		{"a stack that grows by a negative number", 3, 0x80},
	};

	for (size_t i = 0; i < COUNT(changes); i++) {
		uint8_t code[sizeof(whole)];
		struct tls_cheap cheap;

		memcpy(code, whole, sizeof(whole));
		assert_int_not_equal(code[changes[i].at], changes[i].byte);
		code[changes[i].at] = changes[i].byte;
		if (tls_cheap_find(code, sizeof(code), 3, &cheap))
			fail_msg("%s", changes[i].why);
	}
}

/* Functions that go on by what a register says, or behind prefixes of branches. */
static void test_jumps(void **state)
{
	static const uint8_t jumps[][5] = {
		{0xff, 0xe0, 0x90, 0x90, 0x90}, {0x41, 0xff, 0xe3, 0x90, 0x90},
		{0x3e, 0xff, 0xe0, 0x90, 0x90}, {0xf2, 0xeb, 0x00, 0x90, 0x90},
		{0x66, 0x75, 0x00, 0x90, 0x90},
	};
	struct tls_cheap cheap;

	for (size_t i = 0; i < COUNT(jumps); i++) {
		uint8_t code[sizeof(whole)];

		/* In the place of a call. */
		memcpy(code, whole, sizeof(whole));
		memcpy(code + AT_CALL, jumps[i], sizeof(jumps[i]));
		assert_false(tls_cheap_find(code, sizeof(code), 3, &cheap));
	}
}

static void test_cut(void **state)
{
	struct tls_cheap cheap;

	for (size_t bytes = 0; bytes < sizeof(whole); bytes++)
		assert_false(tls_cheap_find(whole, bytes, 3, &cheap));
}

/* Any bytes: it ends, and what it finds is in the function. */
static void test_random(void **state)
{
	uint64_t random = 1;

	for (int i = 0; i < UNIT_ROUNDS(100000); i++) {
		uint8_t code[sizeof(whole)];
		struct tls_cheap cheap;

		memcpy(code, whole, sizeof(whole));
		for (int k = 0; k < 3; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			code[(random >> 33) % sizeof(code)] = (uint8_t)(random >> 24);
		}
		if (!tls_cheap_find(code, sizeof(code), 3, &cheap))
			continue;
		assert_true(cheap.begin.at < sizeof(code));
		for (size_t k = 0; k < cheap.count; k++)
			assert_true(cheap.ends[k].at < sizeof(code));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_whole), cmocka_unit_test(test_stack), cmocka_unit_test(test_others),
	cmocka_unit_test(test_jumps), cmocka_unit_test(test_cut),   cmocka_unit_test(test_random),
};

UNIT_GROUP(tests);
