/* SPDX-License-Identifier: MIT */
/* ELF files that probes are set in: opened, and addresses as offsets in them. */
#ifndef PERF_ELF_FILE_H
#define PERF_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why something was not found in a file. */
enum {
	PERF_REASON_BYTES = 160,
	PERF_ELF_SEGMENTS_MAX = 128, /* files with more program headers are not read */
};

struct perf_elf {
	int fd;
	Elf *elf;
};

/*
 * Whether the beginning of a file is that of an ELF file with sections, as many as its header can
 * say: else libelf takes memory for 2^32 of them. To be asked before elf_begin() and elf_memory().
 */
bool perf_elf_is_bounded(const void *bytes, size_t len);

/* perf_elf_is_bounded() of what a file begins with; its position stays. */
bool perf_elf_is_bounded_in(int fd);

/* Returns 0, or -errno with a reason: only regular files are opened, as others can have effects. */
int perf_elf_open(struct perf_elf *file, const char *path, char reason[PERF_REASON_BYTES]);
void perf_elf_close(struct perf_elf *file);

/* The parts of a file that are loaded. */
struct perf_elf_segment {
	uint64_t begin, bytes; /* addresses */
	uint64_t offset; /* of `begin` in the file */
};

struct perf_elf_segments {
	struct perf_elf_segment list[PERF_ELF_SEGMENTS_MAX];
	size_t count;
};

/* Returns 0; -EBADMSG: it is damaged, or has too many. */
int perf_elf_segments_read(Elf *elf, struct perf_elf_segments *segments);

/* Where in the file an address is. Returns 0 or -EBADMSG. */
int perf_elf_offset(const struct perf_elf_segments *segments, uint64_t address, uint64_t *offset);

/* Sets the reason, and returns `code`. */
__attribute__((format(printf, 3, 4))) int perf_elf_fail(char reason[PERF_REASON_BYTES], int code,
							const char *format, ...);

#endif
