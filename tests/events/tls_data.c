/* SPDX-License-Identifier: MIT */
/*
 * tls_data: of functions that are called like those of OpenSSL, and do as they do with sockets. The
 * program has them itself, so that it is the library.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/fixture.h"
#include "harness/live.h"

int SSL_write(void *object, const void *data, int bytes);
int SSL_read(void *object, void *data, int bytes);
int SSL_read_ex(void *object, void *data, size_t bytes, size_t *done);
void SSL_free(void *object);

enum { RECORD_BYTES = 5, PLAIN_MAX = 64, LOST_BYTES = 1 << 20 /* that stand for a gap */ };

/* What the functions do with it, which encrypt nothing but write records. */
struct object {
	int fd; /* -1: they move no bytes */
	int log; /* a socket that they write to as well; 0: none */
	const char *inner; /* what they write by the same function before; NULL: nothing */
	bool leaves; /* SSL_read does not return when it has read, but jumps there: */
	jmp_buf back;
};

/* Returns how many bytes of a text were sent. */
static int send_record(int fd, const void *text, size_t bytes)
{
	uint8_t record[RECORD_BYTES + PLAIN_MAX] = {23, 3, 3, 0, (uint8_t)bytes};

	memcpy(record + RECORD_BYTES, text, bytes);
	return (int)write(fd, record, RECORD_BYTES + bytes) - RECORD_BYTES;
}

static int receive_record(int fd, void *text)
{
	uint8_t record[RECORD_BYTES + PLAIN_MAX];
	int n = (int)read(fd, record, sizeof(record)) - RECORD_BYTES;

	if (n > 0)
		memcpy(text, record + RECORD_BYTES, (size_t)n);
	return n;
}

__attribute__((noinline)) int SSL_write(void *object, const void *data, int bytes)
{
	const struct object *at = object;
	struct object within = {.fd = at->fd};

	if (at->log)
		require(write(at->log, "a line", 6) == 6);
	if (at->inner)
		SSL_write(&within, at->inner, (int)strlen(at->inner));
	return at->fd < 0 ? bytes : send_record(at->fd, data, (size_t)bytes);
}

__attribute__((noinline)) int SSL_read(void *object, void *data, int bytes)
{
	struct object *at = object;
	int n = receive_record(at->fd, data);

	if (at->leaves)
		longjmp(at->back, 1);
	return n;
}

__attribute__((noinline)) int SSL_read_ex(void *object, void *data, size_t bytes, size_t *done)
{
	int n = receive_record(((struct object *)object)->fd, data);

	if (n <= 0)
		return 0;
	*done = (size_t)n;
	return 1;
}

__attribute__((noinline)) void SSL_free(void *object)
{
	((struct object *)object)->fd = -1;
}

static uint64_t inode_of(int fd)
{
	struct stat file;

	require(fstat(fd, &file) == 0);
	return file.st_ino;
}

/* Returns the next event, which is of that socket. */
static const struct event *expect_piece(int fd, unsigned int direction, const char *text)
{
	const struct event *ev = live_next(EVENT_tls_data);

	expect_i64(ev, tls_data__fd, fd);
	expect_i64(ev, tls_data__direction, direction);
	expect_i64(ev, tls_data__size, (int64_t)strlen(text));
	expect_i64(ev, tls_data__stream, (int64_t)(inode_of(fd) | TLS_KEY));
	expect_i64(ev, tls_data__is_guess, 0);
	expect_bytes(ev, tls_data__data, text, strlen(text));
	expect_true(ev->file.ino == inode_of(fd));
	expect_true(ev->stream.is_known);
	return ev;
}

/* Another object at the same address is another connection. */
static void use_again(struct object *object, int pair[2])
{
	char text[16];
	size_t done;

	SSL_free(object);
	require(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	object->fd = pair[0];
	require(SSL_write(object, "other", 5) == 5);
	expect_piece(pair[0], tls_directions__write, "other");
	require(send_record(pair[1], "reply", 5) == 5);
	require(SSL_read_ex(object, text, sizeof(text), &done) == 1 && done == 5);
	expect_piece(pair[0], tls_directions__read, "reply");
}

/* Another socket that it uses has no records; and its number may be another file's by now. */
static void use_others(struct object *object, int pair[2])
{
	const struct event *ev;
	int log[2], fd = object->fd;

	require(socketpair(AF_UNIX, SOCK_STREAM, 0, log) == 0);
	object->log = log[0];
	require(SSL_write(object, "logged", 6) == 6);
	object->log = 0;
	expect_piece(pair[0], tls_directions__write, "logged");
	object->fd = dup(fd);
	require(dup2(log[1], fd) == fd);
	require(SSL_write(object, "moved", 5) == 5);
	ev = live_next_whole(EVENT_tls_data, getpid());
	expect_true(event_param_i64(ev, tls_data__fd) == object->fd);
	require(dup2(log[0], object->fd) == object->fd);
	object->fd = -1;
	require(SSL_write(object, "gone", 4) == 4);
	ev = live_next_whole(EVENT_tls_data, getpid());
	expect_true(!event_param_present(ev, tls_data__fd) && ev->file.ino == 0);
}

/* What moves bytes before a socket is known has a key of its own until it is freed. */
static void be_loose(void)
{
	struct object object = {.fd = -1};
	const struct event *ev;
	int64_t key;

	require(SSL_write(&object, "bio", 3) == 3);
	ev = live_next(EVENT_tls_data);
	key = event_param_i64(ev, tls_data__stream);
	expect_true(key & (int64_t)TLS_KEY_LOOSE);
	expect_true(ev->file.ino == 0);
	expect_params(ev, ABSENT, NUMBER(tls_directions__write), NUMBER(3), NUMBER(key), NUMBER(0),
		      BYTES("bio", 3));
	SSL_free(&object);
	expect_params(live_next(EVENT_tls_data), ABSENT, NUMBER(tls_directions__closed), NUMBER(0),
		      NUMBER(key), NUMBER(0), ABSENT);
}

/*
 * A call that does not return, and the same call again, with the same stack: what the first one
 * moved is missing. end: of the plaintext before.
 */
static void leave_and_repeat(struct object *object, int other, uint32_t end)
{
	const struct event *ev;
	char text[16];

	object->leaves = true;
	if (setjmp(object->back))
		object->leaves = false;
	require(send_record(other, "again", 5) == 5);
	require(SSL_read(object, text, sizeof(text)) == 5);
	ev = expect_piece(object->fd, tls_directions__read, "again");
	expect_true(ev->stream.end == end + LOST_BYTES + 5);
}

LIVE_TEST(tls_data)
{
	struct object object = {0};
	const struct event *ev;
	int pair[2], other[2];
	uint32_t end, read_end;
	char text[16];

	require(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	object.fd = pair[0];
	require(SSL_write(&object, "hello", 5) == 5);
	end = expect_piece(pair[0], tls_directions__write, "hello")->stream.end;
	require(send_record(pair[1], "world!", 6) == 6);
	require(SSL_read(&object, text, sizeof(text)) == 6);
	ev = expect_piece(pair[0], tls_directions__read, "world!");
	expect_true(ev->stream.other == end);
	read_end = ev->stream.end;
	/* A function that it calls is a part of it. */
	object.inner = "within";
	require(SSL_write(&object, "outer", 5) == 5);
	ev = expect_piece(pair[0], tls_directions__write, "outer");
	expect_true(ev->stream.end == end + 5);
	object.inner = NULL;
	leave_and_repeat(&object, pair[1], read_end);
	use_again(&object, other);
	use_others(&object, other);
	be_loose();
	expect_no_event(EVENT_tls_data, getpid());
}
