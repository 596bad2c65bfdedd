/* SPDX-License-Identifier: MIT */
#include "fake_runtime.h"

#include <stdarg.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <endian.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/buf.h"

enum {
	STREAMS_MAX = 8,
	REQUESTS_MAX = 32,
	LINE_MAX_BYTES = 256,
	WAIT_MS = 20,
	FRAME_HEADER = 9,
	FRAME_MAX = 16384
};

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

struct fake_runtime {
	char folder[32];
	char path[64];
	int listening;
	pthread_t thread;
	atomic_bool ending;
	const struct fake_answer *answers;
	size_t answers_count;
	atomic_size_t requests;
	pthread_mutex_t lock; /* for the streams */
	int streams[STREAMS_MAX];
	size_t streams_count;
	char lines[REQUESTS_MAX][LINE_MAX_BYTES];
};

/* Waits for bytes. Returns whether there are some: not if the runtime is to stop. */
static bool wait_for(struct fake_runtime *runtime, int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	while (!runtime->ending) {
		if (poll(&poll_fd, 1, WAIT_MS) > 0)
			return true;
	}
	return false;
}

/* Appends what comes. Returns false at the end of the connection. */
static bool receive(struct fake_runtime *runtime, int fd, struct buf *in)
{
	char bytes[4096];
	ssize_t n = wait_for(runtime, fd) ? recv(fd, bytes, sizeof(bytes), 0) : 0;

	if (n > 0)
		buf_append(in, bytes, (size_t)n);
	return n > 0;
}

static bool send_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

static void send_slowly(struct fake_runtime *runtime, int fd, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len && !runtime->ending && send_all(fd, bytes + i, 1); i++)
		usleep(WAIT_MS * 1000);
}

static void append_frame(struct buf *out, uint8_t type, uint8_t flags, uint32_t stream,
			 const void *bytes, size_t len)
{
	uint32_t number = htobe32((uint32_t)len << 8 | type);

	buf_append(out, &number, sizeof(number));
	buf_append_char(out, (char)flags);
	stream = htobe32(stream);
	buf_append(out, &stream, sizeof(stream));
	buf_append(out, bytes, len);
}

static void append_grpc(struct buf *out, const struct fake_answer *answer, uint32_t stream)
{
	static const char headers[] = "\x88\x0f\x10\x10"
				      "application/grpc";
	struct buf message = {0}, trailers = {0};
	uint32_t len = htobe32((uint32_t)answer->len);
	char status[8];

	append_frame(out, 1, 0x4, stream, headers, sizeof(headers) - 1);
	if (answer->status == 0) {
		buf_append_char(&message, 0);
		buf_append(&message, &len, sizeof(len));
		buf_append(&message, answer->bytes, answer->len);
	}
	for (size_t at = 0; at < message.len; at += FRAME_MAX)
		append_frame(out, 0, 0, stream, message.data + at,
			     message.len - at < FRAME_MAX ? message.len - at : FRAME_MAX);
	if (answer->kind == FAKE_GRPC_STREAM) {
		buf_finish(&message);
		return;
	}
	snprintf(status, sizeof(status), "%d", answer->status);
	buf_printf(&trailers, "%c%cgrpc-status%c%s", 0, 11, (int)strlen(status), status);
	append_frame(out, 1, 0x5, stream, trailers.data, trailers.len);
	buf_finish(&message);
	buf_finish(&trailers);
}

/* Keeps a copy of the connection. */
static void keep_stream(struct fake_runtime *runtime, int fd)
{
	pthread_mutex_lock(&runtime->lock);
	assert_true(runtime->streams_count < STREAMS_MAX);
	runtime->streams[runtime->streams_count++] = dup(fd);
	pthread_mutex_unlock(&runtime->lock);
}

void fake_runtime_push(struct fake_runtime *runtime, const char *bytes, size_t len)
{
	pthread_mutex_lock(&runtime->lock);
	for (size_t i = 0; i < runtime->streams_count; i++)
		send_all(runtime->streams[i], bytes, len);
	pthread_mutex_unlock(&runtime->lock);
}

