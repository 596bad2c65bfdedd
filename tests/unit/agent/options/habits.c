/* SPDX-License-Identifier: MIT */
/* Habits of other programs: each row of their table is typed once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/options/habits.h"
#include "parsed.h"
#include "unit.h"

/* What an accepted line makes of the options. */
enum effect {
	REJECTED, /* with `text` as message */
	SAME, /* nothing changes */
	FILTERED, /* by `text` */
	COUNTED, /* to 10 events */
	TIMED, /* the style of times is `number` */
	SHOWN, /* the command `text` */
	OTHER, /* see test_other() */
};

/* Lines of words that blanks separate. */
static const struct typed {
	const char *line;
	enum effect effect;
	const char *text;
	int number;
} lines[] = {
	{"-V rules.yaml", REJECTED,
	 "-V: it prints the version; rules: agent check-rules rules.yaml"},
	{"-V /dev/null", REJECTED,
	 "-V: it prints the version; several files: agent -r /dev/null, each"},
	{"-V list.txt", REJECTED, "-V: it prints the version; rules: agent check-rules list.txt"},
	{"-pmesos", REJECTED, "-p: there is no format of Mesos; -pc, -pk"},
	{"--print -n", REJECTED,
	 "--print: it needs a format: -p '%proc.name %evt.type', -pc or -pk"},
	{"-e trace=none", FILTERED, "(evt.type=signaldeliver or evt.type=procexit)"},
	{"-e !all", FILTERED, "(evt.type=signaldeliver or evt.type=procexit)"},
	{"-e kvm=vcpu", REJECTED, "-e: no set of calls; a filter is like evt.type=open"},
	{"--expr open", FILTERED, "(evt.type=open)"},
	{"-s -S", REJECTED, "-s: it takes a number of bytes; counts of calls: -S"},
	{"-s uid=0", REJECTED, "-s: it takes a number of bytes; events of a user: user.uid=0"},
	{"-S 80", REJECTED, "-S: it takes no value; bytes of each buffer: -s 80"},
	{"-C bypass", REJECTED,
	 "-C: it takes a size of files; privileges: --privileges drop, or keep"},
	{"-F all", REJECTED, "-F: page faults: evt.type=page_fault"},
	{"-P ./passwd", FILTERED, "fd.name=\"./passwd\""},
	{"--output-append-mode", REJECTED, "--output-append-mode: -o text >> FILE"},
	{"--absolute-timestamps=format:unix,precision:us", TIMED, NULL, TEXT_TIME_EPOCH},
	{"--interruptible=1", SAME},
	{"--argv0=a", REJECTED, "--argv0: agent -- bash -c 'exec -a a PROGRAM'"},
	{"--monitor-mode", REJECTED,
	 "--monitor-mode: events are calls, not packets; of sockets: fd.type in (ipv4, ipv6)"},
	{"--time-stamp-precision=nano", SAME},
	{"-#", SAME},
	{"--summary-sort-by=time", REJECTED, "--summary-sort-by: counts alone, most first: -S -q"},
	{"--const-print-style=raw", REJECTED,
	 "--const-print-style: all is decoded; raw values: evt.rawarg.NAME with -p"},
	{"--strings-in-hex=all", OTHER},
	{"--trace-fds=3,4", REJECTED, "--trace-fds: calls on descriptors: fd.num in (3,4)"},
	{"--for-each-cgroup a", REJECTED,
	 "--for-each-cgroup: events of a control group: thread.cgroups contains a"},
	{"--sched", REJECTED, "--sched: context switches: evt.type=switch"},
	{"--timeout 5", REJECTED, "--timeout: the end after a time: -M SECONDS"},
	{"--json-output", OTHER},
	{"--exclude-perf", SAME},
	{"--comms a,b", REJECTED, "--comms: events of programs: proc.name in (a,b)"},
	{"--fields comm", REJECTED,
	 "--fields: columns are those of -p FORMAT, or of --json-fields"},
	{"--stdio-color never", REJECTED, "--stdio-color: --color auto, always or never"},
	{"--node-name n", OTHER},
	{"--process a", REJECTED, "--process: events of a program: proc.name=a"},
	{"--host", REJECTED, "--host: events of no container: container.id=host"},
	{"--buffers a", REJECTED, "--buffers: the ring buffer of each CPU: --buffer-size BYTES"},
	{"-p 315", REJECTED, "-p: it is a format; a process is --pid 315"},
	{"--print 1,2", REJECTED, "--print: it is a format; a process is --pid 1,2"},
	{"-pm", REJECTED, "-p: there is no format of Mesos; -pc, -pk"},
	{"-p -n", REJECTED, "-p: it needs a format: -p '%proc.name %evt.type', -pc or -pk"},
	{"-p a.yaml", REJECTED, "-p: it is a format; rules: --rules a.yaml"},
	{"-o json_output=true", REJECTED,
	 "-o: an option of a file: -c FILE, or --output KIND:TARGET,json_output=true"},
	{"-o trace.txt", REJECTED,
	 "-o: events to a file: -w trace.txt (capture), --output file:trace.txt,format=text "
	 "(lines)"},
	{"-o compact", REJECTED, "-o: lines of text: -o text"},
	{"-o table", REJECTED, "-o: lines of text: -o text"},
	{"-c 10", COUNTED},
	{"-c10", COUNTED},
	{"-c -f", REJECTED, "-c: it takes a file of options; counts of calls: -S"},
	{"-cl", REJECTED, "-c: there are no chisels: -S counts, -p prints fields"},
	{"-c topprocs_cpu", REJECTED,
	 "-c: there is no file topprocs_cpu, and there are no chisels: -S counts, -p prints "
	 "fields"},
	{"-nn", REJECTED, "-n: names are off without it; -n takes a number of events"},
	{"-n -i any", REJECTED, "-n: it takes a number of events; names are off without it"},
	{"-n port 80", REJECTED,
	 "-n: it takes a number of events; packets of one port: fd.port=80"},
	{"-n kube-system", REJECTED,
	 "-n: it takes a number of events; a namespace: k8s.ns.name=kube-system"},
	{"-e inject=open:error=EIO", REJECTED, "-e: the agent only watches, it changes no call"},
	{"-e read=3", REJECTED, "-e: data of descriptors: agent -X 'evt.is_io=true and fd.num=3'"},
	{"-e abbrev=none", REJECTED, "-e: all is decoded; raw values: evt.rawarg.NAME with -p"},
	{"-e status=failed", FILTERED, "evt.failed=true"},
	{"-e status=successful", FILTERED, "evt.failed=false"},
	{"--status=failed", FILTERED, "evt.failed=true"},
	{"-e signal=SIGTERM", FILTERED, "evt.type=signaldeliver"},
	{"-e a.scap", REJECTED, "-e: a capture file is read with -r a.scap"},
	{"-e trace=open,read", FILTERED, "(evt.type=open or evt.type=read)"},
	{"-e open,close fd.num=3", FILTERED, "(fd.num=3) and (evt.type=open or evt.type=close)"},
	{"-e trace=!%file,?futex", FILTERED, "not (evt.category=file or evt.type=futex)"},
	{"-e trace=network -e status=failed", FILTERED, "(evt.category=net) and evt.failed=true"},
	{"-e trace=%desc --filter fd.num=3", FILTERED, "(fd.num=3) and (evt.is_io=true)"},
	{"-e trace=all", SAME},
	{"-e trace=%pure", REJECTED, NULL},
	{"--trace=open", FILTERED, "(evt.type=open)"},
	{"--events execve", FILTERED, "(evt.type=execve)"},
	{"-r rules.yml", REJECTED, "-r: it reads a capture file; Falco's rules: --rules rules.yml"},
	{"-r -tt", REJECTED, "-r: it reads a capture file; the time since the event before: -t D"},
	{"-r 5", REJECTED, "-r: it reads a capture file; the time since the event before: -t D"},
	{"-r", REJECTED, "-r: it reads a capture file; the time since the event before: -t D"},
	{"-tt", TIMED, NULL, TEXT_TIME_OF_DAY},
	{"-ttt", TIMED, NULL, TEXT_TIME_EPOCH},
	{"-tttt", REJECTED, "-t: with the date: -p '%evt.datetime %proc.name %evt.type %evt.args'"},
	{"-ttttt", TIMED, NULL, TEXT_TIME_RELATIVE},
	{"-t 17", REJECTED, "-t: a thread: thread.tid=17"},
	{"-t evt.type=open", FILTERED, "evt.type=open"},
	{"-t -f", TIMED, NULL, TEXT_TIME_OF_DAY},
	{"-t", TIMED, NULL, TEXT_TIME_OF_DAY},
	{"-t network", REJECTED, "--tag goes with --rules"},
	{"-t network --rules FILE", OTHER},
	{"-T network --rules FILE", OTHER},
	{"-S time", REJECTED, "-S: it takes no value, and counts most first"},
	{"-C 0,1", REJECTED, "-C: events of CPUs: evt.cpu in (0,1)"},
	{"-C -f", REJECTED, "-C: it takes a size of files; counts of calls: -S"},
	{"-G docker", REJECTED, "-G: events of a control group: thread.cgroups contains docker"},
	{"-F 99", REJECTED, "-F: there is no sampling: each event is seen"},
	{"-F maj", REJECTED, "-F: page faults: evt.type=page_fault"},
	{"-P /etc/passwd", FILTERED, "fd.name=\"/etc/passwd\""},
	{"--trace-path=/a -e open", FILTERED, "fd.name=\"/a\" and (evt.type=open)"},
	{"--output out.txt", REJECTED,
	 "--output: expected KIND:TARGET: --output file:out.txt,format=text; or -w out.txt for a "
	 "capture file"},
	{"--list=syscall", SHOWN, "fields"},
	{"-f", SAME},
	{"-ff", SAME},
	{"-y", SAME},
	{"-fyYD", SAME},
	{"--output-separately", REJECTED,
	 "--output-separately: all is one stream, with proc.pid; -w, then -r with a filter"},
	{"-T", TIMED, NULL, TEXT_TIME_LATENCY},
	{"-yT evt.num=1", TIMED, NULL, TEXT_TIME_LATENCY},
	{"--relative-timestamps=ms", TIMED, NULL, TEXT_TIME_DELTA},
	{"--absolute-timestamps", TIMED, NULL, TEXT_TIME_OF_DAY},
	{"-DD", SAME},
	{"--debug", REJECTED, "--debug: more messages: -v; the agent's own events: --self"},
	{"-E A=1", REJECTED, "-E: a variable of the command: agent -- env A=1 PROGRAM"},
	{"-E", SAME},
	{"-i any", SAME},
	{"-i /dev/null", REJECTED, "-i: a capture file is read with -r /dev/null"},
	{"-i eth0", REJECTED,
	 "-i: all interfaces are seen, calls and not packets; an address: fd.ip=, a port: "
	 "fd.port="},
	{"-i", REJECTED, "-i: events that there are: agent events; a capture file: -r FILE"},
	{"-U bash", REJECTED, "-U: without a process: proc.name!=bash"},
	{"-U", SAME},
	{"--unbuffered evt.num=1", FILTERED, "evt.num=1"},
	{"-a 40", REJECTED, "-a: columns are those of -p FORMAT"},
	{"-a", SAME},
	{"-B 4096", REJECTED, "-B: the ring buffer of each CPU: --buffer-size 4096K"},
	{"-B --modern-bpf", SAME},
	{"--cpus-for-each-buffer 2", SAME},
	{"-k http://a", REJECTED, "-k: the API server: --k8s-api http://a"},
	{"-k", REJECTED, "-k: stacks are not kept"},
	{"-K a", REJECTED, "-K: --k8s-token FILE, --k8s-ca FILE"},
	{"-m 64", REJECTED, "-m: the ring buffer of each CPU: --buffer-size BYTES"},
	{"-m a", REJECTED, "-m: Mesos is not asked; Kubernetes: --k8s-api"},
	{"-u root", REJECTED, "-u: events of a user: user.name=root or user.uid=root"},
	{"--udig", REJECTED, "--udig: the only driver is eBPF"},
	{"-I 1000", REJECTED, "-I: counters now and then: --stats SECONDS"},
	{"-H a", REJECTED, "-H: there are no plugins"},
	{"-N", REJECTED, "-N: arguments have their names; names of fields: agent fields"},
	{"--arg-names", SAME},
	{"-d", REJECTED, "-d: what becomes of the filter: agent --explain"},
	{"--displayflt", SAME},
	{"-Q in", REJECTED, "-Q: evt.is_io_read=true, evt.is_io_write=true"},
	{"-J", REJECTED, "-J: events are calls, not packets; of sockets: fd.type in (ipv4, ipv6)"},
	{"--nano", SAME},
	{"-Z root", REJECTED, "-Z: privileges are dropped without it: --privileges drop"},
	{"-Z", FILTERED, "evt.failed=true"},
	{"--successful-only", FILTERED, "evt.failed=false"},
	{"-z", REJECTED,
	 "-z goes with -w; failed calls: evt.failed=true, others: evt.failed=false"},
	{"--inject=open", REJECTED, "--inject: the agent only watches, it changes no call"},
	{"--signal=all", REJECTED, "--signal: signals: evt.type=signaldeliver"},
	{"--attach 1", OTHER},
	{"--string-limit=7", OTHER},
	{"--no-abbrev", OTHER},
	{"--summary-only", REJECTED, "--summary-only: counts alone, most first: -S -q"},
	{"--with-summary", OTHER},
	{"--count", REJECTED, "--count: counts alone: -S -q"},
	{"--max-events 10", COUNTED},
	{"--event-limit 7", REJECTED, "--events goes with -w"},
	{"--pidfile /a", OTHER},
	{"--cri /a", OTHER},
	{"--cri-timeout 5", SAME},
	{"--dry-run", OTHER},
	{"--libs-version", SHOWN, "version"},
	{"--no-inherit --pid 1", OTHER},
	{"--validate a", REJECTED, "--validate: rules: agent check-rules a"},
	{"--support", REJECTED, "--support: what this machine offers: agent doctor"},
	{"--option a=b", REJECTED, "--option: an option of a file: -c FILE, or the option itself"},
	{"--markdown", REJECTED, "--markdown: agent fields -o markdown"},
	{"--chisel a", REJECTED, "--chisel: there are no chisels: -S counts, -p prints fields"},
	{"--page-faults", REJECTED, "--page-faults: a filter names them: evt.type=page_fault"},
	{"--enable-source a", REJECTED, "--enable-source: the only source is system calls"},
	{"--large-environment", REJECTED, "--large-environment: there is no such choice"},
	{"--log-level a", REJECTED, "--log-level: more messages: -v"},
	{"--cpu=0,1", REJECTED, "--cpu: events of CPUs: evt.cpu in (0,1)"},
	{"--cgroup a", REJECTED, "--cgroup: events of a control group: thread.cgroups contains a"},
	{"--filter-pids 1", REJECTED, "--filter-pids: without processes: not proc.pid in (1)"},
	{"--switch-output=1G", REJECTED,
	 "--switch-output: another file after a size or a time: -C, -G"},
	{"--switch-max-files=3", REJECTED, "--switch-max-files: files that are kept: -W 3"},
	{"--namespace a", REJECTED, "--namespace: a namespace: k8s.ns.name=a"},
	{"--pod a", REJECTED, "--pod: a pod: k8s.pod.name=a"},
	{"--policy a", REJECTED, "--policy: rules: --rules FILE; a part of the events: a filter"},
	{"--capabilities a", REJECTED, "--capabilities: --privileges drop, the default, or keep"},
	{"--server a", REJECTED, "--server: --http ADDRESS"},
	{"host 10.0.0.1", REJECTED,
	 "host: a filter is of events, not of packets: fd.ip=ADDRESS, fd.port=80, "
	 "fd.l4proto=tcp, fd.net=10.0.0.0/8"},
	{"getevents", REJECTED, "getevents: agent alone prints events; -o json"},
	{"bugtool", REJECTED, "bugtool: what this machine offers: agent doctor"},
	{"/bin/sh -n 5", REJECTED,
	 "'/bin/sh' is no filter; a program to start comes after --: agent -- /bin/sh"},
};

