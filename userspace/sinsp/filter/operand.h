/* SPDX-License-Identifier: MIT */
/*
 * Operands: a field, or transformers over fields and constants, as a sequence of steps over
 * registers; constants with a unit.
 */
#ifndef SINSP_FILTER_OPERAND_H
#define SINSP_FILTER_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinsp/fields/field.h"
#include "sinsp/filter/tree.h"
#include "util/arena.h"

/*
 * Constants with a unit: "1.5ms", "64KiB". They are converted to an integer in the unit of the
 * field such that comparisons give the result of the exact quantity.
 */

/* Whether `len` bytes are the name of a unit. */
bool filter_unit_is_known(const char *word, size_t len);

/* All units, for messages. */
extern const char filter_unit_words[];

/* What a quantity is compared with. */
struct filter_measure {
	enum field_unit unit;
	unsigned int bytes; /* of the number */
	bool is_signed;
};

/* Whether a text is a decimal number followed by a word, which need not be a unit. */
bool filter_quantity_is(const char *text);

/*
 * Reads a quantity for an operator. A quantity between two values of the field is rounded to the
 * one that gives the same result for `<` and the like; other operators reject it. Returns 0, or
 * -EINVAL with a message that lists the valid units.
 */
int filter_quantity_read(const char *text, const struct filter_measure *measure, enum filter_op op,
			 struct field_value *value, struct error *err);

/*
 * Operands: a field, or transformers over fields and constants, as a sequence of steps over
 * registers. Filters compare them (filter/), formats print them (format/).
 */

/* The values of a field or transformer while an operand is computed; count -1: none. */
struct filter_register {
	int count;
	struct field_value values[FIELD_VALUES_MAX];
};

/*
 * A step stores its result in a register. The arguments of a transformer are in that one and the
 * following ones; its result replaces the first.
 */
struct filter_step;
typedef void filter_step_run(const struct filter_step *step, struct filter_register *regs,
			     struct field_scratch *scratch);

struct filter_step {
	filter_step_run *run; /* NULL: the value of `ref` */
	struct field_ref *ref;
	struct filter_text text; /* a constant; the selector of getopt */
	enum param_type type; /* of the argument, */
	bool list; /* and whether it is a list */
	uint16_t reg;
	uint16_t nargs;
};

/* The steps that compute a value, and the type of the value. */
struct filter_operand {
	struct filter_step *steps;
	uint16_t nsteps;
	uint16_t reg;
	uint16_t regs_end; /* the first unused register */
	enum param_type type;
	bool list;
	uint32_t flags; /* of its fields: enum field_flags */
	unsigned int needs; /* of its fields: enum field_needs */
	struct field_ref *field; /* the field, if there is no transformer; else NULL */
};

/* A field of an operand; it owns memory outside the arena. */
struct filter_ref {
	struct filter_ref *next;
	struct field_ref ref;
};

/* The environment in which operands are bound; everything is borrowed. */
struct operand_binder {
	struct arena *arena; /* their memory */
	struct filter_ref **refs; /* their fields, to be released by operand_refs_finish() */
	const char *text; /* the text that contains them, and its error */
	struct filter_error *err;
};

/*
 * Resolves an expression; the operand is zeroed on entry and uses registers from `reg` on. Returns
 * 0, -EINVAL with the error set, or -ENOMEM.
 */
int operand_bind(const struct operand_binder *binder, const struct filter_expr *expr, uint16_t reg,
		 struct filter_operand *operand);
void operand_refs_finish(struct filter_ref *refs);

/* Stores the values in the register of the operand; returns their count, or -1 for none. */
static inline int operand_get(const struct filter_operand *operand, const struct state_event *event,
			      struct filter_register *regs, struct field_scratch *scratch)
{
	for (uint16_t i = 0; i < operand->nsteps; i++) {
		const struct filter_step *step = &operand->steps[i];
		struct filter_register *reg = &regs[step->reg];

		if (step->run)
			step->run(step, regs, scratch);
		else
			reg->count = field_get(step->ref, event, scratch, reg->values);
	}
	return regs[operand->reg].count;
}

/*
 * Transformers: their arguments, their result, and their function. One row each; operand.c
 * checks arguments against it, operand_get() runs them.
 */

/* The type of the value of a field, a constant or a transformer. */
struct filter_shape {
	enum param_type type;
	bool list;
	uint32_t flags; /* of its fields */
};

struct filter_transformer {
	uint16_t args_min, args_max;
	bool selector; /* may be followed by one character in brackets */
	uint16_t scratch; /* registers needed after those of its arguments */
	filter_step_run *run;
	/* Determines the shape of the result; false: such arguments are not accepted. */
	bool (*shape)(const struct filter_shape *args, uint16_t nargs, bool selected,
		      struct filter_shape *result);
	const char *takes; /* for messages */
};

/* By enum filter_call_kind. */
extern const struct filter_transformer filter_transformers[FILTER_CALLS_COUNT];

/* Steps without a transformer name: a constant, a list of arguments, a number as text. */
filter_step_run filter_step_constant, filter_step_list, filter_step_text;

filter_step_run filter_step_getopt;

/* Whether a value of the type can be an element of a literal list. */
bool filter_has_text(enum param_type type);

#endif
