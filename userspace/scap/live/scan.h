/* SPDX-License-Identifier: MIT */
/* Runs iterators that are of use by what their programs note, not by what they write. */
#ifndef SCAP_LIVE_SCAN_H
#define SCAP_LIVE_SCAN_H

struct bpf_program;

/*
 * Passes over all that an iterator lists, until its program writes nothing: a byte for each thing
 * that makes another pass necessary. Returns 0; -EOPNOTSUPP if it is not loaded; -E2BIG if it wrote
 * in each of `passes`; or another -errno.
 */
int live_scan(const struct bpf_program *program, unsigned int passes);

#endif
