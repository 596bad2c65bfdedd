/* SPDX-License-Identifier: MIT */
/* Options of commands that have options of their own: what is rejected, and where they may stand.
 */
#include "agent/tools/own_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tools/profile_options.h"
#include "agent/tools/record_options.h"
#include "agent/tools/stat_options.h"
#include "typed.h"
#include "unit.h"

static union {
	struct profile_options profile;
	struct record_options record;
	struct stat_options stat;
} chosen;

static const struct {
	const struct own_options *own;
	const char *words, *message; /* the begin of what follows the command and a colon, or all */
} rejected[] = {
	{&profile_own_options, "", "profile needs one time"},
	{&profile_own_options, "1 x", "profile: 'x' is no time in seconds, which comes last"},
	{&profile_own_options, "proc.name=a", "profile: 'proc.name=a' is no time in seconds"},
	{&profile_own_options, "x -F 9", "profile: 'x' is no time in seconds"},
	{&profile_own_options, "-F 0 1", "profile: --freq 0: expected a number from 1"},
	{&profile_own_options, "-F 50001 1", "profile: -F: at most 50000"},
	{&profile_own_options, "-p x 1", "profile: -p x is no list of processes"},
	{&profile_own_options, "-e faults 1", "profile: -e faults: expected cpu-clock or cycles"},
	{&profile_own_options, "-e cycles --wall 1", "profile: cycles are no time"},
	{&profile_own_options, "-e cycles --off-cpu 1", "profile: cycles are no time"},
	{&profile_own_options, "-o none 1", "profile: -o none: expected folded"},
	{&profile_own_options, "-o pprof --before x 1", "profile: --before compares in"},
	{&profile_own_options, "-zF 99 2", "profile: -z: unknown option"},
	{&profile_own_options, "-vz 2", "profile: -z: unknown option"},
	{&profile_own_options, "--wall -vz 2", "profile: -z: unknown option"},
	{&profile_own_options, "2 -F", "profile: -F needs a value"},
	{&profile_own_options, "-vF", "profile: -F needs a value"},
	{&profile_own_options, "2 --freq", "profile: --freq needs a value"},
	{&profile_own_options, "--frek 9 2",
	 "profile: --frek: unknown option (did you mean --freq"},
	{&profile_own_options, "proc.name=a -x 2", "profile: -x: unknown option; agent profile"},
	{&profile_own_options, "proc.name=a --xyzzy 2", "profile: --xyzzy: unknown option"},
	{&profile_own_options, "proc.pid = -2 2", "profile: -2 behind '=': part of a filter? "},
	{&profile_own_options, "-v proc.pid= -p 3 2", "profile: -p behind 'proc.pid=': part of"},
	{&offcputime_own_options, "soon", "offcputime: 'soon' is no time in seconds"},
	{&offcputime_own_options, "1 2", "offcputime takes one time, not also '2'"},
	{&offcputime_own_options, "-u -k 1", "offcputime: not both -u and -k"},
	{&offcputime_own_options, "1 -U -K", "offcputime: not both -U and -K"},
	{&offcputime_own_options, "-p x 1", "offcputime: -p x is no list of processes"},
	{&offcputime_own_options, "-m 0 1", "offcputime: --min-block-time 0: expected a number"},
	{&offcputime_own_options, "--state D 1", "offcputime: --state D: expected a number"},
	{&offcputime_own_options, "--state -1 1", "offcputime: --state -1: expected a number"},
	{&offcputime_own_options, "1 --nosuch", "offcputime: --nosuch: unknown option"},
	{&record_own_options, "-e", "record: -e needs a value"},
	{&record_own_options, "-J ls", "record: -J: unknown option; agent record --help"},
	{&record_own_options, "--evnt=cs ls", "record: --evnt=cs: unknown option (did you mean"},
	{&record_own_options, "-F 0 ls", "record: -F 0: expected a number from 1, or max"},
	{&record_own_options, "-F 4000000000 ls", "record: -F 4000000000: the kernel allows "},
	{&record_own_options, "-c x ls", "record: -c x: expected a number from 1"},
	{&record_own_options, "-c 5 -F 5 ls", "record: -c or -F: one of them"},
	{&record_own_options, "--call-graph fp,5 ls", "record: --call-graph fp,5: expected fp, "},
	{&record_own_options, "--call-graph dwarf,7 ls",
	 "record: --call-graph dwarf,7: expected bytes from 8"},
	{&record_own_options, "--call-graph dwarf,1G ls",
	 "record: --call-graph dwarf,1G: expected bytes"},
	{&record_own_options, "--call-graph dwa ls", "record: --call-graph dwa: expected fp, "},
	{&record_own_options, "-k wall ls", "record: -k wall: expected monotonic, "},
	{&record_own_options, "-m 0 ls", "record: -m 0: expected pages"},
	{&record_own_options, "-m 2G ls", "record: -m 2G: expected pages"},
	{&record_own_options, "-m 1000000 ls", "record: -m 1000000: expected pages"},
	{&record_own_options, "-z23 ls", "record: -z 23: expected a level from 1 to 22"},
	{&record_own_options, "--switch-output=5 ls", "record: --switch-output=5: expected "},
	{&record_own_options, "--switch-output -o - ls", "record: --switch-output needs a file"},
	{&record_own_options, "-p 1 -a", "record: tasks are sampled on all CPUs"},
	{&record_own_options, "-u root -C 0", "record: tasks are sampled on all CPUs"},
	{&stat_own_options, "", "stat needs something to count"},
	{&stat_own_options, "-e", "stat: -e needs a value"},
	{&stat_own_options, "-q ls", "stat: -q: unknown option; agent stat --help lists them"},
	{&stat_own_options, "--evnt=cs ls",
	 "stat: --evnt=cs: unknown option (did you mean --event"},
	{&stat_own_options, "-r 0 ls", "stat: --repeat 0: expected a number from 1"},
	{&stat_own_options, "-r 2 -a", "stat: -r repeats a command, and there is none"},
	{&stat_own_options, "-r 2 -I 5 ls", "stat: not both -r and -I"},
	{&stat_own_options, "-p 1 -a", "stat: tasks are counted on all CPUs"},
	{&stat_own_options, "-t 1 --cgroup x", "stat: tasks are counted on all CPUs"},
	{&stat_own_options, "--per-container -t 1", "stat: tasks are counted on all CPUs"},
	{&stat_own_options, "--per-pod --per-container true", "stat: --per-container or --per-pod"},
	{&stat_own_options, "--per-pod -r 2 true", "stat: --per-container and --per-pod count all"},
};

