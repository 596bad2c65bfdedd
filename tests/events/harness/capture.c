/* SPDX-License-Identifier: MIT */
/*
 * The capture behind live tests. To know that all events of the calls made up to now have come, a
 * marker is sent after them: an fchdir that no program makes, whose event is then waited for.
 * Only the events of the test and its children are kept; the machine may be busy with others.
 */
#include "capture.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "harness/live.h"
#include "scap/live/live.h"
#include "scap/tls/follower.h"

enum {
	MARKER_FD = -1000000, /* and below */
	MARKER_TIMEOUT_S = 60,
	EVENTS_PER_LOOK = 1024, /* at the clock */
	CLOCK_TOLERANCE_NS = 5000000,
	RING_BYTES = 8 << 20,
	FAMILY_MAX = 1024,
	WAITING_MAX = 256, /* so that a test can fill it */
};

struct live_test live_test;

static struct {
	struct scap_live *live;
	struct tls_follower *tls; /* NULL: no functions are probed */
	struct captured **events;
	size_t count, room;
	int64_t family[FAMILY_MAX]; /* threads of the test and its children */
	size_t family_count;
	uint64_t drained_ns; /* the events of calls made up to then have come */
	int32_t marker;
	pid_t tid; /* who opened it, and drains it */
} capture;

static uint64_t wall_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What says which threads are the test's own, and the marker. */
static bool is_needed(unsigned int id)
{
	return id == EVENT_clone || id == EVENT_clone3 || id == EVENT_fork || id == EVENT_vfork ||
	       id == EVENT_fchdir;
}

/*
 * Frequent events would crowd out others, and are captured for their own tests alone: without those
 * that these do not look at, as to load all programs again takes long.
 */
static bool is_captured(const struct event_desc *desc, unsigned int tested)
{
	if (!desc)
		return false;
	return tested ? desc->id == tested || is_needed(desc->id) : !(desc->flags & EF_ON_REQUEST);
}

/* Plaintext is of the functions of programs, and its sockets those of calls that move bytes. */
static int probe_functions(struct scap_live_config *config, struct error *err)
{
	config->tls_chosen = (struct tls_chosen){.wanted = 1, .all = 1};
	config->stream_bytes = LIVE_SNAPLEN;
	config->events[EVENT_read] = config->events[EVENT_write] = true;
	return tls_follower_create("/proc", &capture.tls, err);
}

int capture_open(unsigned int tested, struct error *err)
{
	struct scap_live_config config = {
		.ring_bytes = RING_BYTES,
		.snaplen = LIVE_SNAPLEN,
		.enter_times = true,
		.environments = true,
		.entry_notes = ENTRY_NOTES_ALL,
	};
	const uint16_t *rejected;
	int ret;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		config.events[id] = is_captured(event_desc_get(id), tested);
	if (tested == EVENT_runqueue)
		config.waiting_max = WAITING_MAX;
	if (tested == EVENT_tls_data) {
		ret = probe_functions(&config, err);
		if (ret)
			return ret;
	}
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		unsigned int compat = syscall_code_of_compat(number);

		config.syscalls[number] = !tested && syscall_code_of_native(number) == SC_unknown;
		config.compat_syscalls[number] =
			!tested && event_desc_of_syscall(compat)->id == EVENT_syscall;
	}
	capture.tid = gettid();
	config.tls = capture.tls;
	ret = scap_live_open(&config, &capture.live, err);
	if (ret)
		return ret;
	for (rejected = scap_live_rejected(capture.live); *rejected; rejected++)
		printf("# the kernel rejected the program of %s\n",
		       event_desc_get(*rejected)->name);
	return 0;
}

static void forget_events(void)
{
	for (size_t i = 0; i < capture.count; i++)
		free(capture.events[i]);
	capture.count = 0;
}

void capture_close(void)
{
	forget_events();
	free(capture.events);
	scap_source_destroy(scap_live_source(capture.live));
	tls_follower_destroy(capture.tls);
	memset(&capture, 0, sizeof(capture));
}

