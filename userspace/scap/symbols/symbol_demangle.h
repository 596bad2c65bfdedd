/* SPDX-License-Identifier: MIT */
/*
 * Names of C++ and Rust as their programmers write them. What is a name, another user's file says:
 * a short one may stand for a text without end.
 */
#ifndef SCAP_SYMBOLS_SYMBOL_DEMANGLE_H
#define SCAP_SYMBOLS_SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SYMBOL_DEMANGLED_BYTES = 1024, /* with the NUL; what would be longer stays as it is */
	/* Names that were given up as too long, after which no others are tried: each costs time.
	 */
	SYMBOL_DEMANGLE_REFUSALS_MAX = 1000,
};

/* A zeroed struct is one that has not begun. */
struct symbol_demangler {
	uint32_t refusals;
	uint32_t deep; /* names that were not tried, as parsing them could have no end */
};

/*
 * Writes the name of a function without its parameters, with the arguments of templates:
 * "a::f<int>". Returns false, with `text` undefined, if it is no mangled name, if it is given up,
 * or if this program was built without libiberty.
 */
bool symbol_demangle(struct symbol_demangler *demangler, const char *name,
		     char text[SYMBOL_DEMANGLED_BYTES]);

#endif