static void rejects(void **state)
{
	for (size_t i = 0; i < sizeof(rejected) / sizeof(rejected[0]); i++) {
		const char *message = rejected[i].message;
		struct error err = {""};

		assert_int_equal(typed_read(rejected[i].own, rejected[i].words, &chosen, &err),
				 -EINVAL);
		if (strncmp(err.text, message, strlen(message)) != 0)
			fail_msg("%s: %s, not %s", rejected[i].words, err.text, message);
	}
}

/* All of these mean the same. */
static void takes_options_anywhere(void **state)
{
	static const char *const lines[] = {
		"-F 9 -o svg -v proc.name=a or b 2", "proc.name=a or b 2 -F 9 -o svg -v",
		"proc.name=a -F9 or -vo svg b 2",    "-v proc.name=a or --freq=9 b -osvg 2",
		"-vF9 -osvg -- proc.name=a or b 2",  "proc.name=a -vF9 or -osvg -- b 2",
	};
	struct error err = {""};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (typed_read(&profile_own_options, lines[i], &chosen, &err))
			fail_msg("%s: %s", lines[i], err.text);
		assert_string_equal(chosen.profile.filter, "proc.name=a or b");
		assert_int_equal(chosen.profile.frequency_hz, 9);
		assert_int_equal(chosen.profile.format, PROFILE_SVG);
		assert_true(chosen.profile.verbose);
		assert_int_equal(chosen.profile.duration_ns, 2000000000);
		profile_options_finish(&chosen.profile);
	}
	assert_int_equal(
		typed_read(&profile_own_options, "-- proc.name=a and not -x 2", &chosen, &err), 0);
	assert_string_equal(chosen.profile.filter, "proc.name=a and not -x");
	profile_options_finish(&chosen.profile);
	assert_int_equal(typed_read(&offcputime_own_options, "3 -p 7 -f", &chosen, &err), 0);
	assert_int_equal(chosen.profile.pids[0], 7);
	assert_int_equal(chosen.profile.duration_ns, 3000000000);
}

/* Those behind a command are its own. */
static void leaves_those_of_commands(void **state)
{
	struct error err = {""};

	assert_int_equal(typed_read(&record_own_options, "-g ls -z -- -a", &chosen, &err), 0);
	assert_int_equal(chosen.record.level, 0);
	assert_string_equal(chosen.record.command[1], "-z");
	assert_string_equal(chosen.record.command[2], "--");
	record_options_finish(&chosen.record);
	assert_int_equal(typed_read(&stat_own_options, "-v -- ls -j", &chosen, &err), 0);
	assert_string_equal(chosen.stat.command[1], "-j");
	stat_options_finish(&chosen.stat);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rejects),
	cmocka_unit_test(takes_options_anywhere),
	cmocka_unit_test(leaves_those_of_commands),
};

UNIT_GROUP(tests);
