/* SPDX-License-Identifier: MIT */
/*
 * Programs whose functions are inlined in one another in a known way, as two compilers say so in
 * three forms of debugging information; addr2line(1) is asked, too. Files that are damaged
 * anywhere.
 */
#include "scap/symbols/symbol_inlines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf/elf_file.h"
#include "perf/symbol.h"
#include "scap/symbols/dwarf_file.h"
#include "scap/symbols/symbol_elf.h"
#include "tree.h"
#include "unit.h"

/* Each does something of its own, before and behind what it calls. */
static const char source[] =
	"static volatile unsigned long sink;\n"
	"#define WORK(n) do sink = sink * (n) + 1; while (sink % (n))\n"
	"#define INLINED __attribute__((always_inline)) static inline\n"
	"INLINED void third(void) { WORK(3); }\n"
	"INLINED void second(void) { WORK(5); third(); WORK(7); }\n"
	"INLINED void first(void) { WORK(11); second(); WORK(13); }\n"
	"__attribute__((noinline)) void whole(void);\n"
	"void whole(void) { WORK(17); first(); WORK(19); third(); WORK(23); }\n"
	"__attribute__((noinline)) void other(void);\n"
	"void other(void) { WORK(29); second(); WORK(31); }\n"
	"int main(void) { whole(); other(); return 0; }\n";

/* Each function has more bytes. */
enum { PLACES = 200, CHAIN_BYTES = 128 };

static void run_in(const struct tree *tree, const char *command)
{
	char text[2048];

	snprintf(text, sizeof(text), "set -e; cd %s; %s", tree->path, command);
	assert_int_equal(system(text), 0);
}

static int open_in(const struct tree *tree, const char *name)
{
	char path[TREE_PATH_BYTES];

	tree_path(tree, name, path);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The places of a function: each byte from its begin on. */
static size_t places_of(const struct tree *tree, const char *program, const char *function,
			size_t count, uint64_t *places)
{
	char path[TREE_PATH_BYTES], reason[PERF_REASON_BYTES];

	tree_path(tree, program, path);
	assert_int_equal(perf_symbol_find(path, function, &places[0], reason), 0);
	for (size_t i = 1; i < count; i++)
		places[i] = places[0] + i;
	return count;
}

/* What is inlined at a place, the innermost first: "third,second,first". */
static const char *chain_of(const struct symbol_inlines *inlines, size_t place)
{
	static char text[CHAIN_BYTES];

	text[0] = '\0';
	for (uint32_t i = inlines->first[place]; i < inlines->first[place + 1]; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 text[0] ? "," : "",
			 inlines->texts + inlines->functions[inlines->of_places[i]]);
	return text;
}

/* Which of the chains that there are were found; any other fails. */
static unsigned int chains_of(const struct tree *tree, const char *program, int debug,
			      const char *function, const char *const *chains)
{
	uint64_t places[PLACES];
	size_t count = places_of(tree, program, function, PLACES, places);
	struct symbol_inlines inlines;
	int fd = open_in(tree, program);
	unsigned int found = 0;

	assert_int_equal(symbol_inlines_read(fd, debug, places, count, NULL, &inlines), 0);
	close(fd);
	for (size_t i = 0; i < count; i++) {
		const char *chain = chain_of(&inlines, i);
		unsigned int k = 0;

		while (chains[k] && strcmp(chains[k], chain) != 0)
			k++;
		if (!chains[k])
			fail_msg("%s: '%s' is inlined", program, chain);
		found |= 1u << k;
	}
	symbol_inlines_finish(&inlines);
	return found;
}

static const char *const in_whole[] = {"",	"first", "second,first", "third,second,first",
				       "third", NULL};

/* A byte of each is among them: those of `whole` itself, of `first`, `second`, .. */
static void expect_chains(const struct tree *tree, const char *program, int debug)
{
	unsigned int found = chains_of(tree, program, debug, "whole", in_whole);

	if ((found & 7) != 7)
		fail_msg("%s: only %x is found", program, found);
}

static void finds_what_compilers_say(void **state)
{
	static const char *const builds[] = {
		"gcc -g -gdwarf-5",
		"gcc -g -gdwarf-4",
		"gcc -g -gdwarf-3",
		"gcc -g -gdwarf64",
		"gcc -g -gz",
		"gcc -g -flto",
		"gcc -g -fdebug-types-section",
		"clang -g -gdwarf-5",
		"clang -g -gdwarf-4",
		"clang -gline-tables-only",
	};
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "source.c", source);
	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		char command[256], name[16];

		snprintf(name, sizeof(name), "program-%zu", i);
		snprintf(command, sizeof(command), "%s -O2 -o %s source.c", builds[i], name);
		run_in(&tree, command);
		expect_chains(&tree, name, -1);
	}
	tree_destroy(&tree);
}

