/* SPDX-License-Identifier: MIT */
/* What finding symbols and finding static probes share. */
#include "perf/elf_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/regular.h"

int perf_elf_fail(char reason[PERF_REASON_BYTES], int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, PERF_REASON_BYTES, format, args);
	va_end(args);
	return code;
}

int perf_elf_open(struct perf_elf *file, const char *path, char reason[PERF_REASON_BYTES])
{
	int fd = regular_open(path), r = 0;
	Elf *elf;

	if (fd == -EINVAL)
		return perf_elf_fail(reason, -EINVAL, "it is no regular file");
	if (fd < 0)
		return perf_elf_fail(reason, fd, "%s", strerror(-fd));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		r = perf_elf_fail(reason, -EBADMSG, "%s", elf_errmsg(-1));
	else if (elf_kind(elf) != ELF_K_ELF)
		r = perf_elf_fail(reason, -EBADMSG, "it is no ELF file");
	*file = (struct perf_elf){fd, elf};
	if (r)
		perf_elf_close(file);
	return r;
}

void perf_elf_close(struct perf_elf *file)
{
	if (file->elf)
		elf_end(file->elf);
	close(file->fd);
}

int perf_elf_offset(Elf *elf, uint64_t address, uint64_t *offset)
{
	size_t count;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count) != 0)
		return -EBADMSG;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
			continue;
		*offset = address - header.p_vaddr + header.p_offset;
		return 0;
	}
	return -EBADMSG;
}
