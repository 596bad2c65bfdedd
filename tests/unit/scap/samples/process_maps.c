/* SPDX-License-Identifier: MIT */
/* Mappings of processes: over each other, forked, executed, ended, and too many. */
#include "scap/samples/process_maps.h"

#include <errno.h>
#include <stdlib.h>

#include "unit.h"

static struct process_maps *maps;

static int create(void **state)
{
	maps = calloc(1, sizeof(*maps));
	assert_non_null(maps);
	return 0;
}

static int destroy(void **state)
{
	process_maps_finish(maps);
	free(maps);
	return 0;
}

static struct process_entry *known(int32_t pid, uint64_t read_ns)
{
	struct process_entry *process = process_maps_get(maps, pid);

	assert_non_null(process);
	process->state = MAPPED_KNOWN;
	process->begun_ns = process->read_ns = read_ns;
	return process;
}

static int add(struct process_entry *process, uint64_t begin, uint64_t end, uint32_t file)
{
	return process_maps_add(process, &(struct process_mapping){begin, end, 0, file});
}

static void expect(const struct process_entry *process, uint64_t address, uint32_t file,
		   uint64_t offset)
{
	const struct process_mapping *found = process_maps_at(process, address);

	assert_non_null(found);
	assert_int_equal(found->file, file);
	assert_int_equal(address - found->begin + found->offset, offset);
}

static void finds_mappings(void **state)
{
	struct process_entry *process = known(7, 1);

	assert_null(process_maps_at(process, 5));
	assert_int_equal(add(process, 3000, 4000, 3), 0);
	assert_int_equal(add(process, 1000, 2000, 1), 0);
	assert_int_equal(add(process, 2000, 3000, 2), 0);
	assert_int_equal(add(process, 9, 9, 9), 0);
	assert_null(process_maps_at(process, 999));
	expect(process, 1000, 1, 0);
	expect(process, 1999, 1, 999);
	expect(process, 2000, 2, 0);
	expect(process, 3999, 3, 999);
	assert_null(process_maps_at(process, 4000));
}

/* The later one is there, and what is left of the earlier one on both sides. */
static void replaces_mappings(void **state)
{
	struct process_entry *process = known(7, 1);

	assert_int_equal(add(process, 1000, 5000, 1), 0);
	assert_int_equal(add(process, 2000, 3000, 2), 0);
	expect(process, 1500, 1, 500);
	expect(process, 2500, 2, 500);
	expect(process, 3500, 1, 2500);
	assert_int_equal(add(process, 1800, 3200, 3), 0);
	expect(process, 1799, 1, 799);
	expect(process, 1800, 3, 0);
	expect(process, 3199, 3, 1399);
	expect(process, 3200, 1, 2200);
	assert_int_equal(add(process, 0, 10000, 4), 0);
	expect(process, 1500, 4, 1500);
	assert_int_equal(process->mappings->count, 1);
}

static void children_have_copies(void **state)
{
	struct process_entry *parent = known(7, 1), *child;

	assert_int_equal(add(parent, 1000, 2000, 1), 0);
	process_maps_fork(maps, 7, 8, 5);
	process_maps_fork(maps, 7, 7, 5);
	process_maps_fork(maps, 99, 9, 5);
	assert_null(process_maps_find(maps, 9));
	child = process_maps_find(maps, 8);
	parent = process_maps_find(maps, 7);
	assert_non_null(child);
	assert_int_equal(child->state, MAPPED_KNOWN);
	expect(child, 1500, 1, 500);
	assert_int_equal(add(child, 1000, 2000, 2), 0);
	expect(child, 1500, 2, 500);
	expect(parent, 1500, 1, 500);
	process_maps_end(maps, 7);
	expect(process_maps_find(maps, 8), 1500, 2, 500);
	assert_null(process_maps_find(maps, 7));
	process_maps_end(maps, 7);
}

