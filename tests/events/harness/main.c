/* SPDX-License-Identifier: MIT */
/*
 * Runs the live tests, each in an empty directory of its own, and prints their results in the
 * form of TAP. The tests are those of the event table (an event without a test does not link)
 * and of more.def.
 * Usage: live_tests [TEST…]
 */
#include "capture.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/event.h"
#include "harness/fixture.h"
#include "harness/live.h"

static const struct test {
	const char *name;
	unsigned int event;
	void (*run)(void);
} tests[] = {
#define SYSCALL_EVENT(name, ...) {#name, EVENT_##name, live_test_##name},
#define TRACEPOINT_EVENT(name, ...) {#name, EVENT_##name, live_test_##name},
#define PARAM(...)
#define EVENT_END(name)
#include "events/all.def"
#define MORE_TEST(name) {#name, EVENT_NONE, live_test_##name},
#include "harness/more.def"
};

enum {
	TESTS_COUNT = sizeof(tests) / sizeof(tests[0]),
	STACK_BYTES = 512 << 10, /* more than any test uses */
	PAGE_BYTES = 4096,
	TRIES = 5, /* of a test, whose events may be among those that are lost on a busy machine */
};

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
	return remove(path);
}

static bool comes_on_request(unsigned int event)
{
	return event && event_desc_get(event)->flags & EF_ON_REQUEST;
}

/* Makes it a capture that has the event; `captured` is the one on request that it has by now. */
static int capture_for(unsigned int event, unsigned int *captured, struct error *err)
{
	unsigned int wanted = comes_on_request(event) ? event : EVENT_NONE;

	if (*captured == wanted)
		return 0;
	capture_close();
	*captured = wanted;
	return capture_open(wanted, err);
}

static bool run_once(const struct test *test, unsigned int number, const char *directory,
		     bool may_repeat, uint64_t *lost)
{
	char *report = NULL;
	size_t len;
	const char *verdict;

	*lost = capture_lost();
	live_test.failures = 0;
	live_test.pid = getpid();
	live_test.report = open_memstream(&report, &len);
	if (!live_test.report || mkdir(directory, 0755) || chdir(directory))
		return false;
	if (setjmp(live_test.end) == 0) {
		capture_clear();
		test->run();
		capture_check_compared();
	}
	capture_end_children();
	fclose(live_test.report);
	*lost = capture_lost() - *lost;
	verdict = live_test.failures == 0 ? "ok" : *lost && may_repeat ? "# again:" : "not ok";
	printf("%s %u - %s\n%s", verdict, number, test->name, *verdict == '#' ? "" : report);
	if (*lost)
		printf("# events lost meanwhile: %llu\n", (unsigned long long)*lost);
	fflush(stdout);
	free(report);
	if (chdir("/") || nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT))
		printf("# %s was left behind\n", directory);
	return live_test.failures == 0;
}

/* Returns whether the test passed. */
static bool run_test(const struct test *test, unsigned int number, const char *directory)
{
	uint64_t lost;

	for (unsigned int left = TRIES - 1;; left--) {
		if (run_once(test, number, directory, left > 0, &lost))
			return true;
		if (left == 0 || lost == 0)
			return false;
	}
}

static bool is_selected(const struct test *test, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (strcmp(*names, test->name) == 0)
			return true;
	return false;
}

/* So that the size of the process is not another after a call than in it. */
__attribute__((noinline)) static void grow_stack(void)
{
	volatile char pages[STACK_BYTES];

	for (size_t i = 0; i < sizeof(pages); i += PAGE_BYTES)
		pages[i] = 0;
}

/*
 * Programs in the kernel read no page that has to be fetched first. Constants of tests are in pages
 * of this program, which are there only when something near them was used; the kernel, which would
 * fetch them, may reject a call before it looks at its path.
 */
static void fetch_constants(void)
{
	char line[PATH_MAX + 128], program[PATH_MAX + 1];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	FILE *maps = fopen("/proc/self/maps", "r");

	program[len > 0 ? len : 0] = '\0';
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long begin, end;
		char readable;

		if (!strstr(line, program) ||
		    sscanf(line, "%lx-%lx %c", &begin, &end, &readable) != 3 || readable != 'r')
			continue;
		for (; begin < end; begin += PAGE_BYTES)
			(void)*(volatile const char *)begin;
	}
	if (maps)
		fclose(maps);
}

/* What the tests of a run have in common. */
struct progress {
	const char *base;
	unsigned int number, failed, captured;
};

/* Runs a test in the capture that it needs. */
static int run_next(const struct test *test, struct progress *progress, struct error *err)
{
	char directory[64];
	int ret;

	progress->number++;
	if (test->event && !event_desc_is_native(event_desc_get(test->event))) {
		printf("ok %u - %s # SKIP no such call here\n", progress->number, test->name);
		return 0;
	}
	ret = capture_for(test->event, &progress->captured, err);
	if (ret)
		return ret;
	snprintf(directory, sizeof(directory), "%s/%s", progress->base, test->name);
	progress->failed += !run_test(test, progress->number, directory);
	return 0;
}

/* Those with a capture of their own come last, so that the large one is opened once. */
static int run_all(char **names, struct progress *progress, struct error *err)
{
	for (unsigned int i = 0; i < 2 * TESTS_COUNT; i++) {
		const struct test *test = &tests[i % TESTS_COUNT];
		bool is_last_part = i >= TESTS_COUNT;
		int ret;

		if (!is_selected(test, names) || comes_on_request(test->event) != is_last_part)
			continue;
		ret = run_next(test, progress, err);
		if (ret)
			return ret;
	}
	return 0;
}

int main(int argc, char **argv)
{
	char base[] = "/tmp/lanner-live-XXXXXX";
	struct progress progress = {.base = base, .captured = EVENT_NONE};
	unsigned int count = 0;
	struct error err = {0};

	grow_stack();
	fetch_constants();
	if (geteuid() != 0) {
		puts("1..0 # SKIP capturing takes root");
		return 0;
	}
	for (unsigned int i = 0; i < TESTS_COUNT; i++)
		count += is_selected(&tests[i], argv + 1);
	if (count == 0) {
		puts("Bail out! no such test");
		return 2;
	}
	if (!garbage_learn_types()) {
		puts("Bail out! tracefs does not give the types of arguments, which have garbage "
		     "by them");
		return 1;
	}
	if (!mkdtemp(base) || chmod(base, 0755) || capture_open(EVENT_NONE, &err)) {
		printf("Bail out! %s\n", err.text[0] ? err.text : strerror(errno));
		return 1;
	}
	printf("1..%u\n", count);
	if (run_all(argv + 1, &progress, &err)) {
		printf("Bail out! %s\n", err.text);
		return 1;
	}
	capture_close();
	rmdir(base);
	return progress.failed ? 1 : 0;
}
