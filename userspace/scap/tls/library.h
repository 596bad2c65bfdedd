/* SPDX-License-Identifier: MIT */
/*
 * Functions of TLS libraries that take or give plaintext, and where files have them. Which program
 * of the driver runs at each of them is said here.
 */
#ifndef SCAP_TLS_LIBRARY_H
#define SCAP_TLS_LIBRARY_H

#include <stdbool.h>
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
	TLS_GO_READ_END, /* of Go: a function returns that gives plaintext, */
	TLS_GO_WRITE_END, /* or that takes it; */
	TLS_GO_READ, /* such a one begins, */
	TLS_GO_WRITE, /* or one that takes it; */
	TLS_GO_FORGET, /* a connection is closed */
	TLS_PROGRAMS,
};

struct tls_function {
	const char *name;
	uint8_t begin, end; /* enum tls_program; TLS_PROGRAMS: none */
	bool is_go; /* it returns where its places say it, and is not probed at returns */
};

extern const struct tls_function tls_functions[];

enum {
	TLS_FUNCTIONS = 22,
	TLS_GO_ENDS =
		64, /* instructions that return, of all functions of a file; usually below 20 */
	TLS_PLACES = TLS_FUNCTIONS + TLS_GO_ENDS,
};

/* Where a file has them. */
struct tls_library {
	size_t count;
	struct tls_place {
		uint64_t offset; /* in the file: of the function, or of an instruction at which its
				  * arguments and stack are as at its begin; an end, or 0: none */
		uint8_t function; /* in tls_functions */
		bool is_end; /* it returns there, or soon after */
		/* Of functions with cheap.h, where the kernel can tell one place from another: */
		bool is_cheap;
		uint64_t cheap_offset; /* instead of `offset` */
		int32_t stack; /* see struct tls_cheap_place */
	} places[TLS_PLACES];
};

/*
 * Reads the symbols of a file of 64 bits for this machine. Returns 0; -ENOENT: it does not both
 * read and write by such functions; or another -errno with a reason.
 */
int tls_library_read(const char *path, struct tls_library *library, char reason[PERF_REASON_BYTES]);

/* Whether a file is likely a library of TLS, by the last part of its path. */
int tls_library_is_name(const char *path);

#endif
