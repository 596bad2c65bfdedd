/* SPDX-License-Identifier: MIT */
/* One side of a connection that speaks HTTP/2. */
#include "fuzz.h"
#include "speak.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_speak(&protocol_http2, data, size);
	return 0;
}
