/* SPDX-License-Identifier: MIT */
/*
 * Calls on four sockets, two bytes each and their data: pieces of both directions in their places
 * or not, whole or in part, bytes that nobody saw, beginnings, ends and errors, time, whether
 * unknown protocols are wanted; one of the sockets has datagrams. Whatever they are, frames are
 * valid, the account holds, limits are kept and in the end nothing is open.
 */
#include "requests/requests.h"

#include <errno.h>
#include <stdlib.h>

#include "event/event.h"
#include "frame.h"
#include "fuzz.h"
#include "requests/recognition.h"

enum {
	SOCKETS = 4,
	DATAGRAMS = 3, /* the one that has them */
	INO = 100,
	TID = 7,
	FD = 3,
	SOCKETS_MAX = 3, /* of those that are followed */
	OPEN_MAX = 16,
	DATA_MAX = 255,
	UNSEEN = 16, /* of a piece that is not captured as a whole, for each byte that is */
};

#define SECOND_NS UINT64_C(1000000000)

enum what { PIECE, PART, MISSING, BACK, BEGIN, END, TIME, DRAIN };

struct world {
	struct requests *requests;
	struct frame frame;
	struct state_fd files[SOCKETS];
	uint32_t at[SOCKETS][DIRECTIONS];
	uint64_t ts_ns;
};

/* A call, as the input has it. */
struct call {
	enum what what;
	unsigned int socket;
	enum recognition_direction direction;
	bool has_no_place, is_peek;
	const uint8_t *data;
	uint8_t n;
};

static void take(struct world *world, const struct call *call)
{
	struct state_event event = {
		.fd = &world->files[call->socket], .has_fd = true, .fd_num = FD};
	struct scap_event raw;

	world->frame.file.ino = INO + call->socket;
	raw = frame_end(&world->frame);
	REQUIRE(event_decode(raw.frame, raw.len, 0, &event.ev) == 0, "%u bytes", raw.len);
	requests_take(world->requests, &event);
}

static struct frame *begin(struct world *world, uint16_t id)
{
	frame_begin(&world->frame, id, world->ts_ns += 1000, TID);
	return &world->frame;
}

static void transfer(struct world *world, const struct call *call, int64_t result, size_t captured)
{
	bool is_in = call->direction == DIRECTION_IN;
	uint16_t port = call->has_no_place ? 5000 : 5001;
	const struct frame_tuple in = {"10.0.0.2", "10.0.0.1", port, 53},
				 out = {"10.0.0.1", "10.0.0.2", 53, port};
	struct frame *frame = begin(world, is_in ? EVENT_recvfrom : EVENT_sendto);

	frame_put_i64(frame, is_in ? recvfrom__res : sendto__res, result);
	frame_put_i64(frame, is_in ? recvfrom__fd : sendto__fd, FD);
	frame_put_bytes(frame, is_in ? recvfrom__data : sendto__data, call->data, captured);
	if (result > 0)
		world->at[call->socket][call->direction] += (uint32_t)result;
	if (world->files[call->socket].l4 == SCAP_L4_UDP)
		frame_put_tuple(frame, is_in ? recvfrom__tuple : sendto__tuple, is_in ? &in : &out);
	else if (!call->has_no_place)
		frame->stream =
			(struct frame_stream){.end = world->at[call->socket][call->direction],
					      .other = world->at[call->socket][!call->direction],
					      .is_known = 1,
					      .is_peek = call->is_peek};
	take(world, call);
}

static void begin_socket(struct world *world, const struct call *call)
{
	struct state_fd *file = &world->files[call->socket];

	if (call->direction == DIRECTION_IN) {
		file->role = STATE_ROLE_SERVER;
		frame_put_i64(begin(world, EVENT_accept), accept__fd, FD);
	} else {
		struct frame *frame = begin(world, EVENT_connect);

		file->role = STATE_ROLE_CLIENT;
		frame_put_i64(frame, connect__res, call->n % 2 ? 0 : -EINPROGRESS);
		frame_put_i64(frame, connect__fd, FD);
		frame->latency_ns = call->n;
	}
	take(world, call);
}

