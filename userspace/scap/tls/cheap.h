/* SPDX-License-Identifier: MIT */
/*
 * Where probes of a function of x86-64 cost least. The kernel steps over most instructions with a
 * breakpoint, by a trap of its own, and a probe at returns puts one where a function begins; what
 * pushes, calls or branches it does itself. Where the code proves that each call passes by such
 * instructions, with its arguments or its result in their registers, probes stand there.
 */
#ifndef SCAP_TLS_CHEAP_H
#define SCAP_TLS_CHEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TLS_CHEAP_BYTES_MAX = 1024, /* of a function; those that are longer are not looked at */
	TLS_CHEAP_ENDS = 4,
	TLS_CHEAP_STACK_MAX = 1 << 15, /* that an instruction takes */
};

struct tls_cheap_place {
	uint32_t at; /* behind the begin of the function */
	int32_t stack; /* how many bytes the stack pointer is below where it was at the begin */
};

struct tls_cheap {
	struct tls_cheap_place begin, ends[TLS_CHEAP_ENDS];
	size_t count; /* of ends */
};

/* code: all of a function. arguments: how many of its first five matter. Returns false if nothing
 * is proven. */
bool tls_cheap_find(const uint8_t *code, size_t bytes, unsigned int arguments,
		    struct tls_cheap *found);

#endif
