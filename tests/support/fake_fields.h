/* SPDX-License-Identifier: MIT */
/*
 * Fields of every type whose values a test sets, in place of the real ones: link it and no file of
 * fields is taken from the library.
 */
#ifndef FAKE_FIELDS_H
#define FAKE_FIELDS_H

#include <stdint.h>

#include "sinsp/fields/field.h"

/* Types that have fields type.TYPE, other.TYPE and list.TYPE. */
#define FAKE_SIGNED(X) X(INT8) X(INT16) X(INT32) X(INT64) X(FD) X(PID) X(ERRNO)
#define FAKE_UNSIGNED(X)                                                                           \
	X(UINT8)                                                                                   \
	X(UINT16)                                                                                  \
	X(UINT32) X(UINT64) X(FLAGS8) X(FLAGS16) X(FLAGS32) X(FLAGS64) X(ENUMFLAGS8)               \
		X(ENUMFLAGS16) X(ENUMFLAGS32) X(MODE) X(SYSCALLID) X(SIGTYPE) X(RELTIME)           \
			X(ABSTIME) X(L4PROTO)
#define FAKE_TEXTS(X) X(CHARBUF) X(FSPATH) X(FSRELPATH)
#define FAKE_INCOMPARABLE(X)                                                                       \
	X(UID)                                                                                     \
	X(GID)                                                                                     \
	X(SIGSET) X(SOCKADDR) X(SOCKTUPLE) X(FDLIST) X(DYN) X(CHARBUFARRAY) X(UINT32LIST)          \
		X(UINT64LIST) X(BITSET)
#define FAKE_TYPES(X)                                                                              \
	FAKE_SIGNED(X)                                                                             \
	FAKE_UNSIGNED(X)                                                                           \
	FAKE_TEXTS(X) FAKE_INCOMPARABLE(X) X(PORT) X(BOOL) X(DOUBLE) X(BYTEBUF) X(IPADDR) X(IPNET)

/* Takes all values away. */
void fake_clear(void);

/* Each adds one value to a field. */
void fake_add_i64(const char *name, int64_t value);
void fake_add_u64(const char *name, uint64_t value);
void fake_add_f64(const char *name, double value);
void fake_add_text(const char *name, const char *text);
void fake_add_bytes(const char *name, const char *bytes, size_t len);
void fake_add_ip(const char *name, const char *address);

/* What is missing of the values of a field: enum cut_bits. */
void fake_set_cut(const char *name, unsigned int cut);

/* How often any value was asked for since fake_clear(). */
unsigned int fake_reads(void);

/* A list that is there, but empty. */
void fake_set_empty(const char *name);

#endif
