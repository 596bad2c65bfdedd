/* SPDX-License-Identifier: MIT */
/*
 * A capture file, compressed or not: rejected with a message, or read, applied to the state and
 * printed. The events are written again in one of several forms; that file must be valid, and in
 * the native form have the same events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "scap/file/reader.h"
#include "scap/file/writer.h"
#include "sinsp/format/formatter.h"
#include "util/hash.h"

enum { TIMEOUT_MS = 1000, WAITS_MAX = 10, PATH_BYTES = 32 };

/* Small, so that the limits are reached. */
static const struct state_config config = {.threads_max = 16, .fds_max = 64};

/* The form in which it is written again. */
static const struct scap_writer_config ways[] = {
	{.native = true},
	{.native = false},
	{.form_2022 = true},
	{.compression = SCAP_GZIP},
	{.compression = SCAP_ZSTD, .native = true},
};

/* What the lines of other targets lack: the file's machine and users. */
static const char *const fields[] = {
	"evt.num",
	"evt.time",
	"evt.hostname",
	"evt.type",
	"evt.dir",
	"evt.args",
	"evt.category",
	"proc.name",
	"proc.args",
	"proc.env",
	"proc.aname",
	"user.name",
	"user.homedir",
	"group.name",
	"fd.name",
	"fd.type",
	"fd.lip",
	"fd.rport",
	"fd.is_server",
	"fs.path.name",
	"thread.cgroups",
	"thread.cap_effective",
	"proc.exe_ino.ctime",
	"evt.latency",
	"container.name",
	"container.type",
	"container.image",
	"container.privileged",
	"container.ip",
	"container.labels",
	"container.mounts",
	"container.mount.mode[/srv]",
	"k8s.pod.name",
	"k8s.pod.sandbox_id",
	"k8s.pod.labels",
	"k8s.pod.annotation[a]",
	"meta.state",
};

/* A file in memory, opened by its path. */
struct memory_file {
	int fd;
	char path[PATH_BYTES];
};

/*
 * An input that differs from others in few bytes has lines as they had: a line is valid JSON or not
 * by its bytes alone, so that one which was checked is only compared.
 */
enum { CHECKED_LINES = 512, CHECKED_LINE_BYTES_MAX = 8192 };

struct printer {
	struct formatter *json, *text;
	struct buf out;
	struct buf checked[CHECKED_LINES]; /* by the hash of their bytes */
};

/* A file that is written from what is read. */
struct copy {
	const struct scap_writer_config *way;
	struct memory_file file;
	struct scap_writer *writer;
	struct buf ids; /* of its events, 2 bytes each */
};

