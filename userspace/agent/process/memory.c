/* SPDX-License-Identifier: MIT */
#include "agent/process/memory.h"

#include <link.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Writable parts have pages that are not as in the file: addresses that were filled in. */
static int release_pages(struct dl_phdr_info *object, size_t bytes, void *context)
{
	uintptr_t page = *(const uintptr_t *)context;

	for (unsigned int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t begin = object->dlpi_addr + part->p_vaddr;
		uintptr_t end = begin + part->p_memsz;

		if (part->p_type != PT_LOAD || part->p_flags & PF_W)
			continue;
		begin &= ~(page - 1);
		/* A failure costs memory, nothing else. */
		(void)madvise((void *)begin, end - begin, MADV_DONTNEED);
	}
	return 0;
}

void memory_release(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

#ifdef __GLIBC__
	malloc_trim(0);
#endif
	dl_iterate_phdr(release_pages, &page);
}
