/* SPDX-License-Identifier: MIT */
/* What is compressed by xz in a file of another user. */
#ifndef SCAP_SYMBOLS_SYMBOL_UNPACK_H
#define SCAP_SYMBOLS_SYMBOL_UNPACK_H

#include "util/buf.h"

/*
 * Appends what was compressed. Returns 0; -EFBIG: it has more than `max` bytes, or needs much
 * memory; -EBADMSG: it is damaged; -ENOENT: this program was built without liblzma; -ENOMEM.
 */
int symbol_unpack(const void *bytes, size_t len, size_t max, struct buf *out);

#endif
