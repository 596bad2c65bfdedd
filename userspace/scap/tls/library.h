/* SPDX-License-Identifier: MIT */
/*
 * Functions of TLS libraries that take or give plaintext, and where files have them. Which program
 * of the driver runs at each of them is said here.
 */
#ifndef SCAP_TLS_LIBRARY_H
#define SCAP_TLS_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include "perf/elf_file.h"

/* The PROBE_PROGRAMs, in the order of events/programs.def. */
enum tls_program {
	TLS_CALL, /* a function begins that returns how many bytes it moved, */
	TLS_CALL_EX, /* or writes that to where its fourth argument points, */
	TLS_CALL_FLAGS, /* its fifth one; */
	TLS_CALL_UNSEEN, /* it returns that, and its arguments do not tell where the bytes are */
	TLS_CALL_END, /* one ends that moves no bytes, */
	TLS_READ_END, /* that gives plaintext, */
	TLS_WRITE_END, /* or takes it */
	TLS_FORGET, /* the object of a connection goes */
	TLS_PROGRAMS,
};

struct tls_function {
	const char *name;
	uint8_t begin, end; /* enum tls_program; TLS_PROGRAMS: none */
};

extern const struct tls_function tls_functions[];

enum { TLS_FUNCTIONS = 19 };

/* Where a file has them. */
struct tls_library {
	size_t count;
	struct tls_place {
		uint64_t offset; /* in the file: of the function, or of an instruction at which its
				  * arguments and stack are as at its begin */
		uint8_t function; /* in tls_functions */
	} places[TLS_FUNCTIONS];
};

/*
 * Reads the symbols of a file of 64 bits for this machine. Returns 0; -ENOENT: it does not both
 * read and write by such functions; or another -errno with a reason.
 */
int tls_library_read(const char *path, struct tls_library *library, char reason[PERF_REASON_BYTES]);

/* Whether a file is likely a library of TLS, by the last part of its path. */
int tls_library_is_name(const char *path);

#endif
