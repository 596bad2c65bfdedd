/* SPDX-License-Identifier: MIT */
/* Nothing is printed: for recordings, and to count events. */
#include "sinsp/format/formats.h"

const struct output_format format_none = {
	.name = "none",
	.silent = true,
};
