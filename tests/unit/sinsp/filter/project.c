/* SPDX-License-Identifier: MIT */
/*
 * The kernel's part of random filters, run as the kernel runs it: what the filter passes passes it,
 * for every event. What the kernel knows of a filter it decides, and nothing else.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "drive.h"
#include "sinsp/fields/thread_text.h"
#include "sinsp/filter/filter.h"
#include "sinsp/filter/program.h"
#include "unit.h"

enum {
	FILTERS = UNIT_ROUNDS(2000),
	DEPTH_MAX = 4,
	CHILDREN_MAX = 4,
	KNOWN = 16 /* for each event; all before the descriptor */
};

static const char *const leaves[] = {
	"evt.rawres < 0",
	"evt.rawres in (3, 4)",
	"evt.rawres >= 4",
	"evt.failed = true",
	"evt.res = ENOENT",
	"evt.res in (SUCCESS, EBADF)",
	"evt.count.error = 0",
	"proc.name = cat",
	"proc.name in (cat, sh, bash)",
	"proc.name startswith c",
	"proc.name != sh",
	"thread.tid = 20",
	"proc.pid in (10, 99)",
	"proc.ppid = 10",
	"proc.ppid < 5",
	"thread.tid > 10",
	"user.uid = 0",
	"group.gid in (0, 7)",
	"fd.num >= 0",
	"fd.num < 0",
	"fd.num != -2",
	"fd.num = 4",
	"fd.num in (3, 7)",
	"fd.num <= 3",
	"evt.is_open_read = true",
	"evt.is_open_write = true",
	"evt.is_open_write != true",
	"evt.is_open_write in (false)",
	/* Only user space knows these, or of some events only: */
	"evt.buflen >= 5",
	"evt.buflen < 5",
	"evt.buflen in (5, 6)",
	"evt.buflen != 5",
	"evt.buflen.file.in <= 5",
	"fd.type = file",
	"fd.type in (ipv4, pipe)",
	"fd.type != ipv4",
	"fd.sport = 80",
	"fd.sip = 10.0.0.1",
	"fd.port != 80",
	"evt.is_open_create = true",
	"evt.is_open_create = false",
	"evt.is_open_create in (true, false)",
	"evt.is_open_exec = true",
	"evt.is_open_exec != true",
	"evt.type = open",
	"evt.type in (read, close, chdir)",
	"evt.arg.name contains passwd",
	"proc.name contains a",
	"proc.name = a_name_of_sixteen",
	"proc.pname exists",
	"fd.name startswith /etc",
	"fd.name = /etc/passwd",
	"fd.name != /etc/passwd",
	"fd.name in (/etc/passwd, /var/lib/dpkg/info/x.list)",
	"fd.name startswith /var/lib/dpkg/info/y",
	"fd.name startswith /var/lib/dpkg/info/a-name-of-more-than-32",
	"fd.name = /var/lib/dpkg/info/x.list",
	"fd.name endswith .list",
	"fd.name endswith wd",
	"fd.name endswith /dpkg/info/x.list",
	"evt.num > 5",
	"thread.runqtime > 1000",
};

enum { LEAVES = sizeof(leaves) / sizeof(leaves[0]) };

/* Flags of opens with O_CREAT that find a file and that make one, and with O_TMPFILE. */
enum {
	OPENED_OLD = file_flags__O_WRONLY | file_flags__O_CREAT,
	OPENED_NEW = OPENED_OLD | file_flags__O_F_CREATED,
	OPENED_UNNAMED = file_flags__O_WRONLY | file_flags__O_TMPFILE,
};

struct run {
	const char *text;
	struct filter *filter;
	bool is_known; /* all of its leaves are */
	unsigned int passed, rejected, missed;
	unsigned int rejected_path, missed_path;
	uint64_t seed;
};

static unsigned int pick(struct run *run, unsigned int n)
{
	run->seed = run->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(run->seed >> 33) % n;
}

static void grow(struct run *run, unsigned int depth, unsigned int leaves_count, struct buf *text)
{
	unsigned int choice = pick(run, depth < DEPTH_MAX ? 8 : 3);

	if (choice < 3) {
		buf_append_string(text, leaves[pick(run, leaves_count)]);
		return;
	}
	buf_append_string(text, choice == 3 ? "not (" : "(");
	for (unsigned int n = choice == 3 ? 1 : 2 + pick(run, CHILDREN_MAX - 1); n > 0; n--) {
		grow(run, depth + 1, leaves_count, text);
		if (n > 1)
			buf_append_string(text, choice < 6 ? " and " : " or ");
	}
	buf_append_string(text, ")");
}