static void memory_file_open(struct memory_file *file)
{
	file->fd = memfd_create("capture", MFD_CLOEXEC);
	REQUIRE(file->fd >= 0, "%d", errno);
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

static void printer_create(struct printer *printer)
{
	struct error err = {0};

	REQUIRE(formatter_create(&format_json, fields, sizeof(fields) / sizeof(fields[0]),
				 &printer->json, &err) == 0,
		"%s", err.text);
	REQUIRE(formatter_create(&format_text, NULL, 0, &printer->text, &err) == 0, "%s", err.text);
}

static void check_line(struct printer *printer)
{
	const struct buf *line = &printer->out;
	struct buf *checked = &printer->checked[hash_bytes(line->data, line->len) % CHECKED_LINES];

	if (checked->len && checked->len == line->len &&
	    memcmp(checked->data, line->data, line->len) == 0)
		return;
	fuzz_check_json(line);
	buf_clear(checked);
	if (line->len <= CHECKED_LINE_BYTES_MAX)
		buf_append(checked, line->data, line->len);
}

static void print(struct printer *printer, const struct state_event *event)
{
	buf_clear(&printer->out);
	formatter_write(printer->text, event, &printer->out);
	REQUIRE(!printer->out.failed, "%zu", printer->out.len);
	buf_clear(&printer->out);
	formatter_write(printer->json, event, &printer->out);
	REQUIRE(!printer->out.failed, "%zu", printer->out.len);
	check_line(printer);
}

static void copy_begin(struct copy *copy, struct state *state)
{
	struct error err = {0};

	memory_file_open(&copy->file);
	REQUIRE(scap_writer_create(copy->file.fd, "copy", copy->way, &copy->writer, &err) == 0,
		"%s", err.text);
	REQUIRE(state_dump(state, scap_writer_snapshot(copy->writer)) == 0, "dump");
}

static void copy_event(struct copy *copy, const struct scap_event *raw, uint16_t id)
{
	struct error err = {0};

	REQUIRE(scap_writer_event(copy->writer, raw, &err) == 0, "%s", err.text);
	buf_append(&copy->ids, &id, sizeof(id));
}

/* Both are restarted after signals: libFuzzer has a timer. */
static int open_reader(const char *path, struct scap_reader **reader, struct error *err)
{
	int r;

	do
		r = scap_reader_open(path, reader, err);
	while (r == -EINTR);
	return r;
}

static int start_reader(struct scap_reader *reader, struct state *state, struct error *err)
{
	int r;

	do
		r = scap_reader_start(reader, state_snapshot(state), err);
	while (r == -EINTR);
	return r;
}

/* The next event, which the thread that decompresses may not have ready. */
static int next_event(struct scap_source *source, struct scap_event *raw)
{
	int r = 0;

	for (int i = 0; i < WAITS_MAX && r == 0; i++)
		r = scap_source_next(source, TIMEOUT_MS, raw);
	return r;
}

/* Passes all events of an open file to `see`; returns how the file ended. */
static int read_events(struct scap_reader *reader, struct state *state,
		       void (*see)(void *context, const struct scap_event *raw,
				   const struct state_event *event),
		       void *context)
{
	struct scap_source *source = scap_reader_source(reader);
	struct scap_event raw;
	struct state_event event;
	int r;

	while ((r = next_event(source, &raw)) > 0) {
		int processed = state_process(state, &raw, &event);

		REQUIRE(processed == 0 || processed == -EBADMSG || processed == -ENOENT, "%d",
			processed);
		if (processed == 0)
			see(context, &raw, &event);
	}
	REQUIRE(r != 0, "nothing came in %d times %d ms", WAITS_MAX, TIMEOUT_MS);
	REQUIRE(r != -ENOMEM, "memory");
	REQUIRE(r == -ENODATA || scap_reader_problem(reader)[0], "no message for %d", r);
	return r;
}

static void compare_id(void *context, const struct scap_event *raw, const struct state_event *event)
{
	struct buf *ids = context;
	uint16_t id = event->ev.desc->id, expected;

	(void)raw;
	REQUIRE(ids->len >= sizeof(expected), "more events than were written");
	memcpy(&expected, ids->data, sizeof(expected));
	REQUIRE(id == expected, "event %u was written, %u was read", expected, id);
	ids->data += sizeof(expected);
	ids->len -= sizeof(expected);
}

static void ignore(void *context, const struct scap_event *raw, const struct state_event *event)
{
	(void)context;
	(void)raw;
	(void)event;
}

/* Reads the copy, which must be complete; a native one has the same events. */
static void copy_check(const struct copy *copy)
{
	bool native = copy->way->native;
	struct buf ids = copy->ids;
	struct scap_reader_stats stats;
	struct scap_reader *reader;
	struct error err = {0};
	struct state *state;
	int r;

	REQUIRE(state_create(&config, &state, NULL) == 0, "memory");
	REQUIRE(open_reader(copy->file.path, &reader, &err) == 0, "%s", err.text);
	REQUIRE(start_reader(reader, state, &err) == 0, "%s", err.text);
	r = read_events(reader, state, native ? compare_id : ignore, &ids);
	REQUIRE(r == -ENODATA, "%s", scap_reader_problem(reader));
	scap_reader_stats(reader, &stats);
	REQUIRE(stats.corrupt_events == 0 && stats.unknown_events == 0, "%llu, %llu",
		(unsigned long long)stats.corrupt_events, (unsigned long long)stats.unknown_events);
	REQUIRE(!native || ids.len == 0, "%zu bytes of events were lost", ids.len);
	scap_source_destroy(scap_reader_source(reader));
	state_destroy(state);
}

static void copy_end(struct copy *copy)
{
	struct error err = {0};

	REQUIRE(scap_writer_finish(copy->writer, &err) == 0, "%s", err.text);
	copy_check(copy);
	close(copy->file.fd);
	buf_finish(&copy->ids);
}

struct pass {
	struct printer *printer;
	struct copy copy;
};

static void see(void *context, const struct scap_event *raw, const struct state_event *event)
{
	struct pass *pass = context;

	if (!raw->hidden)
		print(pass->printer, event);
	copy_event(&pass->copy, raw, event->ev.desc->id);
}

static void read_all(struct printer *printer, struct scap_reader *reader,
		     const struct scap_writer_config *way)
{
	struct pass pass = {.printer = printer, .copy.way = way};
	struct error err = {0};
	struct state *state;

	REQUIRE(state_create(&config, &state, NULL) == 0, "memory");
	if (start_reader(reader, state, &err)) {
		REQUIRE(err.text[0], "no message");
	} else {
		copy_begin(&pass.copy, state);
		read_events(reader, state, see, &pass);
		copy_end(&pass.copy);
	}
	state_destroy(state);
}

/* One of the forms, chosen by the bytes of the input, so that a finding can be reproduced. */
static const struct scap_writer_config *choose_way(const uint8_t *data, size_t size)
{
	size_t sum = size;

	for (size_t i = 0; i < size; i++)
		sum += data[i];
	return &ways[sum % (sizeof(ways) / sizeof(ways[0]))];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct memory_file file = {.fd = -1};
	static struct printer printer;
	struct scap_reader *reader;
	struct error err = {0};

	if (file.fd < 0) {
		memory_file_open(&file);
		printer_create(&printer);
	}
	REQUIRE(ftruncate(file.fd, 0) == 0, "%d", errno);
	REQUIRE(pwrite(file.fd, data, size, 0) == (ssize_t)size, "%d", errno);
	if (open_reader(file.path, &reader, &err)) {
		REQUIRE(err.text[0], "no message");
		return 0;
	}
	read_all(&printer, reader, choose_way(data, size));
	scap_source_destroy(scap_reader_source(reader));
	return 0;
}
