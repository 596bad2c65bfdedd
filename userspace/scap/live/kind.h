/* SPDX-License-Identifier: MIT */
/*
 * The programs on entry and exit of system calls can be loaded as either kind.
 *
 * Raw ones, at the tracepoints "sys_enter" and "sys_exit", cost least. But if the kernel can
 * preempt them, it skips all other runs of the same program on that CPU during that time, and the
 * events of these calls are missing. Then classic ones, at the tracepoints of "raw_syscalls", are
 * used instead; these always run to their end.
 */
#ifndef SCAP_LIVE_KIND_H
#define SCAP_LIVE_KIND_H

#include <stdbool.h>

struct bpf_link;
struct bpf_program;

/* Whether the kernel may skip runs of raw programs. */
bool live_kind_raw_is_skipped(void);

/* Whether classic programs are needed and available: the kernel may lack tracefs. */
bool live_kind_is_classic(void);

/*
 * Makes a program a raw one, before it is loaded; by its section it is classic. Returns 0 or
 * -errno.
 */
int live_kind_make_raw(struct bpf_program *program, const char *hook);

/* Like bpf_program__attach(): NULL and errno on failure. */
struct bpf_link *live_kind_attach(struct bpf_program *program, const char *hook, bool classic);

#endif