static uint64_t flags_of(const struct event *ev)
{
	if (ev->desc->id == EVENT_open)
		return event_param_u64(ev, open__flags);
	return ev->desc->id == EVENT_openat ? event_param_u64(ev, openat__flags) : 0;
}

/* That the event is about, which the state knows here as the kernel would. */
static uint64_t descriptor_of(const struct state_event *event)
{
	if (event->ev.desc->id != EVENT_read || !event->fd)
		return 0;
	return (uint64_t)event->fd_num << 32 | KERNEL_DESCRIPTOR_KNOWN |
	       (event->fd->type == SCAP_FD_FILE ? S_IFREG : S_IFSOCK);
}

/* What was opened; NULL: the kernel reported no path. */
static const char *path_of(const struct state_event *event)
{
	return event->ev.desc->id == EVENT_open ? event_param_string(&event->ev, open__path) : NULL;
}

/* As the kernel has it: what is behind the NUL, or before a short path, is not part of it. */
static void add_path(struct kernel_facts *facts, const char *path)
{
	size_t len = strlen(path), end = len < 16 ? len : 16;
	char begin[32];

	memset(begin, 'x', sizeof(begin));
	memcpy(begin, path, len + 1 < sizeof(begin) ? len + 1 : sizeof(begin));
	memcpy(&facts->words[KERNEL_PATH], begin, 16);
	memcpy(&facts->words[KERNEL_PATH_2], begin + 16, 16);
	memset(&facts->words[KERNEL_PATH_END], 0, 16);
	memcpy((char *)&facts->words[KERNEL_PATH_END] + 16 - end, path + len - end, end);
}

static struct kernel_facts facts_of(const struct state_event *event)
{
	struct kernel_facts facts = {0};
	int64_t result = 0;

	event_result(&event->ev, &result);
	facts.words[KERNEL_RESULT] = (uint64_t)result;
	facts.words[KERNEL_TID] = (uint64_t)event->ev.tid;
	facts.words[KERNEL_PID] = (uint64_t)event->thread->pid;
	facts.words[KERNEL_PPID] = (uint64_t)thread_event_parent_pid(event, event->thread);
	facts.words[KERNEL_UID] = event->thread->uid;
	facts.words[KERNEL_GID] = event->thread->gid;
	facts.words[KERNEL_OPEN_FLAGS] = flags_of(&event->ev);
	facts.words[KERNEL_DESCRIPTOR] = descriptor_of(event);
	memcpy(&facts.words[KERNEL_NAME], event->thread->comm, 16);
	return facts;
}

static bool passes(const struct run *run, unsigned int number, const struct kernel_facts *facts)
{
	const struct kernel_filters *filters = filter_kernel_part(run->filter);

	assert_in_range(number, 0, KERNEL_FILTERS_MAX);
	return !number ||
	       (filters->filters[number - 1].facts & 1 << KERNEL_DESCRIPTOR &&
		!facts->words[KERNEL_DESCRIPTOR]) ||
	       kernel_filter_passes(&filters->filters[number - 1], facts);
}

static void check_event(struct run *run, const struct state_event *event)
{
	const struct kernel_filters *filters = filter_kernel_part(run->filter);
	unsigned int id = event->ev.desc->id;
	struct kernel_facts facts = facts_of(event);
	bool expected = filter_match(run->filter, event);
	bool at_exit = passes(run, filters->at_exit[id], &facts), at_path;

	if (path_of(event)) {
		add_path(&facts, path_of(event));
		at_path = passes(run, filters->at_path[id], &facts);
		if (expected && !at_path)
			fail_msg("%s is rejected by its path: %s", path_of(event), run->text);
		run->rejected_path += at_exit && !at_path;
		run->missed_path += at_path && !expected;
	}
	facts.words[KERNEL_RESULT] = 12345; /* which no call returned yet */
	facts.words[KERNEL_OPEN_FLAGS] = 0;
	facts.words[KERNEL_DESCRIPTOR] = 0;
	if (expected && !(at_exit && passes(run, filters->at_entry[id], &facts)))
		fail_msg("%s is rejected by the kernel's part of: %s", event->ev.desc->name,
			 run->text);
	run->passed += at_exit;
	run->rejected += !at_exit;
	run->missed += at_exit && !expected && run->is_known;
}

