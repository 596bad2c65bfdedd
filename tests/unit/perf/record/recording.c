/* SPDX-License-Identifier: MIT */
/* Events that are open for this process or all CPUs, and what their rings have. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "perf/open.h"
#include "perf/record/recording.h"
#include "unit.h"

static char *const words[] = {"agent", NULL};
static const struct buf no_tracing;

struct recorded_self {
	struct perf_machine machine;
	struct perf_event_list events;
	struct perf_target target;
	struct perf_recording_config config;
	struct perf_recording *recording;
	struct perf_build_ids build_ids;
	struct perf_data_facts facts;
	struct perf_data_writer *writer;
	int fd;
};

static void prepare(struct recorded_self *self, const char *events)
{
	struct error err = {""};

	memset(self, 0, sizeof(*self));
	assert_int_equal(perf_machine_open(&self->machine, NULL, NULL, &err), 0);
	assert_int_equal(perf_event_parse(events, &self->machine, NULL, &self->events, &err), 0);
	perf_target_init(&self->target);
	self->config = (struct perf_recording_config){
		.events = &self->events,
		.target = &self->target,
		.machine = &self->machine,
		.options = {.period = 1, .clock = CLOCK_MONOTONIC},
		.ring_bytes = 64 << 10,
	};
}

/* Skips the test where events cannot be opened. */
static void open_it(struct recorded_self *self)
{
	struct error err = {""};
	int r = perf_recording_open(&self->config, &self->recording, &err);

	if (r == -EPERM || r == -EACCES)
		skip();
	assert_int_equal(r, 0);
	self->facts = (struct perf_data_facts){.version = "",
					       .command = words,
					       .tracing = &no_tracing,
					       .build_ids = &self->build_ids,
					       .clock = CLOCK_MONOTONIC};
	self->facts.events = perf_recording_events(self->recording, &self->facts.events_count);
	self->fd = memfd_create("perf.data", MFD_CLOEXEC);
	assert_int_equal(perf_data_writer_create(self->fd, true, &self->facts, &self->writer, &err),
			 0);
}

static void close_it(struct recorded_self *self)
{
	perf_data_writer_destroy(self->writer);
	perf_build_ids_finish(&self->build_ids);
	perf_recording_close(self->recording);
	perf_target_finish(&self->target);
	perf_event_list_finish(&self->events);
	perf_machine_close(&self->machine);
	close(self->fd);
}

