/* SPDX-License-Identifier: MIT */
/*
 * Files that were executed while a profile was captured: opened when the kernel first sees them,
 * while a process has them mapped, so that they can be read when it has ended and they are deleted.
 * Their unwind tables are loaded then, those of large files page by page.
 */
#ifndef PROFILE_CAPTURE_CAPTURED_FILES_H
#define PROFILE_CAPTURE_CAPTURED_FILES_H

#include "profile/capture/tables.h"
#include "profile/stacks.h"

struct captured_file {
	struct profile_file_key key;
	struct stack_file file; /* `fd` is owned; path: of captured_files.texts */
	struct unwind *unwind; /* owned; NULL: it has none, or all are loaded */
	uint32_t index; /* of the pages that are loaded of it */
	bool is_filling; /* not all of them are: see captured_files_fill() */
	size_t filled; /* pages of it that were loaded before they were wanted */
	bool is_cut; /* there was no room for all of them */
	struct tables_share share; /* what it has taken of the tables */
	uint8_t tries; /* that failed to open it */
	uint32_t in_set; /* its index in the set of stacks; UINT32_MAX: it is not there */
	bool was_opened;
	/* When it was opened: whether it was written to until it is closed. */
	uint64_t mtime_ns, bytes;
	uint32_t links;
	uint32_t pid; /* a process that had it mapped, and where */
	uint64_t begin, end;
	bool is_unmapped; /* that one has it no more: another one is looked for */
	bool is_closed; /* none was found; what has its inode by now may be another file */
};

struct captured_files {
	int proc; /* borrowed: a descriptor of the folder of processes */
	int files_map; /* borrowed */
	uint64_t *taken; /* borrowed: how many that has, which the kernel counts, too; or NULL */
	uint32_t next_index, last_index; /* for files that the kernel has not seen */
	struct tables tables;
	struct captured_file *list; /* owned */
	size_t count, capacity;
	struct captured_place { /* by the index that the kernel gave: several may be one file */
		uint32_t index, at; /* `at`: in the list, from 1; 0: free */
	} * places; /* owned */
	size_t places_count, places_used;
	struct unwind_rows rows; /* while tables are made */
	struct arena texts;
	size_t unwind_bytes; /* of tables that are kept */
	size_t unfilled; /* files whose pages are not all loaded */
	size_t unmapped; /* files with `is_unmapped` */
	uint64_t vanished; /* times that a process had ended before a file of it could be opened */
	uint64_t unopened; /* files for which there was no descriptor */
	uint64_t until_ns; /* monotonic: pages are left for later then; 0: they are not */
};

/*
 * `tables` was opened, and is owned from then on. cpus: that there can be. `taken` is to be set
 * behind it where files are counted.
 */
void captured_files_init(struct captured_files *files, int proc, int files_map, uint32_t cpus,
			 const struct tables *tables);
void captured_files_finish(struct captured_files *files);

/* What the kernel says of a new file, and of a page that is wanted. Return 0 or -errno. */
int captured_files_add(struct captured_files *files, const struct profile_file_key *key);
int captured_files_want(struct captured_files *files, const struct profile_page_key *key);

/*
 * Adds all that a process has mapped, before the kernel sees them one after the other, and opens
 * again what was closed, if it is the same file. Returns 0 or -ENOMEM, also if the process has
 * ended.
 */
int captured_files_add_mapped(struct captured_files *files, uint32_t pid);

/*
 * Closes files that no process has mapped any more, as far as the process that was seen with each
 * and those of a set say: file systems can be unmounted, and what is deleted gives its space back.
 * Their tables stay. Returns 0 or -ENOMEM.
 */
int captured_files_release(struct captured_files *files, const struct stacks *stacks);

/* Adds files whose records were lost because the ring buffer was full. */
int captured_files_look(struct captured_files *files);

/*
 * Loads some pages of large files before they are wanted, if there is nothing else to do. Returns
 * whether there are more.
 */
bool captured_files_fill(struct captured_files *files);

/* The file with an index of the kernel's, or NULL. */
struct captured_file *captured_files_find(const struct captured_files *files, uint32_t index);

#endif
