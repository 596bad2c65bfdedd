/* SPDX-License-Identifier: MIT */
/*
 * What an application protocol is: how the bytes of its connections are recognised, and divided
 * into requests and responses. A protocol is one file of this folder; it knows neither sockets nor
 * times, and never allocates. Who calls it: connection.c.
 */
#ifndef REQUESTS_PROTOCOLS_PROTOCOL_H
#define REQUESTS_PROTOCOLS_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool;

/* The directions of a connection: what the client sends, and what the server does. */
enum protocol_side { PROTOCOL_REQUESTS, PROTOCOL_RESPONSES, PROTOCOL_SIDES };

enum {
	MESSAGE_METHOD_BYTES = 64,
	MESSAGE_TARGET_BYTES = 512,
	MESSAGE_HOST_BYTES = 128,
	MESSAGE_ERROR_BYTES = 48,
	MESSAGE_TRACE_BYTES = 64,
	MESSAGE_ANSWER_BYTES = 256,
	MESSAGE_VERSION_BYTES = 8,
	/* Of a connection and side, for the protocol alone: zeros when it begins or is found again.
	 */
	PROTOCOL_STATE_BYTES = 64,
};

/* What a request does with a statement that has a name or number. */
enum protocol_statement {
	STATEMENT_NONE,
	STATEMENT_KEEPS, /* its target is the text, if the response is no error */
	STATEMENT_USES, /* its target and method are those that were kept, if they are known */
	STATEMENT_DROPS,
};

/*
 * What a protocol learns of a request or response. Texts are NUL-terminated, "" if they are not
 * known, and cut if they are longer than their room.
 */
struct protocol_message {
	uint32_t ttl_s; /* of a response: how long the values of `answer` are valid, if any are */
	int32_t status; /* of a response, if has_status */
	bool has_status;
	bool blames_client; /* `error` is one of who asked: none at the server */
	bool is_oneway; /* a request that nothing answers */
	bool is_aside; /* a response that answers nothing: 100 Continue, what a server pushes */
	/* A response that is given out with this method though nobody asked: why there is no
	 * service.
	 */
	bool is_alone;
	bool has_key; /* a response answers the request with the same key, not the oldest one */
	bool has_statement; /* `statement` is known; of a response: that of what is kept */
	uint8_t statement_use; /* enum protocol_statement; of a request */
	uint8_t protocol; /* request_protocols, if it is not that of the connection; 0: it is */
	bool has_begun; /* of streams: the first headers of the request were seen */
	bool has_counts[PROTOCOL_SIDES]; /* `counts` of that side is known */
	/* Of datagrams, one whose lower half is 0 answers any request with the same upper half. If
	 * has_key is set, it is known when the message begins.
	 */
	uint64_t key;
	/* Of a response: nothing answers open requests any more whose keys have these bits of
	 * `key`; 0: of no others. The one with the key `ends_but` is answered all the same.
	 */
	uint64_t ends_mask, ends_but;
	uint64_t statement; /* its number, or a hash of its name */
	uint32_t note; /* of a request: what its protocol must know to read the response */
	uint32_t undecoded; /* parts of both sides whose meaning was said before they were seen */
	uint32_t counts[PROTOCOL_SIDES]; /* of streams: messages in the request, in the response */
	uint64_t deadline_ns; /* of a request: how long it may take; 0: not known */
	uint64_t kept[PROTOCOL_SIDES]; /* of streams: for the protocol alone */
	char method[MESSAGE_METHOD_BYTES]; /* GET, SELECT, HGET */
	char target[MESSAGE_TARGET_BYTES]; /* a path without its query, a key, a statement */
	char host[MESSAGE_HOST_BYTES];
	char trace_id[MESSAGE_TRACE_BYTES];
	char error[MESSAGE_ERROR_BYTES]; /* of a response: why it is one; "": it is none */
	/* Of a response: the values that it gives, with a blank between two; of DNS addresses. */
	char answer[MESSAGE_ANSWER_BYTES];
	char statement_method[MESSAGE_METHOD_BYTES]; /* of what is kept */
	char version[MESSAGE_VERSION_BYTES]; /* of the protocol */
};

/* Bytes of one side, from where the protocol stands in it. */
struct protocol_input {
	const uint8_t *data;
	size_t len; /* at least 1 */
	bool is_cut; /* the bytes behind them are not known, and will not be */
};

enum protocol_verdict {
	PROTOCOL_NO, /* not of this protocol */
	PROTOCOL_SHORT, /* more bytes would tell; so few are not believed, whatever the other is */
	PROTOCOL_MAYBE, /* as before, or it is only likely: the other side decides */
	PROTOCOL_YES,
};

enum protocol_action {
	PROTOCOL_WAITS, /* for more bytes: it is called with these again, and more, or is_cut */
	PROTOCOL_GOES_ON, /* `used` bytes were taken, and the `skip` bytes behind them do not matter
			   */
	/*
	 * Nobody knows where in the stream the next message begins. What is known of one that
	 * `ends` with it stands; one that only began is none.
	 */
	PROTOCOL_LOST,
	PROTOCOL_LEAVES, /* behind `used` and `skip` another protocol is spoken */
};

#define PROTOCOL_TO_THE_END UINT64_MAX /* as `skip`: until the side is closed */

