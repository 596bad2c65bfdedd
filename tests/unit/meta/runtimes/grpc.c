/* SPDX-License-Identifier: MIT */
/* Calls of gRPC, and answers that are none. */
#include <errno.h>
#include <stdlib.h>

#include "meta/runtimes/cri.pb-c.h"
#include "meta/runtimes/grpc.h"
#include "fake_runtime.h"
#include "unit.h"

static const struct grpc_method version = {"/a.B/Version", &cri__version_response__descriptor};

/* Calls a method of a server that has one answer. */
static int call(const struct fake_answer *answer, const struct grpc_method *method,
		struct arena *arena, ProtobufCMessage **message, struct error *err)
{
	Cri__VersionRequest question = CRI__VERSION_REQUEST__INIT;
	struct fake_runtime *runtime = fake_runtime_start(answer, 1);
	struct grpc grpc = {.path = fake_runtime_path(runtime)};
	int result;

	question.version = (char *)"v1";
	assert_int_equal(http_open(grpc.path, &grpc.http, NULL), 0);
	result = grpc_call(&grpc, method, &question.base, UINT64_MAX, arena, message, err);
	http_close(grpc.http);
	fake_runtime_stop(runtime);
	return result;
}

static void assert_fails(const struct fake_answer *answer, const struct grpc_method *method,
			 int expected, const char *text)
{
	ProtobufCMessage *message = NULL;
	struct arena arena = {0};
	struct error err = {0};

	assert_int_equal(call(answer, method, &arena, &message, &err), expected);
	assert_null(message);
	assert_non_null(strstr(err.text, text));
	arena_finish(&arena);
}

static void test_answer(void **state)
{
	/* With a member that is not known. */
	static const struct fake_answer answer = {FAKE_GRPC, 0,
						  "\x12\x02"
						  "ab\x1a\x01"
						  "c",
						  7};
	struct arena arena = {0};
	ProtobufCMessage *message;

	assert_int_equal(call(&answer, &version, &arena, &message, NULL), 0);
	assert_string_equal(((Cri__VersionResponse *)message)->runtime_name, "ab");
	arena_finish(&arena);
}

static void test_answer_in_many_frames(void **state)
{
	enum { LEN = 100000, HEAD = 4 };
	char *bytes = malloc(HEAD + LEN);
	struct fake_answer answer = {FAKE_GRPC, 0, bytes, HEAD + LEN};
	struct arena arena = {0};
	ProtobufCMessage *message;

	assert_non_null(bytes);
	memcpy(bytes, "\x12\xa0\x8d\x06", HEAD);
	memset(bytes + HEAD, 'x', LEN);
	assert_int_equal(call(&answer, &version, &arena, &message, NULL), 0);
	assert_int_equal(strlen(((Cri__VersionResponse *)message)->runtime_name), LEN);
	arena_finish(&arena);
	free(bytes);
}

static void test_status(void **state)
{
	static const struct {
		struct fake_answer answer;
		int expected;
	} rows[] = {
		{{FAKE_GRPC, 4, NULL, 0}, -ETIMEDOUT}, {{FAKE_GRPC, 5, NULL, 0}, -ENOENT},
		{{FAKE_GRPC, 8, NULL, 0}, -EMSGSIZE},  {{FAKE_GRPC, 12, NULL, 0}, -EOPNOTSUPP},
		{{FAKE_GRPC, 2, NULL, 0}, -EREMOTEIO}, {{FAKE_GRPC, 99, NULL, 0}, -EREMOTEIO},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_fails(&rows[i].answer, &version, rows[i].expected,
			     "/socket: /a.B/Version: status ");
}

static void test_nonsense(void **state)
{
	static const struct fake_answer no_protobuf = {FAKE_GRPC, 0,
						       "\x12\x09"
						       "ab",
						       4};
	static const struct fake_answer http1 = {FAKE_BYTES, 0, "HTTP/1.1 400 Bad Request\r\n\r\n",
						 0};

	assert_fails(&no_protobuf, &version, -EBADMSG, "cannot be decoded");
	assert_fails(&http1, &version, -EPROTO, "/socket: ");
}

/* A million labels: 2 MB that would take 60 when decoded. */
static void test_memory_is_bounded(void **state)
{
	static const struct grpc_method method = {"/a.B/C", &cri__container_status__descriptor};
	enum { LABELS = 1000000 };
	char *bytes = malloc(2 * LABELS);
	struct fake_answer answer = {FAKE_GRPC, 0, bytes, 2 * LABELS};

	assert_non_null(bytes);
	for (size_t i = 0; i < LABELS; i++)
		memcpy(bytes + 2 * i, "\x62\x00", 2);
	assert_fails(&answer, &method, -EBADMSG, "cannot be decoded");
	free(bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_answer),
	cmocka_unit_test(test_answer_in_many_frames),
	cmocka_unit_test(test_status),
	cmocka_unit_test(test_nonsense),
	cmocka_unit_test(test_memory_is_bounded),
};

UNIT_GROUP(tests);