/*
 * Linkers leave what they discard in the debugging information, at the address 0: it is longer than
 * what is in front of the code that is left. That is in two namespaces, deeper than what is inlined
 * in the other function.
 */
static void leaves_discarded_functions_out(void **state)
{
	static const char live[] =
		"static volatile unsigned long sink;\n"
		"__attribute__((always_inline)) static inline void inner() { sink = sink * 3 + 1; "
		"}\n"
		"namespace a { namespace b { __attribute__((noinline)) void live() {\n"
		"for (int i = 0; i < 9; i++) { REPEAT } } } }\n"
		"extern \"C\" void whole(); void whole() { a::b::live(); }\n"
		"int main() { whole(); return 0; }\n";
	static const char dead[] =
		"static volatile unsigned long sink;\n"
		"__attribute__((always_inline)) static inline void gone() { sink = sink * 7 + 1; "
		"}\n"
		"void dead() { REPEAT REPEAT REPEAT REPEAT REPEAT REPEAT REPEAT REPEAT REPEAT }\n";
	static const char *const orders[] = {"live.cc dead.cc", "dead.cc live.cc"};
	static const char *const compilers[] = {"g++", "clang++"};
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "live.cc", live);
	tree_write(&tree, "dead.cc", dead);
	run_in(&tree, "r() { for i in $(seq 60); do printf \"$1();\"; done; };"
		      "sed -i \"s/REPEAT/$(r inner)/\" live.cc;"
		      "sed -i \"s/REPEAT/$(r gone)/g\" dead.cc");
	for (size_t i = 0; i < 4; i++) {
		char command[512];
		uint64_t places[PLACES];
		struct symbol_inlines inlines;
		unsigned int found = 0;
		int fd;

		snprintf(command, sizeof(command),
			 "%s -O2 -g -ffunction-sections -Wl,--gc-sections -o program %s",
			 compilers[i / 2], orders[i % 2]);
		run_in(&tree, command);
		places_of(&tree, "program", "_ZN1a1b4liveEv", PLACES, places);
		fd = open_in(&tree, "program");
		assert_int_equal(symbol_inlines_read(fd, -1, places, PLACES, NULL, &inlines), 0);
		close(fd);
		for (size_t k = 0; k < PLACES; k++) {
			const char *chain = chain_of(&inlines, k);

			if (chain[0] && !strstr("inner _ZL5innerv", chain))
				fail_msg("%s: '%s' is inlined", command, chain);
			found += chain[0] != '\0';
		}
		assert_true(found > PLACES / 2);
		symbol_inlines_finish(&inlines);
	}
	tree_destroy(&tree);
}

/* The code of a function in a function is not in the range of that. */
static void looks_at_functions_in_functions(void **state)
{
	static const char nested[] =
		"static volatile int sink;\n"
		"__attribute__((always_inline)) static inline void inner(int n)\n"
		"{ while (sink % 7 != n) sink += n; }\n"
		"__attribute__((noinline)) int whole(int k);\n"
		"int whole(int k) {\n"
		"  { __attribute__((noinline)) int within(int n) { inner(n); return sink + k; }\n"
		"    int (*volatile f)(int) = within; return f(k) + f(k + 1); } }\n"
		"int main(int argc, char **argv) { return whole(argc); }\n";
	struct symbol_inlines inlines;
	uint64_t places[16];
	unsigned int found = 0;
	struct tree tree;
	int fd;

	tree_create(&tree);
	tree_write(&tree, "nested.c", nested);
	run_in(&tree, "gcc -O2 -g -Wl,-z,execstack -o program nested.c;"
		      "nm program | sed -n 's/.* \\(within[.0-9]*\\)$/\\1/p' >name;"
		      "objcopy --redefine-sym $(cat name)=within program");
	places_of(&tree, "program", "within", 16, places);
	fd = open_in(&tree, "program");
	assert_int_equal(symbol_inlines_read(fd, -1, places, 16, NULL, &inlines), 0);
	close(fd);
	for (size_t i = 0; i < 16; i++)
		found += strcmp(chain_of(&inlines, i), "inner") == 0;
	assert_true(found >= 8);
	symbol_inlines_finish(&inlines);
	tree_destroy(&tree);
}

