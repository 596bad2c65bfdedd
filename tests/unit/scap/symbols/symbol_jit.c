/* SPDX-License-Identifier: MIT */
/* Maps and dumps as JIT compilers write them, and as nobody does. */
#include "scap/symbols/symbol_jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree.h"
#include "unit.h"
#include "util/buf.h"

static int open_file(const struct tree *tree, int flags)
{
	char path[TREE_PATH_BYTES];

	tree_path(tree, "file", path);
	return open(path, flags | O_CLOEXEC);
}

static int open_bytes(const struct tree *tree, const void *bytes, size_t len)
{
	tree_write_bytes(tree, "file", bytes, len);
	return open_file(tree, O_RDONLY);
}

static int read_map(const char *text, struct symbol_table *table)
{
	struct tree tree;
	int fd, r;

	tree_create(&tree);
	fd = open_bytes(&tree, text, strlen(text));
	r = symbol_jit_read_map(fd, table);
	close(fd);
	tree_destroy(&tree);
	return r;
}

static void reads_maps(void **state)
{
	struct symbol_table table;

	assert_int_equal(read_map("3ef000 10 LazyCompile:~f a.js:1\n"
				  "3ef010 20 old\n"
				  "nonsense\n"
				  "3ef100\n"
				  "3ef100 zz name\n"
				  "3ef200 0 empty\n"
				  "3ef010 8 new\n"
				  "ffffffffffffffff ffffffffffffffff last\n"
				  "3ef300 10 no end of line",
				  &table),
			 0);
	assert_string_equal(symbol_table_find(&table, 0x3ef00f), "LazyCompile:~f a.js:1");
	assert_string_equal(symbol_table_find(&table, 0x3ef010), "new");
	assert_null(symbol_table_find(&table, 0x3ef01c));
	assert_null(symbol_table_find(&table, 0x3ef100));
	assert_null(symbol_table_find(&table, 0x3ef200));
	assert_string_equal(symbol_table_find(&table, 0x3ef300), "no end of line");
	assert_string_equal(symbol_table_find(&table, UINT64_MAX), "last");
	symbol_table_finish(&table);
	assert_int_equal(read_map("", &table), -ENOENT);
}

struct piece {
	uint64_t begin, bytes;
	char name[8];
};

/* Many pieces over each other: each address has the name of the latest one that covers it, unless
 * another one began at the same place. */
static void shows_what_was_compiled_last(void **state)
{
	enum { PIECES = 60, PLACES = 256, ROUNDS = 50 };
	uint32_t seed = 1;
	struct symbol_table table;

	assert_int_equal(read_map("1800 100 old\n1000 1000 new\n", &table), 0);
	assert_string_equal(symbol_table_find(&table, 0x1850), "new");
	assert_string_equal(symbol_table_find(&table, 0x1a00), "new");
	assert_null(symbol_table_find(&table, 0x2000));
	symbol_table_finish(&table);
	assert_int_equal(read_map("1000 1000 old\n1800 100 new\n", &table), 0);
	assert_string_equal(symbol_table_find(&table, 0x17ff), "old");
	assert_string_equal(symbol_table_find(&table, 0x1800), "new");
	assert_string_equal(symbol_table_find(&table, 0x1900), "old");
	symbol_table_finish(&table);
	for (int round = 0; round < ROUNDS; round++) {
		struct piece pieces[PIECES];
		char text[PIECES * 32];
		size_t len = 0;

		for (int i = 0; i < PIECES; i++) {
			struct piece *piece = &pieces[i];

			seed = seed * 1103515245 + 12345;
			piece->begin = (seed >> 8) % (PLACES - 32);
			piece->bytes = 1 + (seed >> 20) % 32;
			snprintf(piece->name, sizeof(piece->name), "f%d", i);
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%llx %llx %s\n",
						(unsigned long long)piece->begin,
						(unsigned long long)piece->bytes, piece->name);
			for (int k = 0; k < i; k++)
				if (pieces[k].begin == piece->begin)
					pieces[k].bytes = 0;
		}
		assert_int_equal(read_map(text, &table), 0);
		for (uint64_t at = 0; at < PLACES; at++) {
			const char *wanted = NULL, *found = symbol_table_find(&table, at);

			for (int i = 0; i < PIECES; i++)
				if (at >= pieces[i].begin && at - pieces[i].begin < pieces[i].bytes)
					wanted = pieces[i].name;
			if (wanted)
				assert_string_equal(found, wanted);
			else
				assert_null(found);
		}
		symbol_table_finish(&table);
	}
}

