/* SPDX-License-Identifier: MIT */
/* Build ids in notes and files, and the set of files. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "perf/data/build_ids.h"
#include "tree.h"
#include "unit.h"

struct note {
	Elf64_Nhdr header;
	char name[4];
	uint8_t value[20];
};

static void finds_it_behind_other_notes(void **state)
{
	struct {
		Elf64_Nhdr other;
		char name[8];
		struct note note;
	} notes = {{5, 0, 1}, "Xen\0\0", {{4, 20, NT_GNU_BUILD_ID}, "GNU", {1, 2, 3}}};
	struct perf_build_id id = {0};

	assert_true(perf_build_id_find(&notes, sizeof(notes), &id));
	assert_int_equal(id.size, 20);
	assert_memory_equal(id.bytes, notes.note.value, 20);
	/* It is not read beyond the end, wherever that is. */
	for (size_t len = 0; len < sizeof(notes); len++)
		assert_false(perf_build_id_find(&notes, len, &id));
	notes.note.header.n_descsz = 21;
	assert_false(perf_build_id_find(&notes, sizeof(notes), &id));
	notes.note.header.n_descsz = 20;
	notes.other.n_namesz = UINT32_MAX;
	assert_false(perf_build_id_find(&notes, sizeof(notes), &id));
}

static void reads_that_of_a_file(void **state)
{
	struct perf_build_id id = {0};
	char path[TREE_PATH_BYTES];
	struct tree tree;

	assert_true(perf_build_id_read("/proc/self/exe", &id));
	assert_int_equal(id.size, 20);
	assert_false(perf_build_id_read("/dev/null", &id));
	assert_false(perf_build_id_read("/nonexistent", &id));
	tree_create(&tree);
	tree_write(&tree, "text", "no program");
	tree_path(&tree, "text", path);
	assert_false(perf_build_id_read(path, &id));
	tree_destroy(&tree);
}

/* What it has of sections and segments says another number, in the first section. */
static void expect_little_memory(Elf64_Half sections, Elf64_Half segments)
{
	enum { CLAIMED = 1 << 20, FILE_BYTES = CLAIMED * 64, BOUND_KB = 20 << 10 };
	struct {
		Elf64_Ehdr header;
		Elf64_Shdr first;
	} made = {.first = {.sh_size = CLAIMED, .sh_info = CLAIMED}};
	char path[] = "/tmp/build_ids_XXXXXX";
	struct perf_build_id id = {0};
	struct rusage before, after;
	int fd = mkstemp(path), own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && own >= 0);
	assert_int_equal(read(own, &made.header, sizeof(made.header)), sizeof(made.header));
	close(own);
	made.header.e_shoff = made.header.e_phoff = sizeof(made.header);
	made.header.e_shnum = sections;
	made.header.e_phnum = segments;
	assert_int_equal(write(fd, &made, sizeof(made)), sizeof(made));
	assert_int_equal(ftruncate(fd, FILE_BYTES), 0);
	getrusage(RUSAGE_SELF, &before);
	assert_false(perf_build_id_read(path, &id));
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < BOUND_KB);
	close(fd);
	unlink(path);
}

static void takes_no_memory_for_what_files_claim(void **state)
{
	expect_little_memory(0, 1);
	expect_little_memory(1, PN_XNUM);
}

static void reads_that_of_the_kernel(void **state)
{
	struct perf_build_id id;

	if (!perf_build_id_of_kernel(&id))
		skip();
	assert_int_equal(id.size, 20);
}

static void has_each_file_once(void **state)
{
	struct perf_build_ids ids = {0};
	struct perf_build_id id = {.size = 2, .bytes = {7}}, found;
	size_t named = 0;
	char path[32];

	assert_false(perf_build_ids_have(&ids, "/a"));
	assert_false(perf_build_ids_get(&ids, "/a", &found));
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 1000; i++) {
			snprintf(path, sizeof(path), "/file-%d", i);
			id.bytes[1] = (uint8_t)(i + round);
			perf_build_ids_add(&ids, path, &id, i == 5);
		}
	assert_int_equal(ids.count, 1000);
	for (size_t i = 0; i < ids.capacity; i++)
		named += ids.places[i].path && ids.places[i].is_kernel;
	assert_int_equal(named, 1);
	assert_true(perf_build_ids_get(&ids, "/file-99", &found));
	assert_int_equal(found.bytes[1], 99);
	perf_build_ids_finish(&ids);
	assert_false(perf_build_ids_have(&ids, "/file-99"));
}

static void has_room_for_so_many(void **state)
{
	struct perf_build_ids ids = {0};
	struct perf_build_id id = {0};
	char path[32];

	for (int i = 0; i < PERF_BUILD_IDS_MAX + 10; i++) {
		snprintf(path, sizeof(path), "%d", i);
		perf_build_ids_add(&ids, path, &id, false);
	}
	assert_int_equal(ids.count, PERF_BUILD_IDS_MAX);
	perf_build_ids_finish(&ids);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_it_behind_other_notes),
	cmocka_unit_test(reads_that_of_a_file),
	cmocka_unit_test(reads_that_of_the_kernel),
	cmocka_unit_test(has_each_file_once),
	cmocka_unit_test(has_room_for_so_many),
	cmocka_unit_test(takes_no_memory_for_what_files_claim),
};

UNIT_GROUP(tests);
