/* SPDX-License-Identifier: MIT */
/*
 * A cursor that never leaves its bytes; descriptions and what they share; and the machine that
 * their instructions run on, which knows three registers.
 */
#include "profile/capture/cfi.h"

#include <errno.h>
#include <string.h>

enum {
	STATES_MAX = 16, /* that are remembered at a time */
	LEB_BYTES_MAX = 10,
	AUGMENTATION_MAX = 8, /* letters: it is read again for each frame */
	EXTENDED_LENGTH = 0xfffffff0,
};

/* The numbers of DWARF 5, section 7.24, and of its extensions by GNU. */
enum {
	DW_CFA_advance_loc = 0x40,
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
	DW_CFA_nop = 0,
	DW_CFA_set_loc,
	DW_CFA_advance_loc1,
	DW_CFA_advance_loc2,
	DW_CFA_advance_loc4,
	DW_CFA_offset_extended,
	DW_CFA_restore_extended,
	DW_CFA_undefined,
	DW_CFA_same_value,
	DW_CFA_register,
	DW_CFA_remember_state,
	DW_CFA_restore_state,
	DW_CFA_def_cfa,
	DW_CFA_def_cfa_register,
	DW_CFA_def_cfa_offset,
	DW_CFA_def_cfa_expression,
	DW_CFA_expression,
	DW_CFA_offset_extended_sf,
	DW_CFA_def_cfa_sf,
	DW_CFA_def_cfa_offset_sf,
	DW_CFA_val_offset,
	DW_CFA_val_offset_sf,
	DW_CFA_val_expression,
	DW_CFA_GNU_window_save = 0x2d,
	DW_CFA_GNU_args_size = 0x2e,
};

/* Operations of expressions: section 7.7.1. */
enum {
	DW_OP_deref = 0x06,
	DW_OP_and = 0x1a,
	DW_OP_plus = 0x22,
	DW_OP_shl = 0x24,
	DW_OP_ge = 0x2a,
	DW_OP_lit0 = 0x30,
	DW_OP_lit3 = 0x33,
	DW_OP_lit15 = 0x3f,
	DW_OP_lit31 = 0x4f,
	DW_OP_breg0 = 0x70,
	DW_OP_breg7 = 0x77,
	DW_OP_breg16 = 0x80,
	DW_OP_breg31 = 0x8f,
};

/* Encodings of pointers: Linux Standard Base 5.0, section 10.5. */
enum {
	DW_EH_PE_absptr = 0x00,
	DW_EH_PE_uleb128 = 0x01,
	DW_EH_PE_udata2 = 0x02,
	DW_EH_PE_udata4 = 0x03,
	DW_EH_PE_udata8 = 0x04,
	DW_EH_PE_sleb128 = 0x09,
	DW_EH_PE_sdata2 = 0x0a,
	DW_EH_PE_sdata4 = 0x0b,
	DW_EH_PE_sdata8 = 0x0c,
	DW_EH_PE_pcrel = 0x10,
};

const struct cfi_machine cfi_x86_64 = {.sp = 7, .bp = 6, .ra = 16, .r10 = 10, .ra_is_saved = true};
const struct cfi_machine cfi_aarch64 = {.sp = 31, .bp = 29, .ra = 30};

struct profile_rule cfi_entry_rule(const struct cfi_machine *machine)
{
	if (!machine->ra_is_saved)
		return (struct profile_rule){.cfa = PROFILE_CFA_SP};
	return (struct profile_rule){
		.cfa = PROFILE_CFA_SP, .cfa_offset = 8, .ra = PROFILE_AT_CFA, .ra_offset = -8};
}

/* What reads beyond the end get is 0, and the cursor has failed. */
struct cursor {
	const struct cfi_section *section;
	size_t at, end;
	bool failed;
};

static struct cursor cursor_of(const struct cfi_section *section, size_t at, size_t end)
{
	return (struct cursor){section, at, end, at > end || end > section->len};
}

static const uint8_t *take(struct cursor *cursor, size_t bytes)
{
	const uint8_t *taken = cursor->section->bytes + cursor->at;

	if (cursor->failed || bytes > cursor->end - cursor->at) {
		cursor->failed = true;
		return NULL;
	}
	cursor->at += bytes;
	return taken;
}

