/* SPDX-License-Identifier: MIT */
/* The command stat: its options, and what it prints about a command. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/tools/stat_options.h"
#include "agent/commands/subcommands.h"
#include "perf/count/target.h"
#include "printed.h"
#include "typed.h"
#include "unit.h"

static void reads_options(void **state)
{
	struct stat_options options;
	struct error err = {""};

	assert_int_equal(typed_read(&stat_own_options,
				    "-e cs -e faults:u -r 3 -x ; -o file -- ls -l", &options, &err),
			 0);
	assert_string_equal(options.events.data, "cs,faults:u");
	assert_int_equal(options.runs, 3);
	assert_int_equal(options.form, STAT_CSV);
	assert_string_equal(options.separator, ";");
	assert_string_equal(options.output, "file");
	assert_string_equal(options.command[0], "ls");
	assert_string_equal(options.command[1], "-l");
	stat_options_finish(&options);
	assert_int_equal(typed_read(&stat_own_options, "-aj -I 100 --timeout 5 -v sleep -a 1",
				    &options, &err),
			 0);
	assert_true(options.all_cpus && options.verbose && !options.no_inherit);
	assert_int_equal(options.form, STAT_JSON);
	assert_int_equal(options.interval_ms, 100);
	assert_int_equal(options.timeout_ms, 5);
	assert_int_equal(options.runs, 1);
	assert_int_equal(options.events.len, 0);
	assert_string_equal(options.command[1], "-a");
	stat_options_finish(&options);
	assert_int_equal(
		typed_read(&stat_own_options, "-x\\t -i --cgroup a/b --cpu=0-3", &options, &err),
		0);
	assert_string_equal(options.separator, "\t");
	assert_string_equal(options.cgroup, "a/b");
	assert_string_equal(options.cpus, "0-3");
	assert_null(options.command);
	stat_options_finish(&options);
	assert_int_equal(typed_read(&stat_own_options, "--per-container -C 0 -I 5", &options, &err),
			 0);
	assert_true(options.per_container && !options.per_pod);
	stat_options_finish(&options);
	assert_int_equal(typed_read(&stat_own_options, "-h", &options, &err), 0);
	assert_true(options.help);
	stat_options_finish(&options);
}

/* Its words are not those of the agent, whose options have other meanings. */
static void reads_its_own_words(void **state)
{
	char *stat[] = {"agent", "stat", "-e", "cs"}, *others[] = {"agent", "-v", "stat"};

	assert_string_equal(agent_subcommand_of_own_options(subcommands, 4, stat)->name, "stat");
	assert_null(agent_subcommand_of_own_options(subcommands, 3, others));
	assert_null(agent_subcommand_of_own_options(subcommands, 1, others));
	printed_expect_run("stat --help",
			   (const char *[]){"Usage: agent stat", "--repeat N", NULL});
}

static void counts_a_command(void **state)
{
	struct printed printed;

	printed_run("stat -x; -e 1:1000:u,dummy:u true", &printed);
	if (strstr(printed.err, "CAP_PERFMON")) {
		printed_finish(&printed);
		skip();
	}
	assert_int_equal(printed.exit_code, 0);
	assert_non_null(strstr(printed.err, "agent: 1:1000:u: the kernel has no such event\n"));
	assert_non_null(strstr(printed.err, "<not supported>;;1:1000:u;0;100.00;;\n"));
	assert_non_null(strstr(printed.err, "\n0;;dummy:u;"));
	printed_finish(&printed);
	printed_run("stat -e dummy:u -r 2 false", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_non_null(strstr(printed.err, " Performance counter stats for 'false' (2 runs):\n"));
	printed_finish(&printed);
	printed_run("stat -v -e dummy:u -I 1000 sleep 0.01", &printed);
	assert_non_null(strstr(printed.err, "agent: dummy:u:\ntype 0x1\n"));
	assert_non_null(strstr(printed.err, "#           time             counts unit events\n"));
	printed_finish(&printed);
	printed_run("stat -e dummy:u /nonexistent", &printed);
	assert_int_equal(printed.exit_code, 127);
	assert_string_equal(printed.err,
			    "agent: cannot start /nonexistent: No such file or directory\n");
	printed_finish(&printed);
}

#define ID_REST "a1b0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab"
#define ID "0" ID_REST

/* Makes a group below the root of the hierarchy. Returns whether it can be made here. */
static bool make_group(const char *name, char path[256])
{
	char file[300] = "";

	for (const char *const *at = perf_target_hierarchies; *at && !*file; at++) {
		snprintf(file, sizeof(file), "%s/cgroup.procs", *at);
		snprintf(path, 256, "%s/%s", *at, name);
		if (access(file, W_OK) != 0)
			*file = '\0';
	}
	return *file && mkdir(path, 0755) == 0;
}

/* A process in a group that touches memory: it is there when this returns. */
static pid_t enter_group(const char *path)
{
	char file[300], byte;
	int fd, entered[2];
	pid_t child;

	snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	assert_int_equal(pipe2(entered, O_CLOEXEC), 0);
	child = fork();
	if (child) {
		close(entered[1]);
		assert_int_equal(read(entered[0], &byte, 1), 1);
		close(entered[0]);
		return child;
	}
	fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1 || write(entered[1], "", 1) != 1)
		_exit(1);
	for (;;) {
		void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);

		if (memory == MAP_FAILED)
			_exit(1);
		*(volatile char *)memory = 1;
		munmap(memory, 4096);
		usleep(1000);
	}
}

