/* SPDX-License-Identifier: MIT */
/* The protocols, a file of this folder each. */
#ifndef REQUESTS_PROTOCOLS_ALL_H
#define REQUESTS_PROTOCOLS_ALL_H

#include "requests/protocols/protocol.h"

extern const struct protocol protocol_http1;

#endif
