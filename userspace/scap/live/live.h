/* SPDX-License-Identifier: MIT */
/*
 * Live capture: loads and attaches the BPF programs, owns the rings and their merge, and counts the
 * events that were seen, delivered and lost.
 */
#ifndef SCAP_LIVE_LIVE_H
#define SCAP_LIVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi.h"
#include "scap/source.h"
#include "util/buf.h"
#include "util/error.h"

struct live_call_taker; /* scap/live/call_rows.h */
struct samples; /* scap/samples/samples.h */
struct waker; /* util/waker.h */
struct live_loader; /* scap/live/loaded.h */
struct tls_follower; /* scap/tls/follower.h */

/* Which arguments are noted on entry of their calls. Each call with a note costs all calls. */
enum live_entry_notes {
	ENTRY_NOTES_NONE,
	ENTRY_NOTES_OVERWRITTEN, /* those that the kernel overwrites */
	ENTRY_NOTES_ALL, /* and those that another thread can: compared with what they are on exit
			  */
};

/* What the machine has when the capture begins, as the kernel's own iterators report it. */
enum scap_live_iterator { SCAP_LIVE_OPEN_FDS, SCAP_LIVE_THREADS, SCAP_LIVE_ITERATORS };

/* The tracepoints at which the programs on entry and exit of system calls run. */
enum live_hooks {
	CALL_HOOKS_ALL, /* those of all calls */
	CALL_HOOKS_EACH, /* those of each wanted call; not for calls of 32-bit programs */
	/* Only as a result: those of all calls, though CALL_HOOKS_EACH was asked for, since */
	CALL_HOOKS_TOO_MANY, /* more than CALL_HOOKS_MAX calls are wanted, */
	CALL_HOOKS_MISSING, /* or a call has none of its own, or programs there cannot do enough */
};

/* By which tracepoint operations of io_uring are seen when they are submitted. */
enum live_uring {
	LIVE_URING_UNNEEDED, /* none is a wanted event */
	LIVE_URING_UNSEEN, /* none: it lacks the request, or the kernel rejects the program there */
	LIVE_URING_REQ, /* io_uring_submit_req */
	LIVE_URING_SQE, /* io_uring_submit_sqe, its name before Linux 6.4 */
	LIVE_URING_NUMBERS, /* likewise, before 6.0: which operation, and nothing that it does */
};

/* Of which processes events are captured; zeros: of all. */
struct scap_live_chosen {
	bool chooses; /* of those given to scap_live_follow() */
	bool children; /* and of those that they create from then on */
	bool holds; /* these are stopped where a ring gets full: see scap_live_continue() */
	uint8_t whose[EVENT_ID_MAX]; /* enum followed_whose, by event id */
};

struct scap_live_config {
	struct live_loader
		*loader; /* borrowed while the capture exists; NULL: this process loads */
	bool events[EVENT_ID_MAX]; /* event ids to capture; EVENT_syscall: see syscalls */
	/*
	 * Of these events only successful calls are needed, to update the state: returned hidden.
	 */
	bool successes[EVENT_ID_MAX];
	bool syscalls[SYSCALL_NR_MAX]; /* native numbers to capture as the generic event */
	bool compat_syscalls[SYSCALL_NR_MAX]; /* the same, numbers of 32-bit programs */
	bool without_rings; /* of `events`, those that come by an io_uring are not wanted */
	bool counted[EVENT_ID_MAX]; /* of `events`: calls are counted instead, see call_rows.h */
	uint32_t call_rows_by; /* by what, beside the event: enum call_rows_by bits */
	uint32_t waiting_max; /* threads that wait for a CPU at once, apart from spare; 0: 65536 */
	uint32_t ring_bytes; /* per CPU, a power of two, at least one page */
	uint64_t rings_bytes; /* to which all rings may grow for busy CPUs; 0: they do not grow */
	/*
	 * Per CPU, a power of two: events are kept in rings whose oldest records are overwritten,
	 * for scap/live/flight.h, and only `read_at_once` are returned. 0: all are.
	 */
	uint32_t backward_bytes;
	bool read_at_once[EVENT_ID_MAX];
	/* Nobody waits for these: they are read when whoever takes events looks, or a ring fills.
	 */
	bool rests;
	uint32_t snaplen; /* bytes of data kept of each buffer */
	struct snaplen_rules snaplen_rules; /* where more are kept */
	/* Processes that are not captured: ids of the initial pid namespace; 0: none. */
	uint32_t self_pids[SELF_PIDS];
	struct scap_live_chosen chosen;
	bool enter_times; /* events of system calls have a latency */
	bool environments; /* exec events have that of the program */
	enum live_entry_notes entry_notes;
	enum live_hooks call_hooks; /* ALL or EACH */
	bool iterators[SCAP_LIVE_ITERATORS]; /* see scap_live_open_iterator() */
	struct kernel_filters kernel_filters; /* the kernel drops what they reject; zeros: none */
	uint32_t
		rate_limits[RATE_LIMITS]; /* events in a second, but for those that are important */
	bool of_rules[EVENT_ID_MAX]; /* these are never over such a limit either */
	/*
	 * How many bytes of a call on a socket are kept at least, with its place in the stream of
	 * the socket; see scap_live_limit_stream(). 0: as of other descriptors.
	 */
	uint32_t stream_bytes;
	bool thread_times; /* such calls say what their thread did: struct frame_times */
	/* These are wanted of such sockets alone; a close of what is not known to be a file. */
	bool stream_only[EVENT_ID_MAX];
	/*
	 * Whose plaintext under TLS is wanted, as events tls_data. `tls`: who sets the programs for
	 * that, borrowed; without it there are no such events.
	 */
	struct tls_chosen tls_chosen;
	struct tls_follower *tls;
	bool has_budget; /* scap_live_shed() has an effect */
	uint64_t sample_ns; /* from one tcp_sample of a connection to the next; 0: there are none */
	/*
	 * Borrowed: samples that are among the events; NULL: none. Of several captures that have
	 * the same ones the first has them until all its events were taken, then the next.
	 */
	struct samples *samples;
	bool verbose; /* print libbpf's messages on stderr */
	uint64_t boot_offset_ns; /* that of another capture, or 0: the current one */
	const struct waker *waker; /* borrowed: ends a wait for events, too; NULL: nothing does */
};

