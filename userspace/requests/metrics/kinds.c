/* SPDX-License-Identifier: MIT */
/*
 * Names, attributes and bounds are those of OpenTelemetry's semantic conventions 1.44, where they
 * have any; those of Kindling are its own.
 */
#include "requests/metrics/kinds.h"

#include "util/count.h"

#define BOUNDS(table)                                                                              \
	{                                                                                          \
		table, COUNT(table)                                                                \
	}

/* For HTTP, and what no convention names. */
static const struct kind_bound seconds[] = {
	{5000000, "0.005"},  {10000000, "0.01"},  {25000000, "0.025"}, {50000000, "0.05"},
	{75000000, "0.075"}, {100000000, "0.1"},  {250000000, "0.25"}, {500000000, "0.5"},
	{750000000, "0.75"}, {1000000000, "1"},	  {2500000000, "2.5"}, {5000000000, "5"},
	{7500000000, "7.5"}, {10000000000, "10"},
};

static const struct kind_bound database_seconds[] = {
	{1000000, "0.001"}, {5000000, "0.005"}, {10000000, "0.01"},
	{50000000, "0.05"}, {100000000, "0.1"}, {500000000, "0.5"},
	{1000000000, "1"},  {5000000000, "5"},	{10000000000, "10"},
};

/* From a machine to itself to a SYN that is sent a few times. */
static const struct kind_bound round_trips[] = {
	{500000, "0.0005"},  {1000000, "0.001"},  {2000000, "0.002"}, {5000000, "0.005"},
	{10000000, "0.01"},  {25000000, "0.025"}, {50000000, "0.05"}, {100000000, "0.1"},
	{250000000, "0.25"}, {500000000, "0.5"},  {1000000000, "1"},  {2500000000, "2.5"},
	{5000000000, "5"},   {10000000000, "10"},
};

/* The conventions recommend none. */
static const struct kind_bound sizes[] = {
	{64, "64"},	      {256, "256"},	      {1024, "1024"},	  {4096, "4096"},
	{16384, "16384"},     {65536, "65536"},	      {262144, "262144"}, {1048576, "1048576"},
	{4194304, "4194304"}, {16777216, "16777216"},
};

#define DURATION(name, plain_name, help)                                                           \
	{                                                                                          \
		KIND_DURATION, name, "s",                                                          \
		{                                                                                  \
			plain_name "_seconds", METRIC_HISTOGRAM, "seconds", help                   \
		}                                                                                  \
	}
#define SIZE(value, name, plain_name, help)                                                        \
	{                                                                                          \
		value, name, "By",                                                                 \
		{                                                                                  \
			plain_name "_bytes", METRIC_HISTOGRAM, "bytes", help                       \
		}                                                                                  \
	}

#define OF_PROCESS                                                                                 \
	LABEL_NAMESPACE, LABEL_WORKLOAD_KIND, LABEL_WORKLOAD, LABEL_POD, LABEL_CONTAINER,          \
		LABEL_EXECUTABLE
#define OF_SERVER LABEL_SERVER_ADDRESS, LABEL_SERVER_PORT, LABEL_PEER_NAMESPACE, LABEL_PEER

enum {
	OTEL_HTTP_CLIENT,
	OTEL_HTTP_SERVER,
	OTEL_DB_CLIENT,
	OTEL_DB_SERVER,
	OTEL_DNS_CLIENT,
	OTEL_DNS_SERVER,
	OTEL_RPC_CLIENT,
	OTEL_RPC_SERVER,
	OTEL_QUEUE_CLIENT,
	OTEL_QUEUE_SERVER,
	OTEL_CLIENT,
	OTEL_SERVER,
	OTEL_CONNECT,
	OTEL_CONNECTION,
	OTEL_RETRANSMIT,
	OTEL_RESET,
	OTEL_DROP,
};

#define TOTAL(value, name, unit, plain_name, plain_unit, help)                                     \
	{                                                                                          \
		value, name, unit,                                                                 \
		{                                                                                  \
			plain_name, METRIC_COUNTER, plain_unit, help                               \
		}                                                                                  \
	}
