/* SPDX-License-Identifier: MIT */
/* The machine: taken over with its limits, dumped, and read from this one. */
#include <errno.h>
#include <string.h>

#include "transcript.h"
#include "sinsp/state/machine.h"
#include "unit.h"

static void takes_over_and_dumps(void **state)
{
	const struct scap_machine from = {
		.cpus = 3, .memory_bytes = 5, .max_pid = 6, .boot_ns = 7, .hostname = "far"};
	const struct scap_interface six = {.name = "lo", .ipv6 = true, .address = {[15] = 1}};
	const struct scap_interface four = {.name = "eth0", .address = {10, 0, 0, 1}};
	struct transcript transcript = {.snapshot.ops = &transcript_ops};
	struct machine machine = {0};
	const char *text, *first, *second;

	machine_set(&machine, &from);
	assert_int_equal(machine_add_interface(&machine, &six), 0);
	assert_int_equal(machine_add_interface(&machine, &four), 0);
	assert_int_equal(machine_dump(&machine, 5, &transcript.snapshot), 0);
	text = transcript_text(&transcript);
	assert_non_null(strstr(text, "machine 3 5 6 12 far\n"));
	/* Those of IPv4 come first. */
	first = strstr(text, "interface eth0 ");
	second = strstr(text, "interface lo ");
	assert_true(first && second && first < second);
	buf_finish(&transcript.text);
	machine_finish(&machine);
	assert_int_equal(machine.interfaces_count, 0);
	assert_string_equal(machine.hostname, "");
}

static void keeps_to_its_limits(void **state)
{
	static char name[1000];
	struct scap_machine from = {.hostname = name};
	const struct scap_interface interface = {.name = name};
	struct machine machine = {0};
	int r = 0, added = 0;

	memset(name, 'x', sizeof(name) - 1);
	machine_set(&machine, &from);
	assert_int_equal(strlen(machine.hostname), HOSTNAME_BYTES - 1);
	while ((r = machine_add_interface(&machine, &interface)) == 0 && added < 100000)
		added++;
	assert_int_equal(r, -ENOSPC);
	assert_int_equal(added, 4096);
	machine_finish(&machine);
}

static void reads_this_machine(void **state)
{
	struct machine machine = {.hostname = "kept"};

	assert_int_equal(machine_read(&machine), 0);
	assert_true(machine.cpus > 0 && machine.memory_bytes > 1 << 20);
	assert_string_equal(machine.hostname, "kept");
	machine_finish(&machine);
}

static void distinguishes_boots(void **state)
{
	assert_int_equal(machine_boot_of("a"), machine_boot_of("a"));
	assert_int_not_equal(machine_boot_of("a"), machine_boot_of("b"));
	assert_int_not_equal(machine_boot_of("ab"), machine_boot_of("ba"));
	assert_int_not_equal(machine_boot_here(), 0);
	assert_int_equal(machine_boot_here(), machine_boot_here());
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(takes_over_and_dumps),
	cmocka_unit_test(keeps_to_its_limits),
	cmocka_unit_test(reads_this_machine),
	cmocka_unit_test(distinguishes_boots),
};

UNIT_GROUP(tests);
