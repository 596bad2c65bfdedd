/* SPDX-License-Identifier: MIT */
/*
 * The live source on the running kernel: order, the account of losses, stopping. Only the calls of
 * the test and its children are captured. Skipped where BPF programs may not be loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "event/event.h"
#include "own_events.h"
#include "patience.h"
#include "scap/rings/cpus.h"
#include "scap/live/live.h"
#include "scap/live/wall_clock.h"
#include "unit.h"
#include "util/clock.h"
#include "util/waker.h"

enum {
	RING_BYTES = 4 << 20,
	CALLS = 20000,
	STORM_CALLS = 300000,
	MESSAGE_CALLS = 500,
	CALLS_ON_CPU = 2 * BATCH_EVENTS_MAX,
	NOTHING_MS = 200, /* after which nothing is expected any more */
	SKIPPED = 77, /* of a child */
	TIMEOUT_MS = 100,
	IDLE_MS = 1000,
	IDLE_WAITS_MAX = 8, /* one, and the online CPUs are read; each 40 ms would be 25 */
	LONG_MS = 20000,
	LONE_EVENTS = 10,
	LONE_NS = 300000000,
	SOME_LOOKS_MS = 50,
	SOON_NS = 500000000,
};

#define NS_IN_MS UINT64_C(1000000)

static struct scap_live *open_live(struct scap_live_config *config)
{
	struct scap_live *live;
	struct error err = {""};
	int r;

	if (!config->ring_bytes)
		config->ring_bytes = RING_BYTES;
	config->snaplen = SNAPLEN_DEFAULT;
	own_events_only(config);
	r = scap_live_open(config, &live, &err);
	if (r == -EPERM)
		skip();
	if (r < 0)
		print_message("%s\n", err.text);
	assert_int_equal(r, 0);
	return live;
}

static unsigned int native(const char *name)
{
	return (unsigned int)syscall_native_number((unsigned int)syscall_code_find(name));
}

static void call_getppid(void)
{
	syscall(SYS_getppid);
}

/* A child that makes a call `n` times, waiting for `start` to be closed first. */
static pid_t start_calls(void (*call)(void), int n, int start[2])
{
	pid_t child;

	assert_int_equal(pipe(start), 0);
	child = fork();
	if (child == 0) {
		char byte;

		close(start[1]);
		if (read(start[0], &byte, 1) == 0)
			for (int i = 0; i < n; i++)
				call();
		_exit(0);
	}
	assert_true(child > 0);
	close(start[0]);
	return child;
}

struct account {
	uint64_t of_child;
	uint64_t all;
	uint64_t last_ts;
};

/* Takes an event into the account; time never goes back. */
static void account_for(struct account *account, const struct scap_event *raw, pid_t child)
{
	struct event event;

	assert_int_equal(event_decode(raw->frame, raw->len, raw->cpu, &event), 0);
	assert_true(event.ts_ns >= account->last_ts);
	account->last_ts = event.ts_ns;
	account->of_child += event.tid == child;
	account->all++;
}

static void read_until_dead(struct scap_live *live, pid_t child, struct account *account)
{
	struct scap_event event;

	while (waitpid(child, NULL, WNOHANG) == 0)
		while (scap_source_next(scap_live_source(live), 10, &event) == 1)
			account_for(account, &event, child);
}

static void read_to_the_end(struct scap_live *live, pid_t child, struct account *account)
{
	struct scap_event event;
	int r;

	scap_live_stop(live);
	while ((r = scap_source_next(scap_live_source(live), 10, &event)) == 1)
		account_for(account, &event, child);
	assert_int_equal(r, -ENODATA);
	assert_int_equal(scap_source_next(scap_live_source(live), 10, &event), -ENODATA);
}

/* For every event: seen = delivered + the sum of losses. Returns that sum over all events. */
static uint64_t check_account(const struct scap_live_stats *stats, uint64_t delivered)
{
	uint64_t all_lost = 0, all_delivered = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		uint64_t lost = own_events_lost(stats, id);

		assert_int_equal(own_events_seen(stats, id), stats->delivered[id] + lost);
		all_delivered += stats->delivered[id];
		all_lost += lost;
	}
	assert_int_equal(all_delivered, delivered);
	assert_int_equal(stats->corrupt, 0);
	assert_int_equal(stats->out_of_order, 0);
	return all_lost;
}

