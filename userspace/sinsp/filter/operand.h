/* SPDX-License-Identifier: MIT */
/*
 * Operands: a field, or transformers over fields and constants, as a sequence of steps over
 * registers. Filters compare them (filter/), formats print them (format/).
 */
#ifndef SINSP_FILTER_OPERAND_H
#define SINSP_FILTER_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "sinsp/filter/tree.h"
#include "sinsp/fields/field.h"
#include "util/arena.h"

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
	uint16_t flags; /* of its fields: enum field_flags */
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
static inline int operand_get(const struct filter_operand *operand, const struct sinsp_event *event,
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

#endif
