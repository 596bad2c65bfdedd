/* SPDX-License-Identifier: MIT */
/* The protocols that tests speak. */
#ifndef TESTS_SPOKEN_PROTOCOLS_H
#define TESTS_SPOKEN_PROTOCOLS_H

#include "requests/protocols/protocol.h"

extern const struct protocol protocol_http1, protocol_redis;

#endif