/* The value of little-endian bytes. */
static uint64_t take_little(struct cursor *cursor, size_t bytes)
{
	const uint8_t *taken = take(cursor, bytes);
	uint64_t value = 0;

	for (size_t i = 0; taken && i < bytes; i++)
		value |= (uint64_t)taken[i] << 8 * i;
	return value;
}

static uint8_t take_byte(struct cursor *cursor)
{
	const uint8_t *taken = take(cursor, 1);

	return taken ? *taken : 0;
}

static uint64_t take_leb(struct cursor *cursor, bool is_signed)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = take_byte(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 7 * LEB_BYTES_MAX);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~(uint64_t)0 << shift;
	return value;
}

static uint64_t take_unsigned(struct cursor *cursor)
{
	return take_leb(cursor, false);
}

static int64_t take_signed(struct cursor *cursor)
{
	return (int64_t)take_leb(cursor, true);
}

static int64_t extend(uint64_t value, unsigned int bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static uint64_t take_formatted(struct cursor *cursor, uint8_t encoding)
{
	switch (encoding & 0xf) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return take_little(cursor, 8);
	case DW_EH_PE_udata4:
		return take_little(cursor, 4);
	case DW_EH_PE_sdata4:
		return (uint64_t)extend(take_little(cursor, 4), 32);
	case DW_EH_PE_udata2:
		return take_little(cursor, 2);
	case DW_EH_PE_sdata2:
		return (uint64_t)extend(take_little(cursor, 2), 16);
	case DW_EH_PE_uleb128:
		return take_unsigned(cursor);
	case DW_EH_PE_sleb128:
		return (uint64_t)take_signed(cursor);
	}
	cursor->failed = true;
	return 0;
}

/* An address of code; others are skipped by it, whatever they are relative to. */
static uint64_t take_pointer(struct cursor *cursor, uint8_t encoding)
{
	uint64_t place = cursor->section->address + cursor->at;
	uint64_t value = take_formatted(cursor, encoding);

	return (encoding & 0x70) == DW_EH_PE_pcrel ? value + place : value;
}

/* Descriptions. */

/* A description: where it is, and what follows its length. */
struct entry {
	size_t id_at, end;
	uint64_t id;
};

/* Returns 1; 0: the last one; or -EBADMSG. */
static int read_entry(const struct cfi_section *section, size_t at, struct entry *entry)
{
	struct cursor cursor = cursor_of(section, at, section->len);
	uint64_t len;

	if (at >= section->len)
		return 0;
	len = take_little(&cursor, 4);
	if (len == 0)
		return cursor.failed ? -EBADMSG : 0;
	if (len == UINT32_MAX)
		len = take_little(&cursor, 8);
	else if (len >= EXTENDED_LENGTH)
		return -EBADMSG;
	if (cursor.failed || len < 4 || len > section->len - cursor.at)
		return -EBADMSG;
	entry->id_at = cursor.at;
	entry->end = cursor.at + len;
	entry->id = take_little(&cursor, 4);
	return 1;
}

static void read_augmentation(struct cursor *cursor, const char *text, struct cfi_common *common)
{
	uint8_t encoding;

	for (; *text && !cursor->failed; text++)
		switch (*text) {
		case 'R':
			common->encoding = take_byte(cursor);
			break;
		case 'P':
			encoding = take_byte(cursor);
			take_pointer(cursor, encoding);
			break;
		case 'L':
			take_byte(cursor);
			break;
		case 'S':
			common->is_signal = true;
			break;
		default:
			return; /* the length says where it ends */
		}
}