static void run_calls(struct scap_live_config *config, void (*call)(void), int calls,
		      struct account *account, struct scap_live_stats *stats)
{
	struct scap_live *live;
	pid_t child;
	int start[2];

	child = start_calls(call, calls, start);
	live = open_live(config);
	close(start[1]);
	read_until_dead(live, child, account);
	read_to_the_end(live, child, account);
	assert_int_equal(scap_live_stats(live, stats), 0);
	scap_source_destroy(scap_live_source(live));
}

static struct scap_live_stats stats;

static void test_at_ease(void **state)
{
	struct scap_live_config config = {.syscalls[SYS_getppid] = true};
	struct account account = {0};

	run_calls(&config, call_getppid, CALLS, &account, &stats);
	assert_int_equal(account.of_child, CALLS);
	assert_int_equal(check_account(&stats, account.all), 0);
	assert_int_equal(own_events_seen(&stats, EVENT_syscall), CALLS);
	assert_int_equal(stats.ring_bytes, (uint64_t)stats.cpus * RING_BYTES);
}

static void test_storm(void **state)
{
	struct scap_live_config config = {.syscalls[SYS_getppid] = true,
					  .ring_bytes = (uint32_t)sysconf(_SC_PAGESIZE)};
	struct account account = {0};
	uint64_t lost;

	run_calls(&config, call_getppid, STORM_CALLS, &account, &stats);
	lost = check_account(&stats, account.all);
	assert_true(lost > 0);
	assert_true(stats.ring_lost > 0);
	assert_int_equal(own_events_seen(&stats, EVENT_syscall), STORM_CALLS);
	assert_int_equal(account.all + lost, STORM_CALLS);
}

static int message_socket = -1;

/* More messages than have an event each. */
static void call_sendmmsg(void)
{
	struct mmsghdr messages[MESSAGES_MAX + 1] = {0};

	syscall(SYS_sendmmsg, message_socket, messages, MESSAGES_MAX + 1, 0);
}

/* Captures MESSAGE_CALLS of them. */
static void send_messages(struct scap_live_config *config, struct account *account)
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(own);

	config->events[EVENT_sendmmsg] = true;
	/* It sends to itself, and what nobody takes from it is dropped. */
	message_socket = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(bind(message_socket, (struct sockaddr *)&own, len), 0);
	assert_int_equal(getsockname(message_socket, (struct sockaddr *)&own, &len), 0);
	assert_int_equal(connect(message_socket, (struct sockaddr *)&own, len), 0);
	run_calls(config, call_sendmmsg, MESSAGE_CALLS, account, &stats);
	close(message_socket);
}

/* A call has an event for each of its messages, and each has its place in the account. */
static void test_calls_with_several_events(void **state)
{
	struct scap_live_config config = {0};
	struct account account = {0};

	send_messages(&config, &account);
	assert_int_equal(check_account(&stats, account.all), MESSAGE_CALLS);
	assert_int_equal(stats.events[EVENT_sendmmsg].lost[LOSS_MESSAGES], MESSAGE_CALLS);
	assert_int_equal(account.of_child, MESSAGE_CALLS * MESSAGES_MAX);
}

/* So it is when a limit rejects the call. */
static void test_limited_calls_with_several_events(void **state)
{
	struct scap_live_config config = {.rate_limits[RATE_OF_PROCESS] = MESSAGE_CALLS / 10};
	struct account account = {0};

	send_messages(&config, &account);
	check_account(&stats, account.all);
	assert_true(stats.events[EVENT_sendmmsg].lost[LOSS_PROCESS_LIMIT] > 0);
	assert_int_equal(own_events_seen(&stats, EVENT_sendmmsg),
			 MESSAGE_CALLS * (MESSAGES_MAX + 1));
}