/* The first entry of a unit has what is inlined, or that it is in another file. */
static void says_that_it_is_in_other_files(void **state)
{
	static const struct {
		const char *build;
		int r;
	} rows[] = {{"clang -g -gsplit-dwarf -fsplit-dwarf-inlining", 0},
		    {"gcc -g -gdwarf-5 -gsplit-dwarf", -EBADMSG},
		    {"gcc -g -gdwarf-4 -gsplit-dwarf", -EBADMSG}};
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "source.c", source);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct symbol_inlines inlines;
		uint64_t places[PLACES];
		char command[256];
		int fd;

		snprintf(command, sizeof(command), "%s -O2 -o program source.c", rows[i].build);
		run_in(&tree, command);
		places_of(&tree, "program", "whole", PLACES, places);
		fd = open_in(&tree, "program");
		assert_int_equal(symbol_inlines_read(fd, -1, places, PLACES, NULL, &inlines),
				 rows[i].r);
		close(fd);
		assert_true((inlines.first[PLACES] > 0) == (rows[i].r == 0));
		symbol_inlines_finish(&inlines);
	}
	tree_destroy(&tree);
}

/* Functions at an address as addr2line prints them: a name and a line of source for each. */
static void read_answer(FILE *answers, char chain[CHAIN_BYTES])
{
	char line[256], name[CHAIN_BYTES] = "", source_line[256];
	long at = ftell(answers);

	chain[0] = '\0';
	while (fgets(line, sizeof(line), answers) && strncmp(line, "0x", 2) != 0) {
		line[strcspn(line, "\n")] = '\0';
		if (name[0])
			snprintf(chain + strlen(chain), CHAIN_BYTES - strlen(chain), "%s%s",
				 chain[0] ? "," : "", name);
		snprintf(name, sizeof(name), "%.100s", line);
		assert_non_null(fgets(source_line, sizeof(source_line), answers));
		at = ftell(answers);
	}
	/* The next address. */
	fseek(answers, at, SEEK_SET);
}

static void agrees_with_addr2line(void **state)
{
	uint64_t places[PLACES];
	char line[64], chain[CHAIN_BYTES], path[TREE_PATH_BYTES];
	struct symbol_inlines inlines;
	struct tree tree;
	FILE *answers;
	int fd;

	tree_create(&tree);
	tree_write(&tree, "source.c", source);
	/* Addresses are as offsets. */
	run_in(&tree, "gcc -g -O2 -Wl,-z,noseparate-code -o program source.c;"
		      "a=0x$(nm program | awk '$3 == \"whole\" {print $1}');"
		      "for i in $(seq 0 199); do printf '%x\\n' $((a + i)); done |"
		      "addr2line -a -f -i -e program >answers");
	places_of(&tree, "program", "whole", PLACES, places);
	fd = open_in(&tree, "program");
	assert_int_equal(symbol_inlines_read(fd, -1, places, PLACES, NULL, &inlines), 0);
	close(fd);
	tree_path(&tree, "answers", path);
	answers = fopen(path, "re");
	assert_non_null(answers);
	for (size_t i = 0; i < PLACES; i++) {
		assert_non_null(fgets(line, sizeof(line), answers));
		read_answer(answers, chain);
		assert_string_equal(chain_of(&inlines, i), chain);
	}
	fclose(answers);
	symbol_inlines_finish(&inlines);
	tree_destroy(&tree);
}

static void reads_separate_files(void **state)
{
	struct symbol_inlines inlines;
	struct symbol_build_id id;
	char command[512] = "";
	struct tree tree;
	int fd, debug, separate;

	tree_create(&tree);
	tree_write(&tree, "source.c", source);
	run_in(&tree, "gcc -g -O2 -Wl,--build-id -o whole source.c; strip -g -o program whole");
	fd = open_in(&tree, "program");
	assert_int_equal(symbol_elf_build_id(fd, &id), 0);
	assert_int_equal(id.count, 20);
	sprintf(command, "mkdir -p ids/%02x; objcopy --only-keep-debug whole ids/%02x/",
		id.bytes[0], id.bytes[0]);
	for (unsigned int i = 1; i < id.count; i++)
		sprintf(command + strlen(command), "%02x", id.bytes[i]);
	strcat(command, ".debug");
	run_in(&tree, command);
	debug = open_in(&tree, "ids");
	expect_chains(&tree, "program", debug);
	separate = symbol_elf_open_separate(fd, debug);
	assert_true(separate >= 0);
	close(separate);
	assert_int_equal(symbol_elf_open_separate(fd, -1), -ENOENT);
	assert_int_equal(symbol_inlines_read(fd, -1, NULL, 0, NULL, &inlines), -ENOENT);
	/* One of another program is none. */
	run_in(&tree, "for f in ids/*/*; do cp /bin/true $f; done");
	assert_int_equal(symbol_elf_open_separate(fd, debug), -ENOENT);
	assert_int_equal(symbol_inlines_read(fd, debug, NULL, 0, NULL, &inlines), -ENOENT);
	close(debug);
	close(fd);
	tree_destroy(&tree);
}