static void remove_group(pid_t child, const char *path)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	for (int i = 0; i < 100 && rmdir(path) != 0 && errno == EBUSY; i++)
		usleep(10000);
}

/* Of each it prints what was counted, here by the id that its group has. */
static void counts_containers(void **state)
{
	struct printed printed;
	char path[256];
	pid_t child;

	if (!make_group("libpod-" ID ".scope", path))
		skip();
	child = enter_group(path);
	printed_run("stat --per-container -j -I 300 -e faults,dummy sleep 0.8", &printed);
	if (printed.exit_code == 0) {
		assert_non_null(strstr(printed.err,
				       "\"event\" : \"faults\", \"container\" : "
				       "\"0a1b01234567\", \"container-id\" : \"" ID "\""));
		printed_finish(&printed);
		printed_run("stat --per-pod -x, -e faults sleep 0.1", &printed);
		assert_null(strstr(printed.err, "0a1b"));
	}
	remove_group(child, path);
	if (printed.exit_code)
		assert_non_null(strstr(printed.err, "CAP_"));
	printed_finish(&printed);
}

#define UID "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0"

/* A group of a user that has the uid of a pod in its path is no part of that pod. */
static void tells_pods_of_users_apart(void **state)
{
	static const char *const names[2][3] = {
		{"lanner-stat-root", "lanner-stat-root/pod" UID, "lanner-stat-root/pod" UID "/" ID},
		{"lanner-stat-user", "lanner-stat-user/pod" UID,
		 "lanner-stat-user/pod" UID "/b" ID_REST}};
	struct printed printed = {.exit_code = 0};
	const char *first = NULL, *second = NULL;
	char paths[2][3][256] = {{""}};
	pid_t children[2] = {0};
	bool made = true;

	for (size_t i = 0; made && i < 2; i++) {
		for (size_t k = 0; made && k < 3; k++)
			made = make_group(names[i][k], paths[i][k]);
		made = made && chown(paths[i][0], i ? 1000 : 0, 0) == 0;
		children[i] = made ? enter_group(paths[i][2]) : 0;
	}
	if (made) {
		printed_run("stat --per-pod -x, -e faults sleep 0.3", &printed);
		first = strstr(printed.err, ",faults," UID ",");
		second = first ? strstr(first + 1, ",faults," UID ",") : NULL;
		printed_finish(&printed);
	}
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 3; k-- > 0;)
			remove_group(k == 2 ? children[i] : 0, paths[i][k]);
	if (!made || printed.exit_code)
		skip();
	assert_non_null(first);
	assert_non_null(second);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(tells_pods_of_users_apart),
	cmocka_unit_test(counts_containers),
	cmocka_unit_test(reads_options),
	cmocka_unit_test(reads_its_own_words),
	cmocka_unit_test(counts_a_command),
};

UNIT_GROUP(tests);
