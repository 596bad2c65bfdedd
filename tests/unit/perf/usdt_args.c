/* SPDX-License-Identifier: MIT */
/* Operands of notes, in both assemblers, and what they are in registers and a piece of a stack. */
#include "perf/usdt_args.h"

#include <elf.h>
#include <string.h>

#include "unit.h"

enum { STACK_BYTES = 64 };

static uint64_t numbers[64];
static uint8_t stack[STACK_BYTES];
static struct perf_usdt_registers registers;

/* Each register has its number and 0x1100, the stack pointer and the frame pointer a stack of bytes
 * 0, 1, 2 and so on. */
static int fill(void **state)
{
	size_t count = 0;

	for (unsigned int number = 0; number < 64; number++)
		if (PERF_ARGS_REGISTERS >> number & 1)
			numbers[count++] = 0x1100 + number;
	for (int i = 0; i < STACK_BYTES; i++)
		stack[i] = (uint8_t)i;
	registers =
		(struct perf_usdt_registers){(const uint8_t *)numbers, count, stack, STACK_BYTES};
	return 0;
}

static void expect(const char *text, unsigned int machine, size_t i, int64_t wanted)
{
	struct perf_usdt_args args;
	int64_t value = 0;

	perf_usdt_args_parse(text, machine, &args);
	assert_true(i < args.count);
	assert_true(perf_usdt_arg_value(&args.list[i], &registers, &value));
	if (value != wanted)
		fail_msg("%s: argument %zu is %lld", text, i, (long long)value);
}

static void expect_unknown(const char *text, unsigned int machine)
{
	struct perf_usdt_args args;
	int64_t value;

	perf_usdt_args_parse(text, machine, &args);
	assert_int_equal(args.count, 1);
	assert_false(perf_usdt_arg_value(&args.list[0], &registers, &value));
}

#if defined(__x86_64__)
/* rbp is 6, rsp 7: 0x1107 is the begin of the stack. */
static void reads_operands_of_x86(void **state)
{
	static const char text[] = "-4@%edi 8@$-5 8@%r15 1@%al -1@$255 2@4(%rsp) 8@9(%rbp) "
				   "4@1(%rsp,%rax,0) 1@-0x1100(%rsp,%rsi,1)";
	static const int64_t values[] = {0x1105,     -5,  0x1117, 0, -1, 0x0504, 0x0f0e0d0c0b0a0908,
					 0x04030201, 0x04};

	for (size_t i = 0; i < 8; i++)
		expect(text, EM_X86_64, i, values[i]);
	expect(text, EM_X86_64, 8, values[8]);
}

static void knows_what_it_does_not_know(void **state)
{
	static const char *const texts[] = {
		"8@variable(%rip)",
		"8@%xmm0",
		"3@%rax",
		"8@",
		"@%rax",
		"%rax",
		"16@%rax",
		"8@%r16",
		"8@%r",
		"8@$",
		"8@$x",
		"8@(",
		"8@()",
		"8@4(",
		"8@4(%rax",
		"8@60(%rsp)",
		"8@-1(%rsp)",
		"8@0x7fffffffffffffff(%rsp)",
		"8@4(%rsp,%bad,4)",
		"99999999999999999999@%rax",
		"8@0000000000000000000000000000000000000000000000000000000000000000000001(%rsp)"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expect_unknown(texts[i], EM_X86_64);
}

static void has_arguments_of_functions(void **state)
{
	static const int64_t wanted[] = {0x1105, 0x1104, 0x1103, 0x1102, 0x1110, 0x1111};
	struct perf_usdt_args args;
	int64_t value;

	perf_usdt_args_of_function(false, &args);
	assert_int_equal(args.count, 6);
	for (size_t i = 0; i < args.count; i++) {
		assert_true(perf_usdt_arg_value(&args.list[i], &registers, &value));
		assert_int_equal(value, wanted[i]);
	}
	perf_usdt_args_of_function(true, &args);
	assert_int_equal(args.count, 1);
	assert_true(perf_usdt_arg_value(&args.list[0], &registers, &value));
	assert_int_equal(value, 0x1100);
	/* A kernel thread has none. */
	assert_false(perf_usdt_arg_value(&args.list[0], &(struct perf_usdt_registers){0}, &value));
}
#endif

static void parses_operands_of_arm64(void **state)
{
	struct perf_usdt_args args;

	perf_usdt_args_parse("-4@[sp, 12] 8@x0 4@w19 8@[x29, -16] -4@5 8@x31 8@[sp", EM_AARCH64,
			     &args);
	assert_int_equal(args.count, 7);
	assert_true(args.in_memory);
	assert_true(args.list[0].is_memory && args.list[0].base == 31 && args.list[0].number == 12);
	assert_true(!args.list[1].is_memory && args.list[1].base == 0);
	assert_true(args.list[2].base == 19 && args.list[2].bytes == 4);
	assert_true(args.list[3].base == 29 && args.list[3].number == -16);
	assert_true(args.list[4].base == PERF_NO_REGISTER && args.list[4].number == 5);
	assert_int_equal(args.list[5].bytes, 0);
	perf_usdt_args_parse("8@x0", EM_RISCV, &args);
	assert_int_equal(args.list[0].bytes, 0);
}

static void has_an_end(void **state)
{
	struct perf_usdt_args args;
	char text[512] = "";

	perf_usdt_args_parse("", EM_X86_64, &args);
	assert_int_equal(args.count, 0);
	perf_usdt_args_parse("   ", EM_X86_64, &args);
	assert_int_equal(args.count, 0);
	for (int i = 0; i < 40; i++)
		strcat(text, " 8@%rax");
	perf_usdt_args_parse(text, EM_X86_64, &args);
	assert_int_equal(args.count, PERF_USDT_ARGS_MAX);
	assert_false(args.in_memory);
}

static const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
	cmocka_unit_test(reads_operands_of_x86),      cmocka_unit_test(knows_what_it_does_not_know),
	cmocka_unit_test(has_arguments_of_functions),
#endif
	cmocka_unit_test(parses_operands_of_arm64),   cmocka_unit_test(has_an_end),
};

UNIT_GROUP(tests, .setup = fill);
