/* SPDX-License-Identifier: MIT */
/*
 * By the tables of opcodes in the processors' manuals, as ranges: what is in none is not known. A
 * breakpoint within an instruction would crash the program, so whatever is doubtful is not known.
 */
#include "scap/tls/instructions.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "util/count.h"

/* What follows an opcode. */
enum {
	OPERAND = 1 << 0, /* a byte that says where an operand is, and what that needs */
	BYTE = 1 << 1, /* a number of a byte, */
	LONG = 1 << 3, /* of four, or two if its prefix says so, */
	FULL = 1 << 4, /* that has eight with the prefix for that, */
	JUMP = 1 << 5, /* or of four in any case */
	TEST = 1 << 6, /* some of the operations that the operand chooses have a number, too */
	KNOWN = 1 << 7, /* nothing */
};

struct opcodes {
	uint8_t first, last, form;
};

static const struct opcodes one_byte[] = {
	{0x00, 0x03, OPERAND},
	{0x04, 0x04, BYTE},
	{0x05, 0x05, LONG},
	{0x08, 0x0b, OPERAND},
	{0x0c, 0x0c, BYTE},
	{0x0d, 0x0d, LONG},
	{0x10, 0x13, OPERAND},
	{0x14, 0x14, BYTE},
	{0x15, 0x15, LONG},
	{0x18, 0x1b, OPERAND},
	{0x1c, 0x1c, BYTE},
	{0x1d, 0x1d, LONG},
	{0x20, 0x23, OPERAND},
	{0x24, 0x24, BYTE},
	{0x25, 0x25, LONG},
	{0x28, 0x2b, OPERAND},
	{0x2c, 0x2c, BYTE},
	{0x2d, 0x2d, LONG},
	{0x30, 0x33, OPERAND},
	{0x34, 0x34, BYTE},
	{0x35, 0x35, LONG},
	{0x38, 0x3b, OPERAND},
	{0x3c, 0x3c, BYTE},
	{0x3d, 0x3d, LONG},
	{0x50, 0x5f, KNOWN},
	{0x63, 0x63, OPERAND},
	{0x68, 0x68, LONG},
	{0x69, 0x69, OPERAND | LONG},
	{0x6a, 0x6a, BYTE},
	{0x6b, 0x6b, OPERAND | BYTE},
	{0x70, 0x7f, BYTE},
	{0x80, 0x80, OPERAND | BYTE},
	{0x81, 0x81, OPERAND | LONG},
	{0x83, 0x83, OPERAND | BYTE},
	{0x84, 0x8b, OPERAND},
	{0x8d, 0x8d, OPERAND},
	{0x90, 0x99, KNOWN},
	{0xa4, 0xa7, KNOWN},
	{0xa8, 0xa8, BYTE},
	{0xa9, 0xa9, LONG},
	{0xaa, 0xaf, KNOWN},
	{0xb0, 0xb7, BYTE},
	{0xb8, 0xbf, FULL},
	{0xc0, 0xc1, OPERAND | BYTE},
	{0xc3, 0xc3, KNOWN},
	{0xc6, 0xc6, OPERAND | BYTE},
	{0xc7, 0xc7, OPERAND | LONG},
	{0xc9, 0xc9, KNOWN},
	{0xcc, 0xcc, KNOWN},
	{0xd0, 0xd3, OPERAND},
	{0xe8, 0xe9, JUMP},
	{0xeb, 0xeb, BYTE},
	{0xf6, 0xf6, OPERAND | BYTE | TEST},
	{0xf7, 0xf7, OPERAND | LONG | TEST},
	{0xfc, 0xfd, KNOWN},
	{0xfe, 0xff, OPERAND},
};

/* Behind 0f. */
static const struct opcodes two_bytes[] = {
	{0x05, 0x05, KNOWN},	      {0x0b, 0x0b, KNOWN},	    {0x0d, 0x0d, OPERAND},
	{0x10, 0x1f, OPERAND},	      {0x28, 0x2f, OPERAND},	    {0x31, 0x31, KNOWN},
	{0x40, 0x6f, OPERAND},	      {0x70, 0x73, OPERAND | BYTE}, {0x74, 0x76, OPERAND},
	{0x77, 0x77, KNOWN},	      {0x7c, 0x7f, OPERAND},	    {0x80, 0x8f, JUMP},
	{0x90, 0x9f, OPERAND},	      {0xa2, 0xa2, KNOWN},	    {0xa3, 0xa3, OPERAND},
	{0xa4, 0xa4, OPERAND | BYTE}, {0xa5, 0xa5, OPERAND},	    {0xab, 0xab, OPERAND},
	{0xac, 0xac, OPERAND | BYTE}, {0xad, 0xb1, OPERAND},	    {0xb3, 0xb3, OPERAND},
	{0xb6, 0xb8, OPERAND},	      {0xba, 0xba, OPERAND | BYTE}, {0xbb, 0xc1, OPERAND},
	{0xc2, 0xc2, OPERAND | BYTE}, {0xc3, 0xc3, OPERAND},	    {0xc4, 0xc6, OPERAND | BYTE},
	{0xc7, 0xc7, OPERAND},	      {0xc8, 0xcf, KNOWN},	    {0xd0, 0xfe, OPERAND},
};