#define OF_SOCKET LABEL_ROLE, OF_SERVER, OF_PROCESS

/* Servers have no address: clients choose it with their Host. */
static const struct kind otel[] = {
	[OTEL_HTTP_CLIENT] =
		{{BOUNDS(seconds), BOUNDS(sizes), BOUNDS(sizes)},
		 {DURATION("http.client.request.duration", "http_client_request_duration",
			   "Requests of HTTP clients."),
		  SIZE(KIND_REQUEST_SIZE, "http.client.request.size", "http_client_request_size",
		       "Requests of HTTP clients, with their headers."),
		  SIZE(KIND_RESPONSE_SIZE, "http.client.response.size", "http_client_response_size",
		       "Responses to HTTP clients, with their headers.")},
		 {LABEL_HTTP_METHOD, LABEL_HTTP_STATUS, LABEL_ERROR, LABEL_HTTP_TEMPLATE,
		  LABEL_HTTP_SCHEME, OF_SERVER, OF_PROCESS}},
	[OTEL_HTTP_SERVER] =
		{{BOUNDS(seconds), BOUNDS(sizes), BOUNDS(sizes)},
		 {DURATION("http.server.request.duration", "http_server_request_duration",
			   "Requests to HTTP servers."),
		  SIZE(KIND_REQUEST_SIZE, "http.server.request.size", "http_server_request_size",
		       "Requests to HTTP servers, with their headers."),
		  SIZE(KIND_RESPONSE_SIZE, "http.server.response.size", "http_server_response_size",
		       "Responses of HTTP servers, with their headers.")},
		 {LABEL_HTTP_METHOD, LABEL_HTTP_STATUS, LABEL_ERROR, LABEL_HTTP_ROUTE,
		  LABEL_HTTP_SCHEME, LABEL_SERVER_PORT, OF_PROCESS}},
	[OTEL_DB_CLIENT] = {{BOUNDS(database_seconds)},
			    {DURATION("db.client.operation.duration",
				      "db_client_operation_duration",
				      "Operations of clients of databases.")},
			    {LABEL_DB_SYSTEM, LABEL_DB_OPERATION, LABEL_DB_COLLECTION, LABEL_ERROR,
			     OF_SERVER, OF_PROCESS}},
	[OTEL_DB_SERVER] = {{BOUNDS(database_seconds)},
			    {DURATION("db.server.operation.duration",
				      "db_server_operation_duration",
				      "Operations of database servers.")},
			    {LABEL_DB_SYSTEM, LABEL_DB_OPERATION, LABEL_DB_COLLECTION, LABEL_ERROR,
			     LABEL_SERVER_PORT, OF_PROCESS}},
	[OTEL_DNS_CLIENT] = {{BOUNDS(seconds)},
			     {DURATION("dns.lookup.duration", "dns_lookup_duration",
				       "Questions of DNS clients.")},
			     {LABEL_DNS_NAME, LABEL_ERROR, OF_SERVER, OF_PROCESS}},
	[OTEL_DNS_SERVER] = {{BOUNDS(seconds)},
			     {DURATION("dns.server.lookup.duration", "dns_server_lookup_duration",
				       "Questions to DNS servers.")},
			     {LABEL_DNS_NAME, LABEL_ERROR, LABEL_SERVER_PORT, OF_PROCESS}},
	[OTEL_RPC_CLIENT] = {{BOUNDS(seconds)},
			     {DURATION("rpc.client.call.duration", "rpc_client_call_duration",
				       "Calls of RPC clients.")},
			     {LABEL_RPC_SYSTEM, LABEL_RPC_METHOD, LABEL_RPC_STATUS, LABEL_ERROR,
			      OF_SERVER, OF_PROCESS}},
	[OTEL_RPC_SERVER] = {{BOUNDS(seconds)},
			     {DURATION("rpc.server.call.duration", "rpc_server_call_duration",
				       "Calls to RPC servers.")},
			     {LABEL_RPC_SYSTEM, LABEL_RPC_METHOD, LABEL_RPC_STATUS, LABEL_ERROR,
			      LABEL_SERVER_PORT, OF_PROCESS}},
	[OTEL_QUEUE_CLIENT] = {{BOUNDS(seconds)},
			       {DURATION("messaging.client.operation.duration",
					 "messaging_client_operation_duration",
					 "Operations of clients of queues.")},
			       {LABEL_QUEUE_SYSTEM, LABEL_QUEUE_OPERATION, LABEL_QUEUE_DESTINATION,
				LABEL_ERROR, OF_SERVER, OF_PROCESS}},
	[OTEL_QUEUE_SERVER] = {{BOUNDS(seconds)},
			       {DURATION("messaging.server.operation.duration",
					 "messaging_server_operation_duration",
					 "Operations of servers of queues.")},
			       {LABEL_QUEUE_SYSTEM, LABEL_QUEUE_OPERATION, LABEL_QUEUE_DESTINATION,
				LABEL_ERROR, LABEL_SERVER_PORT, OF_PROCESS}},
	[OTEL_CLIENT] = {{BOUNDS(seconds)},
			 {DURATION("lanner.client.request.duration",
				   "lanner_client_request_duration",
				   "Requests of clients of other protocols.")},
			 {LABEL_PROTOCOL, LABEL_ERROR, OF_SERVER, OF_PROCESS}},
	[OTEL_SERVER] = {{BOUNDS(seconds)},
			 {DURATION("lanner.server.request.duration",
				   "lanner_server_request_duration",
				   "Requests to servers of other protocols.")},
			 {LABEL_PROTOCOL, LABEL_ERROR, LABEL_SERVER_PORT, OF_PROCESS}},
	[OTEL_CONNECT] = {{BOUNDS(round_trips)},
			  {DURATION("lanner.tcp.connect.duration", "lanner_tcp_connect_duration",
				    "Connections of clients, until they were made or failed.")},
			  {LABEL_ERROR, OF_SERVER, OF_PROCESS},
			  .is_of_sockets = true},
	[OTEL_CONNECTION] =
		{{BOUNDS(round_trips)},
		 {DURATION("lanner.tcp.rtt", "lanner_tcp_rtt",
			   "Smoothed round trip times of connections, when they were seen."),
		  TOTAL(KIND_IO, "lanner.tcp.io", "By", "lanner_tcp_io_bytes", "bytes",
			"Bytes of connections that have ended.")},
		 {OF_SOCKET},
		 .is_of_sockets = true},
	[OTEL_RETRANSMIT] = {.metrics = {TOTAL(KIND_AMOUNT, "lanner.tcp.retransmits", "{segment}",
					       "lanner_tcp_retransmits", NULL,
					       "Segments that were sent again.")},
			     .labels = {LABEL_REASON, OF_SOCKET},
			     .is_of_sockets = true},
	[OTEL_RESET] = {.metrics = {TOTAL(KIND_AMOUNT, "lanner.tcp.resets", "{segment}",
					  "lanner_tcp_resets", NULL, "Resets of connections.")},
			.labels = {LABEL_DIRECTION, LABEL_REASON, OF_SOCKET},
			.is_of_sockets = true},
	[OTEL_DROP] = {.metrics = {TOTAL(KIND_AMOUNT, "lanner.packet.drops", "{packet}",
					 "lanner_packet_drops", NULL,
					 "Packets that this machine dropped.")},
		       .labels = {LABEL_TRANSPORT, LABEL_REASON, OF_SOCKET},
		       .is_of_sockets = true},
};