/* It comes from the folder .dwz, and has the build id that is named. */
static void opens_what_files_share(void **state)
{
	static const struct {
		const char *link; /* the bytes behind it are a build id */
		int r;
	} rows[] = {{"/usr/lib/debug/.dwz/a/common", 0},
		    {"/usr/lib/debug/.dwz/a/nosuch", -ENOENT},
		    {"/usr/lib/debug/.dwz/../ids/secret", -ENOENT},
		    {"/usr/lib/debug/.dwz/a/program", -ENOENT}, /* another build id */
		    {"/tmp/common", -ENOENT}};
	struct dwarf_file file, shared;
	char command[1024];
	struct tree tree;
	int fd, debug;

	tree_create(&tree);
	tree_write(&tree, "source.c", source);
	run_in(&tree,
	       "mkdir -p .dwz/a ids; gcc -g -O2 -Wl,--build-id=0x12345678 -o program source.c;"
	       "gcc -g -O1 -Wl,--build-id=0x11223344 -o .dwz/a/common source.c;"
	       "cp program .dwz/a/program; cp .dwz/a/common ids/secret");
	debug = open_in(&tree, "ids");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(command, sizeof(command),
			 "printf '%s\\0\\021\\042\\063\\104' >link;"
			 "objcopy --add-section .gnu_debugaltlink=link program linked",
			 rows[i].link);
		run_in(&tree, command);
		fd = open_in(&tree, "linked");
		assert_int_equal(dwarf_file_open(fd, 1 << 20, &file), 0);
		if (dwarf_file_open_shared(&file, debug, 1 << 20, &shared) != rows[i].r)
			fail_msg("%s", rows[i].link);
		if (rows[i].r == 0)
			dwarf_file_close(&shared);
		dwarf_file_close(&file);
		close(fd);
	}
	fd = open_in(&tree, "program");
	assert_int_equal(dwarf_file_open(fd, 1 << 20, &file), 0);
	assert_int_equal(dwarf_file_open_shared(&file, debug, 1 << 20, &shared), -ENOENT);
	dwarf_file_close(&file);
	close(fd);
	close(debug);
	tree_destroy(&tree);
}

/* What is too large is not read into memory: neither as it is nor as it would be. */
static void refuses_large_sections(void **state)
{
	struct dwarf_file file;
	struct tree tree;
	int fd;

	tree_create(&tree);
	tree_write(&tree, "source.c", source);
	run_in(&tree, "gcc -g -O2 -o program source.c; gcc -g -O2 -gz -o packed source.c;"
		      "strip -o stripped program");
	fd = open_in(&tree, "program");
	assert_int_equal(dwarf_file_open(fd, 100, &file), -EFBIG);
	assert_int_equal(dwarf_file_open(fd, 1 << 20, &file), 0);
	assert_true(file.sections.list[DWARF_INFO].len > 100);
	dwarf_file_close(&file);
	close(fd);
	fd = open_in(&tree, "packed");
	assert_int_equal(dwarf_file_open(fd, 1 << 20, &file), 0);
	dwarf_file_close(&file);
	assert_int_equal(dwarf_file_open(fd, 500, &file), -EFBIG);
	close(fd);
	fd = open_in(&tree, "stripped");
	assert_int_equal(dwarf_file_open(fd, 1 << 20, &file), -ENOENT);
	close(fd);
	fd = open_in(&tree, "source.c");
	assert_int_equal(dwarf_file_open(fd, 1 << 20, &file), -ENOENT);
	close(fd);
	tree_destroy(&tree);
}

/* The sections of a program, in memory of their own, and the addresses of `whole`. */
struct copied_sections {
	struct dwarf_sections sections;
	uint8_t *copies[DWARF_SECTIONS];
	uint64_t addresses[PLACES];
};

