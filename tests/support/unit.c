/* SPDX-License-Identifier: MIT */
/*
 * The main program of unit tests: runs each group in a child, as many at once as there are CPUs.
 *   PROGRAM [--quick] [WORD...]   those of which a name contains one of the words: util/pool:reuses
 *   PROGRAM --list [WORD...]      only prints the names of the cases
 * Prints what failed, with all its output, and a last line with the numbers. Ends with 0 when
 * nothing failed, 77 when all was skipped, 1 otherwise.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	UNIT_LIMIT_S = 300,
	SKIPPED = 77,
	NAME_BYTES = 256,
	CHILDREN_MAX = 16,
	KEPT_MAX_BYTES = 32 << 20
};

struct words {
	char **words;
	int count;
};

/* A group that runs. */
struct child {
	const struct unit_group *group; /* NULL: there is none */
	size_t cases; /* of it, that are wanted */
	pid_t pid;
	FILE *output;
	double began_s;
	bool late; /* it was ended */
};

static struct unit_group *groups; /* sorted by name */
static struct child children[CHILDREN_MAX];
static struct {
	size_t cases, groups, failed, skipped; /* of the last two: groups, cases */
} sum;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Of ../tests/unit/util/pool.c it is util/pool. */
static int name_bytes(const struct unit_group *group, const char **name)
{
	static const char folder[] = "tests/unit/";
	const char *found = strstr(group->file, folder);

	*name = found ? found + strlen(folder) : group->file;
	return (int)(strlen(*name) - strlen(".c"));
}

static int compare(const struct unit_group *a, const struct unit_group *b)
{
	const char *names[2];
	int bytes[2] = {name_bytes(a, &names[0]), name_bytes(b, &names[1])};
	int order =
		strncmp(names[0], names[1], (size_t)(bytes[0] < bytes[1] ? bytes[0] : bytes[1]));

	return order ? order : bytes[0] - bytes[1];
}

void unit_register(struct unit_group *group)
{
	struct unit_group **at = &groups;

	while (*at && compare(*at, group) < 0)
		at = &(*at)->next;
	group->next = *at;
	*at = group;
}

static bool is_wanted(const struct unit_group *group, const struct CMUnitTest *test,
		      const struct words *words)
{
	const char *name;
	int bytes = name_bytes(group, &name);
	char full[NAME_BYTES];

	snprintf(full, sizeof(full), "%.*s:%s", bytes, name, test->name);
	for (int i = 0; i < words->count; i++)
		if (strstr(full, words->words[i]))
			return true;
	return words->count == 0;
}

/* The cases that are wanted, for the caller to free. */
static struct CMUnitTest *select_cases(const struct unit_group *group, const struct words *words,
				       size_t *count)
{
	struct CMUnitTest *selected = calloc(group->count, sizeof(*selected));

	if (!selected)
		abort();
	*count = 0;
	for (size_t i = 0; i < group->count; i++)
		if (is_wanted(group, &group->tests[i], words))
			selected[(*count)++] = group->tests[i];
	return selected;
}

/* In the child: nothing of the terminal, and all that is said goes to the file. */
static void enter_child(FILE *output)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setsid() < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
	    dup2(fileno(output), STDOUT_FILENO) < 0 || dup2(fileno(output), STDERR_FILENO) < 0)
		abort();
	close(nothing);
	fclose(output);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

static int run_group(const struct unit_group *group, const struct CMUnitTest *cases, size_t count)
{
	const char *missing = group->missing ? group->missing() : NULL;

	if (missing) {
		puts(missing);
		return SKIPPED;
	}
	return _cmocka_run_group_tests("tests", cases, count, group->setup, group->teardown) != 0;
}

static void start(struct child *child, const struct unit_group *group, const struct words *words,
		  const sigset_t *mask)
{
	struct CMUnitTest *cases = select_cases(group, words, &child->cases);

	child->output = tmpfile();
	if (!child->output)
		abort();
	child->group = group;
	child->late = false;
	child->began_s = now_s();
	fflush(stdout);
	child->pid = fork();
	if (child->pid < 0)
		abort();
	if (child->pid == 0) {
		int result;

		/* Memory that nobody has set is never 0 by chance. */
		mallopt(M_PERTURB, group->unfilled ? 0 : 0xa5);
		sigprocmask(SIG_SETMASK, mask, NULL);
		enter_child(child->output);
		result = run_group(group, cases, child->cases);
		free(cases);
		exit(result); /* so that leaks are looked for, and counters of gcov written */
	}
	free(cases);
}

