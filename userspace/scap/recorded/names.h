/* SPDX-License-Identifier: MIT */
/*
 * Names of the addresses of a perf.data: of the files that its processes had mapped, as far as they
 * are on this machine and still the same, and of the kernel, if it is the one that runs here.
 */
#ifndef SCAP_RECORDED_NAMES_H
#define SCAP_RECORDED_NAMES_H

#include "perf/data/build_ids.h"
#include "scap/samples/record.h"
#include "util/buf.h"

struct recorded_names;

enum { RECORDED_FILES_MAX = 8192 }; /* those of further ones have no symbols */

/* kallsyms: the path of /proc/kallsyms, or of a file like it; copied. Returns 0 or -ENOMEM. */
int recorded_names_create(const char *kallsyms, struct recorded_names **names);
void recorded_names_destroy(struct recorded_names *names); /* accepts NULL */

/* The build id of a file, or of the kernel, by its path; may come before or behind mappings. */
void recorded_names_build_id(struct recorded_names *names, const char *path,
			     const struct perf_build_id *id);

/* What records say, in their order. id: NULL: it is not known. */
void recorded_names_map(struct recorded_names *names, const struct sample_mapping *mapping,
			const struct perf_build_id *id);
void recorded_names_exec(struct recorded_names *names, int32_t pid);
void recorded_names_fork(struct recorded_names *names, const struct sample_task *task);
void recorded_names_exit(struct recorded_names *names, const struct sample_task *task);

/* Where the kernel's own code was, and its symbol _text. */
void recorded_names_kernel(struct recorded_names *names, uint64_t begin, uint64_t bytes,
			   uint64_t text);

/* Where a module was: "[NAME]", or a path; it is named if it is at the same place now. */
void recorded_names_module(struct recorded_names *names, uint64_t begin, uint64_t bytes,
			   const char *path);

/* What the kernel had there from then on, as a BPF program. name: NULL: nothing any more. */
void recorded_names_program(struct recorded_names *names, uint64_t begin, uint64_t bytes,
			    const char *name);

/* How many mappings, or times those of all processes, were left out: there were too many. */
uint64_t recorded_names_left_out(const struct recorded_names *names);

/* The name of an address; NULL: it is not known. Valid until a file is read. */
const char *recorded_names_find(struct recorded_names *names, int32_t pid, uint8_t mode,
				uint64_t address);

/*
 * The frames of a sample as those of live samples are written: "main;f;g", the outermost first.
 * Appends nothing if there are none.
 */
void recorded_names_stack(struct recorded_names *names, const struct sample_record *sample,
			  struct buf *text);

#endif
