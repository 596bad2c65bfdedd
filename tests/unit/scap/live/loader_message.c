/* SPDX-License-Identifier: MIT */
/* Requests that were sent by anyone: what is not a configuration is rejected, value by value. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/live/loader.h"
#include "unit.h"

enum { MANY = 5 };

static const struct scap_live_config config = {
	.events = {[EVENT_openat] = true, [EVENT_close] = true},
	.successes = {[EVENT_close] = true},
	.of_rules = {[EVENT_openat] = true},
	.syscalls = {[1] = true, [SYSCALL_NR_MAX - 1] = true},
	.compat_syscalls = {[1] = true, [2] = true},
	.ring_bytes = 1 << 16,
	.backward_bytes = 1 << 20,
	.read_at_once = {[EVENT_openat] = true},
	.snaplen = 123,
	.stream_bytes = 456,
	.stream_only = {[EVENT_close] = true},
	.snaplen_rules = {.full_low = 1, .full_high = 2, .statsd_port = 3, .dynamic = 1},
	.self_pids = {7, 8},
	.kernel_filters =
		{
			.at_exit = {[EVENT_openat] = 1, [EVENT_close] = 1},
			.at_entry = {[EVENT_openat] = 2},
			.groups = {[EVENT_openat] = KERNEL_GROUPS_OF_FAILED},
			.hierarchies = 1 << CGROUP_MEMORY,
			.filters = {{.facts = 1 << KERNEL_RESULT,
				     .checks = {{KERNEL_RESULT, KERNEL_LESS, 1, KERNEL_REJECT},
						{KERNEL_RESULT, KERNEL_EQUAL, KERNEL_REJECT,
						 KERNEL_PASS}}},
				    {.facts = 1 << KERNEL_NAME,
				     .checks = {{KERNEL_NAME, KERNEL_EQUAL, KERNEL_PASS,
						 KERNEL_REJECT}}}},
		},
	.enter_times = true,
	.thread_times = true,
	.environments = true,
	.entry_notes = ENTRY_NOTES_ALL,
	.call_hooks = CALL_HOOKS_EACH,
	.iterators = {[SCAP_LIVE_THREADS] = true},
	.verbose = true,
	.has_budget = true,
	.call_rows_by = BY_THREAD | BY_US,
	.waiting_max = 256,
	.chosen = {.chooses = true,
		   .holds = true,
		   .whose = {[EVENT_close] = FOLLOWED_KIN, [EVENT_openat] = FOLLOWED_ALL}},
	.rate_limits = {[RATE_OF_PROCESS] = 10, [RATE_OF_CGROUP] = 20},
};

static void test_there_and_back(void **state)
{
	struct scap_live_config read;
	struct loader_config wire;
	struct error err = {""};

	loader_config_write(&config, 99, &wire);
	assert_int_equal(wire.boot_offset_ns, 99);
	memset(&read, 0xff, sizeof(read));
	assert_int_equal(loader_config_read(&wire, &read, &err), 0);
	assert_memory_equal(read.events, config.events, sizeof(read.events));
	assert_memory_equal(read.successes, config.successes, sizeof(read.successes));
	assert_memory_equal(read.of_rules, config.of_rules, sizeof(read.of_rules));
	assert_memory_equal(read.syscalls, config.syscalls, sizeof(read.syscalls));
	assert_memory_equal(read.compat_syscalls, config.compat_syscalls,
			    sizeof(read.compat_syscalls));
	assert_memory_equal(read.self_pids, config.self_pids, sizeof(read.self_pids));
	assert_memory_equal(&read.snaplen_rules, &config.snaplen_rules, sizeof(read.snaplen_rules));
	assert_memory_equal(&read.kernel_filters, &config.kernel_filters,
			    sizeof(read.kernel_filters));
	assert_int_equal(read.ring_bytes, config.ring_bytes);
	assert_int_equal(read.backward_bytes, config.backward_bytes);
	assert_memory_equal(read.read_at_once, config.read_at_once, sizeof(read.read_at_once));
	assert_int_equal(read.snaplen, 123);
	assert_int_equal(read.call_rows_by, BY_THREAD | BY_US);
	assert_int_equal(read.waiting_max, 256);
	assert_int_equal(read.entry_notes, ENTRY_NOTES_ALL);
	assert_int_equal(read.call_hooks, CALL_HOOKS_EACH);
	assert_true(read.thread_times);
	assert_true(read.enter_times && read.environments && read.verbose && read.has_budget);
	assert_true(read.chosen.chooses && read.chosen.holds && !read.chosen.children);
	assert_memory_equal(read.chosen.whose, config.chosen.whose, sizeof(read.chosen.whose));
	assert_memory_equal(read.rate_limits, config.rate_limits, sizeof(read.rate_limits));
	assert_memory_equal(read.iterators, config.iterators, sizeof(read.iterators));
	assert_int_equal(read.stream_bytes, config.stream_bytes);
	assert_memory_equal(read.stream_only, config.stream_only, sizeof(read.stream_only));
	assert_null(read.loader);
}

static void expect_fault(const struct loader_config *wire, const char *text)
{
	struct scap_live_config read;
	struct error err = {""};

	assert_int_equal(loader_config_read(wire, &read, &err), -EINVAL);
	if (!strstr(err.text, text))
		fail_msg("no \"%s\" in \"%s\"", text, err.text);
}

static void test_malformed(void **state)
{
	static const uint32_t sizes[] = {0, 12345, UINT32_C(1) << 31};
	struct loader_config right, wire;

	loader_config_write(&config, 0, &right);
#define EXPECT_FAULT(member, value, text)                                                          \
	do {                                                                                       \
		wire = right;                                                                      \
		wire.member = (value);                                                             \
		expect_fault(&wire, text);                                                         \
	} while (0)
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		EXPECT_FAULT(ring_bytes, sizes[i], "the size of ring buffers");
	EXPECT_FAULT(backward_bytes, 12345, "the size of ring buffers");
	EXPECT_FAULT(backward_bytes, UINT32_C(1) << 31, "the size of ring buffers");
	EXPECT_FAULT(snaplen, SNAPLEN_MAX + 1, "malformed: snaplen");
	EXPECT_FAULT(snaplen, UINT32_MAX, "malformed: snaplen");
	EXPECT_FAULT(stream_bytes, SNAPLEN_MAX + 1, "malformed: snaplen");
	EXPECT_FAULT(enter_times, 2, "a flag");
	EXPECT_FAULT(thread_times, 2, "a flag");
	EXPECT_FAULT(environments, 2, "a flag");
	EXPECT_FAULT(entry_notes, ENTRY_NOTES_ALL + 1, "a flag");
	EXPECT_FAULT(call_hooks, CALL_HOOKS_TOO_MANY, "a flag");
	EXPECT_FAULT(iterators[0], 2, "a flag");
	EXPECT_FAULT(iterators[SCAP_LIVE_ITERATORS - 1], 255, "a flag");
	EXPECT_FAULT(verbose, 255, "a flag");
	EXPECT_FAULT(has_budget, 2, "a flag");
	EXPECT_FAULT(call_rows_by, BY_US | BY_MS, "what calls are counted by");
	EXPECT_FAULT(waiting_max, 1 << 17, "how many threads wait");
	EXPECT_FAULT(snaplen_rules.full_low, 3, "the rules of snaplen");
	EXPECT_FAULT(snaplen_rules.dynamic, 2, "the rules of snaplen");
	EXPECT_FAULT(chooses, 2, "a flag");
	EXPECT_FAULT(chooses_children, 2, "a flag");
	EXPECT_FAULT(holds, 255, "a flag");
	EXPECT_FAULT(events[0], 128, "an event");
	EXPECT_FAULT(events[0], LOADER_OF_KIN | LOADER_OF_ALL, "an event");
	EXPECT_FAULT(events[EVENT_ID_MAX - 1], 255, "an event");
	EXPECT_FAULT(calls[SYSCALL_NR_MAX - 1], 4, "a system call");
	EXPECT_FAULT(kernel_filters.at_exit[1], KERNEL_FILTERS_MAX + 1, "a filter");
	EXPECT_FAULT(kernel_filters.at_exit[1], 3, "a filter");
	EXPECT_FAULT(kernel_filters.at_entry[1], 255, "a filter");
	EXPECT_FAULT(kernel_filters.at_path[1], 255, "a filter");
	EXPECT_FAULT(kernel_filters.filters[0].facts, 1 << KERNEL_FACTS, "a filter");
	EXPECT_FAULT(kernel_filters.filters[0].facts, 1 << KERNEL_UID, "a filter");
	EXPECT_FAULT(kernel_filters.filters[0].checks[0].fact, KERNEL_FACTS, "a filter");
	EXPECT_FAULT(kernel_filters.filters[0].checks[0].op, KERNEL_OPS, "a filter");
	EXPECT_FAULT(kernel_filters.filters[0].checks[0].on_true, 0, "a filter");
	EXPECT_FAULT(kernel_filters.filters[0].checks[1].on_true, 1, "a filter");
	EXPECT_FAULT(kernel_filters.filters[0].checks[1].on_false, KERNEL_CHECKS_MAX, "a filter");
	EXPECT_FAULT(kernel_filters.groups[1], KERNEL_GROUPS_COUNT, "a filter");
	EXPECT_FAULT(kernel_filters.mute[1], KERNEL_MUTE_COUNT, "a filter");
	EXPECT_FAULT(kernel_filters.mutes, 2, "a filter");
	EXPECT_FAULT(kernel_filters.hierarchies, 2 << CGROUPS, "a filter");
	/* A check that is not there. */
	EXPECT_FAULT(kernel_filters.filters[0].checks[1].on_true, 2, "a filter");
}