static void expect_options(const struct typed *typed, const struct options *options)
{
	if (typed->effect == FILTERED)
		assert_string_equal(options->filter, typed->text);
	else if (typed->effect == SAME)
		assert_null(options->filter);
	if (typed->effect == COUNTED)
		assert_int_equal(options->count, 10);
	if (typed->effect == TIMED)
		assert_int_equal(options->style.time, typed->number);
	if (typed->effect == SHOWN)
		assert_string_equal(options->subcommand->name, typed->text);
	else
		assert_null(options->subcommand);
}

static void test_lines(void **state)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct options options;

		if (lines[i].effect == REJECTED) {
			expect_rejected(lines[i].line, lines[i].text);
			continue;
		}
		parse_right(lines[i].line, &options);
		expect_options(&lines[i], &options);
		options_finish(&options);
	}
}

/* What options other than those in the table above become. */
static void test_other(void **state)
{
	struct options options;

	parse_right("-t network -T mitre --rules FILE", &options);
	assert_string_equal(options.tags[0], "network");
	assert_string_equal(options.excluded_tags[0], "mitre");
	options_finish(&options);
	parse_right("--attach 1,2 --string-limit=7 --no-abbrev --with-summary", &options);
	assert_int_equal(options.pids_count, 2);
	assert_int_equal(options.snaplen, 7);
	assert_true(options.verbose && options.summary);
	options_finish(&options);
	parse_right("-w a --event-limit 7 --pidfile /a --cri /b --no-inherit --pid 1", &options);
	assert_int_equal(options.limits.events, 7);
	assert_string_equal(options.pid_file, "/a");
	assert_string_equal(options.runtime_sockets[0], "/b");
	assert_false(options.follow);
	options_finish(&options);
	parse_right("--strings-in-hex=all --json-output --node-name n", &options);
	assert_string_equal(options.kubernetes.node, "n");
	assert_int_equal(options.style.bytes, TEXT_BYTES_HEX);
	options_finish(&options);
	parse_right("--dry-run", &options);
	assert_true(options.explain);
	options_finish(&options);
	/* Values that are those of the option stay. */
	parse_right("-w a -G 1 -C 2 -W 3 -e 4 -s 5 -n 6 -M 7 -t a -o text -p %evt.num", &options);
	assert_true(options.limits.ns == 1000000000 && options.limits.bytes == 2000000);
	assert_true(options.limits.files == 3 && options.limits.events == 4);
	assert_true(options.snaplen == 5 && options.count == 6);
	assert_string_equal(options.print, "%evt.num");
	options_finish(&options);
	parse_right("-L --rules FILE", &options);
	assert_string_equal(options.subcommand->name, "rules");
	assert_string_equal(options.rules[0], "FILE");
	options_finish(&options);
	expect_rejected("-P /a\"b", "-P: quotes cannot stand in its value");
	expect_rejected("fields -Z", "fields takes no filter");
}

