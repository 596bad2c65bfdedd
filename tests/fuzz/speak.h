/* SPDX-License-Identifier: MIT */
/* What the targets share that give bytes to a protocol of requests/. */
#ifndef TESTS_FUZZ_SPEAK_H
#define TESTS_FUZZ_SPEAK_H

#include <stddef.h>
#include <stdint.h>

#include "requests/protocols/protocol.h"

/*
 * The first three bytes say whose side it is and whether what follows it is unknown, and how the
 * rest is cut into pieces. Requires that promises of protocol.h are kept, that it makes no
 * difference how bytes are cut, and that a verdict is not taken back when more bytes come.
 */
void fuzz_speak(const struct protocol *protocol, const uint8_t *data, size_t size);

#endif