/* Counters since the start; read them after scap_live_stop() for an exact account. */
struct scap_live_stats {
	uint64_t seen[EVENT_ID_MAX]; /* wanted events, by the driver; cpu_hotplug: by the reader */
	struct event_counters events[EVENT_ID_MAX]; /* lost or filtered, by the driver */
	uint64_t delivered[EVENT_ID_MAX]; /* returned by scap_source_next() */
	uint64_t unread; /* of rings that are overwritten: events that nobody asked for */
	uint64_t corrupt; /* events, as far as known */
	uint64_t out_of_order; /* events returned after one with a later time */
	uint64_t ring_lost; /* sum of PERF_RECORD_LOST; the same losses as RING_FULL */
	uint64_t compat; /* system calls of 32-bit programs, not decoded */
	uint64_t unnoted; /* calls whose argument could not be compared with that on entry */
	uint64_t untimed; /* calls without latency: another thread used their place in the table */
	uint64_t ownerless; /* events of sockets of which it is not known whose they are */
	uint64_t owners_dropped; /* sockets of which there were too many to keep whose they are */
	uint64_t tls_notes_lost; /* of programs and libraries that may speak TLS */
	uint64_t counted_seen; /* calls and switches that were counted in place of events */
	uint64_t rates_ended; /* at least: counters of rate_limits that gave way to newer ones */
	uint64_t run_missed; /* program runs that the kernel skipped (recursion) */
	uint64_t ring_bytes; /* of all rings */
	uint64_t ring_bytes_max; /* to which they may grow; 0: they do not, or not any more */
	uint64_t backward_bytes; /* of all rings that are overwritten */
	uint64_t rings_grown; /* rings that were replaced by larger ones */
	uint32_t cpus; /* that have a ring now */
	uint32_t ringless; /* online CPUs whose ring could not be opened */
	int ring_error; /* of the first of them, now or most recently: -errno */
	uint32_t ring_error_cpu;
	uint32_t silent; /* CPUs whose programs do not report now, see scap/rings/heartbeat.h */
	uint32_t silent_cpu; /* the first of them */
	uint64_t meddled; /* calls of others that change the capture's programs or maps; by the
			     agent */
	uint64_t unjudged; /* of filters and answers, what failed: see scap_live_filters_error() */
	uint64_t unanswered; /* test calls that silent CPUs did not answer */
	uint64_t samples_failed; /* passes over the sockets that wrote no samples, or not all */
	int sample_error; /* -errno of the last of them */
};

struct scap_live;

/*
 * Opens the capture; it runs from here on. Returns 0, or -errno with a message that says what was
 * rejected and what to do. If the kernel rejects a program, only its event is missing: see
 * scap_live_rejected().
 */
int scap_live_open(const struct scap_live_config *config, struct scap_live **live,
		   struct error *err);

