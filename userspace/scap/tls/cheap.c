/* SPDX-License-Identifier: MIT */
/*
 * Two passes: where all branches go, then what the instructions before the first such place and
 * behind the last ones do with registers. Only few instructions are known; any other one proves
 * nothing, nor does a function that can go on elsewhere.
 */
#include "scap/tls/cheap.h"

#include <string.h>

#include "scap/tls/instructions.h"
#include "util/count.h"

enum { RAX, RCX, RDX, RSP = 4, RSI = 6, RDI, R8, REGISTERS = 16 };

#define BIT(reg) (1u << (reg))

/* What an instruction of one byte does with its operands. */
enum effect { READS, WRITES_REGISTER, WRITES_OPERAND, BY_OPERATION };

static const struct {
	uint8_t first, last, effect;
} effects[] = {
	{0x31, 0x31, WRITES_OPERAND},  {0x33, 0x33, WRITES_REGISTER}, {0x39, 0x39, READS},
	{0x3b, 0x3b, READS},	       {0x63, 0x63, WRITES_REGISTER}, {0x80, 0x81, BY_OPERATION},
	{0x83, 0x83, BY_OPERATION},    {0x84, 0x85, READS},	      {0x89, 0x89, WRITES_OPERAND},
	{0x8b, 0x8b, WRITES_REGISTER}, {0x8d, 0x8d, WRITES_REGISTER},
};

/* An instruction, taken apart as far as these need it. */
struct parsed {
	uint8_t rex, opcode, mode, reg, operand;
	const uint8_t *numbers; /* behind the operand, if that is a register */
};

static struct parsed parse(const uint8_t *code, size_t length)
{
	struct parsed in = {0};
	size_t at = code[0] == 0x64; /* relative to the thread's own data */

	if (at < length && (code[at] & 0xf0) == 0x40)
		in.rex = code[at++];
	if (at >= length)
		return in;
	in.opcode = code[at++];
	if (at >= length)
		return in;
	in.mode = code[at] >> 6;
	in.reg = (code[at] >> 3 & 7) | (in.rex & 4) << 1;
	in.operand = (code[at] & 7) | (in.rex & 1) << 3;
	in.numbers = code + at + 1;
	return in;
}

/* Adds to, or subtracts from, the stack pointer. Returns false if it is another instruction. */
static bool move_stack(const struct parsed *in, int32_t *stack)
{
	const uint8_t operation = in->reg & 7;
	int32_t number;

	if (in->mode != 3 || in->operand != RSP || !(in->rex & 8) ||
	    (operation != 0 && operation != 5))
		return false;
	if (in->opcode == 0x83)
		number = (int8_t)in->numbers[0];
	else if (in->opcode == 0x81)
		memcpy(&number, in->numbers, sizeof(number));
	else
		return false;
	if (number < 0 || number > TLS_CHEAP_STACK_MAX)
		return false;
	*stack += operation == 5 ? number : -number;
	return true;
}

/* Which registers an instruction with an operand writes; all: it is not known. */
static uint32_t written_by(const struct parsed *in)
{
	for (size_t i = 0; i < COUNT(effects); i++) {
		if (in->opcode < effects[i].first || in->opcode > effects[i].last)
			continue;
		switch (effects[i].effect) {
		case READS:
			return 0;
		case WRITES_REGISTER:
			return BIT(in->reg);
		case WRITES_OPERAND:
			return in->mode == 3 ? BIT(in->operand) : 0;
		default:
			/* Only comparisons. */
			return (in->reg & 7) == 7 ? 0 : ~0u;
		}
	}
	return ~0u;
}

/*
 * Steps over an instruction that goes on with the next one. Returns false if it is not known, or
 * writes a register of `kept`.
 */
static bool step(const uint8_t *code, size_t length, uint32_t kept, int32_t *stack)
{
	static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const struct parsed in = parse(code, length);
	const uint8_t low = (in.opcode & 7) | (in.rex & 1) << 3;

	if (length == sizeof(landing) && memcmp(code, landing, length) == 0)
		return true;
	if (code[0] == 0x0f)
		return code[1] == 0x1f; /* nop */
	if ((in.opcode & 0xf8) == 0x50) {
		*stack += 8;
		return true;
	}
	if ((in.opcode & 0xf8) == 0x58) {
		*stack -= 8;
		return low != RSP && !(kept & BIT(low));
	}
	return move_stack(&in, stack) || !(written_by(&in) & (kept | BIT(RSP)));
}

/* Whether the kernel does what an instruction does without stepping over it. */
static bool is_cheap(const uint8_t *code, size_t length)
{
	if (length == 2 && code[0] == 0x41)
		return (code[1] & 0xf8) == 0x50;
	return (length == 1 && (code[0] & 0xf8) == 0x50) ||
	       (length == 2 && ((code[0] & 0xf0) == 0x70 || code[0] == 0xeb)) ||
	       (length == 5 && (code[0] == 0xe8 || code[0] == 0xe9)) ||
	       (length == 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80);
}

static bool is_return(const uint8_t *code, size_t length)
{
	return code[length - 1] == 0xc3 &&
	       (length == 1 || (length == 2 && (code[0] == 0xf2 || code[0] == 0xf3)));
}

