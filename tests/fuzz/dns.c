/* SPDX-License-Identifier: MIT */
/* One side of a connection that speaks DNS; and the same bytes as a datagram. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "speak.h"
#include "spoken.h"

static void speak_datagram(enum protocol_side side, const uint8_t *data, size_t size)
{
	struct spoken spoken = {.protocol = &protocol_dns, .side = side, .is_cut = true};
	/* A block of its own, so that a read past its end is detected. */
	uint8_t *copy = malloc(size);
	struct protocol_input input = {copy, size, false};
	struct buf text = {0};
	const char *broken;

	REQUIRE(copy, "memory");
	memcpy(copy, data, size);
	broken = spoken_text(&spoken, data, size, &text);
	REQUIRE(!broken, "%s", broken);
	if (protocol_dns.recognise(side, &input) == PROTOCOL_YES)
		REQUIRE(text.len < 5 || memcmp(text.data + text.len - 5, "lost\n", 5) != 0,
			"recognised, and then not understood");
	buf_finish(&text);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_speak(&protocol_dns_tcp, data, size);
	if (size > 1)
		speak_datagram(data[0] & 1 ? PROTOCOL_RESPONSES : PROTOCOL_REQUESTS, data + 1,
			       size - 1);
	return 0;
}