static int read_new_common(const struct cfi_section *section, size_t at, struct cfi_common *common)
{
	struct entry entry;
	struct cursor cursor;
	const char *text;
	uint8_t version;
	size_t len;

	if (read_entry(section, at, &entry) != 1 || entry.id != 0)
		return -EBADMSG;
	cursor = cursor_of(section, entry.id_at + 4, entry.end);
	version = take_byte(&cursor);
	text = (const char *)section->bytes + cursor.at;
	len = strnlen(text, cursor.end - cursor.at < AUGMENTATION_MAX ? cursor.end - cursor.at
								      : AUGMENTATION_MAX);
	take(&cursor, len + 1);
	if (cursor.failed || text[len] || (version != 1 && version != 3))
		return -EBADMSG;
	*common = (struct cfi_common){.encoding = DW_EH_PE_absptr};
	common->code_align = take_unsigned(&cursor);
	common->data_align = take_signed(&cursor);
	common->ra = version == 1 ? take_byte(&cursor) : take_unsigned(&cursor);
	common->has_lengths = text[0] == 'z';
	common->begin = cursor.at;
	if (common->has_lengths) {
		len = take_unsigned(&cursor);
		common->begin = cursor.at + len;
		if (len > cursor.end - cursor.at)
			return -EBADMSG;
		read_augmentation(&cursor, text + 1, common);
	} else if (text[0]) {
		return -EBADMSG;
	}
	common->end = entry.end;
	common->at = at;
	return cursor.failed ? -EBADMSG : 0;
}

/* Frames of one unit, which are in a row, have the same one. */
static int read_common(const struct cfi_section *section, size_t at, struct cfi_common *common)
{
	int r;

	if (section->last && section->last->end && section->last->at == at) {
		*common = *section->last;
		return 0;
	}
	r = read_new_common(section, at, common);
	if (r == 0 && section->last)
		*section->last = *common;
	return r;
}

/* Of a frame: the common entry, the code, and the instructions. */
static int read_frame(const struct cfi_section *section, const struct entry *entry,
		      struct cfi_common *common, struct cfi_frame *frame,
		      struct cursor *instructions)
{
	struct cursor cursor = cursor_of(section, entry->id_at + 4, entry->end);
	uint64_t len;

	if (entry->id > entry->id_at || read_common(section, entry->id_at - entry->id, common))
		return -EBADMSG;
	frame->begin = take_pointer(&cursor, common->encoding);
	frame->end = frame->begin + take_formatted(&cursor, common->encoding & 0xf);
	if (common->has_lengths) {
		len = take_unsigned(&cursor);
		if (len > cursor.end - cursor.at)
			return -EBADMSG;
		take(&cursor, len);
	}
	*instructions = cursor;
	return cursor.failed || frame->end < frame->begin ? -EBADMSG : 0;
}

int cfi_next(const struct cfi_section *section, size_t *at, struct cfi_frame *frame)
{
	struct cfi_common common;
	struct cursor instructions;
	struct entry entry;
	size_t place = *at;
	int r = read_entry(section, place, &entry);

	if (r != 1)
		return r;
	*at = entry.end;
	if (entry.id == 0 || place > UINT32_MAX)
		return -EAGAIN;
	if (read_frame(section, &entry, &common, frame, &instructions) || frame->begin == 0 ||
	    frame->end == frame->begin)
		return -EAGAIN;
	frame->at = (uint32_t)place;
	return 1;
}

/* The machine. */

enum place_kind { KIND_SAME, KIND_UNDEFINED, KIND_OFFSET, KIND_EXPRESSION, KIND_OTHER };

/* Where a register is: an offset from the CFA, or an expression. */
struct place {
	enum place_kind kind;
	int64_t offset;
	size_t begin, end; /* of the expression, in the section */
};

struct state {
	struct place cfa, ra, bp; /* cfa: KIND_OFFSET from a register, or KIND_EXPRESSION */
	uint64_t cfa_register;
};

struct machine {
	const struct cfi_machine *registers;
	const struct cfi_common *common;
	struct state state, initial, kept[STATES_MAX];
	size_t kept_count;
	uint64_t address;
	bool is_bad; /* an instruction or a state was not understood: no rule from here on */
};

static struct place *register_place(struct machine *machine, struct state *state, uint64_t number)
{
	if (number == machine->common->ra)
		return &state->ra;
	return number == machine->registers->bp ? &state->bp : NULL;
}

static void set_place(struct machine *machine, uint64_t number, struct place place)
{
	struct place *to = register_place(machine, &machine->state, number);

	if (to)
		*to = place;
}

static void restore_place(struct machine *machine, uint64_t number)
{
	const struct place *from = register_place(machine, &machine->initial, number);

	if (from)
		set_place(machine, number, *from);
}

static struct place take_expression(struct cursor *cursor, enum place_kind kind)
{
	uint64_t len = take_unsigned(cursor);
	size_t begin = cursor->at;