void fake_runtime_cut(struct fake_runtime *runtime)
{
	pthread_mutex_lock(&runtime->lock);
	while (runtime->streams_count)
		close(runtime->streams[--runtime->streams_count]);
	pthread_mutex_unlock(&runtime->lock);
}

/* The answer for a request: by its line "GET /path HTTP/1.1", or by its number. */
static const struct fake_answer *find_answer(struct fake_runtime *runtime, const char *line)
{
	static const struct fake_answer close_it = {.kind = FAKE_BYTES, .bytes = ""};
	const char *path = strchr(line, ' ');
	size_t number = runtime->requests++;

	for (size_t i = 0; path && i < runtime->answers_count; i++) {
		const char *wanted = runtime->answers[i].path;

		if (wanted && strncmp(path + 1, wanted, strlen(wanted)) == 0)
			return &runtime->answers[i];
	}
	return number < runtime->answers_count && !runtime->answers[number].path
		       ? &runtime->answers[number]
		       : &close_it;
}

/* Answers the next request. Returns whether the connection goes on. */
static bool answer_next(struct fake_runtime *runtime, int fd, const char *line, uint32_t stream)
{
	const struct fake_answer *answer = find_answer(runtime, line);
	size_t len = answer->len || !answer->bytes ? answer->len : strlen(answer->bytes);
	struct buf out = {0};
	bool goes_on = true;

	switch (answer->kind) {
	case FAKE_JSON:
		buf_printf(&out,
			   "HTTP/1.1 %d X\r\nApi-Version: 1.41\r\nContent-Length: %zu\r\n%s\r\n",
			   answer->status, len, answer->path ? "Connection: close\r\n" : "");
		buf_append(&out, answer->bytes, len);
		goes_on = !answer->path;
		break;
	case FAKE_STREAM:
		buf_printf(&out, "HTTP/1.1 %d X\r\nConnection: close\r\n\r\n", answer->status);
		buf_append(&out, answer->bytes, len);
		keep_stream(runtime, fd);
		goes_on = false;
		break;
	case FAKE_GRPC:
		append_grpc(&out, answer, stream);
		break;
	case FAKE_GRPC_STREAM:
	case FAKE_GRPC_ENDED:
		append_grpc(&out, answer, stream);
		keep_stream(runtime, fd);
		goes_on = false;
		break;
	case FAKE_SLOW:
		send_slowly(runtime, fd, answer->bytes, len);
		goes_on = false;
		break;
	case FAKE_BYTES:
		buf_append(&out, answer->bytes, len);
		goes_on = false;
		break;
	case FAKE_SILENT:
		break;
	}
	goes_on = send_all(fd, out.data, out.len) && goes_on;
	buf_finish(&out);
	return goes_on;
}

static void serve_http1(struct fake_runtime *runtime, int fd, struct buf *in)
{
	char text[LINE_MAX_BYTES];

	do {
		const char *end = in->len ? memmem(in->data, in->len, "\r\n\r\n", 4) : NULL;
		size_t line;

		if (!end)
			continue;
		line = (size_t)((char *)memchr(in->data, '\r', in->len) - in->data);
		snprintf(text, sizeof(text), "%.*s", (int)line, in->data);
		if (runtime->requests < REQUESTS_MAX)
			memcpy(runtime->lines[runtime->requests], text, sizeof(text));
		buf_clear(in);
		if (!answer_next(runtime, fd, text, 0))
			return;
	} while (receive(runtime, fd, in));
}

/* Takes one frame. Returns false if the connection should be closed. */
static bool take_frame(struct fake_runtime *runtime, int fd, const char *frame)
{
	uint8_t type = (uint8_t)frame[3], flags = (uint8_t)frame[4];
	struct buf out = {0};
	uint32_t stream;
	bool goes_on = true;

	memcpy(&stream, frame + 5, sizeof(stream));
	if (type == 4 && !(flags & 1))
		append_frame(&out, 4, 1, 0, NULL, 0);
	goes_on = send_all(fd, out.data, out.len);
	buf_finish(&out);
	if (type == 0 && flags & 1)
		goes_on = answer_next(runtime, fd, "", be32toh(stream));
	return goes_on;
}

