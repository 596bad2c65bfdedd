/* SPDX-License-Identifier: MIT */
/*
 * Call frame information as .eh_frame has it (DWARF 5, section 6.4): where frames find their
 * callers. All of it is input of whoever wrote the file: every read is checked, all work bounded.
 */
#ifndef PROFILE_CAPTURE_CFI_H
#define PROFILE_CAPTURE_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile_abi.h"

/* The numbers of registers that are followed. */
struct cfi_machine {
	uint8_t sp, bp, ra, r10; /* r10: 0 if there is none */
	bool ra_is_saved; /* by the call itself, 8 bytes below the CFA; else it is in a register */
};

extern const struct cfi_machine cfi_x86_64, cfi_aarch64;

/* As frames are at the first instruction of a function. */
struct profile_rule cfi_entry_rule(const struct cfi_machine *machine);

/* What the frames of a compilation unit share: a common information entry. A zeroed one is none. */
struct cfi_common {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	uint8_t encoding;
	bool has_lengths, is_signal;
	size_t begin, end; /* of its instructions */
	size_t at; /* where in the section it is */
};

struct cfi_section {
	const uint8_t *bytes; /* borrowed */
	size_t len;
	uint64_t address; /* of its first byte */
	struct cfi_common *last; /* borrowed: the one that was read last; NULL: none is kept */
};

/* What a frame description says of the code that it is for. */
struct cfi_frame {
	uint64_t begin, end; /* addresses of code; end 0: nothing was removed by the linker */
	uint32_t at; /* its offset in the section */
};

/*
 * Reads the description at *at, and sets *at behind it. Returns 1; 0: there is no more; -EAGAIN: it
 * is none of code, go on; -EBADMSG: what follows cannot be found.
 */
int cfi_next(const struct cfi_section *section, size_t *at, struct cfi_frame *frame);

/*
 * Called for each address from which on another rule holds, ascending, the first one at the begin
 * of the frame. Returns whether it goes on.
 */
typedef bool cfi_row(void *context, uint64_t address, const struct profile_rule *rule);

/*
 * Runs the instructions of a frame until rows are at or beyond `until`. budget: bytes of
 * instructions that may yet be read, which become fewer. Returns 0; -EBADMSG; -E2BIG: the budget is
 * used up.
 */
int cfi_run(const struct cfi_section *section, const struct cfi_machine *machine,
	    const struct cfi_frame *frame, uint64_t until, size_t *budget, cfi_row *row,
	    void *context);

#endif
