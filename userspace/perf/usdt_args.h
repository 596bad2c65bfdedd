/* SPDX-License-Identifier: MIT */
/*
 * Where the arguments of a static probe are, as its note says: "-4@%edi 8@$5 8@-16(%rbp)"; and
 * those of a function, by the calling convention of this machine.
 */
#ifndef PERF_USDT_ARGS_H
#define PERF_USDT_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PERF_USDT_ARGS_MAX = 12, /* as <sys/sdt.h> has */
	PERF_NO_REGISTER = 0xff,
};

/* The user registers that samples are to have for them (sample_regs_user), and how many these are.
 */
#if defined(__x86_64__)
#define PERF_ARGS_REGISTERS UINT64_C(0xff01ff)
#define PERF_ARGS_MACHINE 62 /* EM_X86_64 */
#elif defined(__aarch64__)
#define PERF_ARGS_REGISTERS UINT64_C(0x1ffffffff)
#define PERF_ARGS_MACHINE 183 /* EM_AARCH64 */
#endif

/* A constant if it has no register; else a register, or what stands in memory by registers. */
struct perf_usdt_arg {
	uint8_t bytes; /* 1, 2, 4 or 8 */
	bool is_signed, is_memory;
	uint8_t base, index; /* bits of PERF_ARGS_REGISTERS, or PERF_NO_REGISTER */
	uint8_t scale;
	int64_t number; /* the constant, or what is added to the registers */
};

struct perf_usdt_args {
	struct perf_usdt_arg list[PERF_USDT_ARGS_MAX];
	size_t count;
	bool in_memory; /* of any of them */
};

/*
 * Reads the words of a note. One that is not understood, such as the name of a variable, has 0
 * bytes: its value is not known. machine: EM_X86_64 or EM_AARCH64.
 */
void perf_usdt_args_parse(const char *text, unsigned int machine, struct perf_usdt_args *args);

/* Those of a function when it is called: six numbers in registers; or what it returns. */
void perf_usdt_args_of_function(bool returns, struct perf_usdt_args *args);

/* What a sample has of a thread. */
struct perf_usdt_registers {
	const uint8_t *numbers; /* unaligned, those of PERF_ARGS_REGISTERS; NULL: none */
	size_t count;
	const uint8_t *stack; /* a copy of memory from the stack pointer on */
	size_t stack_bytes;
};

/* The value of an argument. Returns false: it is not known. */
bool perf_usdt_arg_value(const struct perf_usdt_arg *arg,
			 const struct perf_usdt_registers *registers, int64_t *value);

#endif
