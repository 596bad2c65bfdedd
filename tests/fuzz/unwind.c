/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as unwind tables: a file, an image in memory, or the bytes of .eh_frame alone for each
 * machine; the first byte says which. Rows are in order and in their frame, work is within its
 * budget.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "profile/capture/cfi.h"
#include "profile/capture/unwind.h"

enum { ADDRESS = 0x1000, PAGES_MAX = 64, BUDGET_BYTES = 1 << 16 };

static void check_pages(struct unwind *unwind)
{
	struct unwind_rows rows = {0};
	size_t count;
	const uint32_t *pages = unwind_pages(unwind, &count);

	for (size_t i = 0; i < count && i < PAGES_MAX; i++) {
		REQUIRE(i == 0 || pages[i - 1] < pages[i], "page %zu", i);
		if (unwind_make_page(unwind, pages[i], &rows) != 0)
			continue;
		REQUIRE(rows.count <= UNWIND_ROWS_MAX, "%zu rows", rows.count);
		for (size_t k = 0; k < rows.count; k++)
			REQUIRE(k ? rows.list[k].at > rows.list[k - 1].at : rows.list[k].at == 0,
				"row %zu", k);
	}
	unwind_rows_finish(&rows);
}

static void read_elf(int fd, const void *image, size_t size)
{
	uint8_t id[UNWIND_BUILD_ID_MAX], id_bytes = 0;
	struct unwind *unwind = NULL;

	if (unwind_open(fd, image, size, &unwind, id, &id_bytes) == 0)
		check_pages(unwind);
	REQUIRE(id_bytes <= sizeof(id), "%u bytes", id_bytes);
	unwind_close(unwind);
}

struct rows_seen {
	const struct cfi_frame *frame;
	uint64_t last;
	size_t count;
};

static bool see_row(void *context, uint64_t address, const struct profile_rule *rule)
{
	struct rows_seen *seen = context;

	REQUIRE(seen->count ? address > seen->last : address == seen->frame->begin, "row at %lx",
		(unsigned long)address);
	seen->last = address;
	seen->count++;
	return true;
}

static void read_section(const struct cfi_machine *machine, const uint8_t *data, size_t size)
{
	const struct cfi_section section = {data, size, ADDRESS};
	size_t at = 0, budget = BUDGET_BYTES;
	struct cfi_frame frame;
	int r;

	while ((r = cfi_next(&section, &at, &frame)) == 1 || r == -EAGAIN) {
		struct rows_seen seen = {.frame = &frame};

		REQUIRE(at <= size, "behind it: %zu", at);
		if (r == 1)
			(void)cfi_run(&section, machine, &frame, UINT64_MAX, &budget, see_row,
				      &seen);
		REQUIRE(budget <= BUDGET_BYTES, "budget %zu", budget);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd;

	if (!size)
		return 0;
	switch (data[0] % 4) {
	case 0:
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		REQUIRE(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1), "memfd");
		read_elf(fd, NULL, 0);
		close(fd);
		break;
	case 1:
		read_elf(-1, data + 1, size - 1);
		break;
	default:
		read_section(data[0] & 1 ? &cfi_aarch64 : &cfi_x86_64, data + 1, size - 1);
	}
	return 0;
}
