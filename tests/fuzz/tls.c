/* SPDX-License-Identifier: MIT */
/* One side of a connection that begins a handshake of TLS. */
#include "fuzz.h"
#include "speak.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_speak(&protocol_tls, data, size);
	return 0;
}
