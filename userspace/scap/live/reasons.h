/* SPDX-License-Identifier: MIT */
/* Names of the reasons for which the kernel drops packets and resets connections. */
#ifndef SCAP_LIVE_REASONS_H
#define SCAP_LIVE_REASONS_H

#include "abi.h"

struct btf;

/*
 * Fills in the names that the kernel's types have for them, without the prefix that all of them
 * share, at the places that the programs read: see REASONS_MAX. Other places remain as they are.
 */
void live_reasons_read(const struct btf *types, char names[REASONS_MAX][REASON_BYTES_MAX]);

#endif
