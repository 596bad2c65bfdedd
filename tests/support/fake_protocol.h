/* SPDX-License-Identifier: MIT */
/* What tests know of the protocol in fake_protocol.c. */
#ifndef TESTS_FAKE_PROTOCOL_H
#define TESTS_FAKE_PROTOCOL_H

#include "requests/protocols/protocol.h"

enum {
	FAKE_NUMBER = 2,
	FAKE_LINE_MAX = 128,
	FAKE_BODY_WANTS_ALL = 99, /* a body of that length is worth seeing */
};

#endif
