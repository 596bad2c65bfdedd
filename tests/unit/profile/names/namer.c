/* SPDX-License-Identifier: MIT */
/* Places of this program, of the kernel and of JIT code are named; of others it is said why not. */
#include "profile/names/namer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/symbol.h"
#include "profiled.h"
#include "scap/symbols/symbol_collect.h"
#include "tree.h"
#include "unit.h"

int profile_namer_unit_function(int n);
__attribute__((noinline)) int profile_namer_unit_function(int n)
{
	return n + 1;
}

/* A set of one row, whose frame is in a file that is added to it. */
struct named_place {
	struct stacks stacks;
	struct stack_frame frame;
	struct profile_names names;
	struct namer *namer;
};

static void begin_place(struct named_place *place, const struct stack_file *file, uint64_t at)
{
	struct stack_row row;

	profiled_create(&place->stacks);
	place->names = (struct profile_names){0};
	place->frame = (struct stack_frame){.at = at};
	if (file)
		assert_int_equal(stacks_add_file(&place->stacks, file, &place->frame.file), 0);
	row = profiled_row(&place->stacks, 0, NULL, NULL, 1);
	assert_int_equal(stacks_add_part(&place->stacks, &place->frame, 1, STACK_WHOLE, &row.user),
			 0);
	assert_int_equal(stacks_add_row(&place->stacks, &row), 0);
}

static void create_namer(struct named_place *place, int kernel)
{
	const struct namer_sources sources = {
		.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.kernel = kernel,
		.debug = -1};

	assert_int_equal(namer_create(&sources, &place->namer), 0);
}

static const struct names_location *run_namer(struct named_place *place)
{
	assert_int_equal(namer_run(place->namer, &place->stacks, &place->names), 0);
	return names_find(&place->names, &place->stacks, 0, &place->frame);
}

static const struct names_location *name_place(struct named_place *place, int kernel)
{
	create_namer(place, kernel);
	return run_namer(place);
}

static void end_place(struct named_place *place)
{
	namer_destroy(place->namer);
	names_finish(&place->names);
	stacks_finish(&place->stacks);
}

static void expect_function(const struct named_place *place, const struct names_location *location,
			    enum names_kind kind, const char *name)
{
	const struct names_function *function = &place->names.functions[location->function];

	assert_string_equal(names_text(&place->names, function->name), name);
	assert_int_equal(function->kind, kind);
}