/* Counts the calls of this thread that say how long they took. */
static unsigned int count_timed(bool enter_times, unsigned int calls)
{
	struct scap_live_config config = {.enter_times = enter_times};
	struct scap_live *live;
	struct scap_event raw;
	struct event event;
	uint64_t begin_ns, taken_ns, sum_ns = 0;
	unsigned int timed = 0;

	config.syscalls[native("getppid")] = true;
	live = open_live(&config);
	begin_ns = clock_ns(CLOCK_BOOTTIME);
	for (unsigned int i = 0; i < calls; i++)
		syscall(SYS_getppid);
	taken_ns = clock_ns(CLOCK_BOOTTIME) - begin_ns;
	scap_live_stop(live);
	while (scap_source_next(scap_live_source(live), 10, &raw) == 1) {
		assert_int_equal(event_decode(raw.frame, raw.len, raw.cpu, &event), 0);
		if (event.tid != gettid() || event.latency_ns == LATENCY_UNKNOWN)
			continue;
		assert_true(event.latency_ns > 0);
		sum_ns += event.latency_ns;
		timed++;
	}
	assert_true(sum_ns <= taken_ns);
	scap_source_destroy(scap_live_source(live));
	return timed;
}

static void test_enter_times(void **state)
{
	assert_int_equal(count_timed(false, 100), 0);
	assert_int_equal(count_timed(true, 100), 100);
}

/* Makes a call and waits for its event. */
static uint64_t single_event_ns(void *live)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	struct scap_event raw;
	struct event event;

	syscall(SYS_getppid);
	assert_int_equal(scap_source_next(scap_live_source(live), PATIENCE_MS, &raw), 1);
	assert_int_equal(event_decode(raw.frame, raw.len, raw.cpu, &event), 0);
	assert_int_equal(event.tid, gettid());
	assert_int_equal(event_param_u64(&event, syscall__ID), syscall_code_find("getppid"));
	return clock_ns(CLOCK_MONOTONIC) - begin_ns;
}

/* A single event does not wait for its slot or its ring to fill up. */
static void test_single_event(void **state)
{
	struct scap_live_config config = {0};
	struct scap_live *live;

	config.syscalls[native("getppid")] = true;
	live = open_live(&config);
	assert_true(takes_less(SOON_NS, single_event_ns, live));
	scap_source_destroy(scap_live_source(live));
}

/* What is captured for the state alone is given hidden; what was asked for is not. */
static void test_hidden(void **state)
{
	struct scap_live_config config = {
		.events = {[EVENT_chdir] = true, [EVENT_fchdir] = true},
		.successes = {[EVENT_fchdir] = true},
	};
	struct scap_live *live = open_live(&config);
	unsigned int shown = 0, hidden = 0;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct scap_event raw;
	struct event event;

	assert_int_equal(chdir("."), 0);
	assert_int_equal(fchdir(fd), 0);
	close(fd);
	scap_live_stop(live);
	while (scap_source_next(scap_live_source(live), 10, &raw) == 1) {
		assert_int_equal(event_decode(raw.frame, raw.len, raw.cpu, &event), 0);
		assert_int_equal(raw.hidden, event.desc->id == EVENT_fchdir);
		shown += event.tid == getpid() && !raw.hidden;
		hidden += event.tid == getpid() && raw.hidden;
	}
	assert_int_equal(shown, 1);
	assert_int_equal(hidden, 1);
	scap_source_destroy(scap_live_source(live));
}

static void test_self_is_left_out(void **state)
{
	struct scap_live_config config = {.self_pids = {1, (uint32_t)getpid()}};
	struct scap_live *live;
	struct account account = {0};

	config.syscalls[native("getppid")] = true;
	live = open_live(&config);
	for (int i = 0; i < 100; i++)
		syscall(SYS_getppid);
	read_to_the_end(live, getpid(), &account);
	assert_int_equal(account.of_child, 0);
	scap_source_destroy(scap_live_source(live));
}

/* Its maps are known by their ids, and no others. */
static void test_owns(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_openat] = true}};
	struct scap_live *live = open_live(&config);
	uint32_t id = 0, maps = 0, cpu;

	while (bpf_map_get_next_id(id, &id) == 0)
		maps += scap_live_owns(live, BPF_OBJECT_MAP, id);
	assert_true(maps >= 8);
	assert_false(scap_live_owns(live, BPF_OBJECT_MAP, 0));
	assert_false(scap_live_owns(live, BPF_OBJECT_PROGRAM, 0));
	/* No thread of the test is left out of events, so there is no heartbeat. */
	assert_int_equal(scap_live_silent(live, &cpu), 0);
	scap_source_destroy(scap_live_source(live));
}

