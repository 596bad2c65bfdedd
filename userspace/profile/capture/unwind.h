/* SPDX-License-Identifier: MIT */
/*
 * The unwind tables of an ELF file, in pages of 64 KiB of the file: made of .eh_frame when a page
 * is first wanted. Whoever wrote the file chose what it has: all of it is checked and bounded.
 */
#ifndef PROFILE_CAPTURE_UNWIND_H
#define PROFILE_CAPTURE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile_abi.h"

enum {
	UNWIND_SECTION_MAX = 96 << 20, /* bytes of .eh_frame */
	UNWIND_FRAMES_MAX = 1 << 21, /* frames that it describes */
	UNWIND_ROWS_MAX = 1 << PROFILE_PAGE_BITS, /* of a page */
	UNWIND_BUILD_ID_MAX = 20,
};

struct unwind;

/*
 * Reads the tables of a file, or of an image in memory if `image` is not NULL. The descriptor stays
 * the caller's. Returns 0; -ENOENT: it has no tables, or is no ELF file of this machine; -EBADMSG:
 * they are damaged; -E2BIG; -ENOMEM; or what reading it failed with. build_id: set, if it is there,
 * also on failure.
 */
int unwind_open(int fd, const void *image, size_t image_bytes, struct unwind **unwind,
		uint8_t build_id[UNWIND_BUILD_ID_MAX], uint8_t *build_id_bytes);
void unwind_close(struct unwind *unwind); /* accepts NULL */

/* Bytes that it takes. */
size_t unwind_bytes(const struct unwind *unwind);

/* The pages that have code, ascending; valid while it is open. */
const uint32_t *unwind_pages(const struct unwind *unwind, size_t *count);

struct unwind_row {
	uint16_t at; /* in the page */
	struct profile_rule rule;
};

struct unwind_rows {
	struct unwind_row *list; /* owned */
	size_t count, capacity;
};

/*
 * Makes the rows of a page, in place of those in `rows`: ascending, no two with the same offset,
 * the first one at 0; none if the page has no frames. Frames for which there is no more work in the
 * budget of the file, or of the page, have a rule that says so. Returns 0 or -ENOMEM.
 */
int unwind_make_page(struct unwind *unwind, uint32_t page, struct unwind_rows *rows);
void unwind_rows_finish(struct unwind_rows *rows);

#endif
