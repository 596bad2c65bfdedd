/* SPDX-License-Identifier: MIT */
/* Whose plaintext under TLS is wanted: the value of --tls. */
#ifndef AGENT_OPTIONS_TLS_H
#define AGENT_OPTIONS_TLS_H

#include "abi.h"

/*
 * Reads "all", or names of threads and ids of processes with commas between, and adds them. Returns
 * 0; -EINVAL: an element is empty, or a name too long; -E2BIG: there are too many.
 */
int options_read_tls(const char *text, struct tls_chosen *chosen);

#endif
