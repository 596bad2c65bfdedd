/* SPDX-License-Identifier: MIT */
/* The protocols that are recognised. */
#include "requests/protocol.h"

const struct protocol *const protocols[] = {
	NULL,
};
