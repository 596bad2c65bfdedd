/* SPDX-License-Identifier: MIT */
/* Containers that are counted, by a control group of the root that this process is moved to. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/counts/counted.h"
#include "agent/counts/counters.h"
#include "unit.h"

struct group {
	char path[256];
	int folder;
	struct state_cgroup_match match;
	struct container_group group;
};

static const char *find_hierarchy(void)
{
	char path[128];

	for (const char *const *at = perf_target_hierarchies; *at; at++) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", *at);
		if (access(path, W_OK) == 0)
			return *at;
	}
	return NULL;
}

/* Makes a group; the test is skipped where that cannot be. */
static void group_make(struct group *group, const char *id)
{
	const char *hierarchy = find_hierarchy();
	struct stat status;

	if (!hierarchy)
		skip();
	*group = (struct group){.folder = -1};
	snprintf(group->path, sizeof(group->path), "%s/lanner-counted-%d-%.4s", hierarchy,
		 (int)getpid(), id);
	if (mkdir(group->path, 0755))
		skip();
	group->folder = open(group->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(group->folder >= 0);
	assert_int_equal(fstat(group->folder, &status), 0);
	snprintf(group->match.id, sizeof(group->match.id), "%s", id);
	group->group = (struct container_group){
		.path = group->path, .ino = status.st_ino, .match = &group->match};
}

static void group_remove(struct group *group)
{
	close(group->folder);
	rmdir(group->path);
}

enum { PAGES = 100, PAGE_BYTES = 4096 };

/* A child in the group that touches pages. */
static void run_in(const struct group *group)
{
	pid_t child = fork();
	char path[300], *memory;
	int fd;

	if (child == 0) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", group->path);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, "0", 1) != 1)
			_exit(1);
		memory = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED || madvise(memory, PAGES * PAGE_BYTES, MADV_NOHUGEPAGE))
			_exit(1);
		for (size_t i = 0; i < PAGES; i++)
			((volatile char *)memory)[i * PAGE_BYTES] = 1;
		_exit(0);
	}
	waitpid(child, &fd, 0);
	assert_int_equal(fd, 0);
}

struct counting {
	struct perf_machine machine;
	struct perf_event_list events;
	struct counted counted;
};

static void begin(struct counting *counting, size_t max)
{
	*counting = (struct counting){.events.count = 0};
	assert_int_equal(perf_machine_open(&counting->machine, NULL, NULL, NULL), 0);
	assert_int_equal(perf_event_parse("task-clock,page-faults", &counting->machine, NULL,
					  &counting->events, NULL),
			 0);
	assert_int_equal(
		counted_init(&counting->counted, &counting->events, &counting->machine, NULL, max),
		0);
}

static void end(struct counting *counting)
{
	counted_finish(&counting->counted);
	perf_event_list_finish(&counting->events);
	perf_machine_close(&counting->machine);
}

static double faults(const struct counting *counting, size_t i)
{
	return counting->counted.list[i].sums[1].value;
}

/* It counts while the group is there, and goes on where it was when that is made again. */
static void counts_a_container(void **state)
{
	struct counting counting;
	struct group group;
	double first;

	group_make(&group, "aaaa");
	begin(&counting, 2);
	if (!counted_add(&counting.counted, group.folder, &group.group)) {
		end(&counting);
		group_remove(&group);
		skip();
	}
	run_in(&group);
	counted_read(&counting.counted);
	first = faults(&counting, 0);
	assert_true(first >= PAGES && first < 2 * PAGES);
	assert_true(counting.counted.list[0].sums[0].supported);
	assert_string_equal(counting.counted.list[0].who.id, "aaaa");
	assert_false(counted_follow_cpus(&counting.counted, 1));
	/* As if a CPU had come: what was counted before stays. */
	counting.counted.online[0] = 'x';
	assert_true(counted_follow_cpus(&counting.counted, 2));
	run_in(&group);
	counted_end(&counting.counted, group.group.ino, 5);
	assert_true(faults(&counting, 0) >= first + PAGES);
	assert_int_equal(counting.counted.list[0].ended_ns, 5);
	first = faults(&counting, 0);
	run_in(&group);
	counted_read(&counting.counted);
	assert_true(faults(&counting, 0) == first);
	assert_true(counted_add(&counting.counted, group.folder, &group.group));
	assert_int_equal(counting.counted.count, 1);
	run_in(&group);
	counted_read(&counting.counted);
	assert_true(faults(&counting, 0) >= first + PAGES);
	end(&counting);
	group_remove(&group);
}

