/* SPDX-License-Identifier: MIT */
/* Events of sockets, made by hand. */
#include "talked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_MAX = 32768 };

void talked_begin(struct talked *talked, const struct requests_config *config)
{
	static const struct requests_config defaults;

	memset(talked, 0, sizeof(*talked));
	drive_create(&talked->drive, NULL);
	talked->ino = TALKED_INO;
	talked->fd = TALKED_FD;
	talked->tid = TALKED_TID;
	talked->at[DIRECTION_IN] = 1000;
	talked->at[DIRECTION_OUT] = UINT32_MAX - 20; /* which wraps around */
	if (requests_create(config ? config : &defaults, &talked->requests))
		abort();
	drive_exec(&talked->drive, TALKED_TID, "server");
	requests_take(talked->requests, drive_any(&talked->drive, TALKED_TID));
}

void talked_finish(struct talked *talked)
{
	requests_destroy(talked->requests);
	drive_destroy(&talked->drive);
}

/* Of calls alone a frame says which file they are about. */
static void take(struct talked *talked)
{
	struct scap_event raw;

	if (talked->drive.frame.desc->category & EC_SYSCALL)
		talked->drive.frame.file.ino = talked->ino;
	raw = frame_end(&talked->drive.frame);
	if (state_process(talked->drive.state, &raw, &talked->drive.event))
		abort();
	requests_take(talked->requests, &talked->drive.event);
}

static struct frame_stream places_of(const struct talked *talked,
				     enum recognition_direction direction)
{
	return (struct frame_stream){
		.end = talked->at[direction],
		.other = talked->at[!direction],
		.is_known = !talked->has_no_places,
		.is_peek = talked->is_peek,
	};
}

static const struct frame_tuple talked_ends = {"10.0.0.1", "10.0.0.2", 40000, 80};

void talked_accept(struct talked *talked)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_accept4, TALKED_TID);

	frame_put_i64(frame, accept4__fd, talked->fd);
	frame_put_tuple(frame, accept4__tuple, &talked_ends);
	frame->stream = places_of(talked, DIRECTION_OUT);
	take(talked);
}

void talked_made(struct talked *talked, int64_t result, uint64_t time_ns)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_tcp_connect, TALKED_TID);

	frame_put_i64(frame, tcp_connect__res, result);
	frame_put_i64(frame, tcp_connect__ino, (int64_t)talked->ino);
	frame_put_i64(frame, tcp_connect__time, (int64_t)time_ns);
	take(talked);
}

void talked_made_in(struct talked *talked, uint64_t netns)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_tcp_connect, TALKED_TID);

	frame_put_i64(frame, tcp_connect__res, 0);
	frame_put_i64(frame, tcp_connect__netns, (int64_t)netns);
	frame_put_i64(frame, tcp_connect__ino, (int64_t)talked->ino);
	frame_put_tuple(frame, tcp_connect__tuple, &talked_ends);
	take(talked);
}

void talked_connect(struct talked *talked, uint64_t latency_ns)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_socket, TALKED_TID);

	frame_put_i64(frame, socket__fd, talked->fd);
	frame_put_i64(frame, socket__domain, socket_families__AF_INET);
	frame_put_i64(frame, socket__type, 1);
	frame_put_i64(frame, socket__proto, 6);
	take(talked);
	frame = drive_begin(&talked->drive, EVENT_connect, TALKED_TID);
	frame_put_i64(frame, connect__res, 0);
	frame_put_i64(frame, connect__fd, talked->fd);
	frame_put_tuple(frame, connect__tuple, &talked_ends);
	frame->latency_ns = latency_ns;
	frame->stream = places_of(talked, DIRECTION_OUT);
	take(talked);
}

static struct frame *begin_transfer(struct talked *talked, enum recognition_direction direction,
				    int64_t result)
{
	bool is_in = direction == DIRECTION_IN;
	struct frame *frame =
		drive_begin(&talked->drive, is_in ? EVENT_read : EVENT_write, talked->tid);

	frame_put_i64(frame, is_in ? read__res : write__res, result);
	frame_put_i64(frame, is_in ? read__fd : write__fd, talked->fd);
	frame->times = talked->times;
	return frame;
}

void talked_piece(struct talked *talked, enum recognition_direction direction, const void *data,
		  size_t len, size_t captured)
{
	struct frame *frame = begin_transfer(talked, direction, (int64_t)len);

	if (captured > PIECE_MAX)
		abort();
	frame_put_bytes(frame, direction == DIRECTION_IN ? read__data : write__data, data,
			captured);
	talked->at[direction] += (uint32_t)len;
	frame->stream = places_of(talked, direction);
	frame->marks.is_faked = talked->is_faked;
	take(talked);
}

void talked_text(struct talked *talked, enum recognition_direction direction, const char *text)
{
	talked_piece(talked, direction, text, strlen(text), strlen(text));
}

void talked_miss(struct talked *talked, enum recognition_direction direction, size_t len)
{
	talked->at[direction] += (uint32_t)len;
}