static void test_only_what_is_wanted_is_loaded(void **state)
{
	struct scap_live_config config = {
		.events = {[EVENT_fchmodat] = true},
		.entry_notes = ENTRY_NOTES_ALL,
	};
	struct scap_live *live = open_live(&config);
	const char *program, *hook;

	assert_true(scap_live_program(live, 0, &program, &hook));
	assert_string_equal(program, "fill_fchmodat");
	assert_null(hook);
	assert_true(scap_live_program(live, 1, &program, &hook));
	assert_string_equal(program, "enter_fchmodat");
	assert_string_equal(hook, "sys_enter_fchmodat");
	assert_true(scap_live_program(live, 2, &program, &hook));
	assert_string_equal(program, "answer_heartbeat");
	assert_null(hook);
	/* Then two that are jumped to, and four that are attached for some time only. */
	assert_true(scap_live_program(live, 9, &program, &hook));
	assert_string_equal(program, "dispatch_sys_exit");
	assert_string_equal(hook, "sys_exit");
	assert_false(scap_live_program(live, 10, &program, &hook));
	assert_int_equal(scap_live_enter_error(live), 0);
	assert_int_equal(scap_live_sends_error(live), 0);
	assert_int_equal(scap_live_filters_error(live), 0);
	assert_int_equal(scap_live_answers_error(live), 0);
	assert_int_equal(scap_live_rejected(live)[0], 0);
	scap_source_destroy(scap_live_source(live));
}

/* Waits for an event that does not come, never less than the timeout. */
static uint64_t timeout_ns(void *live)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), taken_ns;
	struct scap_event event;

	assert_int_equal(scap_source_next(scap_live_source(live), TIMEOUT_MS, &event), 0);
	taken_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	assert_true(taken_ns >= (TIMEOUT_MS - 5) * UINT64_C(1000000));
	return taken_ns;
}

static void test_timeouts(void **state)
{
	struct scap_live_config config = {0};
	struct scap_live *live;
	struct scap_event event;

	config.syscalls[native("acct")] = true;
	live = open_live(&config);
	assert_int_equal(scap_source_next(scap_live_source(live), 0, &event), 0);
	assert_true(takes_less(4 * TIMEOUT_MS * UINT64_C(1000000), timeout_ns, live));
	scap_source_destroy(scap_live_source(live));
}

static void test_wrong_size(void **state)
{
	struct scap_live_config config = {.ring_bytes = 5000, .syscalls = {true}};
	struct scap_live *live = NULL;
	struct error err = {""};
	int r = scap_live_open(&config, &live, &err);

	if (r == -EPERM)
		skip();
	assert_int_equal(r, -EINVAL);
	assert_non_null(strstr(err.text, "power of two"));
	assert_null(live);
}

