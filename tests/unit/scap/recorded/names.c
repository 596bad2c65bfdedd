/* SPDX-License-Identifier: MIT */
/* Names of addresses in this program, under another process's number, and of the kernel. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scap/recorded/names.h"
#include "tree.h"
#include "unit.h"

enum { PID = 4000000 };

/* Where this program is mapped. */
static void find_self(struct sample_mapping *mapping)
{
	static char path[512];
	uint64_t here = (uint64_t)(uintptr_t)find_self, begin, end, offset;
	FILE *file = fopen("/proc/self/maps", "re");
	char line[1024];

	assert_non_null(file);
	while (!mapping->pid && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %511s", &begin,
			   &end, &offset, path) == 4 &&
		    begin <= here && here < end)
			*mapping = (struct sample_mapping){.pid = PID,
							   .begin = begin,
							   .bytes = end - begin,
							   .offset = offset,
							   .path = path};
	}
	fclose(file);
	assert_int_equal(mapping->pid, PID);
}

__attribute__((noinline)) static uint64_t named_function(void)
{
	return (uint64_t)(uintptr_t)named_function + 1;
}

static void check(struct recorded_names *names, int32_t pid, const char *expected)
{
	const char *found =
		recorded_names_find(names, pid, PERF_RECORD_MISC_USER, named_function());

	if (expected)
		assert_string_equal(found, expected);
	else
		assert_null(found);
}

static void names_what_is_mapped(void **state)
{
	struct recorded_names *names;
	struct sample_mapping mapping = {0};
	struct sample_task task = {PID + 1, PID, PID + 1};

	find_self(&mapping);
	assert_int_equal(recorded_names_create("/proc/kallsyms", &names), 0);
	check(names, PID, NULL);
	recorded_names_map(names, &mapping, NULL);
	check(names, PID, "named_function");
	check(names, PID + 1, NULL);
	recorded_names_fork(names, &task);
	check(names, PID + 1, "named_function");
	recorded_names_exec(names, PID);
	check(names, PID, NULL);
	check(names, PID + 1, "named_function");
	/* A thread ends, then its process. */
	task.tid = PID + 2;
	recorded_names_exit(names, &task);
	check(names, PID + 1, "named_function");
	task.tid = PID + 1;
	recorded_names_exit(names, &task);
	check(names, PID + 1, NULL);
	assert_null(recorded_names_find(names, PID, PERF_RECORD_MISC_HYPERVISOR, 1));
	recorded_names_destroy(names);
	recorded_names_destroy(NULL);
}

/* Another version of a file has other symbols: none is better than a wrong one. */
static void names_nothing_of_other_versions(void **state)
{
	struct perf_build_id right = {0}, wrong = {.size = 20};
	struct sample_mapping mapping = {0};

	find_self(&mapping);
	assert_true(perf_build_id_read(mapping.path, &right));
	for (int i = 0; i < 4; i++) {
		const struct perf_build_id *id = i % 2 ? &right : &wrong;
		struct recorded_names *names;

		assert_int_equal(recorded_names_create("/proc/kallsyms", &names), 0);
		if (i < 2)
			recorded_names_build_id(names, mapping.path, id);
		recorded_names_map(names, &mapping, i < 2 ? NULL : id);
		check(names, PID, i % 2 ? "named_function" : NULL);
		recorded_names_destroy(names);
	}
}

/* What a file names is opened only if it is a file. */
static void opens_only_files(void **state)
{
	static const char *const paths[] = {"/dev/zero", "/proc/kmsg", "/nonexistent",
					    "//anon",	 "[vdso]",     ""};
	struct recorded_names *names;

	assert_int_equal(recorded_names_create("/proc/kallsyms", &names), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const struct sample_mapping mapping = {
			.pid = PID, .begin = 0x1000, .bytes = 0x1000, .path = paths[i]};

		recorded_names_map(names, &mapping, NULL);
		assert_null(recorded_names_find(names, PID, PERF_RECORD_MISC_USER, 0x1010));
	}
	recorded_names_destroy(names);
}

static void has_room_for_so_many_files(void **state)
{
	struct recorded_names *names;
	struct sample_mapping mapping = {0};
	char path[32];

	assert_int_equal(recorded_names_create("/proc/kallsyms", &names), 0);
	for (int i = 0; i < RECORDED_FILES_MAX; i++) {
		const struct sample_mapping other = {
			.pid = PID, .begin = 0x1000, .bytes = 0x1000, .path = path};

		snprintf(path, sizeof(path), "/nonexistent/%d", i);
		recorded_names_map(names, &other, NULL);
	}
	find_self(&mapping);
	recorded_names_map(names, &mapping, NULL);
	check(names, PID, NULL);
	recorded_names_destroy(names);
}

static void knows_many_processes(void **state)
{
	enum { PROCESSES = 5000 };
	struct recorded_names *names;
	struct sample_mapping mapping = {0};

	find_self(&mapping);
	assert_int_equal(recorded_names_create("/proc/kallsyms", &names), 0);
	for (int i = 0; i < PROCESSES; i++) {
		mapping.pid = PID - i;
		recorded_names_map(names, &mapping, NULL);
	}
	check(names, PID, "named_function");
	check(names, PID - PROCESSES + 1, "named_function");
	assert_int_equal(recorded_names_left_out(names), 0);
	/* So many mappings of one have no room. */
	for (uint64_t i = 0; i < 2000; i++) {
		mapping.bytes = 0x1000;
		mapping.begin = 0x1000 + i * 0x2000;
		recorded_names_map(names, &mapping, NULL);
	}
	assert_in_range(recorded_names_left_out(names), 900, 1100);
	recorded_names_destroy(names);
}

