/* SPDX-License-Identifier: MIT */
/* Programs that speak TLS, or may, by functions that are not found. */
#ifndef SCAP_TLS_MISSED_H
#define SCAP_TLS_MISSED_H

#include <stddef.h>
#include <stdint.h>

enum tls_missed {
	TLS_MISSED_NONE, /* it has the functions, or shows nothing of TLS */
	TLS_MISSED_GO, /* made by Go, with its own TLS */
	TLS_MISSED_NSS, /* is the library of TLS of Firefox and others, or uses it */
	TLS_MISSED_JAVA, /* starts a virtual machine, which has its own TLS */
	TLS_MISSED_EMBEDDED, /* has a library of TLS in itself, without its symbols */
	TLS_MISSED_KINDS,
};

/* What a program is, by its file. Reads a part of it. A file that cannot be read is none. */
enum tls_missed tls_missed_look(const char *path);

/* In words: "Go's own TLS". */
const char *tls_missed_name(enum tls_missed missed);

#endif