static void touch_pages(size_t count)
{
	volatile char *memory = mmap(NULL, count * 4096, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	madvise((void *)memory, count * 4096, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < count; i++)
		memory[i * 4096] = 1;
	munmap((void *)memory, count * 4096);
}

static void records_a_task(void **state)
{
	const struct perf_recording_stats *stats;
	const struct perf_data_event *events;
	struct recorded_self self;
	uint64_t before;
	size_t count;

	prepare(&self, "page-faults:u,dummy:u");
	assert_int_equal(perf_target_add_thread(&self.target, getpid()), 0);
	open_it(&self);
	stats = perf_recording_stats(self.recording);
	events = perf_recording_events(self.recording, &count);
	assert_int_equal(count, 2);
	assert_true(events[0].attr.mmap2 && !events[1].attr.mmap2);
	assert_int_equal(events[0].ids_count, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(perf_recording_ring_bytes(self.recording), 64 << 10);
	assert_int_equal(perf_recording_trailer_bytes(self.recording), 24);
	assert_false(perf_recording_has_data(self.recording));
	touch_pages(1000);
	assert_int_equal(perf_recording_drain(self.recording, self.writer, &self.build_ids), 0);
	assert_int_equal(stats->samples, 0);
	perf_recording_enable(self.recording, true);
	touch_pages(100);
	perf_recording_enable(self.recording, false);
	touch_pages(1000);
	before = perf_data_writer_bytes(self.writer);
	assert_int_equal(perf_recording_drain(self.recording, self.writer, &self.build_ids), 0);
	/* Sanitizers have pages of their own. */
	assert_true(stats->samples >= 100 && stats->samples < 1000);
	assert_true(stats->first_ns && stats->first_ns <= stats->last_ns);
	assert_true(perf_data_writer_bytes(self.writer) > before + 100 * 40);
	/* A full ring: the kernel says how many it lost, as soon as it has room. */
	perf_recording_enable(self.recording, true);
	touch_pages(8000);
	assert_int_equal(perf_recording_drain(self.recording, self.writer, &self.build_ids), 0);
	touch_pages(10);
	assert_int_equal(perf_recording_drain(self.recording, self.writer, &self.build_ids), 0);
	assert_true(stats->lost > 0);
	/* Where they come too fast, the kernel leaves some out until the next tick. */
	assert_true(stats->samples + stats->lost >= 1000);
	close_it(&self);
}

/* With several tasks, or a probe first, an event that does nothing else reports mappings. */
static void records_cpus(void **state)
{
	const struct perf_data_event *events;
	struct recorded_self self;
	struct pollfd fds[64];
	struct error err = {""};
	size_t count;

	prepare(&self, "{page-faults,context-switches},cycles");
	self.config.options.has_cpu = true;
	self.config.options.call_graph = PERF_CALL_GRAPH_DWARF;
	assert_int_equal(perf_target_set_cpus(&self.target, "0", &err), 0);
	open_it(&self);
	events = perf_recording_events(self.recording, &count);
	assert_int_equal(count, 4);
	assert_string_equal(events[3].name, "dummy:HG");
	assert_true(events[3].attr.mmap2 && events[3].attr.mmap_data && !events[0].attr.mmap2);
	assert_int_equal(events[0].group_members, 2);
	assert_int_equal(events[0].ids_count, 1);
	assert_int_equal(events[3].ids_count, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(perf_recording_has_data(self.recording));
	if (self.machine.cores == 0)
		assert_string_equal(events[2].name, "cpu-clock");
	count = perf_recording_fds(self.recording, fds, 64);
	assert_int_equal(count, sysconf(_SC_NPROCESSORS_ONLN));
	for (size_t i = 0; i < count; i++)
		fds[i].revents = POLLIN;
	perf_recording_note(self.recording, fds, count);
	assert_int_equal(perf_recording_fds(self.recording, fds, 1), 1);
	close_it(&self);
}

/* What is lost when nothing has room afterwards, so that the kernel never says it. */
static void counts_what_was_lost_at_the_end(void **state)
{
	const struct perf_recording_stats *stats;
	struct recorded_self self;
	uint64_t before, lost;

	if (!perf_open_counts_lost())
		skip();
	prepare(&self, "page-faults:u,{dummy:u,page-faults:u}:S");
	assert_int_equal(perf_target_add_thread(&self.target, getpid()), 0);
	open_it(&self);
	stats = perf_recording_stats(self.recording);
	perf_recording_enable(self.recording, true);
	touch_pages(8000);
	perf_recording_enable(self.recording, false);
	assert_int_equal(perf_recording_drain(self.recording, self.writer, &self.build_ids), 0);
	assert_int_equal(stats->lost, 0);
	before = perf_data_writer_bytes(self.writer);
	perf_recording_append_losses(self.recording, self.writer);
	assert_true(stats->lost > 0);
	assert_true(stats->samples + stats->lost >= 1000);
	/* A header, the number, and what each record ends with. */
	assert_int_equal(perf_data_writer_bytes(self.writer), before + 16 + 24);
	assert_true(stats->first_ns && stats->last_ns);
	perf_recording_forget_times(self.recording);
	assert_true(!stats->first_ns && !stats->last_ns);
	lost = stats->lost;
	perf_recording_append_losses(self.recording, self.writer);
	assert_int_equal(stats->lost, lost);
	assert_int_equal(perf_data_writer_bytes(self.writer), before + 16 + 24);
	close_it(&self);
}

static void knows_when_tasks_have_ended(void **state)
{
	struct recorded_self self;
	struct pollfd fds[64];
	size_t count = 1;
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	prepare(&self, "dummy:u,page-faults:u");
	assert_int_equal(perf_target_add_thread(&self.target, child), 0);
	open_it(&self);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	/* Each look passes over one descriptor of each CPU. */
	for (int i = 0; i < 10 && count; i++) {
		count = perf_recording_fds(self.recording, fds, 64);
		assert_true(poll(fds, count, 0) >= 0);
		perf_recording_note(self.recording, fds, count);
	}
	assert_int_equal(count, 0);
	close_it(&self);
}

static void says_what_cannot_be_opened(void **state)
{
	struct recorded_self self;
	struct error err = {""};

	prepare(&self, "1:1000:u");
	assert_int_equal(perf_target_add_thread(&self.target, getpid()), 0);
	assert_int_equal(perf_recording_open(&self.config, &self.recording, &err), -ENOENT);
	assert_string_equal(err.text, "record: 1:1000:u: the kernel has no such event");
	perf_target_finish(&self.target);
	perf_event_list_finish(&self.events);
	perf_machine_close(&self.machine);
	perf_recording_close(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(records_a_task),
	cmocka_unit_test(records_cpus),
	cmocka_unit_test(counts_what_was_lost_at_the_end),
	cmocka_unit_test(knows_when_tasks_have_ended),
	cmocka_unit_test(says_what_cannot_be_opened),
};

UNIT_GROUP(tests);
