/* SPDX-License-Identifier: MIT */
/*
 * A server on a unix socket that gives the answers of a list, one after the other, whatever it is
 * asked; or those of a list with paths, each as often as it is asked for that path by HTTP/1.1.
 */
#ifndef TESTS_FAKE_RUNTIME_H
#define TESTS_FAKE_RUNTIME_H

#include <stddef.h>

enum fake_answer_kind {
	FAKE_JSON, /* HTTP/1.1 with the text as body */
	FAKE_BYTES, /* the bytes as they are, then the connection is closed */
	FAKE_GRPC, /* HTTP/2: the bytes as a message, then the status */
	FAKE_SILENT, /* nothing */
	FAKE_SLOW, /* as FAKE_BYTES, a byte every 20 ms */
	FAKE_GRPC_STREAM, /* as FAKE_GRPC, but it goes on after the message */
	FAKE_GRPC_ENDED, /* as FAKE_GRPC; other connections are served beside this one */
	FAKE_STREAM, /* HTTP/1.1 with the text as a body that goes on */
};

struct fake_answer {
	enum fake_answer_kind kind;
	int status; /* of HTTP/1.1, or of gRPC */
	const char *bytes;
	size_t len; /* 0: that of the text */
	const char *path; /* its begin; NULL: of any request, once */
};

struct fake_runtime;

/* Listens below a folder of its own. After the last answer, connections are closed at once. */
struct fake_runtime *fake_runtime_start(const struct fake_answer *answers, size_t count);
/* The same as another user; the socket is root's all the same. For root. */
struct fake_runtime *fake_runtime_start_as(unsigned int uid, const struct fake_answer *answers,
					   size_t count);
void fake_runtime_stop(struct fake_runtime *runtime);

/* Ends the server, and starts another one behind the same path. */
void fake_runtime_restart(struct fake_runtime *runtime, const struct fake_answer *answers,
			  size_t count);

const char *fake_runtime_path(const struct fake_runtime *runtime);

/* The first line of a request of HTTP/1.1, "" if there was no such request. */
const char *fake_runtime_request(struct fake_runtime *runtime, size_t number);

/* Sends more of the streams that go on; or ends them. */
void fake_runtime_push(struct fake_runtime *runtime, const char *bytes, size_t len);
void fake_runtime_cut(struct fake_runtime *runtime);

/* How many requests came. */
size_t fake_runtime_requests(struct fake_runtime *runtime);

#endif
