/* SPDX-License-Identifier: MIT */
/* Operands of two assemblers: AT&T's of x86-64, and that of arm64. */
#include "perf/usdt_args.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "util/count.h"

enum { WORD_BYTES = 64, X86_AX = 0, X86_SP = 7, ARM64_SP = 31 };

#if defined(__x86_64__)
enum { STACK_POINTER = X86_SP, RETURNED = X86_AX };
/* di, si, dx, cx, r8, r9 */
static const uint8_t passed[] = {5, 4, 3, 2, 16, 17};
#else
enum { STACK_POINTER = ARM64_SP, RETURNED = 0 };
static const uint8_t passed[] = {0, 1, 2, 3, 4, 5};
#endif

/* The registers that have names of their own, with those of their parts. */
static const struct {
	const char *names[4]; /* of 8, 4, 2 and 1 bytes */
	uint8_t number;
} x86_registers[] = {
	{{"rax", "eax", "ax", "al"}, 0},  {{"rbx", "ebx", "bx", "bl"}, 1},
	{{"rcx", "ecx", "cx", "cl"}, 2},  {{"rdx", "edx", "dx", "dl"}, 3},
	{{"rsi", "esi", "si", "sil"}, 4}, {{"rdi", "edi", "di", "dil"}, 5},
	{{"rbp", "ebp", "bp", "bpl"}, 6}, {{"rsp", "esp", "sp", "spl"}, 7},
};

enum { X86_R8 = 16, X86_NUMBERED_FIRST = 8, X86_NUMBERED_LAST = 15 };

/* A number behind a letter, and nothing but letters of its size behind that; or -1. */
static int numbered(const char *name, const char *sizes)
{
	char *end;
	long number;

	if (name[0] < '0' || name[0] > '9')
		return -1;
	number = strtol(name, &end, 10);
	return number > 31 || strspn(end, sizes) != strlen(end) ? -1 : (int)number;
}

static uint8_t x86_register(const char *name)
{
	int number = name[0] == 'r' ? numbered(name + 1, "dwb") : -1;

	if (number >= X86_NUMBERED_FIRST && number <= X86_NUMBERED_LAST)
		return (uint8_t)(X86_R8 + number - X86_NUMBERED_FIRST);
	for (size_t i = 0; i < COUNT(x86_registers); i++)
		for (size_t size = 0; size < COUNT(x86_registers[i].names); size++)
			if (strcmp(x86_registers[i].names[size], name) == 0)
				return x86_registers[i].number;
	return PERF_NO_REGISTER;
}

static uint8_t arm64_register(const char *name)
{
	int number = name[0] == 'x' || name[0] == 'w' ? numbered(name + 1, "") : -1;

	if (strcmp(name, "sp") == 0)
		return ARM64_SP;
	return number >= 0 && number < ARM64_SP ? (uint8_t)number : PERF_NO_REGISTER;
}

/* Takes a part of an operand up to one of some characters, and leaves it out of it. */
static char *take_part(char **at, const char *ends)
{
	char *part = *at;
	size_t len = strcspn(part, ends);

	*at = part + len + (part[len] != '\0');
	part[len] = '\0';
	while (*part == ' ')
		part++;
	return part;
}

/* "-16(%rbp,%rax,8)". Returns false if it is not understood. */
static bool parse_x86_memory(char *text, struct perf_usdt_arg *arg)
{
	char *end, *part;

	arg->number = strtoll(text, &end, 0);
	if (*end != '(' || text[strlen(text) - 1] != ')')
		return false; /* a name, which the linker has replaced */
	text = end + 1;
	part = take_part(&text, ",)");
	if (*part)
		arg->base = *part == '%' ? x86_register(part + 1) : PERF_NO_REGISTER;
	if (*part && arg->base == PERF_NO_REGISTER)
		return false;
	part = take_part(&text, ",)");
	if (*part) {
		arg->index = *part == '%' ? x86_register(part + 1) : PERF_NO_REGISTER;
		part = take_part(&text, ",)");
		arg->scale = *part ? (uint8_t)strtoul(part, NULL, 10) : 1;
		if (arg->index == PERF_NO_REGISTER)
			return false;
	}
	arg->is_memory = true;
	return arg->base != PERF_NO_REGISTER || arg->index != PERF_NO_REGISTER;
}

static bool parse_x86(char *text, struct perf_usdt_arg *arg)
{
	char *end;

	if (*text == '$') {
		arg->number = strtoll(text + 1, &end, 0);
		return end != text + 1 && !*end;
	}
	if (*text != '%')
		return parse_x86_memory(text, arg);
	arg->base = x86_register(text + 1);
	return arg->base != PERF_NO_REGISTER;
}