/* The id of a process that ended is used again. */
static void a_fork_replaces_what_was_there(void **state)
{
	struct process_entry *old;

	assert_int_equal(add(known(7, 1), 1000, 2000, 1), 0);
	assert_int_equal(add(known(8, 1), 5000, 6000, 2), 0);
	process_maps_get(maps, 9)->state = MAPPED_NEVER;
	assert_int_equal(add(known(10, 1), 5000, 6000, 2), 0);
	process_maps_fork(maps, 7, 8, 5);
	expect(process_maps_find(maps, 8), 1500, 1, 500);
	assert_null(process_maps_at(process_maps_find(maps, 8), 5500));
	process_maps_fork(maps, 7, 9, 5);
	expect(process_maps_find(maps, 9), 1500, 1, 500);
	/* Read later: the parent may have mapped it meanwhile, and the child a program of its own.
	 */
	process_maps_find(maps, 7)->read_ns = 6;
	process_maps_fork(maps, 7, 9, 5);
	assert_int_equal(process_maps_find(maps, 9)->state, MAPPED_UNKNOWN);
	/* Of that parent nothing is known. */
	process_maps_fork(maps, 99, 10, 5);
	old = process_maps_find(maps, 10);
	assert_int_equal(old->state, MAPPED_UNKNOWN);
	assert_null(process_maps_at(old, 5500));
}

static void forgets_what_records_would_have_changed(void **state)
{
	struct process_entry *process = known(7, 1), *asked = process_maps_get(maps, 8);

	assert_int_equal(add(process, 1000, 2000, 1), 0);
	process->exec_ns = 50;
	asked->state = MAPPED_ASKED;
	process_maps_get(maps, 9)->state = MAPPED_NEVER;
	process_maps_forget(maps, 40);
	assert_int_equal(process->state, MAPPED_UNKNOWN);
	assert_null(process_maps_at(process, 1500));
	assert_int_equal(process->exec_ns, 50);
	assert_int_equal(asked->state, MAPPED_ASKED);
	assert_int_equal(asked->added_ns, 40);
	assert_int_equal(process_maps_find(maps, 9)->state, MAPPED_UNKNOWN);
}

static void a_program_begins_with_nothing(void **state)
{
	struct process_entry *process = known(7, 10);

	assert_int_equal(add(process, 1000, 2000, 1), 0);
	process->exec_ns = 20;
	/* They were read when the program had begun. */
	process->begun_ns = 25;
	process->read_ns = 30;
	process_maps_exec(process, 20);
	assert_int_equal(process->exec_ns, 0);
	expect(process, 1500, 1, 500);
	process_maps_exec(process, 40);
	assert_int_equal(process->state, MAPPED_KNOWN);
	assert_null(process_maps_at(process, 1500));
}

/* It began while they were read, perhaps in part before it had mapped its file. */
static void a_program_begins_in_a_read(void **state)
{
	struct process_entry *process = known(7, 30);

	assert_int_equal(add(process, 1000, 2000, 1), 0);
	process->begun_ns = 10;
	process_maps_exec(process, 20);
	assert_null(process_maps_at(process, 1500));
	assert_int_equal(process->begun_ns, 20);
	assert_int_equal(process->read_ns, 20);
}

/* Ends leave those findable that stand behind. */
static void is_a_table(void **state)
{
	for (int32_t pid = 1; pid <= PROCESSES_MAX; pid++)
		known(pid * 3, 1);
	for (int32_t pid = 1; pid <= PROCESSES_MAX; pid += 2)
		process_maps_end(maps, pid * 3);
	assert_int_equal(maps->count, PROCESSES_MAX / 2);
	for (int32_t pid = 1; pid <= PROCESSES_MAX; pid++)
		assert_int_equal(process_maps_find(maps, pid * 3) != NULL, pid % 2 == 0);
	assert_null(process_maps_get(maps, 0));
	assert_null(process_maps_get(maps, -1));
	assert_int_equal(maps->forgotten, 0);
	for (int32_t pid = 1; pid <= PROCESSES_MAX; pid++)
		known(1000000 + pid, 1);
	assert_int_equal(maps->forgotten, 1);
	assert_true(maps->count <= PROCESSES_MAX);
}