#define COUNTER(value, name, unit, plain_unit, help)                                               \
	{                                                                                          \
		value, "kindling_" name "_total", unit,                                            \
		{                                                                                  \
			"kindling_" name, METRIC_COUNTER, plain_unit, help                         \
		}                                                                                  \
	}

enum {
	KINDLING_TOPOLOGY,
	KINDLING_ENTITY,
	KINDLING_CONNECT,
	KINDLING_SRTT,
	KINDLING_RETRANSMIT,
	KINDLING_LOSS,
};

#define KINDLING_SOURCE                                                                            \
	LABEL_KD_SRC_NAMESPACE, LABEL_KD_SRC_WORKLOAD_KIND, LABEL_KD_SRC_WORKLOAD,                 \
		LABEL_KD_SRC_NODE, LABEL_KD_SRC_POD, LABEL_KD_SRC_CONTAINER,                       \
		LABEL_KD_SRC_CONTAINER_ID, LABEL_KD_LOCAL_IP
#define KINDLING_DESTINATION                                                                       \
	LABEL_KD_DST_NAMESPACE, LABEL_KD_DST_WORKLOAD_KIND, LABEL_KD_DST_WORKLOAD,                 \
		LABEL_KD_DST_SERVICE, LABEL_KD_DST_NODE, LABEL_KD_DST_POD, LABEL_KD_REMOTE_IP,     \
		LABEL_KD_REMOTE_PORT