/* Runs a part of a test in a process of its own, which may change its namespaces. */
static void in_child(int (*part)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(part());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static bool go_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/*
 * Calls getppid on a CPU and reads what comes, until nothing comes for a time. Returns how many of
 * the calls were given out.
 */
static int call_on_cpu(struct scap_live *live, int cpu, int timeout_ms)
{
	struct scap_event raw;
	struct event event;
	int found = 0;

	if (!go_to_cpu(cpu))
		return -1;
	for (int i = 0; i < CALLS_ON_CPU; i++)
		syscall(SYS_getppid);
	while (found < CALLS_ON_CPU &&
	       scap_source_next(scap_live_source(live), timeout_ms, &raw) == 1)
		found += event_decode(raw.frame, raw.len, raw.cpu, &event) == 0 &&
			 event.tid == gettid() && event.cpu == cpu;
	return found;
}

/* Those that have no ring lose what is sent, and nobody waits for what they collect. */
static bool cpu_has_ring(struct scap_live *live, int cpu)
{
	return call_on_cpu(live, cpu, PATIENCE_MS) == CALLS_ON_CPU;
}

static bool cpu_has_no_ring(struct scap_live *live, int cpu)
{
	return call_on_cpu(live, cpu, NOTHING_MS) < CALLS_ON_CPU;
}

static bool is_of_cpu(const struct event *event, uint32_t cpu)
{
	return event->desc->id == EVENT_cpu_hotplug && event->cpu == cpu &&
	       event_param_u64(event, cpu_hotplug__cpu) == cpu &&
	       event_param_present(event, cpu_hotplug__action) &&
	       event_param_u64(event, cpu_hotplug__action) == 0;
}

/* Waits until an event of that CPU comes; those before it have to be in order. */
static bool wait_for_look(struct scap_live *live, uint32_t cpu)
{
	uint64_t last_ts = 0;
	struct scap_event raw;
	struct event event;

	while (scap_source_next(scap_live_source(live), PATIENCE_MS, &raw) == 1) {
		if (event_decode(raw.frame, raw.len, raw.cpu, &event) || event.ts_ns < last_ts)
			return false;
		last_ts = event.ts_ns;
		if (is_of_cpu(&event, cpu))
			return true;
	}
	return false;
}

static bool put_list(int fd, const char *list)
{
	return ftruncate(fd, 0) == 0 && pwrite(fd, list, strlen(list), 0) == (ssize_t)strlen(list);
}

/* With a list of our own in the place of the kernel's: CPU 1 comes, goes, and comes again. */
static int follows_cpus(void)
{
	char path[] = "/tmp/lanner-online-XXXXXX";
	struct scap_live_config config = {.ring_bytes = RING_BYTES};
	struct scap_live *live;
	int fd = mkstemp(path);
	bool mounted = fd >= 0 && unshare(CLONE_NEWNS) == 0 &&
		       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		       put_list(fd, "0\n") &&
		       mount(path, SCAP_CPUS_ONLINE, NULL, MS_BIND, NULL) == 0;

	unlink(path);
	if (!mounted || !go_to_cpu(1) || !go_to_cpu(0))
		return SKIPPED;
	config.syscalls[native("getppid")] = true;
	config.events[EVENT_cpu_hotplug] = true;
	own_events_only(&config);
	if (scap_live_open(&config, &live, NULL) < 0)
		return SKIPPED;
	if (!cpu_has_ring(live, 0) || !cpu_has_no_ring(live, 1))
		return 1;
	for (int i = 0; i < 2; i++) {
		put_list(fd, "0-1\n");
		if (!wait_for_look(live, 1))
			return 5;
		if (!cpu_has_ring(live, 1))
			return 2;
		put_list(fd, "0\n");
		if (!wait_for_look(live, 1))
			return 6;
		if (!cpu_has_no_ring(live, 1) || !cpu_has_ring(live, 0))
			return 3;
	}
	scap_live_stop(live);
	for (struct scap_event event; scap_source_next(scap_live_source(live), 0, &event) == 1;)
		;
	if (scap_live_stats(live, &stats) < 0 || stats.cpus != 1 ||
	    stats.seen[EVENT_cpu_hotplug] != 4 || stats.delivered[EVENT_cpu_hotplug] != 4 ||
	    own_events_seen(&stats, EVENT_syscall) !=
		    stats.delivered[EVENT_syscall] + own_events_lost(&stats, EVENT_syscall))
		return 4;
	scap_source_destroy(scap_live_source(live));
	return 0;
}

static void test_cpus_come_and_go(void **state)
{
	in_child(follows_cpus);
}

/* Another capture was opened an hour before or after by a wall clock that has been set since. */
static void test_times_follow_the_wall_clock(void **state)
{
	const int64_t steps[] = {3600000000000, -3600000000000};

	for (size_t i = 0; i < 2; i++) {
		struct scap_live_config config = {
			.boot_offset_ns = clock_boot_offset_ns() - (uint64_t)steps[i],
		};
		uint64_t begin_ns, end_ns, wall_ns;
		struct scap_live *live;
		struct scap_event raw;
		struct event event;

		config.syscalls[native("getppid")] = true;
		live = open_live(&config);
		assert_int_equal(scap_live_boot_offset(live), config.boot_offset_ns);
		begin_ns = clock_ns(CLOCK_REALTIME);
		syscall(SYS_getppid);
		end_ns = clock_ns(CLOCK_REALTIME);
		scap_live_stop(live);
		do {
			assert_int_equal(scap_source_next(scap_live_source(live), 10, &raw), 1);
			assert_int_equal(event_decode(raw.frame, raw.len, raw.cpu, &event), 0);
		} while (event.tid != gettid());
		wall_ns = event.ts_ns + (uint64_t)raw.clock_step_ns;
		assert_in_range(wall_ns, begin_ns - WALL_STEP_MIN_NS, end_ns + WALL_STEP_MIN_NS);
		scap_source_destroy(scap_live_source(live));
	}
}

/* Of a process that waits when its ring is full nothing is lost, and of others there is nothing. */
static void test_chosen_waits(void **state)
{
	struct scap_live_config config = {
		.syscalls[SYS_getppid] = true,
		.ring_bytes = 16 * (uint32_t)sysconf(_SC_PAGESIZE),
		.chosen = {.chooses = true, .holds = true},
	};
	struct account account = {0};
	struct scap_event event;
	struct scap_live *live;
	int start[2], start_other[2];
	pid_t child = start_calls(call_getppid, CALLS, start),
	      other = start_calls(call_getppid, CALLS, start_other);

	live = open_live(&config);
	assert_int_equal(scap_live_follow(live, child, false), 0);
	assert_int_equal(scap_live_follow_like(live, live), 0);
	assert_int_equal(scap_live_held_ns(live), 0);
	close(start_other[1]);
	assert_int_equal(waitpid(other, NULL, 0), other);
	assert_int_equal(scap_live_fill(live), 0);
	close(start[1]);
	assert_true(waited_until(scap_live_held_ns(live) != 0));
	assert_in_range(scap_live_fill(live), 32, 64);
	while (waitpid(child, NULL, WNOHANG) == 0) {
		while (scap_source_next(scap_live_source(live), 10, &event) == 1)
			account_for(&account, &event, child);
		scap_live_continue(live);
	}
	read_to_the_end(live, child, &account);
	assert_int_equal(scap_live_stats(live, &stats), 0);
	scap_source_destroy(scap_live_source(live));
	assert_int_equal(account.of_child, CALLS);
	assert_int_equal(account.all, CALLS);
}

/* exec_id_of() a process, by its fields in /proc. */
static uint64_t program_of(pid_t pid)
{
	unsigned long long start_ticks, start_stack;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file,
				"%*d (%*[^)]) %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
				"%*s %*s %*s %*s %*s %*s %llu %*s %*s %*s %*s %*s %llu",
				&start_ticks, &start_stack),
			 2);
	fclose(file);
	return exec_id_of(start_ticks, start_stack);
}