/* "[sp, 16]", "[x29, -4]", "x0", "5" */
static bool parse_arm64(char *text, struct perf_usdt_arg *arg)
{
	char *end, *part;

	if (*text != '[') {
		arg->base = arm64_register(text);
		if (arg->base != PERF_NO_REGISTER)
			return true;
		arg->number = strtoll(text, &end, 0);
		return end != text && !*end;
	}
	text++;
	arg->base = arm64_register(take_part(&text, ",]"));
	part = take_part(&text, ",]");
	arg->number = strtoll(part, &end, 0);
	arg->is_memory = true;
	return arg->base != PERF_NO_REGISTER && !*end;
}

/* "-4@OPERAND" */
static bool parse_arg(char *text, unsigned int machine, struct perf_usdt_arg *arg)
{
	char *end;
	long bytes = strtol(text, &end, 10);

	if (*end != '@' || bytes < -8 || bytes > 8)
		return false;
	arg->is_signed = bytes < 0;
	arg->bytes = (uint8_t)(bytes < 0 ? -bytes : bytes);
	if (arg->bytes != 1 && arg->bytes != 2 && arg->bytes != 4 && arg->bytes != 8)
		return false;
	return machine == EM_X86_64 ? parse_x86(end + 1, arg)
				    : machine == EM_AARCH64 && parse_arm64(end + 1, arg);
}

/* The length of a word: one in brackets may have blanks. */
static size_t word_len(const char *text)
{
	size_t len = 0, depth = 0;

	for (; text[len] && (depth || text[len] != ' '); len++) {
		depth += text[len] == '[';
		depth -= text[len] == ']' && depth;
	}
	return len;
}

void perf_usdt_args_parse(const char *text, unsigned int machine, struct perf_usdt_args *args)
{
	*args = (struct perf_usdt_args){0};
	text += strspn(text, " ");
	while (*text && args->count < PERF_USDT_ARGS_MAX) {
		struct perf_usdt_arg arg = {.base = PERF_NO_REGISTER, .index = PERF_NO_REGISTER};
		size_t len = word_len(text);
		char word[WORD_BYTES];

		if (len < sizeof(word)) {
			memcpy(word, text, len);
			word[len] = '\0';
		}
		if (len >= sizeof(word) || !parse_arg(word, machine, &arg))
			arg.bytes = 0;
		args->in_memory |= arg.bytes && arg.is_memory;
		args->list[args->count++] = arg;
		text += len;
		text += strspn(text, " ");
	}
}

void perf_usdt_args_of_function(bool returns, struct perf_usdt_args *args)
{
	*args = (struct perf_usdt_args){.count = returns ? 1 : COUNT(passed)};
	for (size_t i = 0; i < args->count; i++)
		args->list[i] = (struct perf_usdt_arg){
			.bytes = sizeof(uint64_t),
			.is_signed = true,
			.base = returns ? RETURNED : passed[i],
			.index = PERF_NO_REGISTER,
		};
}

/* Samples have the wanted registers alone, in the order of their numbers. */
static bool read_register(const struct perf_usdt_registers *registers, uint8_t number,
			  uint64_t *value)
{
	uint64_t below = PERF_ARGS_REGISTERS & ((UINT64_C(1) << number) - 1);
	size_t place = (size_t)__builtin_popcountll(below);

	if (!(PERF_ARGS_REGISTERS >> number & 1) || !registers->numbers ||
	    place >= registers->count)
		return false;
	memcpy(value, registers->numbers + place * sizeof(*value), sizeof(*value));
	return true;
}

/* Of what was copied of the stack. */
static bool read_memory(const struct perf_usdt_registers *registers, uint64_t address, size_t bytes,
			uint64_t *value)
{
	uint64_t begin, at;

	if (!read_register(registers, STACK_POINTER, &begin))
		return false;
	at = address - begin;
	if (at > registers->stack_bytes || bytes > registers->stack_bytes - at)
		return false;
	*value = 0;
	memcpy(value, registers->stack + at, bytes);
	return true;
}

static int64_t cut(uint64_t value, size_t bytes, bool is_signed)
{
	unsigned int unused = 64 - 8 * (unsigned int)bytes;

	value <<= unused;
	return is_signed ? (int64_t)value >> unused : (int64_t)(value >> unused);
}

bool perf_usdt_arg_value(const struct perf_usdt_arg *arg,
			 const struct perf_usdt_registers *registers, int64_t *value)
{
	uint64_t sum = (uint64_t)arg->number, part;

	if (!arg->bytes)
		return false;
	if (arg->base != PERF_NO_REGISTER) {
		if (!read_register(registers, arg->base, &part))
			return false;
		sum += part;
	}
	if (arg->index != PERF_NO_REGISTER) {
		if (!read_register(registers, arg->index, &part))
			return false;
		sum += part * arg->scale;
	}
	if (arg->is_memory && !read_memory(registers, sum, arg->bytes, &sum))
		return false;
	*value = cut(sum, arg->bytes, arg->is_signed);
	return true;
}