/* Of clients, between two ends; of servers, as they are. */
static const struct kind kindling[] = {
	[KINDLING_TOPOLOGY] =
		{.metrics = {COUNTER(KIND_REQUESTS, "topology_request", "1", NULL,
				     "Requests of clients."),
			     COUNTER(KIND_NANOSECONDS, "topology_request_duration_nanoseconds",
				     "ns", "nanoseconds", "How long these took, together."),
			     COUNTER(KIND_REQUEST_BYTES, "topology_request_request_bytes", "By",
				     "bytes", "Bytes of these requests."),
			     COUNTER(KIND_RESPONSE_BYTES, "topology_request_response_bytes", "By",
				     "bytes", "Bytes of their responses.")},
		 .labels = {LABEL_KD_SRC_NAMESPACE,    LABEL_KD_SRC_WORKLOAD_KIND,
			    LABEL_KD_SRC_WORKLOAD,     LABEL_KD_SRC_NODE,
			    LABEL_KD_SRC_POD,	       LABEL_KD_SRC_CONTAINER,
			    LABEL_KD_SRC_CONTAINER_ID, LABEL_KD_SRC_IP,
			    LABEL_KD_DST_NAMESPACE,    LABEL_KD_DST_WORKLOAD_KIND,
			    LABEL_KD_DST_WORKLOAD,     LABEL_KD_DST_SERVICE,
			    LABEL_KD_DST_NODE,	       LABEL_KD_DST_POD,
			    LABEL_KD_DST_CONTAINER,    LABEL_KD_DST_CONTAINER_ID,
			    LABEL_KD_DST_IP,	       LABEL_KD_DST_PORT,
			    LABEL_KD_PROTOCOL,	       LABEL_KD_STATUS}},
	[KINDLING_ENTITY] = {.metrics = {COUNTER(KIND_REQUESTS, "entity_request", "1", NULL,
						 "Requests to servers."),
					 COUNTER(KIND_NANOSECONDS,
						 "entity_request_duration_nanoseconds", "ns",
						 "nanoseconds", "How long these took, together."),
					 COUNTER(KIND_REQUEST_BYTES, "entity_request_receive_bytes",
						 "By", "bytes", "Bytes of these requests."),
					 COUNTER(KIND_RESPONSE_BYTES, "entity_request_send_bytes",
						 "By", "bytes", "Bytes of their responses.")},
			     .labels = {LABEL_KD_NAMESPACE, LABEL_KD_WORKLOAD_KIND,
					LABEL_KD_WORKLOAD, LABEL_KD_NODE, LABEL_KD_POD,
					LABEL_KD_CONTAINER, LABEL_KD_CONTAINER_ID,
					LABEL_KD_IP, LABEL_KD_PORT, LABEL_KD_PROTOCOL,
					LABEL_KD_REQUEST, LABEL_KD_RESPONSE}},
	[KINDLING_CONNECT] = {.metrics = {COUNTER(KIND_AMOUNT, "tcp_connect", "1", NULL,
						  "Connections of clients."),
					  COUNTER(KIND_NANOSECONDS,
						  "tcp_connect_duration_nanoseconds", "ns",
						  "nanoseconds",
						  "How long those took that were made, together.")},
			      .labels = {KINDLING_SOURCE, KINDLING_DESTINATION, LABEL_KD_ERRNO,
					 LABEL_KD_SUCCESS},
			      .is_of_sockets = true,
			      .times_successes = true},
	[KINDLING_SRTT] = {.metrics = {{KIND_LAST,
					"kindling_tcp_srtt_microseconds",
					"us",
					{"kindling_tcp_srtt_microseconds", METRIC_GAUGE,
					 "microseconds", "The last smoothed round trip time."}}},
			   .labels = {KINDLING_SOURCE, LABEL_KD_LOCAL_PORT, KINDLING_DESTINATION},
			   .is_of_sockets = true},
	[KINDLING_RETRANSMIT] = {.metrics = {COUNTER(KIND_AMOUNT, "tcp_retransmit", "1", NULL,
						     "Segments that were sent again.")},
				 .labels = {KINDLING_SOURCE, LABEL_KD_LOCAL_PORT,
					    KINDLING_DESTINATION},
				 .is_of_sockets = true},
	[KINDLING_LOSS] = {.metrics = {COUNTER(KIND_AMOUNT, "tcp_packet_loss", "1", NULL,
					       "Packets of TCP that this machine dropped.")},
			   .labels = {KINDLING_SOURCE, LABEL_KD_LOCAL_PORT, KINDLING_DESTINATION},
			   .is_of_sockets = true},
};

