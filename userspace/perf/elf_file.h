/* SPDX-License-Identifier: MIT */
/* ELF files that probes are set in: opened, and addresses as offsets in them. */
#ifndef PERF_ELF_FILE_H
#define PERF_ELF_FILE_H

#include <gelf.h>
#include <stdint.h>

/* Why something was not found in a file. */
enum { PERF_REASON_BYTES = 160 };

struct perf_elf {
	int fd;
	Elf *elf;
};

/* Returns 0, or -errno with a reason: only regular files are opened, as others can have effects. */
int perf_elf_open(struct perf_elf *file, const char *path, char reason[PERF_REASON_BYTES]);
void perf_elf_close(struct perf_elf *file);

/* Where in the file an address is, by the segments that are loaded. Returns 0 or -EBADMSG. */
int perf_elf_offset(Elf *elf, uint64_t address, uint64_t *offset);

/* Sets the reason, and returns `code`. */
__attribute__((format(printf, 3, 4))) int perf_elf_fail(char reason[PERF_REASON_BYTES], int code,
							const char *format, ...);

#endif