	if (!cursor->failed && len <= cursor->end - cursor->at)
		take(cursor, len);
	else
		cursor->failed = true;
	return (struct place){.kind = kind, .begin = begin, .end = cursor->at};
}

static struct place offset_place(const struct machine *machine, int64_t factored)
{
	int64_t offset;

	if (__builtin_mul_overflow(factored, machine->common->data_align, &offset))
		return (struct place){.kind = KIND_OTHER};
	return (struct place){.kind = KIND_OFFSET, .offset = offset};
}

static void set_cfa(struct machine *machine, uint64_t number, int64_t offset)
{
	machine->state.cfa_register = number;
	machine->state.cfa = (struct place){.kind = KIND_OFFSET, .offset = offset};
}

static void keep_state(struct machine *machine)
{
	if (machine->kept_count == STATES_MAX)
		machine->is_bad = true;
	else
		machine->kept[machine->kept_count++] = machine->state;
}

static void return_to_state(struct machine *machine)
{
	if (machine->kept_count == 0)
		machine->is_bad = true;
	else
		machine->state = machine->kept[--machine->kept_count];
}

static int64_t factored_signed(const struct machine *machine, struct cursor *cursor)
{
	const struct place place = offset_place(machine, take_signed(cursor));

	return place.kind == KIND_OFFSET ? place.offset : 0;
}

/* Those that define the CFA. Returns whether it is one of them. */
static bool run_cfa(struct machine *machine, struct cursor *cursor, uint8_t code)
{
	uint64_t number;

	switch (code) {
	case DW_CFA_def_cfa:
		number = take_unsigned(cursor);
		set_cfa(machine, number, (int64_t)take_unsigned(cursor));
		return true;
	case DW_CFA_def_cfa_sf:
		number = take_unsigned(cursor);
		set_cfa(machine, number, factored_signed(machine, cursor));
		return true;
	case DW_CFA_def_cfa_register:
		machine->state.cfa_register = take_unsigned(cursor);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa(machine, machine->state.cfa_register, (int64_t)take_unsigned(cursor));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(machine, machine->state.cfa_register, factored_signed(machine, cursor));
		return true;
	case DW_CFA_def_cfa_expression:
		machine->state.cfa = take_expression(cursor, KIND_EXPRESSION);
		return true;
	}
	return false;
}

/* Those that say where a register is. Returns whether it is one of them. */
static bool run_register(struct machine *machine, struct cursor *cursor, uint8_t code)
{
	uint64_t number;

	if (code < DW_CFA_offset_extended || code > DW_CFA_val_expression)
		return false;
	switch (code) {
	case DW_CFA_offset_extended:
		number = take_unsigned(cursor);
		set_place(machine, number, offset_place(machine, (int64_t)take_unsigned(cursor)));
		return true;
	case DW_CFA_offset_extended_sf:
		number = take_unsigned(cursor);
		set_place(machine, number, offset_place(machine, take_signed(cursor)));
		return true;
	case DW_CFA_restore_extended:
		restore_place(machine, take_unsigned(cursor));
		return true;
	case DW_CFA_undefined:
		set_place(machine, take_unsigned(cursor), (struct place){.kind = KIND_UNDEFINED});
		return true;
	case DW_CFA_same_value:
		set_place(machine, take_unsigned(cursor), (struct place){.kind = KIND_SAME});
		return true;
	case DW_CFA_expression:
		number = take_unsigned(cursor);
		set_place(machine, number, take_expression(cursor, KIND_EXPRESSION));
		return true;
	case DW_CFA_val_expression:
		number = take_unsigned(cursor);
		set_place(machine, number, take_expression(cursor, KIND_OTHER));
		return true;
	case DW_CFA_register:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		number = take_unsigned(cursor);
		take_unsigned(cursor);
		set_place(machine, number, (struct place){.kind = KIND_OTHER});
		return true;
	}
	return false;
}

/* Those that keep states, and those without effect here. */
static void run_other(struct machine *machine, struct cursor *cursor, uint8_t code)
{
	switch (code) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save: /* on arm64: the return address is signed, or not any more */
		return;
	case DW_CFA_remember_state:
		keep_state(machine);
		return;
	case DW_CFA_restore_state:
		return_to_state(machine);
		return;
	case DW_CFA_GNU_args_size:
		take_unsigned(cursor);
		return;
	}
	machine->is_bad = true;
}

