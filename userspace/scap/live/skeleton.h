/* SPDX-License-Identifier: MIT */
/*
 * Opening the skeleton of the BPF object. The inline function that bpftool generates for it has
 * some statements for each program: it is compiled here, once and without sanitizers.
 */
#ifndef SCAP_LIVE_SKELETON_H
#define SCAP_LIVE_SKELETON_H

struct bpf_object_open_opts;
struct lanner;

/*
 * Opens the object, whose file the agent has compressed: it is in memory only meanwhile. Options
 * may be NULL. Returns NULL with errno; the caller ends it with lanner__destroy().
 */
struct lanner *live_skeleton_open(const struct bpf_object_open_opts *options);

/*
 * Opens it, as live_skeleton_open(), without the lines of the source, which only messages of the
 * verifier show: for all programs they are 2 MB here, and the kernel checks them with each program.
 */
struct lanner *live_skeleton_open_without_lines(const struct bpf_object_open_opts *options);

#endif
