/* SPDX-License-Identifier: MIT */
/* Options about what is captured: values, defaults, limits. */
#include <unistd.h>

#include "abi.h"

#include "parsed.h"
#include "unit.h"

static void test_values(void **state)
{
	struct options options;

	parse_right("--json-fields all,evt.num --json-b64 --no-redact", &options);
	assert_string_equal(options.json_fields, "all,evt.num");
	assert_true(options.json_base64 && options.no_redact);
	options_finish(&options);
	parse_right("-n 7 -M 1.5 --stats=0.25 -o json --snaplen 0 --exact-types --self "
		    "--changed-arguments --full-state -v",
		    &options);
	assert_int_equal(options.count, 7);
	assert_int_equal(options.duration_ns, 1500000000);
	assert_int_equal(options.stats_ns, 250000000);
	assert_ptr_equal(options.format, &format_json);
	assert_int_equal(options.snaplen, 0);
	assert_true(options.exact_types && options.include_self && options.verbose);
	assert_true(options.changed_arguments && options.full_state);
	options_finish(&options);
}

/* Who says how much of a buffer is kept wants to see it. */
static void test_chosen_snaplen(void **state)
{
	static const char *const lines[] = {"--snaplen 80", "--snaplen-ports 1-2",
					    "--dynamic-snaplen", "--statsd-port 1"};
	struct options options;

	parse_right("-v", &options);
	assert_false(options.snaplen_chosen);
	options_finish(&options);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		parse_right(lines[i], &options);
		assert_true(options.snaplen_chosen);
		options_finish(&options);
	}
}

static void test_snaplen_rules(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_int_equal(options.snaplen_rules.full_high, 0);
	assert_false(options.snaplen_rules.dynamic);
	assert_int_equal(options.snaplen_rules.statsd_port, 8125);
	options_finish(&options);
	parse_right("--snaplen-ports 1-65535 --statsd-port 53", &options);
	assert_int_equal(options.snaplen_rules.full_low, 1);
	assert_int_equal(options.snaplen_rules.full_high, 65535);
	assert_true(options.snaplen_rules.dynamic);
	assert_int_equal(options.snaplen_rules.statsd_port, 53);
	assert_int_equal(options.snaplen, SNAPLEN_DEFAULT);
	options_finish(&options);
	parse_right("--dynamic-snaplen", &options);
	assert_true(options.snaplen_rules.dynamic);
	assert_int_equal(options.snaplen_rules.statsd_port, 8125);
	options_finish(&options);
}

static void test_buffer_sizes(void **state)
{
	static const struct {
		const char *line;
		uint32_t bytes; /* 0: a page */
	} cases[] = {
		{"--buffer-size 4K", 0},	 {"--buffer-size 65536", 65536},
		{"--buffer-size 65537", 131072}, {"--buffer-size 64K", 65536},
		{"--buffer-size 3M", 4 << 20},	 {"--buffer-size 8M", 8 << 20},
		{"--buffer-size 1G", 1 << 30},
	};
	struct options options;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		parse_right(cases[i].line, &options);
		assert_int_equal(options.ring_bytes,
				 cases[i].bytes ? cases[i].bytes : (uint32_t)getpagesize());
		options_finish(&options);
	}
}

static void test_ring_memory(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_true(options.buffers_bytes == 0);
	options_finish(&options);
	parse_right("--ring-memory 16M", &options);
	assert_true(options.buffers_bytes == 16 << 20);
	options_finish(&options);
}

static void test_memory_limit(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_true(options.memory_limit == 0);
	options_finish(&options);
	parse_right("--memory-limit 256M", &options);
	assert_true(options.memory_limit == 256 << 20);
	options_finish(&options);
	/* What Kubernetes says of a large node without a limit. */
	parse_right("--memory-limit 3298534883328", &options);
	assert_true(options.memory_limit == UINT64_C(3298534883328));
	options_finish(&options);
}