/* Those that ended make room; without any, others are left out, each once. */
static void has_a_limit(void **state)
{
	struct counting counting;
	struct group groups[2];

	group_make(&groups[0], "aaaa");
	group_make(&groups[1], "bbbb");
	begin(&counting, 1);
	if (counted_add(&counting.counted, groups[0].folder, &groups[0].group)) {
		assert_false(counted_add(&counting.counted, groups[1].folder, &groups[1].group));
		groups[1].group.is_again = true;
		assert_false(counted_add(&counting.counted, groups[1].folder, &groups[1].group));
		assert_int_equal(counting.counted.left_out[COUNTED_NO_ROOM], 1);
		counted_end(&counting.counted, groups[0].group.ino, 7);
		assert_true(counted_add(&counting.counted, groups[1].folder, &groups[1].group));
		assert_int_equal(counting.counted.count, 1);
		assert_int_equal(counting.counted.dropped, 1);
		assert_string_equal(counting.counted.list[0].who.id, "bbbb");
		counted_end(&counting.counted, groups[1].group.ino, 9);
		counted_forget(&counting.counted, 9);
		assert_int_equal(counting.counted.count, 1);
		counted_forget(&counting.counted, 10);
		assert_int_equal(counting.counted.count, 0);
	}
	end(&counting);
	group_remove(&groups[0]);
	group_remove(&groups[1]);
}

/* Whoever makes groups that look like those of containers keeps none of root's out. */
static void users_have_a_share(void **state)
{
	struct counting counting;
	struct counted *counted = &counting.counted;
	struct group one;
	struct container_group *group = &one.group;

	group_make(&one, "aaaa");
	begin(&counting, 4);
	assert_int_equal(counted->share, 1);
	group->owner = 1000;
	if (!counted_add(counted, one.folder, group))
		goto end;
	group->ino++;
	one.match.id[0] = 'b';
	assert_false(counted_add(counted, one.folder, group));
	assert_int_equal(counted->left_out[COUNTED_NO_ROOM], 1);
	/* One of its own that ended makes room. */
	counted_end(counted, group->ino - 1, 7);
	assert_true(counted_add(counted, one.folder, group));
	assert_int_equal(counted->count, 1);
	for (one.match.id[0] = 'c'; one.match.id[0] <= 'f'; one.match.id[0]++) {
		group->owner = STATE_OWNER_ROOT;
		group->ino++;
		assert_true(counted_add(counted, one.folder, group));
	}
	assert_int_equal(counted->count, 4);
	assert_string_equal(counted->list[0].who.id, "caaa");
	assert_int_equal(counted->left_out[COUNTED_NO_ROOM], 2);
	/* What root's have counted stays for those who ask. */
	counted_end(counted, group->ino, 8);
	group->owner = 1000;
	assert_false(counted_add(counted, one.folder, group));
	assert_int_equal(counted->count, 4);
end:
	end(&counting);
	group_remove(&one);
}

