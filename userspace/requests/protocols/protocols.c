/* SPDX-License-Identifier: MIT */
/* The protocols that are recognised. */
#include "requests/protocols/protocol.h"

const struct protocol *const protocols[] = {
	&protocol_http1,   &protocol_postgres, &protocol_mysql,
	&protocol_dns_tcp, &protocol_redis,    NULL,
};

const struct protocol *const protocols_of_datagrams[] = {&protocol_dns, NULL};