static uint64_t kernel_text(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t address = 0;
	char line[512], name[128];

	while (file && fgets(line, sizeof(line), file) &&
	       !(sscanf(line, "%" SCNx64 " %*c %127s", &address, name) == 2 &&
		 strcmp(name, "_text") == 0))
		address = 0;
	if (file)
		fclose(file);
	return address;
}

static void names_the_kernel_if_it_is_this_one(void **state)
{
	static const struct {
		int64_t moved; /* it was loaded elsewhere */
		bool has_id, has_other_id, is_named;
	} rows[] = {
		{0, false, false, true},
		{0x200000, false, false, false},
		{0x200000, true, false, true},
		{0, true, true, false},
	};
	uint64_t text = kernel_text();
	struct perf_build_id id;

	if (!text || !perf_build_id_of_kernel(&id))
		skip();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t then = text + (uint64_t)rows[i].moved;
		struct perf_build_id recorded = id;
		struct recorded_names *names;

		recorded.bytes[0] ^= rows[i].has_other_id;
		assert_int_equal(recorded_names_create("/proc/kallsyms", &names), 0);
		recorded_names_kernel(names, then, 0x1000000, then);
		if (rows[i].has_id)
			recorded_names_build_id(names, "[kernel.kallsyms]", &recorded);
		assert_int_equal(recorded_names_find(names, 1, PERF_RECORD_MISC_KERNEL, then) !=
					 NULL,
				 rows[i].is_named);
		recorded_names_destroy(names);
	}
}

/* What is not the kernel's own code did not move with it. */
static void names_modules_and_programs_that_are_the_same(void **state)
{
	const uint64_t text = 0xffffffff81000000, moved = 0x200000, module = 0xffffffffc0100000;
	static const char kallsyms[] = "ffffffff81200000 T _text\n"
				       "ffffffff81200100 T in_kernel\n"
				       "ffffffffc0300000 t of_now\t[other]\n"
				       "ffffffffc0100000 t at_same_place\t[other]\n";
	struct recorded_names *names;
	char path[TREE_PATH_BYTES];
	struct perf_build_id id;
	struct tree tree;

	if (!perf_build_id_of_kernel(&id))
		skip();
	tree_create(&tree);
	tree_write(&tree, "kallsyms", kallsyms);
	tree_path(&tree, "kallsyms", path);
	assert_int_equal(recorded_names_create(path, &names), 0);
	recorded_names_kernel(names, text, 0x1000000, text);
	recorded_names_build_id(names, "[kernel.kallsyms]", &id);
	recorded_names_module(names, module, 0x10000, "[nosuch]");
	recorded_names_program(names, module + 0x20000, 0x100, "bpf_prog_1");
	assert_string_equal(recorded_names_find(names, 1, PERF_RECORD_MISC_KERNEL, text + 0x108),
			    "in_kernel");
	assert_null(recorded_names_find(names, 1, PERF_RECORD_MISC_KERNEL, module + 8));
	assert_null(recorded_names_find(names, 1, PERF_RECORD_MISC_KERNEL, module + 0x10000));
	assert_null(
		recorded_names_find(names, 1, PERF_RECORD_MISC_KERNEL, module + moved - 0x100000));
	assert_string_equal(
		recorded_names_find(names, 1, PERF_RECORD_MISC_KERNEL, module + 0x20008),
		"bpf_prog_1");
	recorded_names_program(names, module + 0x20000, 0x100, NULL);
	assert_null(recorded_names_find(names, 1, PERF_RECORD_MISC_KERNEL, module + 0x20008));
	recorded_names_destroy(names);
	tree_destroy(&tree);
}

static void writes_stacks(void **state)
{
	const uint64_t here = named_function();
	const uint64_t frames[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0xffff800000000001,
				   (uint64_t)PERF_CONTEXT_USER, here + 1, 0x10};
	const struct sample_record sample = {.pid = PID,
					     .mode = PERF_RECORD_MISC_KERNEL,
					     .ip = 0xffff800000000001,
					     .frames = (const uint8_t *)frames,
					     .frames_count = 5};
	struct recorded_names *names;
	struct sample_mapping mapping = {0};
	struct buf text = {0};

	find_self(&mapping);
	assert_int_equal(recorded_names_create("/proc/kallsyms", &names), 0);
	recorded_names_map(names, &mapping, NULL);
	recorded_names_stack(names, &sample, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "0x10;named_function;0xffff800000000001_[k]");
	buf_finish(&text);
	recorded_names_destroy(names);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_what_is_mapped),
	cmocka_unit_test(names_nothing_of_other_versions),
	cmocka_unit_test(opens_only_files),
	cmocka_unit_test(has_room_for_so_many_files),
	cmocka_unit_test(knows_many_processes),
	cmocka_unit_test(names_the_kernel_if_it_is_this_one),
	cmocka_unit_test(names_modules_and_programs_that_are_the_same),
	cmocka_unit_test(writes_stacks),
};

UNIT_GROUP(tests);