/* A client of port 80, as descriptor 7 of a thread. */
static void connect_ip(struct drive *drive, int64_t tid)
{
	const struct frame_tuple tuple = {"10.0.0.2", "10.0.0.1", 4000, 80};
	struct frame *frame = drive_begin(drive, EVENT_socket, tid);

	frame_put_i64(frame, socket__fd, 7);
	frame_put_i64(frame, socket__domain, 2);
	frame_put_i64(frame, socket__type, 1);
	drive_end(drive);
	frame = drive_begin(drive, EVENT_connect, tid);
	frame_put_i64(frame, connect__res, 0);
	frame_put_i64(frame, connect__fd, 7);
	frame_put_tuple(frame, connect__tuple, &tuple);
	drive_end(drive);
}

static void play(struct run *run)
{
	struct drive drive;

	drive_create(&drive, NULL);
	drive_exec(&drive, 10, "sh");
	drive_fork(&drive, 10, 20);
	check_event(run, drive_openat(&drive, 20, 3, -100, "/etc/passwd"));
	drive_exec(&drive, 20, "cat");
	check_event(run, drive_open(&drive, 20, 3, "/etc/passwd", 1));
	check_event(run, drive_open(&drive, 20, -2, "/etc/passwd", 1));
	check_event(run, drive_open(&drive, 20, 5, "/etc/passwd", 2));
	check_event(run, drive_open(&drive, 20, 5, "/etc/passwd", 3));
	check_event(run, drive_open(&drive, 20, 5, "/etc/new", OPENED_NEW));
	check_event(run, drive_open(&drive, 20, 5, "/etc/passwd", OPENED_OLD));
	check_event(run, drive_open(&drive, 20, 5, "/etc", OPENED_UNNAMED));
	check_event(run, drive_open_path(&drive, 20, 5, "passwd", "/etc/passwd"));
	check_event(run, drive_open_path(&drive, 20, 0, "/etc/link", "/etc/passwd"));
	check_event(run, drive_open_path(&drive, 20, 6, "/", "/"));
	check_event(run, drive_open_path(&drive, 20, 6, "/wd", "/wd"));
	check_event(run, drive_open_path(&drive, 20, 6, "/etc/passwd2", "/etc/passwd2"));
	check_event(run, drive_open_path(&drive, 20, 6, "x", "/var/lib/dpkg/info/x.list"));
	check_event(run, drive_open_path(&drive, 20, 6, "x", "/var/lib/dpkg/info/y.list"));
	check_event(run, drive_open_path(&drive, 20, 6, "x",
					 "/var/lib/dpkg/info/a-name-of-more-than-32"));
	check_event(run, drive_open_path(&drive, 20, 6, "x",
					 "/var/lib/dpkg/info/a-name-of-more-than-16"));
	check_event(run, drive_openat(&drive, 20, 4, -100, "/var/x.log"));
	check_event(run, drive_openat(&drive, 10, 3, -100, "/etc/passwd"));
	check_event(run, drive_read(&drive, 20, 5, 3));
	check_event(run, drive_read(&drive, 20, -1, 4));
	check_event(run, drive_read(&drive, 10, 5, 3));
	connect_ip(&drive, 20);
	check_event(run, drive_read(&drive, 20, 5, 7));
	check_event(run, drive_read(&drive, 20, -11, 7));
	check_event(run, drive_chdir(&drive, 20, 0, "/etc"));
	check_event(run, drive_close(&drive, 20, 0, 3));
	check_event(run, drive_close(&drive, 20, -9, 77));
	drive_destroy(&drive);
}

static void run_text(struct run *run, const char *text)
{
	struct filter_error err;

	run->text = text;
	if (filter_create(text, NULL, &run->filter, &err))
		fail_msg("'%s': %s", text, err.text);
	play(run);
	filter_destroy(run->filter);
}

static void run_random(struct run *run, unsigned int depth, unsigned int leaves_count)
{
	for (unsigned int i = 0; i < FILTERS; i++) {
		struct buf text = {0};

		run->seed = i;
		grow(run, depth, leaves_count, &text);
		buf_append_char(&text, '\0');
		run_text(run, text.data);
		buf_finish(&text);
	}
}

static void test_implied(void **state)
{
	struct run run = {0};

	run_random(&run, 0, LEAVES);
	assert_true(run.rejected > run.passed / 10);
	assert_int_not_equal(run.rejected_path, 0);
}

/* What an open opened is compared exactly, up to a length. */
static void test_paths(void **state)
{
	static const char *const texts[] = {
		"evt.type=open and fd.name=/etc/passwd",
		"evt.type=open and not fd.name in (/etc/passwd, /wd, /)",
		"evt.type=open and fd.name startswith /var/lib/dpkg/info/y",
		"evt.type=open and fd.name!=/var/lib/dpkg/info/x.list",
		"evt.type=open and not fd.name startswith /var/lib/dpkg/info/",
		"evt.type=open and fd.name endswith .list",
		"evt.type=open and (fd.name endswith 32 or fd.name=/) and proc.name=cat",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct run run = {0};

		run_text(&run, texts[i]);
		assert_int_not_equal(run.rejected_path, 0);
		assert_int_equal(run.missed_path, 0);
	}
}