static void print_verdict(const struct child *child, const char *verdict)
{
	const char *name;
	int bytes = name_bytes(child->group, &name);

	printf("%s  %.*s (%.1f s)\n", verdict, bytes, name, now_s() - child->began_s);
}

/* The whole output; and how many cases it says were skipped. */
static size_t read_output(const struct child *child, bool print)
{
	size_t skipped = 0, bytes = 0, n;
	char *line = NULL;

	rewind(child->output);
	while (getline(&line, &bytes, child->output) > 0) {
		if (sscanf(line, "[  SKIPPED ] %zu test(s)", &n) == 1)
			skipped = n;
		if (print)
			printf("      %s%s", line, line[strlen(line) - 1] == '\n' ? "" : "\n");
	}
	free(line);
	return skipped;
}

static unsigned int limit_s(const struct unit_group *group)
{
	return group->limit_s ? group->limit_s : UNIT_LIMIT_S;
}

static void say_why(const struct child *child, int status)
{
	if (child->late)
		printf("      ended after %u s\n", limit_s(child->group));
	else if (WIFSIGNALED(status))
		printf("      ended by signal %d (%s)\n", WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
	else
		printf("      ended with %d\n", WEXITSTATUS(status));
}

static void give_verdict(const struct child *child, int status)
{
	bool passed = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !child->late;
	bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED && !child->late;

	sum.groups++;
	sum.cases += child->cases;
	if (skipped) {
		print_verdict(child, "SKIP");
		read_output(child, true);
		sum.skipped += child->cases;
	} else if (passed) {
		sum.skipped += read_output(child, false);
	} else {
		print_verdict(child, "FAIL");
		read_output(child, true);
		say_why(child, status);
		sum.failed++;
	}
}

/* With what it left running. */
static void end(struct child *child)
{
	int status;

	kill(-child->pid, SIGKILL);
	if (waitpid(child->pid, &status, 0) != child->pid)
		abort();
	give_verdict(child, status);
	fclose(child->output);
	child->group = NULL;
}

static bool is_done(const struct child *child)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid != 0;
}

/* Waits until one of the children has ended, or until another look is due. */
static void wait_for_one(const sigset_t *signals)
{
	static const struct timespec look = {.tv_sec = 1};

	sigtimedwait(signals, NULL, &look);
	for (size_t i = 0; i < CHILDREN_MAX; i++) {
		struct child *child = &children[i];

		if (!child->group)
			continue;
		child->late = !is_done(child) && now_s() - child->began_s > limit_s(child->group);
		if (child->late || is_done(child))
			end(child);
	}
}

static struct child *find_child(bool busy, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((children[i].group != NULL) == busy)
			return &children[i];
	return NULL;
}

static void run(const struct words *words, bool quick)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t at_once = cpus < CHILDREN_MAX ? (size_t)cpus : CHILDREN_MAX, count;
	sigset_t signals, mask;
	struct child *child;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &mask);
	for (struct unit_group *group = groups; group; group = group->next) {
		free(select_cases(group, words, &count));
		if (count == 0 || (quick && group->slow))
			continue;
		while (!(child = find_child(false, at_once)))
			wait_for_one(&signals);
		start(child, group, words, &mask);
	}
	while (find_child(true, at_once))
		wait_for_one(&signals);
}

static void list(const struct words *words, bool quick)
{
	for (struct unit_group *group = groups; group; group = group->next)
		for (size_t i = 0; i < group->count && !(quick && group->slow); i++) {
			const char *name;
			int bytes = name_bytes(group, &name);

			if (is_wanted(group, &group->tests[i], words))
				printf("%.*s:%s\n", bytes, name, group->tests[i].name);
		}
}

int main(int argc, char **argv)
{
	struct words words = {.words = argv + 1, .count = argc - 1};
	bool listing = false, quick = false;

	for (; words.count && strncmp(words.words[0], "--", 2) == 0; words.words++, words.count--) {
		listing |= strcmp(words.words[0], "--list") == 0;
		quick |= strcmp(words.words[0], "--quick") == 0;
	}
	/* Series of the same need memory again and again: it is not mapped anew for each. */
	mallopt(M_MMAP_THRESHOLD, KEPT_MAX_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_MAX_BYTES);
	if (listing) {
		list(&words, quick);
		return 0;
	}
	run(&words, quick);
	printf("%zu cases in %zu groups, %zu groups failed, %zu cases skipped\n", sum.cases,
	       sum.groups, sum.failed, sum.skipped);
	if (sum.failed || sum.cases == 0)
		return 1;
	return sum.skipped == sum.cases ? SKIPPED : 0;
}