static void serve_http2(struct fake_runtime *runtime, int fd, struct buf *in)
{
	struct buf settings = {0};
	size_t at = sizeof(preface) - 1;
	bool goes_on;

	append_frame(&settings, 4, 0, 0, NULL, 0);
	goes_on = send_all(fd, settings.data, settings.len);
	buf_finish(&settings);
	while (goes_on) {
		uint32_t number;
		size_t len = 0;

		if (in->len - at >= FRAME_HEADER) {
			memcpy(&number, in->data + at, sizeof(number));
			len = FRAME_HEADER + (be32toh(number) >> 8);
		}
		if (len > 0 && in->len - at >= len) {
			goes_on = take_frame(runtime, fd, in->data + at);
			at += len;
		} else {
			goes_on = receive(runtime, fd, in);
		}
	}
}

static void *serve(void *context)
{
	struct fake_runtime *runtime = context;

	while (wait_for(runtime, runtime->listening)) {
		int fd = accept(runtime->listening, NULL, NULL);
		struct buf in = {0};

		while (in.len < sizeof(preface) - 1 && receive(runtime, fd, &in)) {
			if (memcmp(in.data, "PRI", in.len < 3 ? in.len : 3) != 0)
				break;
		}
		if (in.len >= sizeof(preface) - 1 &&
		    memcmp(in.data, preface, sizeof(preface) - 1) == 0)
			serve_http2(runtime, fd, &in);
		else if (in.len > 0)
			serve_http1(runtime, fd, &in);
		buf_finish(&in);
		close(fd);
	}
	return NULL;
}

static void begin(struct fake_runtime *runtime, const struct fake_answer *answers, size_t count)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	runtime->answers = answers;
	runtime->answers_count = count;
	runtime->requests = 0;
	runtime->ending = false;
	strcpy(address.sun_path, runtime->path);
	runtime->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(runtime->listening, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(runtime->listening, 8), 0);
	assert_int_equal(pthread_create(&runtime->thread, NULL, serve, runtime), 0);
}

static void end(struct fake_runtime *runtime)
{
	runtime->ending = true;
	pthread_join(runtime->thread, NULL);
	fake_runtime_cut(runtime);
	close(runtime->listening);
	unlink(runtime->path);
}

struct fake_runtime *fake_runtime_start(const struct fake_answer *answers, size_t count)
{
	struct fake_runtime *runtime = calloc(1, sizeof(*runtime));

	assert_non_null(runtime);
	pthread_mutex_init(&runtime->lock, NULL);
	strcpy(runtime->folder, "/tmp/fake-runtime-XXXXXX");
	assert_non_null(mkdtemp(runtime->folder));
	snprintf(runtime->path, sizeof(runtime->path), "%s/socket", runtime->folder);
	begin(runtime, answers, count);
	return runtime;
}

void fake_runtime_restart(struct fake_runtime *runtime, const struct fake_answer *answers,
			  size_t count)
{
	end(runtime);
	begin(runtime, answers, count);
}

struct fake_runtime *fake_runtime_start_as(unsigned int uid, const struct fake_answer *answers,
					   size_t count)
{
	struct fake_runtime *runtime;

	assert_int_equal(seteuid(uid), 0);
	runtime = fake_runtime_start(answers, count);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(chown(runtime->path, 0, 0), 0);
	assert_int_equal(chown(runtime->folder, 0, 0), 0);
	return runtime;
}

void fake_runtime_stop(struct fake_runtime *runtime)
{
	end(runtime);
	rmdir(runtime->folder);
	pthread_mutex_destroy(&runtime->lock);
	free(runtime);
}

const char *fake_runtime_path(const struct fake_runtime *runtime)
{
	return runtime->path;
}

const char *fake_runtime_request(struct fake_runtime *runtime, size_t number)
{
	return number < REQUESTS_MAX ? runtime->lines[number] : "";
}

size_t fake_runtime_requests(struct fake_runtime *runtime)
{
	return runtime->requests;
}