/*
 * Loads the programs of a capture as scap_live_open() does, but none runs, and there are no rings:
 * the source may only be destroyed. Returns 0, or -errno with a message.
 */
int scap_live_load(const struct scap_live_config *config, struct scap_live **live,
		   struct error *err);

/* The rings of a CPU. */
struct scap_live_cpu {
	uint64_t ring_bytes, watermark_bytes; /* 0: it has no ring now */
	uint64_t wakeups; /* times that it ended a wait of the reader */
	uint64_t lost; /* records that found no room */
	uint64_t backward_bytes; /* of the ring that is overwritten; 0: it has none */
	uint64_t backward_written; /* bytes, since it was opened */
};

/* Returns false if there is no such CPU. */
bool scap_live_cpu(const struct scap_live *live, uint32_t number, struct scap_live_cpu *cpu);

struct flight_rings;
struct scap_frame;

/* The rings that are overwritten; without `backward_bytes` there are none. */
struct flight_rings *scap_live_flight_rings(struct scap_live *live);

/* Describes an event of these, which is delivered then. */
void scap_live_deliver(struct scap_live *live, const struct scap_frame *frame, uint16_t cpu,
		       struct scap_event *event);

/* The source of the events, which is the capture itself: to destroy it is to end the capture. */
struct scap_source *scap_live_source(struct scap_live *live);

/*
 * The offset that is added to the boot clock for the times of frames; fixed while the capture runs.
 * Steps of the wall clock since then are in scap_event.clock_step_ns.
 */
uint64_t scap_live_boot_offset(const struct scap_live *live);

/*
 * Detaches the programs. What is in the rings can still be read; then the source returns -ENODATA.
 * A child that was forked during the capture and did not exec keeps them attached.
 */
void scap_live_stop(struct scap_live *live);

/* Adds the counters of a capture that ended; the current state (rings, CPUs) is kept. */
void scap_live_stats_add(struct scap_live_stats *stats, const struct scap_live_stats *past);

/* Whether no ring buffer is more than half full, so that its reader can wait a moment. */
bool scap_live_has_room(const struct scap_live *live);

/*
 * From now on, captures events of a process, if the capture chooses processes. kin: only those by
 * which its name is known. Returns 0, or -errno: -E2BIG if there are too many.
 */
int scap_live_follow(struct scap_live *live, pid_t pid, bool kin);

/*
 * Captures events of all processes that another capture has, and of those that these create
 * meanwhile. Returns 0 or -errno.
 */
int scap_live_follow_like(struct scap_live *live, const struct scap_live *other);

/* How full the fullest ring is, in 1/64. */
unsigned int scap_live_fill(const struct scap_live *live);

/* Since when a process is stopped, as a ring was full: boot clock; 0: none is. */
uint64_t scap_live_held_ns(const struct scap_live *live);

/* Continues all those processes. Their ids are those of the initial pid namespace. */
void scap_live_continue(struct scap_live *live);

/* Bytes of the maps of the programs, as the kernel counts them; -errno on failure. */
int64_t scap_live_map_bytes(const struct scap_live *live);

/* How many CPUs have programs that do not report now, and the first of them. */
uint32_t scap_live_silent(const struct scap_live *live, uint32_t *cpu);

/* Returns 0, or -errno: then `stats` have no meaning. */
int scap_live_stats(struct scap_live *live, struct scap_live_stats *stats);

/* Whether a map, program or link with that id is of this capture. */
bool scap_live_owns(const struct scap_live *live, enum bpf_object_kind kind, uint32_t id);

/* Who was over a limit of scap_live_config.rate_limits, or over the share of a ring. */
struct scap_live_throttled {
	enum rate_kind kind;
	pid_t pid; /* of the process that was first */
	char name[16]; /* of its thread, NUL-terminated */
	uint64_t lost; /* events of all of them */
};

/*
 * Fills a list with those that lost most, at most `max`, the largest loss first; call it after
 * scap_live_stop(). Those that did not write an event for long may be forgotten. Returns how many;
 * 0 also if nothing is limited, or it cannot be read.
 */
size_t scap_live_throttled(struct scap_live *live, struct scap_live_throttled *list, size_t max);

/*
 * From now on, loses a share of the events of each class; at first none. Returns 0 or -errno. See
 * has_budget.
 */
int scap_live_shed(struct scap_live *live, const struct shed *shed);

/*
 * Gets how long the programs ran in all, in ns of all CPUs, while the kernel measured it. Returns 0
 * or -errno.
 */
int scap_live_run_ns(const struct scap_live *live, uint64_t *ns);

/*
 * The ids of the events that are missing, all or some of them, because the kernel rejected their
 * programs; terminated by 0. Owned by `live`.
 */