static void make_pair(int ends[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
}

static void test_descriptors(void **state)
{
	int ends[2], sent[MANY], got[MANY];
	char byte = 'x';
	size_t count;

	make_pair(ends);
	for (int i = 0; i < MANY; i++)
		sent[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(loader_send(ends[0], "y", 1, sent, MANY), 0);
	assert_int_equal(loader_receive(ends[1], &byte, 1, got, MANY, &count), 0);
	assert_int_equal(byte, 'y');
	assert_int_equal(count, MANY);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(fcntl(got[i], F_GETFD), FD_CLOEXEC);
		close(got[i]);
		close(sent[i]);
	}
	close(ends[0]);
	assert_int_equal(loader_receive(ends[1], &byte, 1, got, MANY, &count), -EPIPE);
	assert_int_equal(loader_send(ends[1], "y", 1, NULL, 0), -EPIPE);
	close(ends[1]);
}

/* None remain open that were not asked for. */
static void test_unwanted_descriptors(void **state)
{
	int ends[2], sent[MANY], got[MANY], next;
	char byte;
	size_t count;

	make_pair(ends);
	for (int i = 0; i < MANY; i++)
		sent[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	next = dup(ends[0]);
	close(next);
	assert_int_equal(loader_send(ends[0], "y", 1, sent, MANY), 0);
	assert_int_equal(loader_receive(ends[1], &byte, 1, NULL, 0, &count), -EBADMSG);
	assert_int_equal(loader_send(ends[0], "y", 1, sent, MANY), 0);
	assert_int_equal(loader_receive(ends[1], &byte, 1, got, 2, &count), -EBADMSG);
	assert_int_equal(loader_send(ends[0], "yy", 2, sent, MANY), 0);
	assert_int_equal(loader_receive(ends[1], &byte, 1, got, MANY, &count), -EBADMSG);
	assert_int_equal(dup(ends[0]), next);
	close(next);
	for (int i = 0; i < MANY; i++)
		close(sent[i]);
	close(ends[0]);
	close(ends[1]);
}

static void test_other_sizes(void **state)
{
	char bytes[4];
	size_t count;
	int ends[2];

	make_pair(ends);
	assert_int_equal(loader_send(ends[0], "123", 3, NULL, 0), 0);
	assert_int_equal(loader_receive(ends[1], bytes, 4, NULL, 0, &count), -EBADMSG);
	assert_int_equal(loader_send(ends[0], "12345", 5, NULL, 0), 0);
	assert_int_equal(loader_receive(ends[1], bytes, 4, NULL, 0, &count), -EBADMSG);
	assert_int_equal(loader_send(ends[0], "1234", 4, NULL, 0), 0);
	assert_int_equal(loader_receive(ends[1], bytes, 4, NULL, 0, &count), 0);
	assert_memory_equal(bytes, "1234", 4);
	close(ends[0]);
	close(ends[1]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_malformed),
	cmocka_unit_test(test_descriptors),    cmocka_unit_test(test_unwanted_descriptors),
	cmocka_unit_test(test_other_sizes),
};

UNIT_GROUP(tests);