#define NS_PER_MS UINT64_C(1000000)
#define BOTH(kind)                                                                                 \
	{                                                                                          \
		kind, kind                                                                         \
	}

const struct kinds kinds_of[KINDS_SCHEMAS] = {
	[KINDS_OTEL] = {otel,
			COUNT(otel),
			{[VIEW_HTTP] = {OTEL_HTTP_CLIENT, OTEL_HTTP_SERVER},
			 [VIEW_DATABASE] = {OTEL_DB_CLIENT, OTEL_DB_SERVER},
			 [VIEW_DNS] = {OTEL_DNS_CLIENT, OTEL_DNS_SERVER},
			 [VIEW_RPC] = {OTEL_RPC_CLIENT, OTEL_RPC_SERVER},
			 [VIEW_QUEUE] = {OTEL_QUEUE_CLIENT, OTEL_QUEUE_SERVER},
			 [VIEW_OTHER] = {OTEL_CLIENT, OTEL_SERVER},
			 [VIEW_CONNECT] = BOTH(OTEL_CONNECT),
			 [VIEW_CONNECTION] = BOTH(OTEL_CONNECTION),
			 [VIEW_RETRANSMIT] = BOTH(OTEL_RETRANSMIT),
			 [VIEW_RESET] = BOTH(OTEL_RESET),
			 [VIEW_TCP_DROP] = BOTH(OTEL_DROP),
			 [VIEW_UDP_DROP] = BOTH(OTEL_DROP)}},
	[KINDS_KINDLING] = {kindling,
			    COUNT(kindling),
			    {[0 ... VIEW_OF_SOCKETS - 1] = {KINDLING_TOPOLOGY, KINDLING_ENTITY},
			     [VIEW_CONNECT] = BOTH(KINDLING_CONNECT),
			     [VIEW_CONNECTION] = BOTH(KINDLING_SRTT),
			     [VIEW_RETRANSMIT] = BOTH(KINDLING_RETRANSMIT),
			     [VIEW_RESET] = BOTH(KIND_NONE),
			     [VIEW_TCP_DROP] = BOTH(KINDLING_LOSS),
			     [VIEW_UDP_DROP] = BOTH(KIND_NONE)},
			    {[VIEW_HTTP] = 500 * NS_PER_MS,
			     [VIEW_DATABASE] = 100 * NS_PER_MS,
			     [VIEW_DNS] = 100 * NS_PER_MS,
			     [VIEW_RPC] = 500 * NS_PER_MS,
			     [VIEW_QUEUE] = 500 * NS_PER_MS,
			     [VIEW_OTHER] = 500 * NS_PER_MS}},
};
