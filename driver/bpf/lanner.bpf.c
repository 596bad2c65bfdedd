/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The BPF programs, one translation unit: fillers.bpf.h expands the event table, programs.bpf.h has
 * dispatch, which runs on exit of every system call and jumps to the filler of its event.
 */
#include "bpf/programs.bpf.h"

char driver_license[] SEC("license") = DRIVER_LICENSE;
