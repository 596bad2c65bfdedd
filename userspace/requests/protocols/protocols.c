/* SPDX-License-Identifier: MIT */
/* The protocols that are recognised. */
#include "requests/protocols/protocol.h"

const struct protocol *const protocols[] = {
	&protocol_http1,     &protocol_http2,	&protocol_grpc,	     &protocol_tls,
	&protocol_postgres,  &protocol_amqp,	&protocol_dubbo,     &protocol_fastcgi,
	&protocol_rocketmq,  &protocol_mongodb, &protocol_cassandra, &protocol_kafka,
	&protocol_mysql,     &protocol_mqtt,	&protocol_dns_tcp,   &protocol_redis,
	&protocol_memcached, &protocol_nats,	&protocol_websocket, NULL,
};

const struct protocol *const protocols_of_datagrams[] = {&protocol_dns, NULL};

/* Those of datagrams have a number that one of streams has, too. */
const struct protocol *protocol_of(uint8_t number)
{
	for (size_t i = 0; protocols[i]; i++)
		if (protocols[i]->number == number)
			return protocols[i];
	return NULL;
}