/* NULs take no space on a disk: what is behind too many of them is not read. */
static bool is_read_behind(off_t hole)
{
	static const char text[] = "\n2000 10 behind\n";
	struct symbol_table table;
	struct tree tree;
	bool is_there;
	int fd;

	tree_create(&tree);
	tree_write(&tree, "file", "1000 10 before\n");
	fd = open_file(&tree, O_RDWR);
	assert_int_equal(pwrite(fd, text, sizeof(text) - 1, hole), sizeof(text) - 1);
	assert_int_equal(symbol_jit_read_map(fd, &table), 0);
	close(fd);
	assert_string_equal(symbol_table_find(&table, 0x1000), "before");
	is_there = symbol_table_find(&table, 0x2000) != NULL;
	symbol_table_finish(&table);
	tree_destroy(&tree);
	return is_there;
}

static void counts_what_it_reads_of_maps(void **state)
{
	assert_true(is_read_behind(1 << 20));
	assert_false(is_read_behind(SYMBOL_JIT_BYTES_MAX + 8192));
}

/* Dumps. */

static void put_header(struct buf *dump, uint32_t magic)
{
	const uint32_t head[] = {magic, 1, 40, 62, 0, 7};
	const uint64_t rest[] = {0, 0};

	buf_append(dump, head, sizeof(head));
	buf_append(dump, rest, sizeof(rest));
}

static void put_record(struct buf *dump, uint32_t kind, const void *body, size_t len)
{
	const uint32_t head[] = {kind, 16 + (uint32_t)len};
	const uint64_t time = 0;

	buf_append(dump, head, sizeof(head));
	buf_append(dump, &time, sizeof(time));
	buf_append(dump, body, len);
}

static void put_load(struct buf *dump, uint64_t code, uint64_t bytes, const char *name)
{
	const uint32_t ids[] = {7, 7};
	const uint64_t places[] = {code, code, bytes, 1};
	struct buf body = {0};

	buf_append(&body, ids, sizeof(ids));
	buf_append(&body, places, sizeof(places));
	buf_append(&body, name, strlen(name) + 1);
	for (uint64_t i = 0; i < bytes; i++)
		buf_append_char(&body, '\x90');
	put_record(dump, 0, body.data, body.len);
	buf_finish(&body);
}

static void put_move(struct buf *dump, uint64_t from, uint64_t to, uint64_t bytes)
{
	const uint32_t ids[] = {7, 7};
	const uint64_t places[] = {to, from, to, bytes, 1};
	char body[sizeof(ids) + sizeof(places)];

	memcpy(body, ids, sizeof(ids));
	memcpy(body + sizeof(ids), places, sizeof(places));
	put_record(dump, 1, body, sizeof(body));
}

static int read_dump(const struct buf *dump, size_t len, struct symbol_table *table)
{
	struct tree tree;
	int fd, r;

	tree_create(&tree);
	fd = open_bytes(&tree, dump->data, len);
	r = symbol_jit_read_dump(fd, table);
	close(fd);
	tree_destroy(&tree);
	return r;
}

static void make_dump(struct buf *dump)
{
	put_header(dump, 0x4A695444);
	put_load(dump, 0x1000, 100, "first");
	put_record(dump, 2, "debug", 5);
	put_load(dump, 0x2000, 50000, "large");
	put_load(dump, 0x1000, 50, "second");
	put_move(dump, 0x2000, 0x90000, 50000);
	put_move(dump, 0x7777, 0xf888, 1);
	put_load(dump, 0x3000, 1, "third");
}

static void reads_dumps(void **state)
{
	struct symbol_table table;
	struct buf dump = {0};

	make_dump(&dump);
	assert_int_equal(read_dump(&dump, dump.len, &table), 0);
	assert_string_equal(symbol_table_find(&table, 0x1000), "second");
	assert_string_equal(symbol_table_find(&table, 0x2000), "large");
	assert_string_equal(symbol_table_find(&table, 0x90000 + 49999), "large");
	assert_null(symbol_table_find(&table, 0x90000 + 50000));
	assert_null(symbol_table_find(&table, 0xf888));
	assert_string_equal(symbol_table_find(&table, 0x3000), "third");
	assert_string_equal(symbol_table_find(&table, 0x3001), "large");
	symbol_table_finish(&table);
	buf_finish(&dump);
}

