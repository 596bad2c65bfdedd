/* SPDX-License-Identifier: MIT */
/*
 * Loads programs in another process, which has more privileges and hands over descriptors: the
 * messages, and both ends.
 */
#ifndef SCAP_LIVE_LOADER_H
#define SCAP_LIVE_LOADER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/live/loaded.h"

/*
 * What a capture asks of the process that loads programs for it, and what that answers. Each
 * request is a packet of a socket (SOCK_SEQPACKET), as is each answer, with the descriptors of its
 * parts (SCM_RIGHTS). A load and an attachment may have several answers: the last one says so.
 *
 * The one who asks works with data of others, and may be taken over by an attacker: the one who
 * loads checks each value.
 */

enum loader_request_kind {
	LOADER_LOAD = 1,
	LOADER_RING,
	LOADER_ATTACH,
	LOADER_RELEASE,
	LOADER_REQUESTS,
};

/* Bits, by event id and by number of a system call. */
enum {
	LOADER_WANTED = 1,
	LOADER_SUCCESSES = 2,
	LOADER_OF_RULES = 4,
	LOADER_OF_KIN = 8,
	LOADER_OF_ALL = 16, /* enum followed_whose; not both */
	LOADER_OF_STREAMS = 32,
	LOADER_READ_AT_ONCE = 64,
	LOADER_COUNTED = 128,
	LOADER_NATIVE = 1,
	LOADER_COMPAT = 2
};

/* struct scap_live_config, without anything that a process could not check. */
struct loader_config {
	uint64_t boot_offset_ns; /* of the times of frames */
	uint32_t ring_bytes, backward_bytes, snaplen, stream_bytes, waiting_max;
	uint32_t self_pids[SELF_PIDS], rate_limits[RATE_LIMITS];
	struct snaplen_rules snaplen_rules;
	uint8_t enter_times, verbose, has_budget, iterators[SCAP_LIVE_ITERATORS]; /* 0 or 1 */
	uint8_t environments, chooses, chooses_children, holds, thread_times; /* 0 or 1 */
	uint8_t call_rows_by; /* enum call_rows_by bits */
	uint8_t entry_notes; /* enum live_entry_notes */
	uint8_t call_hooks; /* enum live_hooks, one that can be asked for */
	uint8_t events[EVENT_ID_MAX], calls[SYSCALL_NR_MAX];
	struct tls_chosen tls_chosen;
	struct kernel_filters kernel_filters;
};

struct loader_request {
	uint32_t kind; /* enum loader_request_kind */
	uint32_t cpu, ring_bytes, backward; /* of LOADER_RING */
	struct loader_config config; /* of LOADER_LOAD */
};

/* Fewer than the kernel sends in one packet. */
enum { LOADER_PARTS_MAX = 128, LOADER_RING_BYTES_MAX = 1 << 30, LOADER_WAITING_MAX = 1 << 16 };

struct loader_part {
	uint16_t kind, row; /* as in struct live_part; of LOADER_RING: 0 */
};

struct loader_answer {
	int32_t result; /* 0 or -errno */
	uint32_t is_last, parts;
	struct loader_part list[LOADER_PARTS_MAX];
	/* Of the last answer to LOADER_LOAD and LOADER_ATTACH: as in struct live_loaded. */
	uint32_t cpus;
	uint32_t call_hooks; /* enum live_hooks */
	uint32_t uring; /* enum live_uring */
	int32_t enter_error, sends_error, filters_error, cgroup_roots, own_groups,
		iterator_errors[SCAP_LIVE_ITERATORS];
	uint8_t rejected[EVENT_ID_MAX];
	char text[sizeof(((struct error *)0)->text)]; /* of an error */
};

void loader_config_write(const struct scap_live_config *config, uint64_t boot_offset_ns,
			 struct loader_config *wire);

/* Checks and converts. Returns 0, or -EINVAL with a message. */
int loader_config_read(const struct loader_config *wire, struct scap_live_config *config,
		       struct error *err);

/* Sends a packet. The descriptors stay open. Returns 0 or -errno. */
int loader_send(int socket, const void *packet, size_t bytes, const int *fds, size_t count);

/*
 * Receives a packet of exactly `bytes`, and up to `most` descriptors, which are the caller's.
 * Returns 0; -EPIPE if the other side has ended; -EBADMSG if the packet has another size, or more
 * descriptors; or another -errno.
 */
int loader_receive(int socket, void *packet, size_t bytes, int *fds, size_t most, size_t *count);

/* Loads programs for another process, which has fewer privileges. */

/*
 * Answers the requests that come over a socket until its other side is closed. A malformed request
 * is answered with an error. Returns 0, or -errno if the socket fails.
 */
int loader_serve(int socket);

/*
 * A loader that asks another process. Several threads may use it. If the other process ends, or
 * does not answer in time, it is lost for good: every call fails then, and what is open goes on.
 */

struct loader_client {
	struct live_loader loader; /* use this */
	int socket; /* owned */
	pthread_mutex_t mutex; /* of one request and its answers */
	atomic_bool lost;
};

/* Takes the socket, whose other side loader_serve() has. */
void loader_client_init(struct loader_client *client, int socket);
void loader_client_finish(struct loader_client *client);

#endif
