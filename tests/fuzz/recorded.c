/* SPDX-License-Identifier: MIT */
/*
 * A perf.data, of a file or a pipe: rejected with a message, or read to its end. Each event
 * decodes, and none is older than what was given out before unless there was no room to wait.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/event.h"
#include "fuzz.h"
#include "scap/recorded/reader.h"

enum { CALLS_MAX = 10000 };

struct counted_snapshot {
	struct scap_snapshot snapshot;
	uint64_t threads;
};

static int begin(struct scap_snapshot *to)
{
	return 0;
}

static int take_machine(struct scap_snapshot *to, const struct scap_machine *machine)
{
	REQUIRE(strlen(machine->hostname) < 128, "a name of %zu bytes", strlen(machine->hostname));
	return 0;
}

static int take_thread(struct scap_snapshot *to, const struct scap_thread *thread)
{
	REQUIRE(thread->tid > 0 && thread->pid > 0, "thread %d", (int)thread->tid);
	REQUIRE(memchr(thread->comm, '\0', sizeof(thread->comm)), "a name without an end");
	((struct counted_snapshot *)to)->threads++;
	return 0;
}

static const struct scap_snapshot_ops ops = {
	.begin = begin, .machine = take_machine, .thread = take_thread, .end = begin};

static void read_all(struct recorded_reader *reader)
{
	struct counted_snapshot snapshot = {{&ops}, 0};
	struct scap_reader_stats stats;
	struct scap_event found;
	struct error err = {""};
	uint64_t events = 0;
	int r = 0, calls = 0;

	do
		r = recorded_reader_start(reader, &snapshot.snapshot, &err);
	while (r == -EINTR && calls++ < CALLS_MAX);
	REQUIRE(r == 0, "%s", err.text);
	for (; r >= 0 && calls < CALLS_MAX; calls++) {
		struct event event;

		r = scap_source_next(recorded_reader_source(reader), 0, &found);
		if (r != 1)
			continue;
		REQUIRE(event_decode(found.frame, found.len, found.cpu, &event) == 0, "event %d",
			(int)events);
		events++;
	}
	REQUIRE(r < 0 && recorded_reader_problem(reader)[0], "it does not end");
	recorded_reader_stats(reader, &stats);
	REQUIRE(stats.events == events, "%d events", (int)events);
}

/* A kernel that is read at once, also by those inputs that guess where its text is. */
static const char *kernel_path(void)
{
	static const char symbols[] = "ffffffff81000000 T _text\n"
				      "ffffffff81000100 t static_function\n"
				      "ffffffff81000200 W weak_function\n"
				      "ffffffffc0000000 t function_of_module\t[module]\n"
				      "ffffffff82000000 D no_function\n";
	static char path[32];
	int fd;

	if (!path[0]) {
		fd = memfd_create("kallsyms", MFD_CLOEXEC);
		REQUIRE(fd >= 0 && write(fd, symbols, sizeof(symbols) - 1) > 0, "no memory");
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	struct recorded_reader *reader;
	struct scap_stream *stream;
	struct error err = {""};
	char path[32];

	REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size, "no memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (scap_stream_open(path, &stream, &err) == 0) {
		(void)scap_stream_need(stream, sizeof(uint64_t), -1);
		if (!recorded_reader_is(stream)) {
			scap_stream_close(stream);
		} else if (recorded_reader_open(path, stream, size % 2 ? kernel_path() : NULL,
						&reader, &err) == 0) {
			read_all(reader);
			scap_source_destroy(recorded_reader_source(reader));
		} else {
			REQUIRE(err.text[0], "no message");
		}
	}
	close(fd);
	return 0;
}