static struct stack_file own_file(void)
{
	return (struct stack_file){.kind = STACK_FILE,
				   .path = "/some/program",
				   .ino = 99,
				   .fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
}

static void names_functions_of_files(void **state)
{
	const struct stack_file file = own_file();
	const struct names_location *location;
	char reason[PERF_REASON_BYTES];
	struct named_place place;
	uint64_t offset = 0;

	assert_int_equal(profile_namer_unit_function(1), 2);
	assert_int_equal(
		perf_symbol_find("/proc/self/exe", "profile_namer_unit_function", &offset, reason),
		0);
	begin_place(&place, &file, offset + 1);
	location = name_place(&place, -1);
	expect_function(&place, location, NAMES_NATIVE, "profile_namer_unit_function");
	assert_int_equal(place.names.lacks[NAMES_FOUND], 1);
	end_place(&place);
}

static void leaves_versions_of_symbols_out(void **state)
{
	const struct names_location *location;
	char command[1024], path[TREE_PATH_BYTES], reason[PERF_REASON_BYTES];
	struct named_place place;
	struct stack_file file;
	struct tree tree;
	uint64_t offset = 0;

	tree_create(&tree);
	tree_path(&tree, "versioned", path);
	snprintf(command, sizeof(command),
		 "objcopy --redefine-sym profile_namer_unit_function=some@@LIB_1.0 /proc/%d/exe %s",
		 getpid(), path);
	assert_int_equal(system(command), 0);
	file = (struct stack_file){.kind = STACK_FILE,
				   .path = path,
				   .ino = 95,
				   .fd = open(path, O_RDONLY | O_CLOEXEC)};
	assert_int_equal(perf_symbol_find(path, "some@@LIB_1.0", &offset, reason), 0);
	begin_place(&place, &file, offset);
	location = name_place(&place, -1);
	expect_function(&place, location, NAMES_NATIVE, "some");
	assert_string_equal(names_text(&place.names, place.names.functions[location->function].raw),
			    "some@@LIB_1.0");
	end_place(&place);
	tree_destroy(&tree);
}

/* What the compiler inlined, if it is asked for; of a damaged file, that not all of it is known. */
static void finds_what_is_inlined(void **state)
{
	static const char source[] =
		"static volatile int sink;\n"
		"__attribute__((always_inline)) static inline void inner(int n) { sink += n; }\n"
		"__attribute__((noinline)) void whole(int n);\n"
		"void whole(int n) { inner(n); }\n"
		"int main(int argc, char **argv) { whole(argc); return 0; }\n";
	static const char *const commands[] = {
		"cd %s && gcc -O2 -g -o program source.c",
		"cd %s && gcc -O2 -g -o program source.c && printf '\\377\\377' >junk && "
		"objcopy --update-section .debug_abbrev=junk program",
	};
	char command[1024], path[TREE_PATH_BYTES], reason[PERF_REASON_BYTES];
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "source.c", source);
	tree_path(&tree, "program", path);
	for (size_t i = 0; i < 6; i++) {
		const bool finds = i % 3, keeps = i % 3 == 2, is_damaged = i >= 3;
		const struct names_location *location;
		struct named_place place;
		struct stack_file file;
		uint64_t offset = 0;

		snprintf(command, sizeof(command), commands[is_damaged], tree.path);
		assert_int_equal(system(command), 0);
		file = (struct stack_file){.kind = STACK_FILE,
					   .path = path,
					   .ino = 94,
					   .fd = open(path, O_RDONLY | O_CLOEXEC)};
		assert_int_equal(perf_symbol_find(path, "whole", &offset, reason), 0);
		begin_place(&place, &file, offset + 1);
		create_namer(&place, -1);
		if (keeps)
			assert_int_equal(namer_keep_inlined(place.namer, 1000000000, 10), 0);
		else if (finds)
			namer_find_inlined(place.namer);
		location = run_namer(&place);
		expect_function(&place, location, NAMES_NATIVE, "whole");
		assert_int_equal(location->inlined_count, finds && !is_damaged);
		assert_int_equal(place.names.inlined_lacks, finds && is_damaged);
		if (location->inlined_count) {
			const struct names_function *inlined =
				&place.names.functions[place.names.inlined[location->inlined]];

			assert_string_equal(names_text(&place.names, inlined->name), "inner");
			assert_int_equal(inlined->kind, NAMES_INLINED);
		}
		end_place(&place);
	}
	tree_destroy(&tree);
}

static void says_why_a_place_has_no_name(void **state)
{
	const struct stack_file files[] = {
		own_file(),
		{.kind = STACK_FILE, .path = "/lib/gone.so", .ino = 98, .fd = -1},
		{.kind = STACK_FILE, .path = "", .ino = 97, .fd = -1},
		{.kind = STACK_FILE,
		 .path = "/etc/passwd",
		 .ino = 96,
		 .fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC)},
		{.kind = STACK_ANONYMOUS, .path = "", .fd = -1},
		{.kind = STACK_VDSO, .path = "[vdso]", .fd = -1},
	};
	static const struct {
		const char *name;
		enum names_lack lack;
	} expected[] = {
		{"[program]", NAMES_NO_SYMBOL}, {"[gone.so]", NAMES_NOT_OPEN},
		{"[unknown]", NAMES_NOT_OPEN},	{"[passwd]", NAMES_NO_SYMBOLS},
		{"[unknown]", NAMES_NO_MAP},	{"[vdso]", NAMES_NO_SYMBOL},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const struct names_location *location;
		struct named_place place;

		begin_place(&place, &files[i], UINT64_C(1) << 60);
		location = name_place(&place, -1);
		expect_function(&place, location, NAMES_UNKNOWN, expected[i].name);
		assert_int_equal(location->lack, expected[i].lack);
		assert_int_equal(place.names.lacks[expected[i].lack], 1);
		end_place(&place);
	}
}