struct instruction {
	const uint8_t *code;
	size_t at, left; /* bytes that were read, and that there are */
	bool is_short; /* numbers of four bytes have two */
	bool is_wide;
};

/* Beyond the end it is 0, which is noticed by `at`. */
static uint8_t next(struct instruction *in)
{
	uint8_t byte = in->at < in->left ? in->code[in->at] : 0;

	in->at++;
	return byte;
}

static uint8_t form_of(const struct opcodes *table, size_t count, uint8_t opcode)
{
	for (size_t i = 0; i < count; i++)
		if (opcode >= table[i].first && opcode <= table[i].last)
			return table[i].form;
	return 0;
}

static uint8_t take_prefixes(struct instruction *in)
{
	static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0xf0, 0x2e, 0x3e, 0x64, 0x65};
	uint8_t byte = next(in);

	while (memchr(prefixes, byte, sizeof(prefixes))) {
		in->is_short |= byte == 0x66;
		byte = next(in);
	}
	if ((byte & 0xf0) == 0x40) {
		in->is_wide = byte & 8;
		byte = next(in);
	}
	return byte;
}

/* Of vectors: its prefix has the table in it. */
static uint8_t take_vector(struct instruction *in, uint8_t prefix)
{
	uint8_t table = prefix == 0xc4 ? next(in) & 0x1f : 1;

	next(in);
	if (table == 1)
		return form_of(two_bytes, COUNT(two_bytes), next(in));
	next(in);
	return table == 2 ? OPERAND : table == 3 ? OPERAND | BYTE : 0;
}

static uint8_t take_opcode(struct instruction *in)
{
	uint8_t opcode = take_prefixes(in);

	if (opcode == 0xc4 || opcode == 0xc5)
		return take_vector(in, opcode);
	if (opcode != 0x0f)
		return form_of(one_byte, COUNT(one_byte), opcode);
	opcode = next(in);
	if (opcode != 0x38 && opcode != 0x3a)
		return form_of(two_bytes, COUNT(two_bytes), opcode);
	next(in);
	return opcode == 0x38 ? OPERAND : OPERAND | BYTE;
}

/* Returns the part that may choose an operation. */
static uint8_t take_operand(struct instruction *in)
{
	uint8_t byte = next(in), mode = byte >> 6, base = byte & 7;

	if (mode == 3)
		return byte >> 3 & 7;
	if (base == 4)
		base = next(in) & 7;
	if (mode == 1)
		in->at += 1;
	else if (mode == 2 || base == 5)
		in->at += 4;
	return byte >> 3 & 7;
}

static void take_numbers(struct instruction *in, uint8_t form)
{
	if (form & BYTE)
		in->at += 1;
	if (form & JUMP)
		in->at += 4;
	if (form & FULL && in->is_wide)
		in->at += 8;
	else if (form & (FULL | LONG))
		in->at += in->is_short && !in->is_wide ? 2 : 4;
}

size_t tls_instruction_bytes(const uint8_t *code, size_t left)
{
	struct instruction in = {.code = code, .left = left};
	uint8_t form = take_opcode(&in), operation;

	if (!form)
		return 0;
	if (form & OPERAND) {
		operation = take_operand(&in);
		if (form & TEST && operation > 1)
			form = OPERAND;
	}
	take_numbers(&in, form);
	return in.at <= left ? in.at : 0;
}

#ifdef __aarch64__
/* All have the same length. */
static size_t length_at(const uint8_t *code, size_t left)
{
	return left >= 4 ? 4 : 0;
}

static bool is_return(const uint8_t *code)
{
	static const uint8_t ret[] = {0xc0, 0x03, 0x5f, 0xd6};

	return memcmp(code, ret, sizeof(ret)) == 0;
}
#else
static size_t length_at(const uint8_t *code, size_t left)
{
	return tls_instruction_bytes(code, left);
}

static bool is_return(const uint8_t *code)
{
	return *code == 0xc3;
}
#endif

int tls_returns_find(const uint8_t *code, size_t bytes, uint32_t *offsets, int max)
{
	int count = 0;

	for (size_t at = 0, length; at < bytes; at += length) {
		length = length_at(code + at, bytes - at);
		if (!length)
			return -ENOTSUP;
		if (!is_return(code + at))
			continue;
		if (count == max)
			return -E2BIG;
		offsets[count++] = (uint32_t)at;
	}
	return count;
}