/* Returns the bytes of code that it advances by; 0: none. */
static uint64_t take_advance(struct machine *machine, struct cursor *cursor, uint8_t code)
{
	uint64_t units;

	switch (code) {
	case DW_CFA_set_loc:
		units = take_pointer(cursor, machine->common->encoding);
		return units > machine->address ? units - machine->address : 0;
	case DW_CFA_advance_loc1:
		return take_byte(cursor) * machine->common->code_align;
	case DW_CFA_advance_loc2:
		return take_little(cursor, 2) * machine->common->code_align;
	case DW_CFA_advance_loc4:
		return take_little(cursor, 4) * machine->common->code_align;
	}
	return (code & 0x3f) * machine->common->code_align;
}

static bool is_advance(uint8_t code)
{
	return (code & 0xc0) == DW_CFA_advance_loc ||
	       (code >= DW_CFA_set_loc && code <= DW_CFA_advance_loc4);
}

static void run_one(struct machine *machine, struct cursor *cursor, uint8_t code)
{
	switch (code & 0xc0) {
	case DW_CFA_offset:
		set_place(machine, code & 0x3f,
			  offset_place(machine, (int64_t)take_unsigned(cursor)));
		return;
	case DW_CFA_restore:
		restore_place(machine, code & 0x3f);
		return;
	}
	if (!run_cfa(machine, cursor, code) && !run_register(machine, cursor, code))
		run_other(machine, cursor, code);
}

/* Rules. */

static bool fits(int64_t offset)
{
	return offset >= INT32_MIN && offset <= INT32_MAX;
}

/* An expression "register + offset", perhaps what is in memory there. */
struct simple {
	uint8_t number;
	int64_t offset;
	bool is_memory;
};

static bool read_simple(const struct cfi_section *section, const struct place *place,
			struct simple *simple)
{
	struct cursor cursor = cursor_of(section, place->begin, place->end);
	uint8_t code = take_byte(&cursor);

	if (code < DW_OP_breg0 || code > DW_OP_breg31)
		return false;
	simple->number = code - DW_OP_breg0;
	simple->offset = take_signed(&cursor);
	simple->is_memory = false;
	if (!cursor.failed && cursor.at < cursor.end) {
		simple->is_memory = true;
		if (take_byte(&cursor) != DW_OP_deref)
			return false;
	}
	return !cursor.failed && cursor.at == cursor.end && fits(simple->offset);
}

/* What linkers write for the entries of a procedure linkage table, but for one byte. */
static bool read_plt(const struct cfi_section *section, const struct place *place,
		     struct profile_rule *rule)
{
	static const uint8_t bytes[] = {DW_OP_breg7, 8, DW_OP_breg16, 0,	  DW_OP_lit15,
					DW_OP_and,   0, DW_OP_ge,     DW_OP_lit3, DW_OP_shl,
					DW_OP_plus};
	enum { LIMIT_AT = 6 };
	const uint8_t *found = section->bytes + place->begin;

	if (place->end - place->begin != sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		if (i != LIMIT_AT && found[i] != bytes[i])
			return false;
	if (found[LIMIT_AT] < DW_OP_lit0 || found[LIMIT_AT] > DW_OP_lit31)
		return false;
	rule->cfa = PROFILE_CFA_PLT;
	rule->cfa_offset = 8;
	rule->bp_offset = found[LIMIT_AT] - DW_OP_lit0;
	return true;
}

static bool make_cfa(const struct cfi_section *section, const struct machine *machine,
		     struct profile_rule *rule)
{
	const struct cfi_machine *registers = machine->registers;
	const struct state *state = &machine->state;
	struct simple simple = {(uint8_t)state->cfa_register, state->cfa.offset, false};