uint64_t capture_lost(void)
{
	static struct scap_live_stats stats;
	uint64_t lost = 0;

	if (scap_live_stats(capture.live, &stats))
		return 0;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		for (unsigned int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
			lost += stats.events[id].lost[cause];
	return lost;
}

void live_sample(void)
{
	require(scap_live_sample(capture.live) > 0);
}

uint64_t live_untimed(void)
{
	static struct scap_live_stats stats;

	require(scap_live_stats(capture.live, &stats) == 0);
	return stats.untimed;
}

/* A copy of the event at the end of the list, or NULL if its frame is corrupt. */
static struct captured *keep(const struct scap_event *event)
{
	struct captured *captured = malloc(sizeof(*captured) + event->len);
	int ret;

	if (capture.count == capture.room) {
		capture.room = capture.room ? 2 * capture.room : 4096;
		capture.events = realloc(capture.events, capture.room * sizeof(*capture.events));
	}
	if (!captured || !capture.events)
		abort();
	memset(captured, 0, sizeof(*captured));
	memcpy(captured->frame, event->frame, event->len);
	ret = event_decode(captured->frame, event->len, event->cpu, &captured->event);
	if (ret) {
		live_fail(__FILE__, __LINE__, "a frame that does not decode: %s", strerror(-ret));
		free(captured);
		return NULL;
	}
	capture.events[capture.count++] = captured;
	return captured;
}

static bool is_family(int64_t tid)
{
	for (size_t i = 0; i < capture.family_count; i++)
		if (capture.family[i] == tid)
			return true;
	return false;
}

static void add_family(int64_t tid)
{
	if (is_family(tid))
		return;
	require(capture.family_count < FAMILY_MAX);
	capture.family[capture.family_count++] = tid;
}

/* A new thread's first event is the child's side of the call that made it. */
static bool is_begin_of_child(const struct event *ev)
{
	unsigned int id = ev->desc->id;

	return (id == EVENT_clone || id == EVENT_clone3 || id == EVENT_fork || id == EVENT_vfork) &&
	       event_param_i64(ev, clone__res) == 0 &&
	       (is_family(event_param_i64(ev, clone__ptid)) ||
		is_family(event_param_i64(ev, clone__pid)));
}

/* Whether the event is one of the test's own; finds its children on the way. */
static bool is_own(const struct scap_event *event)
{
	struct ppm_evt_hdr header;
	struct event ev;

	if (event->len < sizeof(header))
		return true;
	memcpy(&header, event->frame, sizeof(header));
	/* Of a socket that is nobody's. */
	if (is_family((int64_t)header.tid) || (int64_t)header.tid == NO_OWNER)
		return true;
	if (event_decode(event->frame, event->len, event->cpu, &ev) || !is_begin_of_child(&ev))
		return false;
	add_family(ev.tid);
	return true;
}

static void send_marker(void)
{
	syscall(SYS_fchdir, MARKER_FD - ++capture.marker);
}

/* Which marker an event is; 0: none. */
static int32_t marker_of(const struct event *ev)
{
	int64_t fd = ev->desc->id == EVENT_fchdir ? event_param_i64(ev, fchdir__fd) : 0;

	return fd < MARKER_FD ? (int32_t)(MARKER_FD - fd) : 0;
}

static void drop_last(void)
{
	free(capture.events[--capture.count]);
}

static bool is_in_time(uint64_t begin_ns, unsigned int *left)
{
	*left = EVENTS_PER_LOOK;
	return wall_clock_ns() < begin_ns + MARKER_TIMEOUT_S * 1000000000ULL;
}

/*
 * Takes in the events of all calls that were made before. In the meantime the capture makes calls
 * itself, such as reading which CPUs are online; a second marker says where they end. None is made
 * for each event: those would have events too, without end.
 */
static void drain(void)
{
	struct scap_source *source = scap_live_source(capture.live);
	int32_t last = capture.marker; /* that after the calls of the drain before */
	uint64_t begin_ns = capture.drained_ns, end_ns;
	bool is_ours = last > 0;

	send_marker();
	end_ns = wall_clock_ns();
	for (unsigned int left = EVENTS_PER_LOOK; left > 0 || is_in_time(end_ns, &left); left--) {
		struct scap_event event;
		struct captured *captured;
		int32_t marker;
		int ret = scap_source_next(source, 1000, &event);

		if (ret < 0)
			break;
		if (ret == 0)
			left = 1;
		if (ret == 0 || !is_own(&event))
			continue;
		captured = keep(&event);
		if (!captured)
			continue;
		captured->begin_ns = begin_ns;
		captured->end_ns = end_ns;
		marker = marker_of(&captured->event);
		if (marker || (is_ours && captured->event.tid == capture.tid))
			drop_last();
		is_ours = is_ours && marker != last;
		if (marker == capture.marker) {
			send_marker();
			capture.drained_ns = end_ns;
			return;
		}
	}
	live_require_failed(__FILE__, __LINE__, "the marker came through the capture");
}

void capture_clear(void)
{
	capture.family_count = 0;
	add_family(getpid());
	drain();
	forget_events();
}

/* One that is about to end may still be there. */
static bool is_own_thread(pid_t tid)
{
	return syscall(SYS_tgkill, getpid(), tid, 0) == 0;
}

void capture_end_children(void)
{
	for (size_t i = 0; i < capture.family_count; i++) {
		pid_t pid = (pid_t)capture.family[i];

		if (!is_own_thread(pid) && getpgid(pid) == getpgrp())
			kill(pid, SIGKILL);
	}
}

static bool is_wanted(const struct captured *captured, unsigned int id, int64_t tid)
{
	const struct event *ev = &captured->event;

	return !captured->taken && ev->desc->id == id && ev->tid == tid;
}

static struct captured *find(unsigned int id, int64_t tid)
{
	for (size_t i = 0; i < capture.count; i++)
		if (is_wanted(capture.events[i], id, tid))
			return capture.events[i];
	return NULL;
}

/*
 * Of others it need not be known: calls of children may begin without a tracepoint. The longest
 * frames have no room for it.
 */
static bool lacks_latency(const struct captured *captured)
{
	const struct event *ev = &captured->event;
	struct ppm_evt_hdr header;

	memcpy(&header, captured->frame, sizeof(header));
	return (ev->desc->category & EC_SYSCALL) && ev->tid == capture.tid &&
	       ev->latency_ns == LATENCY_UNKNOWN &&
	       header.len <= FRAME_BYTES_MAX - sizeof(ev->latency_ns);
}

const struct event *live_next_of(unsigned int id, int64_t tid)
{
	struct captured *captured = find(id, tid);

	if (!captured) {
		drain();
		captured = find(id, tid);
	}
	if (!captured) {
		live_fail(__FILE__, __LINE__, "no event %s of thread %lld",
			  event_desc_get(id)->name, (long long)tid);
		longjmp(live_test.end, 1);
	}
	captured->taken = true;
	if (captured->event.ts_ns + CLOCK_TOLERANCE_NS < captured->begin_ns ||
	    captured->event.ts_ns > captured->end_ns + CLOCK_TOLERANCE_NS)
		live_fail(__FILE__, __LINE__, "%s: time %llu is not from %llu to %llu",
			  captured->event.desc->name, (unsigned long long)captured->event.ts_ns,
			  (unsigned long long)captured->begin_ns,
			  (unsigned long long)captured->end_ns);
	if (lacks_latency(captured))
		live_fail(__FILE__, __LINE__, "%s: it is not known how long it took",
			  captured->event.desc->name);
	return &captured->event;
}

const struct event *live_next_whole(unsigned int id, int64_t tid)
{
	const struct event *ev = live_next_of(id, tid);

	captured_of(ev)->compared = UINT64_MAX;
	return ev;
}

const struct event *live_next(unsigned int id)
{
	return live_next_of(id, gettid());
}

void live_expect_no_event(const char *file, int line, unsigned int id, int64_t tid)
{
	drain();
	if (find(id, tid))
		live_fail(file, line, "there is an event %s of thread %lld too many",
			  event_desc_get(id)->name, (long long)tid);
}

static void skip(struct captured *captured)
{
	captured->taken = true;
	captured->compared = UINT64_MAX;
}

void live_skip(void)
{
	drain();
	for (size_t i = 0; i < capture.count; i++)
		if (!capture.events[i]->taken)
			skip(capture.events[i]);
}

const struct event *live_next_with(unsigned int id, int64_t tid, unsigned int param, int64_t value)
{
	const struct event *ev = live_next_of(id, tid);

	while (event_param_i64(ev, param) != value) {
		skip(captured_of(ev));
		ev = live_next_of(id, tid);
	}
	return ev;
}

void live_skip_to(unsigned int id, int64_t tid, unsigned int param, int64_t value)
{
	skip(captured_of(live_next_with(id, tid, param, value)));
}

void capture_check_compared(void)
{
	for (size_t i = 0; i < capture.count; i++) {
		const struct captured *captured = capture.events[i];
		const struct event_desc *desc = captured->event.desc;

		for (unsigned int param = 0; captured->taken && param < desc->nparams; param++)
			if (!(captured->compared & (UINT64_C(1) << param)))
				live_fail(__FILE__, __LINE__, "%s: parameter %s was not compared",
					  desc->name, desc->params[param].name);
	}
}