const uint16_t *scap_live_rejected(const struct scap_live *live);

/*
 * Why no programs run on entry of calls, so that arguments that change during a call are not
 * marked: -errno. 0: they run, or are not needed.
 */
int scap_live_enter_error(const struct scap_live *live);

/*
 * Why it is not noted where datagrams go, so that their destinations are what the caller's memory
 * has after the call: -errno. 0: it is, or no such call is captured.
 */
int scap_live_sends_error(const struct scap_live *live);

/*
 * Why not all seccomp filters are known that were there before the capture, so that results which
 * they make up are not marked: -errno; -EXDEV: the agent does not see all processes. 0: they are.
 */
int scap_live_filters_error(const struct scap_live *live);

/*
 * Why the programs could not be attached that tell calls which ran from calls which were answered,
 * so far: -errno. 0: they could, or were not needed. They are not tried again.
 */
int scap_live_answers_error(const struct scap_live *live);

/* Where the programs of system calls run. */
enum live_hooks scap_live_call_hooks(const struct scap_live *live);

/* Where those of io_uring run. */
enum live_uring scap_live_uring(const struct scap_live *live);

/*
 * The control groups in which the caller's cgroup namespace begins, relative to which /proc shows
 * it all others; for scap_proc_set_cgroup_roots(). Without bytes: it has the namespace of the
 * machine. Owned by `live`. Returns 0, or -errno if they could not be read.
 */
int scap_live_cgroup_roots(const struct scap_live *live, const struct buf **roots);

/*
 * The control groups of the process that loaded the programs, and their key as the programs make
 * it, if the kernel's filters compare groups. The text is owned by `live`. Returns 0 or -ENODATA.
 */
int scap_live_own_groups(const struct scap_live *live, uint64_t *key, const char **text,
			 size_t *len);

/*
 * From now on, the kernel drops the events of threads in the groups of a key, as far as
 * kernel_filters says so, or does not any more. Returns 0, -E2BIG if there are too many, or another
 * -errno.
 */
int scap_live_reject_groups(struct scap_live *live, uint64_t key, bool rejected);

/*
 * From now on, so many bytes of each call on the socket with that inode are kept; 0: its calls are
 * not captured for its stream. Returns 0 or -errno.
 */
int scap_live_limit_stream(struct scap_live *live, uint64_t ino, uint32_t bytes);

/*
 * Calls that were counted since the last time, by scap_live_config.counted: gives each row, with
 * the sums of all CPUs. Returns 0 or -errno.
 */
int scap_live_take_calls(struct scap_live *live, const struct live_call_taker *taker);

/* It drops no event any more because of its groups. */
void scap_live_accept_groups(struct scap_live *live);

/*
 * Processes whose calls the kernel drops as kernel_filters says, in three steps. Times are those of
 * events. propose: any event of the process that is younger than `ns` and may change what the
 * filter says of it prevents set(); who has seen all older ones may decide. set: from now on the
 * calls are dropped while it runs that program (exec_id_of()), until such an event; those that are
 * older than `ns` may still come. end: from `ns` on none is dropped. Return 0, or -errno: -EEXIST
 * if it was proposed before, -E2BIG if there are too many, -ENOENT if set() was prevented.
 */
int scap_live_mute_propose(struct scap_live *live, pid_t pid, uint64_t *ns);
int scap_live_mute_set(struct scap_live *live, pid_t pid, uint64_t program, uint64_t *ns);
void scap_live_mute_end(struct scap_live *live, pid_t pid, uint64_t *ns);

/*
 * A new descriptor of an iterator, for scap_open_fds_create() or scap_threads_create(), which is of
 * one pass; if there is none, returns -errno: why.
 */
int scap_live_open_iterator(const struct scap_live *live, enum scap_live_iterator which);

/*
 * Has an event tcp_sample written of each connection, now and not at intervals. Returns how many
 * sockets there were, or -errno: the event is not captured, or the kernel rejects its program.
 */
int scap_live_sample(const struct scap_live *live);

/*
 * Gets loaded program number `i` and the tracepoint that runs it, or NULL. Returns false after the
 * last program.
 */
bool scap_live_program(const struct scap_live *live, unsigned int i, const char **program,
		       const char **hook);

/*
 * Gets how often that program ran, and for how long in all; programs that others jump to count as a
 * part of these. The kernel counts only while kernel.bpf_stats_enabled is 1. Returns 0 or -errno.
 */
int scap_live_program_runs(const struct scap_live *live, unsigned int i, uint64_t *runs,
			   uint64_t *ns);

#endif