static void end_socket(struct world *world, const struct call *call)
{
	static const int results[] = {0, -ECONNRESET, -EPIPE, -ETIMEDOUT, -ECONNREFUSED};
	struct frame *frame;

	switch (call->n % 8) {
	case 0:
		frame = begin(world, EVENT_close);
		frame_put_i64(frame, close__res, 0);
		frame_put_i64(frame, close__fd, FD);
		break;
	case 1:
		frame = begin(world, EVENT_shutdown);
		frame_put_i64(frame, shutdown__res, 0);
		frame_put_i64(frame, shutdown__fd, FD);
		frame_put_i64(frame, shutdown__how, call->n / 8 % 3);
		break;
	default:
		transfer(world, call, results[call->n % 5], 0);
		return;
	}
	take(world, call);
}

static void check_account(const struct world *world)
{
	struct requests_stats stats;

	requests_stats(world->requests, &stats);
	REQUIRE(stats.followed <= SOCKETS_MAX, "%lu", (unsigned long)stats.followed);
	for (size_t i = 0; i < sizeof(stats.protocols) / sizeof(*stats.protocols); i++) {
		const struct requests_protocol_stats *one = &stats.protocols[i];

		REQUIRE(one->seen == one->reported + one->unknown + one->lost + one->open,
			"protocol %zu", i);
		REQUIRE(one->open <= OPEN_MAX, "protocol %zu", i);
	}
}

static void drain(struct world *world)
{
	struct requests_limit limit;
	const void *frame;
	uint32_t len;

	while ((frame = requests_next(world->requests, &len)))
		REQUIRE(frame_decode_copy(frame, len) == 0, "%u bytes", len);
	while (requests_next_limit(world->requests, &limit))
		REQUIRE(limit.bytes <= REQUESTS_LIMIT_ALL && limit.ino >= INO, "%u", limit.bytes);
	check_account(world);
}

static void make(struct world *world, const struct call *call)
{
	uint32_t *at = &world->at[call->socket][call->direction];

	switch (call->what) {
	case PIECE:
	case PART:
		transfer(world, call, call->what == PART ? call->n * (UNSEEN + 1) : call->n,
			 call->n);
		break;
	case MISSING:
		*at += call->n;
		break;
	case BACK:
		*at -= call->n;
		break;
	case BEGIN:
		begin_socket(world, call);
		break;
	case END:
		end_socket(world, call);
		break;
	case TIME:
		world->ts_ns += call->n * SECOND_NS;
		requests_step(world->requests, world->ts_ns);
		break;
	case DRAIN:
		requests_want_unknown(world->requests, call->n % 2);
		break;
	}
	drain(world);
}

static void world_begin(struct world *world)
{
	const struct requests_config config = {.sockets_max = SOCKETS_MAX, .open_max = OPEN_MAX};

	*world = (struct world){.ts_ns = 1000 * SECOND_NS};
	REQUIRE(requests_create(&config, &world->requests) == 0, "memory");
	for (unsigned int i = 0; i < SOCKETS; i++)
		world->files[i] =
			(struct state_fd){.type = i ? SCAP_FD_IPV4 : SCAP_FD_UNIX,
					  .l4 = i == DATAGRAMS ? SCAP_L4_UDP : SCAP_L4_TCP,
					  .refs = 1};
}

static void world_end(struct world *world)
{
	struct requests_stats stats;

	requests_end(world->requests, world->ts_ns);
	drain(world);
	requests_stats(world->requests, &stats);
	for (size_t i = 0; i < sizeof(stats.protocols) / sizeof(*stats.protocols); i++)
		REQUIRE(stats.protocols[i].open == 0, "protocol %zu", i);
	REQUIRE(stats.followed == 0, "%lu", (unsigned long)stats.followed);
	requests_destroy(world->requests);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world world;

	world_begin(&world);
	while (size >= 2) {
		struct call call = {
			.what = data[0] >> 5,
			.socket = data[0] >> 3 & 3,
			.direction = data[0] >> 2 & 1,
			.has_no_place = data[0] & 2,
			.is_peek = data[0] & 1,
			.data = data + 2,
			.n = data[1],
		};

		data += 2;
		size -= 2;
		if (call.what <= PART) {
			if (call.n > size)
				call.n = (uint8_t)size;
			data += call.n;
			size -= call.n;
		}
		if (call.n)
			make(&world, &call);
	}
	world_end(&world);
	return 0;
}