static void copy_sections(const struct tree *tree, struct copied_sections *copied)
{
	struct perf_elf_segments segments;
	struct dwarf_file file;
	int fd;

	run_in(tree, "gcc -g -O2 -Wl,-z,noseparate-code -o program source.c");
	places_of(tree, "program", "whole", PLACES, copied->addresses);
	fd = open_in(tree, "program");
	assert_int_equal(dwarf_file_open(fd, 1 << 20, &file), 0);
	assert_int_equal(perf_elf_segments_read(file.elf, &segments), 0);
	copied->sections = file.sections;
	for (size_t i = 0; i < DWARF_SECTIONS; i++) {
		struct dwarf_section *section = &copied->sections.list[i];

		copied->copies[i] = malloc(section->len + 1);
		assert_non_null(copied->copies[i]);
		if (section->len)
			memcpy(copied->copies[i], section->bytes, section->len);
		section->bytes = copied->copies[i];
	}
	dwarf_file_close(&file);
	close(fd);
}

static int find_in_copies(struct copied_sections *copied, uint64_t steps,
			  const struct symbol_inlines_limit *limit, uint32_t *count)
{
	struct symbol_inlines inlines = {0};
	int r;

	copied->sections.steps_left = steps;
	r = symbol_inlines_find(&copied->sections, copied->addresses, PLACES, limit, &inlines);
	*count = inlines.first ? inlines.first[PLACES] : 0;
	for (size_t i = 0; inlines.first && i < PLACES; i++)
		(void)chain_of(&inlines, i);
	symbol_inlines_finish(&inlines);
	return r;
}

static bool is_over_at_once(void *context)
{
	return *(bool *)context;
}

/* The units again and again, each of which says the same. */
static void repeat_units(struct copied_sections *copied, size_t times)
{
	struct dwarf_section *info = &copied->sections.list[DWARF_INFO];
	uint8_t *repeated = malloc(info->len * times);

	assert_non_null(repeated);
	for (size_t i = 0; i < times; i++)
		memcpy(repeated + i * info->len, info->bytes, info->len);
	free(copied->copies[DWARF_INFO]);
	copied->copies[DWARF_INFO] = repeated;
	*info = (struct dwarf_section){repeated, info->len * times};
}

static void gives_up_in_time(void **state)
{
	enum { TIMES = 2000, STEPS = 64 << 20 };
	bool is_over = false;
	const struct symbol_inlines_limit limit = {is_over_at_once, &is_over};
	struct copied_sections copied;
	struct tree tree;
	uint32_t all, count;

	tree_create(&tree);
	tree_write(&tree, "source.c", source);
	copy_sections(&tree, &copied);
	assert_int_equal(find_in_copies(&copied, STEPS, &limit, &all), 0);
	assert_true(all > 60);
	for (uint64_t steps = 0; steps < 200; steps += 20)
		assert_int_equal(find_in_copies(&copied, steps, NULL, &count), -E2BIG);
	repeat_units(&copied, TIMES);
	assert_int_equal(find_in_copies(&copied, STEPS, &limit, &count), 0);
	assert_int_equal(count, all);
	is_over = true;
	assert_int_equal(find_in_copies(&copied, STEPS, &limit, &count), -E2BIG);
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		free(copied.copies[i]);
	tree_destroy(&tree);
}

/* Each byte as others would have it: it is damaged, or says something else, and ends. */
static void reads_what_is_damaged(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	static const enum dwarf_section_number changed[] = {DWARF_INFO, DWARF_ABBREV,
							    DWARF_RNGLISTS};
	struct copied_sections copied;
	unsigned int damaged = 0;
	struct tree tree;
	uint32_t count;

	tree_create(&tree);
	tree_write(&tree, "source.c", source);
	copy_sections(&tree, &copied);
	for (size_t k = 0; k < sizeof(changed) / sizeof(*changed); k++)
		for (size_t i = 0; i < copied.sections.list[changed[k]].len; i++) {
			uint8_t *byte = &copied.copies[changed[k]][i], was = *byte;

			for (size_t v = 0; v < sizeof(values); v++) {
				*byte = values[v];
				damaged += find_in_copies(&copied, 1 << 16, NULL, &count) != 0;
			}
			*byte = was;
		}
	assert_true(damaged > 100);
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		free(copied.copies[i]);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(leaves_discarded_functions_out),
	cmocka_unit_test(looks_at_functions_in_functions),
	cmocka_unit_test(says_that_it_is_in_other_files),
	cmocka_unit_test(finds_what_compilers_say),
	cmocka_unit_test(agrees_with_addr2line),
	cmocka_unit_test(opens_what_files_share),
	cmocka_unit_test(reads_separate_files),
	cmocka_unit_test(refuses_large_sections),
	cmocka_unit_test(gives_up_in_time),
	cmocka_unit_test(reads_what_is_damaged),
};

UNIT_GROUP(tests);