	if (state->cfa.kind == KIND_EXPRESSION) {
		if (registers->r10 && read_plt(section, &state->cfa, rule))
			return true;
		if (!read_simple(section, &state->cfa, &simple))
			return false;
	} else if (state->cfa.kind != KIND_OFFSET || state->cfa_register > UINT8_MAX ||
		   !fits(state->cfa.offset)) {
		return false;
	}
	rule->cfa_offset = (int32_t)simple.offset;
	if (simple.number == registers->sp)
		rule->cfa = simple.is_memory ? PROFILE_CFA_SP_DEREF : PROFILE_CFA_SP;
	else if (simple.number == registers->bp)
		rule->cfa = simple.is_memory ? PROFILE_CFA_BP_DEREF : PROFILE_CFA_BP;
	else if (registers->r10 && simple.number == registers->r10 && !simple.is_memory)
		rule->cfa = PROFILE_CFA_R10;
	else
		return false;
	return true;
}

static bool make_place(const struct cfi_section *section, const struct machine *machine,
		       const struct place *place, uint8_t *kind, __s32 *offset)
{
	struct simple simple;

	*kind = PROFILE_SAME;
	if (place->kind == KIND_SAME || place->kind == KIND_UNDEFINED)
		return true;
	if (place->kind == KIND_OFFSET) {
		*kind = PROFILE_AT_CFA;
		*offset = (int32_t)place->offset;
		return fits(place->offset);
	}
	if (place->kind != KIND_EXPRESSION || !read_simple(section, place, &simple) ||
	    simple.is_memory)
		return false;
	*kind = simple.number == machine->registers->sp ? PROFILE_AT_SP : PROFILE_AT_BP;
	*offset = (int32_t)simple.offset;
	return simple.number == machine->registers->sp || simple.number == machine->registers->bp;
}

static struct profile_rule make_rule(const struct cfi_section *section,
				     const struct machine *machine)
{
	const struct profile_rule bad = {.is_fixed = PROFILE_RULE_BAD};
	const struct state *state = &machine->state;
	struct profile_rule rule = {.is_signal = machine->common->is_signal};

	if (machine->is_bad)
		return bad;
	if (state->ra.kind == KIND_UNDEFINED)
		return (struct profile_rule){.is_fixed = PROFILE_RULE_END};
	if (state->ra.kind == KIND_SAME && machine->registers->ra_is_saved)
		return bad;
	if (!make_place(section, machine, &state->bp, &rule.bp, &rule.bp_offset) ||
	    !make_place(section, machine, &state->ra, &rule.ra, &rule.ra_offset) ||
	    !make_cfa(section, machine, &rule))
		return bad;
	return rule;
}

/*
 * Runs instructions, with a row before each step to another address. Returns 0; 1: rows go no
 * further; -EBADMSG.
 */
static int run(struct machine *machine, struct cursor *cursor, uint64_t until, cfi_row *row,
	       void *context)
{
	while (cursor->at < cursor->end && !cursor->failed) {
		uint8_t code = take_byte(cursor);
		uint64_t bytes;

		if (!is_advance(code)) {
			run_one(machine, cursor, code);
			continue;
		}
		bytes = take_advance(machine, cursor, code);
		if (row && bytes) {
			const struct profile_rule rule = make_rule(cursor->section, machine);

			if (!row(context, machine->address, &rule))
				return 1;
		}
		if (__builtin_add_overflow(machine->address, bytes, &machine->address) ||
		    machine->address >= until)
			return 1;
	}
	return cursor->failed ? -EBADMSG : 0;
}

int cfi_run(const struct cfi_section *section, const struct cfi_machine *registers,
	    const struct cfi_frame *frame, uint64_t until, size_t *budget, cfi_row *row,
	    void *context)
{
	struct machine machine = {.registers = registers, .address = frame->begin};
	struct cursor instructions, shared;
	struct cfi_frame again;
	struct cfi_common common;
	struct profile_rule rule;
	struct entry entry;
	size_t bytes;
	int r;

	if (read_entry(section, frame->at, &entry) != 1 ||
	    read_frame(section, &entry, &common, &again, &instructions))
		return -EBADMSG;
	shared = cursor_of(section, common.begin, common.end);
	bytes = common.end - common.begin + instructions.end - instructions.at;
	if (bytes > *budget)
		return -E2BIG;
	*budget -= bytes;
	machine.common = &common;
	machine.state.cfa.kind = KIND_OTHER;
	r = run(&machine, &shared, UINT64_MAX, NULL, NULL);
	if (r < 0)
		return r;
	machine.initial = machine.state;
	machine.address = frame->begin;
	r = run(&machine, &instructions, until, row, context);
	if (r)
		return r < 0 ? r : 0;
	rule = make_rule(section, &machine);
	row(context, machine.address, &rule);
	return 0;
}
