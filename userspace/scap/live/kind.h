/* SPDX-License-Identifier: MIT */
/*
 * The programs on entry and the exit of system calls are built so that they can be of either
 * kind.
 *
 * Raw ones, at the tracepoints "sys_enter" and "sys_exit", cost least. But where the kernel can be
 * preempted in them, it skips every other run of the same program on that CPU meanwhile, and the
 * events of these calls are missing. There, classic ones at those of "raw_syscalls" take their
 * place; those always run to their end.
 */
#ifndef SCAP_LIVE_KIND_H
#define SCAP_LIVE_KIND_H

#include <stdbool.h>

struct bpf_link;
struct bpf_program;

/* Whether the kernel may skip runs of raw ones. */
bool live_kind_raw_is_skipped(void);

/* Whether classic ones are needed here, and to be had: the kernel may lack tracefs. */
bool live_kind_is_classic(void);

/* Ahead of loading, for its tracepoint: classic ones are what their sections say. Returns 0 or
 * -errno. */
int live_kind_make_raw(struct bpf_program *program, const char *hook);

/* As bpf_program__attach(): NULL and errno when it cannot be. */
struct bpf_link *live_kind_attach(struct bpf_program *program, const char *hook, bool classic);

#endif
