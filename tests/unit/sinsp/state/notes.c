/* SPDX-License-Identifier: MIT */
/* Programs that are noted by the ids of processes: found once, replaced, over. */
#include "sinsp/state/threads.h"
#include "sinsp/state/program.h"
#include "unit.h"

static struct state_notes notes;
static struct pool pool;

static uint64_t now_ns = 100;

static void put(int64_t tid, uint64_t exec_id, uint64_t until_ns, const char *path)
{
	const struct state_program program = {.exe = "", .exepath = path, .args = "", .env = ""};

	state_notes_put(&notes, &pool,
			&(struct state_note){.tid = tid, .exec_id = exec_id, .until_ns = until_ns},
			&program, now_ns);
}

static void expect(int64_t tid, uint64_t exec_id, const char *path)
{
	struct state_program *program = state_notes_take(&notes, tid, exec_id);

	if (path)
		assert_string_equal(program->exepath, path);
	else
		assert_null(program);
	state_program_unref(&pool, program);
}

static int teardown(void **state)
{
	state_notes_finish(&notes, &pool);
	assert_int_equal(notes.count, 0);
	notes = (struct state_notes){0};
	pool_finish(&pool);
	return 0;
}

static void takes_once(void **state)
{
	put(7, 70, 200, "/bin/a");
	put(8, 80, 200, "/bin/b");
	assert_int_equal(notes.count, 2);
	expect(7, 71, NULL);
	expect(7 + NOTES_COUNT, 70, NULL);
	expect(7, 70, "/bin/a");
	expect(7, 70, NULL);
	assert_int_equal(notes.count, 1);
}

/* A later note of a process replaces the one before; another one's is lost, if it is still of use.
 */
static void replaces(void **state)
{
	put(7, 70, 200, "/bin/a");
	put(7, 71, 200, "/bin/b");
	assert_int_equal(notes.dropped, 0);
	put(7 + NOTES_COUNT, 72, 99, "/bin/c");
	assert_int_equal(notes.dropped, 1);
	put(7, 70, 200, "/bin/d");
	assert_int_equal(notes.dropped, 1);
	now_ns = 0;
	put(7 + NOTES_COUNT, 70, 200, "/bin/e");
	put(7, 70, 200, "/bin/d");
	now_ns = 100;
	assert_int_equal(notes.dropped, 1);
	assert_int_equal(notes.count, 1);
	expect(7, 70, "/bin/d");
}

static void expires(void **state)
{
	put(7, 70, 200, "/bin/a");
	put(8, 80, 150, "/bin/b");
	state_notes_expire(&notes, &pool, 200);
	assert_int_equal(notes.count, 2);
	state_notes_expire(&notes, &pool, 201);
	assert_int_equal(notes.count, 0);
	expect(7, 70, NULL);
	assert_int_equal(notes.dropped, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(takes_once, teardown),
	cmocka_unit_test_teardown(replaces, teardown),
	cmocka_unit_test_teardown(expires, teardown),
};

UNIT_GROUP(tests);