/* The limit of open files is that of all threads. */
static void leaves_files_to_others(void **state)
{
	struct counting counting;
	struct rlimit before, low;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = (struct rlimit){512 + 2 + 1, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	begin(&counting, 10000);
	assert_int_equal(counting.counted.max, 1);
	end(&counting);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* A CPU that is not there any more costs a moment, and not the counts of what follows. */
static void opens_again_what_failed(void **state)
{
	struct counting counting;
	struct counted *counted = &counting.counted;
	struct group group;
	uint64_t config;
	double first;

	group_make(&group, "aaaa");
	begin(&counting, 1);
	if (!counted_add(counted, group.folder, &group.group))
		goto end;
	run_in(&group);
	/* As if the kernel had the event no more. */
	config = counting.events.events[1].attr.config;
	counting.events.events[1].attr.config = 1000;
	counted->online[0] = 'x';
	assert_true(counted_follow_cpus(counted, 1));
	assert_false(counted_counts(&counted->list[0]));
	assert_int_equal(counted->list[0].ended_ns, 0);
	assert_int_equal(counted->left_out[COUNTED_FAILED], 1);
	assert_non_null(strstr(counted->failure.text, "page-faults: "));
	first = faults(&counting, 0);
	assert_true(first >= PAGES);
	counting.events.events[1].attr.config = config;
	assert_false(counted_follow_cpus(counted, 2));
	assert_false(counted_counts(&counted->list[0]));
	assert_false(counted_follow_cpus(counted, UINT64_C(2000000000)));
	assert_true(counted_counts(&counted->list[0]));
	assert_int_equal(counted->left_out[COUNTED_FAILED], 1);
	run_in(&group);
	counted_read(counted);
	assert_true(faults(&counting, 0) >= first + PAGES);
end:
	end(&counting);
	group_remove(&group);
}

static void says_what_cannot_be_counted(void **state)
{
	struct counting counting;
	struct state_cgroup_match match = {.id = "cccc"};
	const struct container_group group = {.ino = 1, .match = &match};
	int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	begin(&counting, 1);
	assert_false(counted_add(&counting.counted, folder, &group));
	assert_int_equal(counting.counted.left_out[COUNTED_FAILED], 1);
	assert_non_null(strstr(counting.counted.failure.text, "task-clock"));
	assert_int_equal(counting.counted.count, 0);
	end(&counting);
	close(folder);
}

struct shown {
	size_t count;
	double faults;
};

static void note_shown(void *context, size_t i, const struct counted_who *who,
		       const struct counted_sum *sums)
{
	struct shown *shown = context;

	assert_int_equal(i, shown->count);
	shown->count++;
	if (strncmp(who->id, "0123abcd", 8) == 0)
		shown->faults = sums[0].value;
}

/* The thread finds a container that comes, and what it has counted is there when it is asked. */
static void counts_in_the_background(void **state)
{
	static const char id[] = "0123abcd0123456789abcdef0123456789abcdef0123456789abcdef01234567";
	const char *texts[] = {"page-faults"}, *wrong[] = {"fualts"}, *twice[] = {"cs", "cs"};
	struct counters_config config = {.events = texts, .events_count = 1, .series = 100};
	struct counters *counters = NULL;
	struct counters_stats stats;
	struct shown before = {0}, shown = {0};
	struct error err = {""};
	struct group group;
	uint64_t changes;
	int r;

	group_make(&group, id);
	group_remove(&group);
	config.events = wrong;
	assert_int_equal(counters_start(&config, &counters, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--container-counters: "));
	config = (struct counters_config){.events = twice, .events_count = 2, .series = 100};
	assert_int_equal(counters_start(&config, &counters, &err), -EINVAL);
	assert_non_null(strstr(err.text, "cs is given twice"));
	config = (struct counters_config){.events = texts, .events_count = 1, .series = 100};
	r = counters_start(&config, &counters, &err);
	if (r == -EACCES || r == -EPERM || r == -ENOENT)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(counters_max(counters), 100);
	assert_int_equal(counters_events(counters)->count, 1);
	counters_ask(counters);
	changes = counters_changes(counters);
	snprintf(strrchr(group.path, '/'), 100, "/libpod-%s.scope", id);
	assert_int_equal(mkdir(group.path, 0755), 0);
	for (int i = 0; i < 100 && counters_changes(counters) == changes; i++)
		usleep(20000);
	assert_int_not_equal(counters_changes(counters), changes);
	counters_show(counters, &stats, note_shown, &before);
	assert_true(stats.containers >= 1);
	run_in(&group);
	counters_ask(counters);
	assert_int_equal(rmdir(group.path), 0);
	counters_show(counters, &stats, note_shown, &shown);
	assert_true(shown.faults >= PAGES);
	assert_false(stats.is_late);
	counters_stop(counters);
	counters_stop(NULL);
}

static size_t count_open_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(folder);
	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

/* Of events that were tried, those before one that the machine does not have are closed, too. */
static void closes_what_it_tried(void **state)
{
	const char *const texts[] = {"page-faults", "1:1000"};
	const struct counters_config config = {.events = texts, .events_count = 2, .series = 100};
	struct counters *counters = NULL;
	struct error err = {""};
	size_t before = count_open_files();
	int r = counters_start(&config, &counters, &err);

	assert_true(r < 0);
	assert_int_equal(count_open_files(), before);
	if (r == -EACCES || r == -EPERM)
		skip();
	assert_non_null(strstr(err.text, "1:1000 cannot be counted: "));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(closes_what_it_tried),
	cmocka_unit_test(counts_a_container),
	cmocka_unit_test(has_a_limit),
	cmocka_unit_test(users_have_a_share),
	cmocka_unit_test(leaves_files_to_others),
	cmocka_unit_test(opens_again_what_failed),
	cmocka_unit_test(says_what_cannot_be_counted),
	cmocka_unit_test(counts_in_the_background),
};

UNIT_GROUP(tests);