static void test_rate_limits(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_int_equal(options.rate_limits[RATE_OF_PROCESS], 0);
	assert_int_equal(options.rate_limits[RATE_OF_CGROUP], 0);
	options_finish(&options);
	parse_right("--process-limit 1000 --cgroup-limit=100000000", &options);
	assert_int_equal(options.rate_limits[RATE_OF_PROCESS], 1000);
	assert_int_equal(options.rate_limits[RATE_OF_CGROUP], 100000000);
	options_finish(&options);
}

static void test_budget(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_true(options.budget == 0);
	options_finish(&options);
	parse_right("--budget 2.5", &options);
	assert_true(options.budget == 2.5);
	options_finish(&options);
}

static void test_containers(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_int_equal(options.meta_wait_ms, 50);
	assert_null(options.host_root);
	options_finish(&options);
	parse_right("--meta-wait 0 --host-root /host", &options);
	assert_int_equal(options.meta_wait_ms, 0);
	assert_string_equal(options.host_root, "/host");
	options_finish(&options);
}

static void test_processes(void **state)
{
	struct options options;

	parse_right("", &options);
	assert_null(options.pids);
	assert_true(options.follow);
	options_finish(&options);
	parse_right("--pid 17 --no-follow --pid=1,4194304", &options);
	assert_int_equal(options.pids_count, 3);
	assert_int_equal(options.pids[0], 17);
	assert_int_equal(options.pids[1], 1);
	assert_int_equal(options.pids[2], 4194304);
	assert_false(options.follow);
	options_finish(&options);
	parse_right("--no-follow --pid 17 --follow", &options);
	assert_true(options.follow);
	options_finish(&options);
}

static void test_rejected(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"--rules r --priority eror", "--priority: expected Emergency, Alert, Critical, "
					      "Error, Warning, Notice, Informational or Debug, "
					      "not 'eror' (did you mean 'Error'?)"},
		{"-n 0", "-n: expected a number of 1 or more, not '0'"},
		{"-n -3", NULL},
		{"-n 18446744073709551616", NULL},
		{"-M 0", NULL},
		{"-M nan", NULL},
		{"--snaplen 65001", "--snaplen: expected a number from 0 to 65000, not '65001'"},
		{"-s 65001", "-s: expected a number from 0 to 65000, not '65001'"},
		{"--buffer-size 0", NULL},
		{"--buffer-size 3K", NULL},
		/* Of tcpdump's -B, and of sysdig's. */
		{"--buffer-size 4096",
		 "--buffer-size: expected a size from 4K to 1G such as 64K or 8M; without a unit "
		 "bytes, from 65536 on, not '4096' (did you mean '4096K'?)"},
		{"--buffer-size 65535", NULL},
		{"--ring-memory 64", "--ring-memory: expected a size from 128K to 64G such as 16M "
				     "or 1G, not '64' (did you mean '64M'?)"},
		{"--ring-memory 127K", NULL},
		{"--buffer-size 2G", NULL},
		{"--buffer-size 18446744073709551615K", NULL},
		{"--filter a --filter b", NULL},
		{"--meta-wait 10001", "--meta-wait: expected a number from 0 to 10000, or a time "
				      "such as 50ms or 1s, not '10001'"},
		{"--meta-wait -1", NULL},
		{"--k8s-cluster=", "--k8s-cluster: expected a name, not ''"},
		{"--pid 0", "--pid: expected process IDs such as 17 or 17,18, not '0'"},
		{"--pid 4194305", NULL},
		{"--pid 17,", NULL},
		{"--pid ,17", NULL},
		{"--pid 17,x", NULL},
		{"--pid -5", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_rejected(cases[i].line, cases[i].message);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values),	      cmocka_unit_test(test_chosen_snaplen),
	cmocka_unit_test(test_snaplen_rules), cmocka_unit_test(test_buffer_sizes),
	cmocka_unit_test(test_memory_limit),  cmocka_unit_test(test_rate_limits),
	cmocka_unit_test(test_ring_memory),   cmocka_unit_test(test_containers),
	cmocka_unit_test(test_processes),     cmocka_unit_test(test_rejected),
	cmocka_unit_test(test_budget),
};

UNIT_GROUP(tests);