void talked_sendfile(struct talked *talked, int64_t len)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_sendfile, TALKED_TID);

	frame_put_i64(frame, sendfile__res, len);
	frame_put_i64(frame, sendfile__out_fd, talked->fd);
	frame_put_i64(frame, sendfile__in_fd, talked->fd + 1);
	talked->at[DIRECTION_OUT] += len > 0 ? (uint32_t)len : 0;
	drive_end(&talked->drive);
	requests_take(talked->requests, &talked->drive.event);
}

void talked_splice(struct talked *talked, enum recognition_direction direction, int64_t len)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_splice, TALKED_TID);
	bool is_in = direction == DIRECTION_IN;

	frame_put_i64(frame, splice__res, len);
	frame_put_i64(frame, splice__fd_in, is_in ? talked->fd : talked->fd + 1);
	frame_put_i64(frame, splice__fd_out, is_in ? talked->fd + 1 : talked->fd);
	talked->at[direction] += len > 0 ? (uint32_t)len : 0;
	drive_end(&talked->drive);
	requests_take(talked->requests, &talked->drive.event);
}

void talked_result(struct talked *talked, enum recognition_direction direction, int64_t result)
{
	begin_transfer(talked, direction, result);
	take(talked);
}

void talked_open_datagrams(struct talked *talked)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_socket, TALKED_TID);

	talked->has_no_places = true;
	frame_put_i64(frame, socket__fd, talked->fd);
	frame_put_i64(frame, socket__domain, socket_families__AF_INET);
	frame_put_i64(frame, socket__type, 2);
	frame_put_i64(frame, socket__proto, 17);
	take(talked);
}

void talked_datagram(struct talked *talked, enum recognition_direction direction,
		     uint16_t peer_port, const void *data, size_t len, size_t captured)
{
	bool is_in = direction == DIRECTION_IN;
	const char *own = talked->is_unbound ? "0.0.0.0" : "10.0.0.1";
	const struct frame_tuple in = {"10.0.0.2", own, peer_port, 53},
				 out = {own, "10.0.0.2", 53, peer_port};
	struct frame *frame =
		drive_begin(&talked->drive, is_in ? EVENT_recvfrom : EVENT_sendto, TALKED_TID);

	frame_put_i64(frame, is_in ? recvfrom__res : sendto__res, (int64_t)len);
	frame_put_i64(frame, is_in ? recvfrom__fd : sendto__fd, talked->fd);
	frame_put_bytes(frame, is_in ? recvfrom__data : sendto__data, data, captured);
	frame_put_tuple(frame, is_in ? recvfrom__tuple : sendto__tuple, is_in ? &in : &out);
	frame->stream = places_of(talked, direction);
	take(talked);
}

static void begin_close(struct talked *talked)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_close, TALKED_TID);

	frame_put_i64(frame, close__res, 0);
	frame_put_i64(frame, close__fd, talked->fd);
}

/* There is no such file any more. */
void talked_close(struct talked *talked)
{
	begin_close(talked);
	drive_end(&talked->drive);
	requests_take(talked->requests, &talked->drive.event);
}

void talked_close_late(struct talked *talked)
{
	begin_close(talked);
	take(talked);
}

void talked_shutdown(struct talked *talked, uint8_t how)
{
	struct frame *frame = drive_begin(&talked->drive, EVENT_shutdown, TALKED_TID);

	frame_put_i64(frame, shutdown__res, 0);
	frame_put_i64(frame, shutdown__fd, talked->fd);
	frame_put_i64(frame, shutdown__how, how);
	take(talked);
}

const struct event *talked_next(struct talked *talked)
{
	uint32_t len;
	const void *frame = requests_next(talked->requests, &len);

	if (!frame)
		return NULL;
	if (frame_decode_copy(frame, len) || event_decode(frame, len, 0, &talked->event))
		abort();
	return &talked->event;
}

static const char *text_or_dash(const struct event *event, unsigned int param)
{
	const char *text = event_param_string(event, param);

	return text ? text : "-";
}

const char *talked_line(struct talked *talked)
{
	static char line[1024];
	const struct event *event = talked_next(talked);
	char status[16] = "-";

	if (!event)
		return "none";
	if (event_param_present(event, request__status))
		snprintf(status, sizeof(status), "%d",
			 (int)event_param_i64(event, request__status));
	snprintf(line, sizeof(line), "%s %s %s %s", text_or_dash(event, request__method),
		 text_or_dash(event, request__target), status, text_or_dash(event, request__error));
	return line;
}

struct requests_protocol_stats talked_account(const struct talked *talked, unsigned int protocol)
{
	struct requests_stats stats;
	const struct requests_protocol_stats *account = &stats.protocols[protocol];

	requests_stats(talked->requests, &stats);
	if (account->seen != account->reported + account->unknown + account->lost +
				     account->unwanted + account->open)
		abort();
	return *account;
}

int talked_setup_unconnected(void **state)
{
	static struct talked talked;

	talked_begin(&talked, NULL);
	*state = &talked;
	return 0;
}

int talked_setup(void **state)
{
	talked_setup_unconnected(state);
	talked_accept(*state);
	return 0;
}

int talked_teardown(void **state)
{
	talked_finish(*state);
	return 0;
}

void talked_end(struct talked *talked)
{
	drive_begin(&talked->drive, EVENT_procexit, TALKED_TID);
	take(talked);
}
