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

bool perf_elf_is_bounded(const void *bytes, size_t len)
{
	union {
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} header;

	if (len < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (memcmp(header.wide.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	return header.wide.e_ident[EI_CLASS] == ELFCLASS32 ? header.narrow.e_shnum
							   : header.wide.e_shnum;
}

bool perf_elf_is_bounded_in(int fd)
{
	char header[sizeof(Elf64_Ehdr)];

	return pread(fd, header, sizeof(header), 0) == sizeof(header) &&
	       perf_elf_is_bounded(header, sizeof(header));
}

int perf_elf_open(struct perf_elf *file, const char *path, char reason[PERF_REASON_BYTES])
{
	int fd = regular_open(path), r = 0;
	Elf *elf;

	if (fd == -EINVAL)
		return perf_elf_fail(reason, -EINVAL, "it is no regular file");
	if (fd < 0)
		return perf_elf_fail(reason, fd, "%s", strerror(-fd));
	if (!perf_elf_is_bounded_in(fd)) {
		close(fd);
		return perf_elf_fail(reason, -EBADMSG, "it is no ELF file with sections");
	}
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

int perf_elf_segments_read(Elf *elf, struct perf_elf_segments *segments)
{
	size_t count;
	GElf_Phdr header;

	segments->count = 0;
	/* Memory for all of them is taken before the first one is read. */
	if (elf_getphdrnum(elf, &count) != 0 || count > PERF_ELF_SEGMENTS_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD)
			segments->list[segments->count++] = (struct perf_elf_segment){
				header.p_vaddr, header.p_filesz, header.p_offset};
	return 0;
}

int perf_elf_offset(const struct perf_elf_segments *segments, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < segments->count; i++) {
		const struct perf_elf_segment *segment = &segments->list[i];

		if (address < segment->begin || address - segment->begin >= segment->bytes)
			continue;
		*offset = address - segment->begin + segment->offset;
		return 0;
	}
	return -EBADMSG;
}