/* Names itself before the last ones. */
static void call_named(void)
{
	static int calls;

	if (++calls == CALLS + 1)
		prctl(PR_SET_NAME, "named");
	call_getppid();
}

enum { CALLS_LATER = 10 };

/* How many events of such a child arrive, which is muted: or another program of it is, or that
 * ends. */
static uint64_t calls_of_muted(struct scap_live *live, bool is_other_program, bool ends)
{
	struct account account = {0};
	uint64_t ns, proposed_ns, set_ns;
	struct scap_event event;
	int start[2];
	pid_t child = start_calls(call_named, CALLS + CALLS_LATER, start);

	assert_int_equal(scap_live_mute_set(live, child, 1, &ns), -ENOENT);
	assert_int_equal(scap_live_mute_propose(live, child, &proposed_ns), 0);
	assert_int_equal(scap_live_mute_propose(live, child, &ns), -EEXIST);
	assert_int_equal(scap_live_mute_set(live, child,
					    program_of(child) ^ (is_other_program ? 2 : 0),
					    &set_ns),
			 0);
	assert_true(set_ns > proposed_ns);
	if (ends) {
		scap_live_mute_end(live, child, &ns);
		assert_true(ns > set_ns);
	}
	close(start[1]);
	read_until_dead(live, child, &account);
	while (scap_source_next(scap_live_source(live), NOTHING_MS, &event) == 1)
		account_for(&account, &event, child);
	/* The kernel removed it when the process named itself. */
	assert_int_equal(scap_live_mute_set(live, child, 1, &ns), -ENOENT);
	return account.of_child;
}

static void test_muted(void **state)
{
	struct scap_live_config config = {
		.events = {[EVENT_prctl] = true},
		.syscalls[SYS_getppid] = true,
	};
	struct scap_live *live;

	config.kernel_filters.mutes = 1;
	config.kernel_filters.mute[EVENT_syscall] = KERNEL_MUTE_DROPS;
	config.kernel_filters.mute[EVENT_prctl] = KERNEL_MUTE_ENDS;
	live = open_live(&config);
	assert_int_equal(calls_of_muted(live, false, false), 1 + CALLS_LATER);
	assert_int_equal(calls_of_muted(live, true, false), 1 + CALLS + CALLS_LATER);
	assert_int_equal(calls_of_muted(live, false, true), 1 + CALLS + CALLS_LATER);
	scap_live_stop(live);
	assert_int_equal(scap_live_stats(live, &stats), 0);
	assert_int_equal(stats.events[EVENT_syscall].muted, CALLS);
	assert_true(stats.events[EVENT_syscall].filtered >= CALLS);
	scap_source_destroy(scap_live_source(live));
}