/* The row that the first option of a line is found by; the value may be in the same word. */
static const struct habit *find_row(const char *line)
{
	char text[256], *value, *option = text;
	const struct habit *habit;

	snprintf(text, sizeof(text), "%s", line);
	value = strpbrk(text, text[0] == '-' && text[1] == '-' ? "= " : " ");
	if (value)
		*value++ = '\0';
	if (option[0] == '-' && option[1] != '-' && option[2] && !value) {
		static char letter[3];

		snprintf(letter, sizeof(letter), "%.2s", option);
		value = option + 2;
		option = letter;
	}
	if (value && strchr(value, ' '))
		*strchr(value, ' ') = '\0';
	habit = habit_find(option, value, false);
	return habit ? habit : habit_find(option, value, true);
}

static void test_every_row_is_typed(void **state)
{
	const struct habit *habit;

	for (unsigned int i = 0; (habit = habit_row(i)); i++) {
		bool found = false;

		for (size_t j = 0; j < sizeof(lines) / sizeof(lines[0]); j++)
			found |= find_row(lines[j].line) == habit;
		if (!found)
			fail_msg("no line for '%s': %s", habit->typed, habit->text);
	}
}

static void test_parts(void **state)
{
	char *words[] = {"port", "80", NULL}, *none[] = {"evt.num=1", NULL};
	struct error err = {""};
	struct buf filter = {0};
	const struct habit *habit = habit_find("--failed-only", NULL, true);

	assert_null(habit_find("--failed-only", NULL, false));
	assert_int_equal(habit_append_filter(habit, "--failed-only", NULL, &filter, &err), 0);
	assert_int_equal(filter.len, strlen("evt.failed=true"));
	buf_finish(&filter);
	assert_int_equal(habit_reject(habit_find("-S", "time", false), "-S", "time", &err),
			 -EINVAL);
	assert_int_equal(habit_check_words(words, &err), -EINVAL);
	assert_int_equal(habit_check_words(none, &err), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lines),
	cmocka_unit_test(test_other),
	cmocka_unit_test(test_every_row_is_typed),
	cmocka_unit_test(test_parts),
};

UNIT_GROUP(tests);
