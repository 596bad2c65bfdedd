/* SPDX-License-Identifier: MIT */
/* Which programs of the BPF object a configuration needs. Only tables; nothing is loaded here. */
#ifndef SCAP_LIVE_PROGRAMS_H
#define SCAP_LIVE_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/live/live.h"

/* What is lost when the kernel rejects a program. */
enum live_loss { LOSES_DETAILS, LOSES_SOME_EVENTS, LOSES_ALL_EVENTS };

struct live_program {
	const char *name;
	const char *hook; /* the tracepoint, or hook of control groups, that runs it; NULL: dispatch
			     jumps to it */
	uint16_t event; /* what it writes or helps to write; 0: any */
	enum live_loss loss;
	uint16_t jump; /* enum jump, if it has neither event nor hook */
	/*
	 * Not 0: the hook is the entry of one system call (see scap_tracepoint_open()), for that
	 * level of notes and higher ones.
	 */
	enum live_entry_notes at_enter;
	bool for_times; /* needed only for entry times */
	bool for_names; /* needed only if the kernel filters by names of threads */
	bool for_follow; /* needed only if processes are chosen */
	bool for_sockets; /* needed only for events of sockets */
	bool for_waits; /* needed only if threads' times are wanted */
	bool for_uring; /* needed only for operations of io_uring; without a hook these jump to it
			 */
	bool by_number; /* then: on kernels that do not hand over requests, and on no other */
	bool for_answers; /* attached only while they are needed: see answers.h */
	bool for_tls; /* needed only for plaintext under TLS */
	bool at_probes; /* attached to functions of programs: see scap/tls/follower.h */
	bool is_iterator; /* the hook is one of the kernel's, over the map of socket owners */
	uint8_t at_sends; /* enum bpf_attach_type of the hook of control groups; 0: a tracepoint */
};

extern const struct live_program live_programs[];
extern const size_t live_programs_count;

/* The events that have this loss, or a greater one, by rejected programs (by row). */
void live_events_rejected(const bool *programs, enum live_loss loss, bool events[EVENT_ID_MAX]);

/* Whether a program is needed. `rejected[id]`: the event of that id cannot be captured. */
bool live_program_wanted(const struct live_program *program, const struct scap_live_config *config,
			 const bool rejected[EVENT_ID_MAX]);

/* Whether calls that send datagrams are captured. */
bool live_captures_sends(const struct scap_live_config *config);

/* Whether events of sockets are captured, for which it is kept whose they are. */
bool live_owns_sockets(const struct scap_live_config *config);

/* Whether events are captured that operations of io_uring have, too. */
bool live_follows_uring(const struct scap_live_config *config);

/* The wanted events of the operations of io_uring, by their numbers. */
void live_uring_events(const struct scap_live_config *config,
		       struct uring_events events[URING_OPCODES]);

/* Whether the kernel filters by names of threads. */
bool live_compares_names(const struct kernel_filters *filters);

/* Whether a program of `notes` reads something on entry of the event's system call. */
bool live_reads_entry(unsigned int id, enum live_entry_notes notes);

/*
 * The tracepoint of all system calls at which a program runs, attached or by a tail call; NULL if
 * it runs at another tracepoint.
 */
const char *live_program_at_calls(const struct live_program *program);

/* Whether programs run on exit of system calls. */
bool live_any_call_wanted(const struct scap_live_config *config, const bool rejected[EVENT_ID_MAX]);

/*
 * The events that the driver writes on exit of system calls, by the caller's number; if there are
 * any, NOTICED_ONLY for the call with which the agent tests the programs. NOTICED_ACCEPT for those
 * that accept connections and have no event, if it is kept whose sockets are; NOTICED_OPEN for
 * those that open files and have none, if only closes of sockets are wanted.
 */
void live_call_events(const struct scap_live_config *config, const bool rejected[EVENT_ID_MAX],
		      struct call_events calls[SYSCALL_NR_MAX]);

/* The events of the multiplexed calls of 32-bit programs. */
void live_multiplexed_events(const struct scap_live_config *config,
			     const bool rejected[EVENT_ID_MAX],
			     struct multiplexed_events events[MULTIPLEXED_CALLS]);

#endif
