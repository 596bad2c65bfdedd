/* SPDX-License-Identifier: MIT */
/* The protocols that are recognised. */
#include "requests/protocols/all.h"

const struct protocol *const protocols[] = {
	&protocol_http1,
	NULL,
};