/* In any order, of two files and of the kernel: each has the name of its own place. */
static void names_many_places(void **state)
{
	enum { PLACES = 300, STEP = 0x10 };
	const struct stack_file file = own_file(), missing = {.path = "/lib/gone.so", .fd = -1};
	struct stack_frame frames[] = {{.at = 1}, {.at = 1}, {.at = 1}};
	struct buf kernel = {0};
	struct named_place place;
	char path[TREE_PATH_BYTES], name[32];
	struct tree tree;

	tree_create(&tree);
	for (int i = 0; i < PLACES; i++)
		buf_printf(&kernel, "%x T k%d\n", 0x10000 + i * STEP, i);
	tree_write_bytes(&tree, "kallsyms", kernel.data, kernel.len);
	tree_path(&tree, "kallsyms", path);
	begin_place(&place, &file, 1);
	assert_int_equal(stacks_add_file(&place.stacks, &missing, &frames[1].file), 0);
	for (int i = PLACES; i-- > 0;) {
		struct stack_row row = profiled_row(&place.stacks, 0, NULL, NULL, 1);

		frames[0].at = 0x10001 + (uint64_t)(i * 7 % PLACES * STEP);
		frames[1].at = (uint64_t)i;
		frames[2] = place.frame;
		assert_int_equal(stacks_add_part(&place.stacks, frames, 3, STACK_WHOLE, &row.user),
				 0);
		assert_int_equal(stacks_add_row(&place.stacks, &row), 0);
	}
	(void)name_place(&place, open(path, O_RDONLY | O_CLOEXEC));
	for (int i = 0; i < PLACES; i++) {
		frames[0].at = 0x10000 + (uint64_t)(i * STEP) + 1;
		snprintf(name, sizeof(name), "k%d", i);
		expect_function(&place, names_find(&place.names, &place.stacks, 0, &frames[0]),
				NAMES_KERNEL, name);
	}
	assert_int_equal(place.names.lacks[NAMES_FOUND], PLACES);
	assert_int_equal(place.names.lacks[NAMES_NOT_OPEN], PLACES);
	end_place(&place);
	buf_finish(&kernel);
	tree_destroy(&tree);
}

static int asked_error;

/* What the kernel would say of the addresses: one is not known to it. */
static int answer(const uint64_t *addresses, size_t count, struct symbol_table *table)
{
	struct symbol_collected all = {0};

	if (asked_error)
		return asked_error;
	for (size_t i = 0; i < count; i++)
		symbol_collect(&all, addresses[i], 1, "asked", 0);
	return symbol_collected_complete(&all, table);
}

/* It is asked, and if it does not answer all of its symbols are read. */
static void asks_the_kernel(void **state)
{
	static const int errors[] = {0, -ENOENT, -EPERM};

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		const struct names_location *location;
		struct named_place place;
		struct tree tree;
		char path[TREE_PATH_BYTES];

		tree_create(&tree);
		tree_write(&tree, "kallsyms", "1000 T read\n2000 T other\n");
		tree_path(&tree, "kallsyms", path);
		asked_error = errors[i];
		begin_place(&place, NULL, 0x1010);
		create_namer(&place, open(path, O_RDONLY | O_CLOEXEC));
		namer_ask_kernel(place.namer, answer);
		location = run_namer(&place);
		expect_function(&place, location, NAMES_KERNEL, errors[i] ? "read" : "asked");
		end_place(&place);
		tree_destroy(&tree);
	}
}

static void names_the_kernel(void **state)
{
	const struct names_location *location;
	struct named_place place;
	char path[TREE_PATH_BYTES];
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "kallsyms", "ffffffff81000100 T do_one\n");
	tree_path(&tree, "kallsyms", path);
	begin_place(&place, NULL, 0xffffffff81000101);
	location = name_place(&place, open(path, O_RDONLY | O_CLOEXEC));
	expect_function(&place, location, NAMES_KERNEL, "do_one");
	end_place(&place);
	begin_place(&place, NULL, 0xffffffff81000101);
	location = name_place(&place, -1);
	expect_function(&place, location, NAMES_UNKNOWN, "[kernel]");
	assert_int_equal(location->lack, NAMES_KERNEL_HIDDEN);
	end_place(&place);
	tree_destroy(&tree);
}

static void names_code_of_jit_compilers(void **state)
{
	const struct stack_file file = {.kind = STACK_ANONYMOUS, .path = "", .fd = -1};
	const struct names_location *location;
	struct named_place place;
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "tmp/perf-10.map", "1000 10 _ZN3abc3defEv\n");
	begin_place(&place, &file, 0x1008);
	place.stacks.processes[0].pid = getpid();
	place.stacks.processes[0].root_fd = open(tree.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	location = name_place(&place, -1);
	expect_function(&place, location, NAMES_JIT, "abc::def");
	end_place(&place);
	tree_destroy(&tree);
}