enum { NO_BRANCH = -1, OUTSIDE = -2 };

/* Where a branch goes. */
static int64_t target_of(const uint8_t *code, size_t at, size_t length)
{
	const uint8_t *opcode = code + at;
	int64_t target = (int64_t)(at + length);
	int32_t far;

	if (length == 2 && ((opcode[0] & 0xf0) == 0x70 || opcode[0] == 0xeb)) {
		target += (int8_t)opcode[1];
	} else if (opcode[0] == 0xe9 || (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80)) {
		memcpy(&far, opcode + length - sizeof(far), sizeof(far));
		target += far;
	} else {
		return NO_BRANCH;
	}
	return target < 0 ? OUTSIDE : target;
}

/* Whether an instruction may go on where target_of() does not say it: as a register or memory says,
 * where a transaction is aborted, or it is a branch with prefixes. */
static bool goes_anywhere(const uint8_t *code, size_t length)
{
	static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0xf0, 0x2e, 0x3e, 0x64, 0x65};
	size_t at = 0;

	while (at + 1 < length &&
	       (memchr(prefixes, code[at], sizeof(prefixes)) || (code[at] & 0xf0) == 0x40))
		at++;
	if (at && ((code[at] & 0xf0) == 0x70 || (code[at] & 0xfd) == 0xe9 ||
		   (code[at] == 0x0f && at + 1 < length && (code[at + 1] & 0xf0) == 0x80)))
		return true;
	if (at + 1 >= length)
		return false;
	return (code[at] == 0xff && (code[at + 1] >> 3 & 6) == 4) ||
	       (code[at] == 0xc7 && code[at + 1] == 0xf8);
}

/* Of a function: how long the instruction is that begins at a byte, and whether a branch goes
 * there. */
struct layout {
	uint8_t length[TLS_CHEAP_BYTES_MAX]; /* 0: none begins there */
	bool is_target[TLS_CHEAP_BYTES_MAX];
};

static bool read_layout(const uint8_t *code, size_t bytes, struct layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	for (size_t at = 0; at < bytes; at += layout->length[at]) {
		size_t length = tls_instruction_bytes(code + at, bytes - at);
		int64_t target;

		if (!length || goes_anywhere(code + at, length))
			return false;
		layout->length[at] = (uint8_t)length;
		target = target_of(code, at, length);
		if (target == OUTSIDE || target >= (int64_t)bytes)
			return false;
		if (target >= 0)
			layout->is_target[target] = true;
	}
	for (size_t at = 0; at < bytes; at++)
		if (layout->is_target[at] && !layout->length[at])
			return false;
	return true;
}

static bool find_begin(const uint8_t *code, size_t bytes, const struct layout *layout,
		       unsigned int arguments, struct tls_cheap_place *begin)
{
	static const uint8_t registers[] = {RDI, RSI, RDX, RCX, R8};
	uint32_t kept = 0;
	int32_t stack = 0;

	for (unsigned int i = 0; i < arguments && i < COUNT(registers); i++)
		kept |= BIT(registers[i]);
	for (size_t at = 0; at < bytes && !layout->is_target[at]; at += layout->length[at]) {
		if (is_cheap(code + at, layout->length[at])) {
			*begin = (struct tls_cheap_place){(uint32_t)at, stack};
			return true;
		}
		if (!step(code + at, layout->length[at], kept, &stack))
			return false;
	}
	return false;
}

/* Whether a branch is one that a call takes only to end the program: to the function's last call,
 * which does not return as nothing is behind it. */
static bool is_check(const uint8_t *code, size_t bytes, const struct layout *layout, size_t at)
{
	int64_t target = target_of(code, at, layout->length[at]);

	return target >= 0 && code[at] != 0xeb && code[at] != 0xe9 && code[target] == 0xe8 &&
	       layout->length[target] == 5 && (size_t)target + 5 == bytes;
}

static bool find_ends(const uint8_t *code, size_t bytes, const struct layout *layout,
		      struct tls_cheap *found)
{
	int32_t stack = 0;
	size_t check = bytes; /* the last one, if only known instructions are behind it */

	found->count = 0;
	for (size_t at = 0; at < bytes; at += layout->length[at]) {
		const size_t length = layout->length[at];

		if (layout->is_target[at])
			check = bytes;
		if (is_check(code, bytes, layout, at)) {
			check = at;
			stack = 0;
		} else if (is_return(code + at, length)) {
			if (check == bytes || found->count == TLS_CHEAP_ENDS)
				return false;
			found->ends[found->count++] =
				(struct tls_cheap_place){(uint32_t)check, -stack};
			check = bytes;
		} else if (check < bytes && !step(code + at, length, BIT(RAX), &stack)) {
			check = bytes;
		}
	}
	return found->count > 0;
}

bool tls_cheap_find(const uint8_t *code, size_t bytes, unsigned int arguments,
		    struct tls_cheap *found)
{
	struct layout layout;

	return bytes <= TLS_CHEAP_BYTES_MAX && read_layout(code, bytes, &layout) &&
	       find_begin(code, bytes, &layout, arguments, &found->begin) &&
	       find_ends(code, bytes, &layout, found);
}
