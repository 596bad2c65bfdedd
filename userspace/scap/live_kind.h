/* SPDX-License-Identifier: MIT */
/*
 * The programs at system calls are built so that they can be of either kind.
 *
 * Raw ones, at the tracepoints "sys_enter" and "sys_exit", cost least. But where the kernel can be
 * preempted in them, it skips every other run of the same program on that CPU meanwhile, and the
 * events of these calls are missing. There, classic ones at "raw_syscalls:sys_…" take their place;
 * those always run to their end.
 */
#ifndef SCAP_LIVE_KIND_H
#define SCAP_LIVE_KIND_H

#include <stdbool.h>

struct bpf_link;
struct bpf_program;

/* Whether classic ones are needed here, and to be had: they take a mounted tracefs. */
bool live_kind_is_classic(void);

/*
 * Ahead of loading: classic ones are what the programs' sections say; this makes a raw one for the
 * tracepoint "sys_enter" or "sys_exit". Returns 0 or -errno.
 */
int live_kind_make_raw(struct bpf_program *program, const char *tracepoint);

/* As bpf_program__attach(). */
struct bpf_link *live_kind_attach_raw(struct bpf_program *program);

#endif