/* A dump that is cut anywhere, and one of which any byte of its beginning is another one. */
static void survives_damage(void **state)
{
	struct symbol_table table;
	struct buf dump = {0};

	make_dump(&dump);
	for (size_t len = 0; len < 400; len++)
		if (read_dump(&dump, len, &table) == 0)
			symbol_table_finish(&table);
	for (size_t i = 0; i < 400; i++) {
		dump.data[i] ^= (char)0xff;
		if (read_dump(&dump, dump.len, &table) == 0)
			symbol_table_finish(&table);
		dump.data[i] ^= (char)0xff;
	}
	buf_clear(&dump);
	put_header(&dump, 0x4A695445);
	assert_int_equal(read_dump(&dump, dump.len, &table), -EBADMSG);
	buf_clear(&dump);
	put_header(&dump, 0x4A695444);
	assert_int_equal(read_dump(&dump, dump.len, &table), -ENOENT);
	buf_finish(&dump);
}

/* Whose map is opened. */

static void opens_maps_of_the_user_alone(void **state)
{
	char path[TREE_PATH_BYTES];
	struct symbol_jit_process process;
	struct tree tree;
	int fd;

	tree_create(&tree);
	tree_write(&tree, "tmp/perf-7.map", "1000 10 f\n");
	tree_path(&tree, "tmp/perf-7.map", path);
	process = (struct symbol_jit_process){
		.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.pid = getpid(),
		.ns_pid = 7,
		.root = open(tree.path, O_PATH | O_DIRECTORY | O_CLOEXEC),
		.uid = 1234,
	};
	assert_int_equal(chown(path, 1234, 1234), 0);
	fd = symbol_jit_open_map(&process);
	assert_true(fd >= 0);
	close(fd);
	process.uid = 1235;
	assert_int_equal(symbol_jit_open_map(&process), -EPERM);
	assert_int_equal(chown(path, 0, 0), 0);
	fd = symbol_jit_open_map(&process);
	assert_true(fd >= 0);
	close(fd);
	process.ns_pid = 8;
	assert_int_equal(symbol_jit_open_map(&process), -ENOENT);
	/* A link to a file that its user may not read. */
	tree_path(&tree, "tmp/perf-8.map", path);
	assert_int_equal(symlink("/etc/shadow", path), 0);
	assert_int_equal(symbol_jit_open_map(&process), -EINVAL);
	unlink(path);
	assert_int_equal(mkfifo(path, 0666), 0);
	assert_int_equal(symbol_jit_open_map(&process), -EINVAL);
	close(process.root);
	close(process.proc);
	tree_destroy(&tree);
}

/* Moves of addresses without a symbol search all symbols: their number has a limit. */
static void looks_for_moves_within_a_budget(void **state)
{
	enum { LOADS = 4096, MOVES = 20000 };
	struct symbol_table table;
	struct buf dump = {0};

	put_header(&dump, 0x4A695444);
	for (uint64_t i = 0; i < LOADS; i++)
		put_load(&dump, 0x100000 + 16 * i, 16, "f");
	put_move(&dump, 0x100000, 0x500000, 16);
	for (int i = 0; i < MOVES; i++)
		put_move(&dump, 0x7777, 0x8888, 1);
	put_move(&dump, 0x100010, 0x600000, 16);
	assert_int_equal(read_dump(&dump, dump.len, &table), 0);
	assert_string_equal(symbol_table_find(&table, 0x500000), "f");
	assert_null(symbol_table_find(&table, 0x600000));
	symbol_table_finish(&table);
	buf_finish(&dump);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_maps),
	cmocka_unit_test(shows_what_was_compiled_last),
	cmocka_unit_test(counts_what_it_reads_of_maps),
	cmocka_unit_test(reads_dumps),
	cmocka_unit_test(survives_damage),
	cmocka_unit_test(looks_for_moves_within_a_budget),
	cmocka_unit_test(opens_maps_of_the_user_alone),
};

UNIT_GROUP(tests);
