/* SPDX-License-Identifier: MIT */
/* One side of a connection that speaks a protocol: FUZZED, which meson.build names for each. */
#include "fuzz.h"
#include "speak.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_speak(&FUZZED, data, size);
	return 0;
}
