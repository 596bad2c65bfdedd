/* SPDX-License-Identifier: MIT */
/* Counts of this process, by events of software, which every kernel has. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf/count/count.h"
#include "unit.h"

enum { PAGES = 100 };

struct counted {
	struct perf_machine machine;
	struct perf_event_list list;
	struct perf_target target;
	struct perf_counters counters;
};

static int try_open(struct counted *counted, const char *text, struct error *err)
{
	*counted = (struct counted){0};
	assert_int_equal(perf_machine_open(&counted->machine, NULL, NULL, NULL), 0);
	assert_int_equal(perf_event_parse(text, &counted->machine, NULL, &counted->list, NULL), 0);
	perf_target_init(&counted->target);
	assert_int_equal(perf_target_add_thread(&counted->target, getpid()), 0);
	return perf_counters_open(&counted->counters, &counted->list, &counted->target,
				  &counted->machine, err);
}

static void finish(struct counted *counted)
{
	perf_counters_close(&counted->counters);
	perf_target_finish(&counted->target);
	perf_event_list_finish(&counted->list);
	perf_machine_close(&counted->machine);
}

/* Skips the test where nothing may be counted. */
static void open_or_skip(struct counted *counted, const char *text)
{
	struct error err = {""};
	int r = try_open(counted, text, &err);

	if (r == -EACCES || r == -EPERM || (r == 0 && counted->counters.counters[0].error)) {
		finish(counted);
		skip();
	}
	assert_int_equal(r, 0);
}

static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)memory)[i * page] = 1;
	munmap(memory, PAGES * page);
}

static double read_value(struct counted *counted, size_t i)
{
	struct perf_count count;

	perf_counter_read(&counted->counters.counters[i], &count);
	return count.value;
}

static void counts_while_enabled(void **state)
{
	struct counted counted;
	struct perf_count count;

	open_or_skip(&counted, "{page-faults:u,dummy:u},minor-faults:u");
	touch_pages();
	assert_true(read_value(&counted, 0) == 0);
	perf_counters_enable(&counted.counters);
	touch_pages();
	perf_counters_disable(&counted.counters);
	touch_pages();
	perf_counter_read(&counted.counters.counters[0], &count);
	assert_in_range((unsigned int)count.value, PAGES, PAGES + 30);
	assert_true(count.enabled_ns > 0);
	assert_int_equal(count.enabled_ns, count.running_ns);
	assert_true(read_value(&counted, 1) == 0);
	assert_in_range((unsigned int)read_value(&counted, 2), PAGES, PAGES + 30);
	/* What was read is not read again. */
	assert_true(read_value(&counted, 0) == 0);
	finish(&counted);
}