/* What a protocol has found in its input. */
struct protocol_step {
	enum protocol_action action;
	/*
	 * Of the input; 0 also of a response that is whole, if its request is known, and where it
	 * shows that the message which has begun `ends` before it.
	 */
	size_t used;
	uint64_t skip; /* bytes behind them, known or not */
	bool begins; /* the first byte of these begins a message */
	bool ends; /* the last byte of used and skip ends the message */
	/*
	 * Of a message that goes on: if bytes behind these are missing, what is known of it stands.
	 * A response lasts until the client asks again then, a request until it is answered. Also
	 * of what a client sends behind a request.
	 */
	bool stands;
	/*
	 * `used`, and what is skipped, are a whole response with this key, within the one that is
	 * open and goes on behind it.
	 */
	bool is_within;
	uint64_t key;
	/* The protocol cannot say more without all bytes: their limit should be raised. */
	bool wants_all;
	/*
	 * Of PROTOCOL_LEAVES: which protocol is spoken behind this, NULL: it is not known. If it
	 * has streams, the request that this step answers is the one of stream 1.
	 */
	const struct protocol *next;
	bool is_opaque; /* of PROTOCOL_LEAVES: nobody can read what is behind this */
	/* Of streams: what ends with these bytes, beside `ends`. */
	bool closes; /* the request and its response, of which no more is said, */
	bool is_sure; /* and that is how it ended, whatever bytes of the response were missing */
	bool refuses; /* all of streams above `last`, which are not answered */
	uint64_t last;
	const char *error; /* why, in a word of the program; NULL: as they should */
};

/* Memory for what is kept of connections beside states. */
struct protocol_room {
	struct pool *pool; /* borrowed */
	size_t held, max; /* bytes of all connections */
	/* Owned: what the connections of a protocol share, and what frees it; NULL: nothing. */
	void *shared;
	void (*free_shared)(void *shared);
};

/* Frees what is shared, which is made again when it is needed. */
static inline void protocol_room_finish(struct protocol_room *room)
{
	if (room->shared)
		room->free_shared(room->shared);
	room->shared = NULL;
}

/*
 * Of a protocol whose messages interleave. Each is one of the streams of its connection, which have
 * numbers above 0 that rise from request to request, and one message that both sides write to.
 */
struct protocol_streams {
	/* What is kept of a connection that begins, which destroy() frees; NULL: no room. The room
	 * is borrowed. */
	void *(*create)(struct protocol_room *room);
	void (*destroy)(void *kept); /* accepts NULL */
	/*
	 * Which stream the next bytes are of, 0: none that has requests. Returns false: more bytes
	 * would tell.
	 */
	bool (*stream_of)(const void *kept, enum protocol_side side,
			  const struct protocol_input *input, uint64_t *stream);
	/* As `step` of a protocol. message: of that stream; of none, one that is forgotten. */
	struct protocol_step (*step)(void *kept, enum protocol_side side,
				     const struct protocol_input *input,
				     struct protocol_message *message);
	/* Bytes of a side were missing, or not understood. */
	void (*lose)(void *kept, enum protocol_side side);
	/*
	 * A message ends by the `error` of a step, so long after it began: sets its status and
	 * error, or returns false: that word is its error. NULL: it always is.
	 */
	bool (*end_by_error)(struct protocol_message *message, const char *error, uint64_t took_ns);
};

/* What conventions have metrics for. */
enum protocol_class {
	PROTOCOL_OF_OTHERS,
	PROTOCOL_OF_HTTP,
	PROTOCOL_OF_DATABASES,
	PROTOCOL_OF_DNS,
	PROTOCOL_OF_RPC,
	PROTOCOL_OF_QUEUES,
	PROTOCOL_CLASSES,
};

struct protocol {
	const char *name; /* as OpenTelemetry has it */
	uint8_t number; /* request_protocols__NAME */
	uint8_t class; /* enum protocol_class */
	bool has_statements; /* its targets are SQL */
	/* Nearly anything looks like a response: one that is searched for has the key of a request.
	 */
	bool is_found_by_key;
	const char *(*status_name)(int32_t status); /* NULL: statuses have no names */
	uint32_t also; /* bits of the numbers that its messages may have instead */
	const struct protocol_streams *streams; /* NULL: messages of a side do not interleave */
	/* Whether the first bytes of a side are of this protocol. */
	enum protocol_verdict (*recognise)(enum protocol_side side,
					   const struct protocol_input *input);
	/*
	 * Takes the next bytes; NULL if it has streams. state: PROTOCOL_STATE_BYTES of this side.
	 * message: of this side, which these bytes begin or go on with; before the step that begins
	 * it, all its numbers are 0 and all its texts empty. request: the one that a response
	 * answers, NULL for requests and if it is not known.
	 */
	struct protocol_step (*step)(enum protocol_side side, void *state,
				     const struct protocol_input *input,
				     struct protocol_message *message,
				     const struct protocol_message *request);
	/*
	 * After bytes were missing: where in the input a message may begin; its length: nowhere.
	 * All state is zeroed then.
	 */
	size_t (*find)(enum protocol_side side, const struct protocol_input *input);
};

extern const struct protocol protocol_http1, protocol_http2, protocol_grpc, protocol_tls,
	protocol_redis, protocol_dns_tcp, protocol_postgres, protocol_mysql, protocol_memcached,
	protocol_nats, protocol_mqtt, protocol_amqp, protocol_mongodb, protocol_kafka,
	protocol_cassandra, protocol_dubbo, protocol_rocketmq, protocol_websocket, protocol_fastcgi;

/* All of them, in the order in which they are tried; NULL ends the list. */
extern const struct protocol *const protocols[];

/*
 * Of datagrams: each input is one of them, with is_cut if not all of it is known, and a step takes
 * it with all that was cut off. It has a key. NULL ends the list.
 */
extern const struct protocol protocol_dns;
extern const struct protocol *const protocols_of_datagrams[];

/* The protocol of a number; NULL: none, or that of requests whose protocol is not known. */
const struct protocol *protocol_of(uint8_t number);

#endif
