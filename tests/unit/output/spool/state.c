/* SPDX-License-Identifier: MIT */
/* The state file: its slots, and what is left of it when they are damaged. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "output/spool/state.h"
#include "tree.h"
#include "unit.h"

struct kept_state {
	struct tree tree;
	int folder;
	char path[TREE_PATH_BYTES];
};

static void create(struct kept_state *kept)
{
	tree_create(&kept->tree);
	tree_path(&kept->tree, "state", kept->path);
	kept->folder = open(kept->tree.path, O_RDONLY | O_DIRECTORY);
	assert_true(kept->folder >= 0);
}

static void destroy(struct kept_state *kept)
{
	close(kept->folder);
	tree_destroy(&kept->tree);
}

/* Stores that many states; each has its turn as the number. */
static void store(const struct kept_state *kept, uint64_t turns)
{
	struct spool_slot slot = {.stream = "0123456789abcde"};
	struct spool_state state;
	bool corrupt;

	slot.stream[15] = 'f';
	assert_int_equal(spool_state_open(&state, kept->folder, &corrupt), 0);
	assert_false(corrupt);
	for (slot.number = 1; slot.number <= turns; slot.number++)
		assert_int_equal(spool_state_store(&state, &slot, slot.number == turns), 0);
	close(state.fd);
}

/* Returns the number of the state that is loaded; 0: none. */
static uint64_t load(const struct kept_state *kept, bool *corrupt)
{
	struct spool_state state;
	int r = spool_state_open(&state, kept->folder, corrupt);

	assert_true(r >= 0);
	close(state.fd);
	assert_int_equal(state.slot.number != 0, r);
	return state.slot.number;
}

static void overwrite(const struct kept_state *kept, uint64_t offset, const void *bytes, size_t len)
{
	int fd = open(kept->path, O_RDWR);

	assert_int_equal(spool_file_write(fd, bytes, len, offset), 0);
	close(fd);
}

static void loads_what_was_stored_last(void **state)
{
	bool corrupt;

	for (uint64_t turns = 1; turns < 6; turns++) {
		struct kept_state kept;

		create(&kept);
		store(&kept, turns);
		assert_int_equal(load(&kept, &corrupt), turns);
		assert_false(corrupt);
		destroy(&kept);
	}
}

static void falls_back_to_the_other_slot(void **state)
{
	struct kept_state kept;
	bool corrupt;

	create(&kept);
	store(&kept, 5);
	/* The fifth is in slot 1. */
	overwrite(&kept, SPOOL_SLOT_BYTES + 100, "x", 1);
	assert_int_equal(load(&kept, &corrupt), 4);
	assert_false(corrupt);
	overwrite(&kept, 20, "x", 1);
	assert_int_equal(load(&kept, &corrupt), 0);
	assert_true(corrupt);
	destroy(&kept);
}

static void loads_what_is_left_of_a_short_file(void **state)
{
	struct kept_state kept;
	bool corrupt;

	create(&kept);
	store(&kept, 4);
	assert_int_equal(truncate(kept.path, SPOOL_SLOT_BYTES + 10), 0);
	assert_int_equal(load(&kept, &corrupt), 4);
	assert_int_equal(truncate(kept.path, 10), 0);
	assert_int_equal(load(&kept, &corrupt), 0);
	assert_true(corrupt);
	destroy(&kept);
}

static void rejects_a_later_version_and_odd_contents(void **state)
{
	struct spool_slot slot = {.stream = "0123456789abcde"};
	struct spool_state first;
	struct kept_state kept;
	bool corrupt;

	create(&kept);
	/* A checksum that is right does not make a stream of what is none. */
	assert_int_equal(spool_state_open(&first, kept.folder, &corrupt), 0);
	assert_int_equal(spool_state_store(&first, &slot, false), 0);
	slot.stream[15] = '"';
	assert_int_equal(spool_state_store(&first, &slot, false), 0);
	assert_int_equal(load(&kept, &corrupt), 0);
	assert_true(corrupt);
	close(first.fd);
	destroy(&kept);
}

static void reports_that_it_cannot_be_stored(void **state)
{
	struct spool_state full = {.fd = open("/dev/full", O_RDWR)};
	struct spool_slot slot = {.number = 1};

	assert_int_equal(spool_state_store(&full, &slot, false), -ENOSPC);
	assert_int_equal(full.slot.sequence, 0);
	close(full.fd);
}

static void knows_the_boot(void **state)
{
	uint8_t a[SPOOL_BOOT_BYTES], b[SPOOL_BOOT_BYTES], none[SPOOL_BOOT_BYTES] = {0};

	spool_boot_id(a);
	spool_boot_id(b);
	assert_memory_equal(a, b, sizeof(a));
	assert_memory_not_equal(a, none, sizeof(a));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(loads_what_was_stored_last),
	cmocka_unit_test(falls_back_to_the_other_slot),
	cmocka_unit_test(loads_what_is_left_of_a_short_file),
	cmocka_unit_test(rejects_a_later_version_and_odd_contents),
	cmocka_unit_test(reports_that_it_cannot_be_stored),
	cmocka_unit_test(knows_the_boot),
};

UNIT_GROUP(tests);
