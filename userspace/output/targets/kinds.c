/* SPDX-License-Identifier: MIT */
/* The table of kinds as an array. */
#include "output/targets/kinds.h"

#include <stddef.h>

#define ADDRESS(name) &output_kind_##name,

const struct output_kind *const output_kinds[] = {OUTPUT_KINDS(ADDRESS) NULL};