/* Makes a call as soon as its parent waits for something. */
static void call_when_parent_waits(void)
{
	char path[32], run_state;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)getppid());
	do {
		FILE *file = fopen(path, "re");

		if (!file || fscanf(file, "%*d (%*[^)]) %c", &run_state) != 1)
			return;
		fclose(file);
	} while (run_state != 'S');
	syscall(SYS_getsid, 0);
}

static struct scap_live_config sids = {.syscalls[SYS_getsid] = true, .events[EVENT_syscall] = true};

/* How long the latest of some lone events took until it was given out. */
static uint64_t latest_ns(void *live)
{
	struct account account = {0};
	struct scap_event raw;
	uint64_t latest = 0;
	int start[2];

	for (int i = 0; i < LONE_EVENTS; i++) {
		uint64_t ns;
		pid_t child;

		/* By then nobody looks for a next one. */
		while (scap_source_next(scap_live_source(live), SOME_LOOKS_MS, &raw) == 1)
			;
		child = start_calls(call_when_parent_waits, 1, start);
		close(start[1]);
		assert_int_equal(scap_source_next(scap_live_source(live), LONG_MS, &raw), 1);
		account_for(&account, &raw, child);
		ns = clock_ns(CLOCK_BOOTTIME) + scap_live_boot_offset(live) - account.last_ts;
		latest = ns > latest ? ns : latest;
		waitpid(child, NULL, 0);
	}
	assert_int_equal(account.of_child, LONE_EVENTS);
	return latest;
}

/*
 * While there are no events nobody looks for some; and the first one ends the wait. Without a bell
 * it would be found when the online CPUs are read, once a second.
 */
static void test_sleeps_until_an_event(void **state)
{
	struct scap_live *live = open_live(&sids);
	struct rusage before, after;
	struct scap_event event;

	getrusage(RUSAGE_THREAD, &before);
	assert_int_equal(scap_source_next(scap_live_source(live), IDLE_MS, &event), 0);
	getrusage(RUSAGE_THREAD, &after);
	assert_in_range(after.ru_nvcsw - before.ru_nvcsw, 1, IDLE_WAITS_MAX);
	assert_true(takes_less(LONE_NS, latest_ns, live));
	scap_source_destroy(scap_live_source(live));
}

static void test_waker_ends_a_wait(void **state)
{
	struct scap_event event;
	struct scap_live *live;
	struct waker *waker;
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	assert_int_equal(waker_create(&waker), 0);
	sids.waker = waker;
	live = open_live(&sids);
	sids.waker = NULL;
	waker_wake(waker);
	assert_int_equal(scap_source_next(scap_live_source(live), LONG_MS, &event), 0);
	waker_rest(waker);
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin_ns < LONG_MS / 2 * NS_IN_MS);
	scap_source_destroy(scap_live_source(live));
	waker_destroy(waker);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sleeps_until_an_event),
	cmocka_unit_test(test_waker_ends_a_wait),
	cmocka_unit_test(test_at_ease),
	cmocka_unit_test(test_storm),
	cmocka_unit_test(test_calls_with_several_events),
	cmocka_unit_test(test_limited_calls_with_several_events),
	cmocka_unit_test(test_enter_times),
	cmocka_unit_test(test_single_event),
	cmocka_unit_test(test_hidden),
	cmocka_unit_test(test_self_is_left_out),
	cmocka_unit_test(test_owns),
	cmocka_unit_test(test_only_what_is_wanted_is_loaded),
	cmocka_unit_test(test_timeouts),
	cmocka_unit_test(test_wrong_size),
	cmocka_unit_test(test_cpus_come_and_go),
	cmocka_unit_test(test_times_follow_the_wall_clock),
	cmocka_unit_test(test_chosen_waits),
	cmocka_unit_test(test_muted),
};

UNIT_GROUP(tests, .slow = true, .unfilled = true);