/* A child that ended is part of it, unless it is not wanted. */
static void counts_children(void **state)
{
	struct counted counted;

	open_or_skip(&counted, "page-faults:u");
	perf_counters_enable(&counted.counters);
	for (int i = 0; i < 2; i++) {
		pid_t child = fork();

		if (child == 0) {
			touch_pages();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	assert_true(read_value(&counted, 0) >= 2 * PAGES);
	assert_true(counted.counters.counters[0].attr.inherit);
	finish(&counted);
	perf_target_init(&counted.target);
	counted.target.no_inherit = true;
	assert_int_equal(perf_target_add_thread(&counted.target, getpid()), 0);
	assert_int_equal(perf_machine_open(&counted.machine, NULL, NULL, NULL), 0);
	assert_int_equal(
		perf_event_parse("page-faults:u", &counted.machine, NULL, &counted.list, NULL), 0);
	assert_int_equal(perf_counters_open(&counted.counters, &counted.list, &counted.target,
					    &counted.machine, NULL),
			 0);
	assert_false(counted.counters.counters[0].attr.inherit);
	finish(&counted);
}

static void knows_what_is_not_supported(void **state)
{
	struct counted counted;

	open_or_skip(&counted, "page-faults:u,1:1000:u,{1:1000:u,dummy:u},dummy:u");
	assert_int_equal(counted.counters.counters[1].error, -ENOENT);
	assert_int_equal(counted.counters.counters[1].fds_count, 0);
	/* Where there is no leader, there are no members. */
	assert_int_equal(counted.counters.counters[2].error, -ENOENT);
	assert_int_equal(counted.counters.counters[3].error, -ENOENT);
	assert_int_equal(counted.counters.counters[4].error, 0);
	assert_true(read_value(&counted, 1) == 0);
	finish(&counted);
}

/* Members that do not fit are opened alone; those that there are count. */
static void breaks_weak_groups(void **state)
{
	struct counted counted;

	open_or_skip(&counted, "{page-faults:u,dummy:u,1:1000:u,dummy:u}:W");
	assert_int_equal(counted.counters.counters[1].leader, 1);
	assert_int_equal(counted.counters.counters[2].error, -ENOENT);
	assert_int_equal(counted.counters.counters[3].error, 0);
	assert_int_equal(counted.counters.counters[3].leader, 3);
	perf_counters_enable(&counted.counters);
	touch_pages();
	assert_true(read_value(&counted, 0) >= PAGES);
	finish(&counted);
}

/* The kernel reads the text of a probe in the memory of who forks. */
static void lets_who_has_a_probe_fork(void **state)
{
	struct counted counted;
	struct error err = {""};
	pid_t child;
	int r;

	assert_int_equal(perf_machine_open(&counted.machine, NULL, NULL, NULL), 0);
	r = perf_machine_pmu(&counted.machine, "uprobe", 6) ? 0 : -ENODEV;
	perf_machine_close(&counted.machine);
	if (r)
		skip();
	r = try_open(&counted, "u:/proc/self/exe:touch_pages", &err);
	if (r || counted.counters.counters[0].error) {
		finish(&counted);
		skip();
	}
	perf_counters_enable(&counted.counters);
	/* Only while it exists in the memory of this process would the text be found. */
	*(char *)(uintptr_t)counted.list.events[0].attr.config1 = '?';
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	touch_pages();
	touch_pages();
	assert_true(read_value(&counted, 0) == 2);
	finish(&counted);
}

/* A descriptor from which these readings come, one after the other. */
static int readings_fd(const struct perf_reading *readings, size_t count)
{
	int fd = memfd_create("readings", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, readings, count * sizeof(*readings)), count * sizeof(*readings));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* What took turns on a PMU is scaled by descriptor and interval; a gauge shows what it shows. */
static void scales_what_took_turns(void **state)
{
	static const struct perf_reading first[] = {{100, 1000, 250}, {150, 3000, 1250}},
					 second[] = {{7, 1000, 1000}, {20, 2000, 2000}},
					 never[] = {{0, 1000, 0}, {0, 2000, 0}};
	struct perf_event event = {.name = "a"};
	struct perf_reading before[4] = {{0}};
	int fds[] = {readings_fd(first, 2), readings_fd(second, 2), readings_fd(never, 2), -1};
	struct perf_counter counter = {
		.event = &event, .fds = fds, .before = before, .fds_count = 4};
	struct perf_count count;

	perf_counter_read(&counter, &count);
	assert_true(count.value == 400 + 7);
	assert_int_equal(count.enabled_ns, 3000);
	assert_int_equal(count.running_ns, 1250);
	perf_counter_read(&counter, &count);
	assert_true(count.value == 50 * 2000 / 1000 + 13);
	assert_int_equal(count.enabled_ns, 4000);
	assert_int_equal(count.running_ns, 2000);
	/* Behind the last one there is nothing to read: an event in error. */
	perf_counter_read(&counter, &count);
	assert_true(count.value == 0 && count.running_ns == 0);
	event.is_gauge = true;
	memset(before, 0, sizeof(before));
	lseek(fds[1], 0, SEEK_SET);
	perf_counter_read(&counter, &count);
	perf_counter_read(&counter, &count);
	assert_true(count.value == 20);
	for (size_t i = 0; i < 3; i++)
		close(fds[i]);
}

/* What is not of a task, and tasks that are not there. */
static void says_what_cannot_be_opened(void **state)
{
	struct counted counted = {0};
	struct perf_event uncore = {.attr.type = PERF_TYPE_SOFTWARE, .is_uncore = true};
	const struct perf_event_list list = {.events = &uncore, .count = 1};
	struct error err = {""};
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	perf_target_init(&counted.target);
	uncore.name = "clock";
	assert_int_equal(perf_target_add_thread(&counted.target, getpid()), 0);
	assert_int_equal(perf_counters_open(&counted.counters, &list, &counted.target,
					    &counted.machine, &err),
			 0);
	assert_int_equal(counted.counters.counters[0].error, -EINVAL);
	finish(&counted);
	perf_target_init(&counted.target);
	uncore.is_uncore = false;
	assert_int_equal(perf_target_add_thread(&counted.target, child), 0);
	assert_true(perf_counters_open(&counted.counters, &list, &counted.target, &counted.machine,
				       &err) < 0);
	assert_int_equal(strncmp(err.text, "clock: ", 7), 0);
	finish(&counted);
}

/* Events of all tasks, on CPUs that are made up: a PMU of software counts on all that there are. */
static void check_places(struct perf_event events[2], size_t *packages, const size_t places[2],
			 bool leaves)
{
	const struct perf_event_list list = {.events = events, .count = 2};
	struct counted counted = {0};
	int r;

	perf_target_init(&counted.target);
	assert_int_equal(perf_target_set_cpus(&counted.target, "0-1", NULL), 0);
	counted.target.packages = packages;
	r = perf_counters_open(&counted.counters, &list, &counted.target, &counted.machine, NULL);
	if (r == -EACCES || r == -EPERM || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		finish(&counted);
		skip();
	}
	assert_int_equal(r, 0);
	for (size_t i = 0; i < 2; i++) {
		const struct perf_counter *counter = &counted.counters.counters[i];

		assert_int_equal(counter->error, 0);
		assert_int_equal(counter->fds_count, places[i]);
	}
	assert_int_equal(counted.counters.counters[1].left_group, leaves);
	assert_int_equal(counted.counters.counters[1].leader, leaves || events[1].leader);
	/* Nobody counts before it is told to. */
	assert_true(read_value(&counted, 0) == 0 && read_value(&counted, 1) == 0);
	finish(&counted);
}

/* A member that counts on other CPUs than the leader, be they as many, is alone. */
static void groups_are_on_the_same_cpus(void **state)
{
	unsigned int numbers[] = {0, 1};
	struct perf_cpus first = {numbers, 1}, second = {numbers + 1, 1};
	struct perf_event clock = {
		.name = "clock",
		.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK}};
	struct perf_event events[2] = {clock, clock};
	size_t packages[] = {0, 1};

	check_places(events, packages, (const size_t[]){2, 2}, false);
	events[0].cpus = &first;
	check_places(events, packages, (const size_t[]){1, 2}, true);
	events[1].cpus = &second;
	check_places(events, packages, (const size_t[]){1, 1}, true);
	events[1].cpus = &first;
	check_places(events, packages, (const size_t[]){1, 1}, false);
}

/* What each CPU counts of its whole package is counted once, on a CPU that its PMU has. */
static void packages_are_counted_once(void **state)
{
	unsigned int second_number = 1;
	struct perf_cpus second = {&second_number, 1};
	struct perf_event clock = {
		.name = "clock",
		.per_package = true,
		.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK}};
	struct perf_event events[2] = {clock, clock};

	events[1].leader = 1;
	check_places(events, (size_t[]){0, 1}, (const size_t[]){2, 2}, false);
	check_places(events, (size_t[]){0, 0}, (const size_t[]){1, 1}, false);
	events[1].cpus = &second;
	check_places(events, (size_t[]){0, 0}, (const size_t[]){1, 1}, false);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(groups_are_on_the_same_cpus), cmocka_unit_test(packages_are_counted_once),
	cmocka_unit_test(counts_while_enabled),	       cmocka_unit_test(counts_children),
	cmocka_unit_test(knows_what_is_not_supported), cmocka_unit_test(breaks_weak_groups),
	cmocka_unit_test(lets_who_has_a_probe_fork),   cmocka_unit_test(scales_what_took_turns),
	cmocka_unit_test(says_what_cannot_be_opened),
};

UNIT_GROUP(tests);