/* Also of the memory that mappings take; those that are shared are counted once. */
static void has_an_end_for_all(void **state)
{
	struct process_entry *process = known(1, 1);
	uint64_t one;
	int32_t pid = 2;

	for (uint64_t i = 0; i < MAPPINGS_MAX - 2; i++)
		assert_int_equal(add(process, i * 10, i * 10 + 5, 1), 0);
	one = maps->bytes;
	assert_in_range(one, MAPPINGS_MAX * sizeof(struct process_mapping),
			2 * MAPPINGS_MAX * sizeof(struct process_mapping));
	process_maps_fork(maps, 1, 100000, 1);
	assert_int_equal(maps->bytes, one);
	process_maps_end(maps, 1);
	assert_int_equal(maps->bytes, one);
	process_maps_end(maps, 100000);
	assert_int_equal(maps->bytes, 0);
	for (; maps->forgotten == 0 && pid < PROCESSES_MAX; pid++) {
		process = known(pid, 1);
		for (uint64_t i = 0; i < MAPPINGS_MAX - 2; i++)
			assert_int_equal(add(process, i * 10, i * 10 + 5, 1), 0);
		assert_true(maps->bytes <= PROCESS_MAPS_BYTES_MAX + one);
	}
	assert_int_equal(maps->forgotten, 1);
	assert_int_equal(maps->bytes, one);
}

/* Children share what their parent has until they map something. */
static void children_take_no_more_than_all_may(void **state)
{
	enum { CHILDREN = 8192, FIRST = 1000 };
	struct process_entry *parent = known(7, 1);
	int refused = 0;

	for (uint64_t i = 0; i < MAPPINGS_MAX - 4; i++)
		assert_int_equal(add(parent, i * 10, i * 10 + 5, 1), 0);
	for (int32_t i = 0; i < CHILDREN; i++)
		process_maps_fork(maps, 7, FIRST + i, 5);
	for (int32_t i = 0; i < CHILDREN; i++) {
		struct process_entry *child = process_maps_find(maps, FIRST + i);

		assert_non_null(child);
		refused += add(child, 1 << 20, (1 << 20) + 5, 1) != 0;
		assert_true(maps->bytes <= PROCESS_MAPS_BYTES_MAX);
	}
	assert_true(refused > 0);
}

static void has_an_end(void **state)
{
	struct process_entry *process = known(7, 1);
	uint64_t i = 0;
	int r = 0;

	while (r == 0 && i < 10 * MAPPINGS_MAX) {
		r = add(process, i * 10, i * 10 + 5, 1);
		i++;
	}
	assert_int_equal(r, -E2BIG);
	assert_true(process->mappings->count <= MAPPINGS_MAX);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(finds_mappings, create, destroy),
	cmocka_unit_test_setup_teardown(replaces_mappings, create, destroy),
	cmocka_unit_test_setup_teardown(children_have_copies, create, destroy),
	cmocka_unit_test_setup_teardown(a_fork_replaces_what_was_there, create, destroy),
	cmocka_unit_test_setup_teardown(forgets_what_records_would_have_changed, create, destroy),
	cmocka_unit_test_setup_teardown(a_program_begins_with_nothing, create, destroy),
	cmocka_unit_test_setup_teardown(a_program_begins_in_a_read, create, destroy),
	cmocka_unit_test_setup_teardown(is_a_table, create, destroy),
	cmocka_unit_test_setup_teardown(has_an_end, create, destroy),
	cmocka_unit_test_setup_teardown(children_take_no_more_than_all_may, create, destroy),
	cmocka_unit_test_setup_teardown(has_an_end_for_all, create, destroy),
};

UNIT_GROUP(tests);