/* Those of a process have a budget: what is beyond it is an address, which is counted. */
static void bounds_names_of_jit_compilers(void **state)
{
	enum { LEN = 1000, COUNT = 2 * NAMER_PROCESS_BYTES_MAX / LEN, STEP = 0x10 };
	const struct stack_file file = {.kind = STACK_ANONYMOUS, .path = "", .fd = -1};
	struct named_place place;
	struct buf map = {0};
	struct tree tree;

	tree_create(&tree);
	for (int i = 0; i < COUNT; i++)
		buf_printf(&map, "%x 10 %0*d\n", 0x1000 + i * STEP, LEN, i);
	tree_write_bytes(&tree, "tmp/perf-10.map", map.data, map.len);
	begin_place(&place, &file, 0x1008);
	place.stacks.processes[0].pid = getpid();
	place.stacks.processes[0].root_fd = open(tree.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 1; i < COUNT; i++) {
		struct stack_row row = profiled_row(&place.stacks, 0, NULL, NULL, 1);

		place.frame.at = 0x1008 + (uint64_t)(i * STEP);
		assert_int_equal(
			stacks_add_part(&place.stacks, &place.frame, 1, STACK_WHOLE, &row.user), 0);
		assert_int_equal(stacks_add_row(&place.stacks, &row), 0);
	}
	(void)name_place(&place, -1);
	assert_in_range(place.names.texts.len, 1, NAMER_PROCESS_BYTES_MAX + 4 * LEN);
	assert_in_range(place.names.lacks[NAMES_FOUND], COUNT / 2 - 10, COUNT / 2 + 10);
	assert_int_equal(place.names.lacks[NAMES_NO_ROOM], COUNT - place.names.lacks[NAMES_FOUND]);
	end_place(&place);
	buf_finish(&map);
	tree_destroy(&tree);
}

static bool is_over(void *context)
{
	return ++*(int *)context > 0;
}

/* When it is over what has no name yet is named by its file, and it is said why. */
static void ends_when_it_is_asked_to(void **state)
{
	const struct stack_file file = own_file();
	const struct names_location *location;
	struct named_place place;
	int asked = 0;

	begin_place(&place, &file, 64);
	assert_int_equal(namer_create(&(const struct namer_sources){-1, -1, -1}, &place.namer), 0);
	namer_limit(place.namer, is_over, &asked);
	assert_int_equal(namer_run(place.namer, &place.stacks, &place.names), 0);
	location = names_find(&place.names, &place.stacks, 0, &place.frame);
	assert_int_equal(location->lack, NAMES_GIVEN_UP);
	expect_function(&place, location, NAMES_UNKNOWN, "[program]");
	assert_int_equal(asked, 1);
	assert_int_equal(place.names.lacks[NAMES_GIVEN_UP], place.names.locations_count);
	end_place(&place);
}

static bool is_second(void *context)
{
	return ++*(int *)context > 1;
}

/* Maps of JIT compilers, which cost the most, cost no file its names. */
static void names_files_first(void **state)
{
	const struct stack_file code = {.kind = STACK_ANONYMOUS, .path = "", .fd = -1};
	const struct stack_file file = own_file();
	char reason[PERF_REASON_BYTES];
	struct named_place place;
	struct stack_row row;
	int asked = 0;

	begin_place(&place, &code, 0x1008);
	assert_int_equal(perf_symbol_find("/proc/self/exe", "profile_namer_unit_function",
					  &place.frame.at, reason),
			 0);
	assert_int_equal(stacks_add_file(&place.stacks, &file, &place.frame.file), 0);
	row = profiled_row(&place.stacks, 0, NULL, NULL, 1);
	assert_int_equal(stacks_add_part(&place.stacks, &place.frame, 1, STACK_WHOLE, &row.user),
			 0);
	assert_int_equal(stacks_add_row(&place.stacks, &row), 0);
	create_namer(&place, -1);
	namer_limit(place.namer, is_second, &asked);
	expect_function(&place, run_namer(&place), NAMES_NATIVE, "profile_namer_unit_function");
	assert_int_equal(place.names.lacks[NAMES_GIVEN_UP], 1);
	end_place(&place);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_functions_of_files),
	cmocka_unit_test(finds_what_is_inlined),
	cmocka_unit_test(leaves_versions_of_symbols_out),
	cmocka_unit_test(says_why_a_place_has_no_name),
	cmocka_unit_test(names_many_places),
	cmocka_unit_test(asks_the_kernel),
	cmocka_unit_test(names_the_kernel),
	cmocka_unit_test(names_code_of_jit_compilers),
	cmocka_unit_test(bounds_names_of_jit_compilers),
	cmocka_unit_test(names_files_first),
	cmocka_unit_test(ends_when_it_is_asked_to),
};

UNIT_GROUP(tests);