/* Filters that have only known leaves, and fit, pass nothing else. */
static void test_decided(void **state)
{
	struct run run = {.is_known = true};

	run_random(&run, DEPTH_MAX - 1, KNOWN);
	assert_true(run.rejected > run.passed / 2);
	assert_int_equal(run.missed, 0);
}

static const struct kernel_filter *part_of(struct filter **filter, const char *text,
					   unsigned int id)
{
	struct filter_error err;
	const struct kernel_filters *filters;

	if (filter_create(text, NULL, filter, &err))
		fail_msg("'%s': %s", text, err.text);
	filters = filter_kernel_part(*filter);
	return filters->at_exit[id] ? &filters->filters[filters->at_exit[id] - 1] : NULL;
}

static void expect_none(const char *text, unsigned int id)
{
	struct filter *filter;

	if (part_of(&filter, text, id))
		fail_msg("'%s' has a part", text);
	filter_destroy(filter);
}

static void test_shape(void **state)
{
	struct filter *filter;
	const struct kernel_filter *part =
		part_of(&filter, "evt.type=openat and fd.name=x and proc.name=cat", EVENT_openat);

	assert_non_null(part);
	assert_int_equal(part->facts, 1 << KERNEL_NAME);
	assert_int_equal(part->checks[0].on_true, KERNEL_PASS);
	assert_int_equal(part->checks[0].on_false, KERNEL_REJECT);
	filter_destroy(filter);
	part = part_of(&filter, "evt.type=openat and evt.is_open_create=true", EVENT_openat);
	assert_non_null(part);
	assert_int_equal(part->facts, 1 << KERNEL_OPEN_FLAGS);
	filter_destroy(filter);
	expect_none("evt.type=openat and not evt.is_open_create=true", EVENT_openat);
	expect_none("evt.type=openat and (fd.name=x or proc.name=cat)", EVENT_openat);
	expect_none("evt.type=openat and not (fd.name=x and proc.name=cat)", EVENT_openat);
	expect_none("evt.type=openat", EVENT_openat);
	expect_none("evt.type=switch and proc.name=cat", EVENT_switch);
}

/* Events of several expressions pass if any of them passes; one that is not known passes all. */
static void test_group(void **state)
{
	static const char *const texts[] = {"proc.name=cat", "proc.name=sh and evt.failed=true",
					    "evt.type=close and fd.name=x"};
	struct arena arena = {0};
	struct filter_group_item items[3];
	struct filter *filter;
	struct filter_error err;
	size_t failed;
	const struct kernel_filters *filters;

	for (size_t i = 0; i < 3; i++) {
		struct filter_node *root;

		assert_int_equal(filter_parse(texts[i], &arena, &root, &err), 0);
		items[i] = (struct filter_group_item){root, texts[i]};
	}
	assert_int_equal(filter_group_create(items, 3, NULL, &filter, &failed, &err), 0);
	filters = filter_kernel_part(filter);
	assert_int_equal(filters->at_exit[EVENT_close], 0);
	assert_int_not_equal(filters->at_exit[EVENT_read], 0);
	/* On entry the result is not known: the part of it is smaller. */
	assert_int_not_equal(filters->at_entry[EVENT_read], filters->at_exit[EVENT_read]);
	assert_int_equal(filters->filters[filters->at_entry[EVENT_read] - 1].facts,
			 1 << KERNEL_NAME);
	filter_destroy(filter);
	arena_finish(&arena);
}

/* More names than there is room for: all events pass. */
static void test_too_large(void **state)
{
	struct buf text = {0};

	buf_append_string(&text, "evt.type=openat and (proc.name=a0");
	for (int i = 1; i <= KERNEL_CHECKS_MAX; i++)
		buf_printf(&text, " or proc.name=a%d", i);
	buf_append_string(&text, ")");
	buf_append_char(&text, '\0');
	expect_none(text.data, EVENT_openat);
	buf_finish(&text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_implied), cmocka_unit_test(test_decided),
	cmocka_unit_test(test_paths),	cmocka_unit_test(test_shape),
	cmocka_unit_test(test_group),	cmocka_unit_test(test_too_large),
};

UNIT_GROUP(tests);
