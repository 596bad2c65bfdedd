/* SPDX-License-Identifier: MIT */
/* Programs of Go, as far as their file says what they are: made here, right and with what others
 * may write. */
#include "scap/tls/go.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/tls/library.h"
#include "scap/tls/missed.h"
#include "unit.h"
#include "util/count.h"

enum { TEXT = 0x400000, FUNCTIONS = 3, FUNCTION_BYTES = 32, PLACE_OF_TEXT = 4096 };

static const char section_names[] = "\0.shstrtab\0.go.buildinfo\0.gopclntab";
static const char function_names[] =
	"crypto/tls.(*Conn).Read\0crypto/tls.(*Conn).Write\0crypto/tls.(*Conn).Close";

/* The file, with the table as Go 1.20 has it. */
struct program {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[4];
	char section_names[sizeof(section_names)];
	char info[32];
	struct lines {
		uint32_t magic;
		uint8_t zeros[2], quantum, pointer_bytes;
		uint64_t functions, files, text, names, units, file_table, pc_table, lines;
		char function_names[sizeof(function_names)];
		uint32_t entries[FUNCTIONS * 2 + 2];
		uint32_t of_functions[FUNCTIONS][2];
	} __attribute__((packed)) lines;
};

static uint64_t name_of(unsigned int function)
{
	const char *name = function_names;

	while (function--)
		name += strlen(name) + 1;
	return (uint64_t)(name - function_names);
}

static struct lines made_lines(void)
{
	struct lines lines = {
		.magic = 0xfffffff1,
		.quantum = 1,
		.pointer_bytes = 8,
		.functions = FUNCTIONS,
		.text = TEXT,
		.names = offsetof(struct lines, function_names),
		.units = offsetof(struct lines, function_names) + sizeof(function_names),
		.lines = offsetof(struct lines, entries),
	};

	memcpy(lines.function_names, function_names, sizeof(function_names));
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		lines.entries[2 * i] = i * FUNCTION_BYTES;
		lines.entries[2 * i + 1] =
			(uint32_t)(offsetof(struct lines, of_functions) - lines.lines + i * 8);
		lines.of_functions[i][1] = (uint32_t)name_of(i);
	}
	lines.entries[2 * FUNCTIONS] = FUNCTIONS * FUNCTION_BYTES;
	return lines;
}

static struct program made_program(void)
{
	struct program made = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_ehsize = sizeof(Elf64_Ehdr),
			   .e_phoff = offsetof(struct program, segment),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 1,
			   .e_shoff = offsetof(struct program, sections),
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = 4,
			   .e_shstrndx = 1},
		.segment = {.p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_offset = PLACE_OF_TEXT,
			    .p_vaddr = TEXT,
			    .p_filesz = 4096,
			    .p_memsz = 4096},
		.sections = {[1] = {.sh_name = 1,
				    .sh_type = SHT_STRTAB,
				    .sh_offset = offsetof(struct program, section_names),
				    .sh_size = sizeof(section_names)},
			     [2] = {.sh_name = sizeof("\0.shstrtab"),
				    .sh_type = SHT_PROGBITS,
				    .sh_offset = offsetof(struct program, info),
				    .sh_size = sizeof(made.info)},
			     [3] = {.sh_name = sizeof("\0.shstrtab\0.go.buildinfo"),
				    .sh_type = SHT_PROGBITS,
				    .sh_offset = offsetof(struct program, lines),
				    .sh_size = sizeof(made.lines)}},
		.info = "\xff Go buildinf:\x08\x02",
		.lines = made_lines(),
	};

	memcpy(made.section_names, section_names, sizeof(section_names));
	return made;
}

/* What a function of so many bytes has: its begin, and two returns. */
static void put_code(uint8_t code[FUNCTION_BYTES])
{
	static const uint8_t begin[] = {0x49, 0x3b, 0x66, 0x10, 0x76, 2, 0xc3, 0xc3};

	memset(code, 0xcc, FUNCTION_BYTES);
	memcpy(code, begin, sizeof(begin));
}

/* Reads it, with this code of each function. Returns what tls_library_read() does. */
static int read_program(const struct program *made, const uint8_t code[FUNCTION_BYTES],
			struct tls_library *library)
{
	char path[] = "/tmp/tls_go_XXXXXX", reason[PERF_REASON_BYTES];
	int fd = mkstemp(path), r;

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, made, sizeof(*made), 0), sizeof(*made));
	for (int i = 0; i < FUNCTIONS; i++)
		assert_int_equal(
			pwrite(fd, code, FUNCTION_BYTES, PLACE_OF_TEXT + i * FUNCTION_BYTES),
			FUNCTION_BYTES);
	assert_int_equal(ftruncate(fd, 2L * PLACE_OF_TEXT), 0);
	r = tls_library_read(path, library, reason);
	close(fd);
	unlink(path);
	return r;
}

#ifdef __x86_64__
static void test_program(void **state)
{
	struct program made = made_program();
	uint8_t code[FUNCTION_BYTES];
	struct tls_library library;

	put_code(code);
	assert_int_equal(read_program(&made, code, &library), 0);
	assert_int_equal(library.count, FUNCTIONS + 4);
	for (size_t i = 0; i < library.count; i++) {
		const struct tls_place *place = &library.places[i];

		assert_true(tls_functions[place->function].is_go);
		/* Of Read and Write the returns, too; of all behind the comparison of the stack. */
		assert_int_equal((place->offset - PLACE_OF_TEXT) % FUNCTION_BYTES,
				 place->is_end ? 5 + i % 3 : 4);
	}
	/* It has too little stack to call anything, or is not Go's. */
	code[0] = 0x48;
	assert_int_equal(read_program(&made, code, &library), -EBADMSG);
	/* An instruction behind its begin is not known. */
	put_code(code);
	code[FUNCTION_BYTES - 1] = 0x06;
	assert_int_equal(read_program(&made, code, &library), -EBADMSG);
}

static void test_entry(void **state)
{
	static const uint8_t large[] = {0x4c, 0x8d, 0x64, 0x24, 0xc8, 0x4d,
					0x3b, 0x66, 0x10, 0x0f, 0x86};

	assert_int_equal(tls_go_entry(large, sizeof(large)), 9);
	assert_int_equal(tls_go_entry(large, sizeof(large) - 2), -ENOENT);
}
#else
static void test_program(void **state)
{
	struct program made = made_program();
	uint8_t code[FUNCTION_BYTES];
	struct tls_library library;

	put_code(code);
	assert_int_equal(read_program(&made, code, &library), -ENOENT);
}

static void test_entry(void **state)
{
	assert_int_equal(tls_go_entry((const uint8_t *)"", 1), -ENOENT);
}
#endif

/* Calls functions of the program as it is, in memory. */
static void find(struct program *made, struct tls_go_function *functions, bool *is_program)
{
	uint64_t left = sizeof(*made) * 4;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)made, sizeof(*made));
	assert_non_null(elf);
	*is_program = tls_go_is_program(elf, &left);
	tls_go_find(elf, functions, FUNCTIONS, &left);
	elf_end(elf);
}

static void test_functions(void **state)
{
	struct program made = made_program();
	bool is_program;

	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		struct tls_go_function functions[FUNCTIONS] = {{function_names + name_of(i), 0, 0},
							       {"Conn).Read", 7, 8},
							       {"nothing", 0, 0}};

		find(&made, functions, &is_program);
		assert_true(is_program);
		assert_int_equal(functions[0].address, TEXT + i * FUNCTION_BYTES);
		assert_int_equal(functions[0].bytes, FUNCTION_BYTES);
		/* A part of a name is none. */
		assert_int_equal(functions[1].address, 7);
		assert_int_equal(functions[2].address, 0);
	}
}

/* Each byte of the table with any other value: it is read within its bounds. */
static void test_damaged(void **state)
{
	const struct program whole = made_program();

	for (size_t i = 0; i < sizeof(whole.lines); i++)
		for (unsigned int bit = 0; bit < 8; bit++) {
			struct program made = whole;
			struct tls_go_function functions[FUNCTIONS] = {
				{function_names, 0, 0}, {"a", 0, 0}, {"b", 0, 0}};
			bool is_program;

			((uint8_t *)&made.lines)[i] ^= (uint8_t)(1 << bit);
			find(&made, functions, &is_program);
			assert_true(functions[0].bytes <= 1 << 16);
		}
}

static void test_others(void **state)
{
	struct program made = made_program();
	struct tls_go_function functions[FUNCTIONS] = {
		{function_names, 0, 0}, {"a", 0, 0}, {"b", 0, 0}};
	bool is_program;

	/* Go 1.17 and before. */
	made.info[15] = 0;
	made.lines.magic = 0xfffffffa;
	find(&made, functions, &is_program);
	assert_false(is_program);
	assert_int_equal(functions[0].address, 0);
	/* Go 1.26: it is not known where functions are. */
	made = made_program();
	made.lines.text = 0;
	find(&made, functions, &is_program);
	assert_true(is_program);
	assert_int_equal(functions[0].address, 0);
}

static void test_sections(void **state)
{
	struct program made = made_program();
	uint64_t left = sizeof(made);
	GElf_Shdr header;
	Elf_Data *data;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)&made, sizeof(made));
	data = tls_section_find(elf, ".go.buildinfo", &left);
	assert_non_null(data);
	assert_int_equal(data->d_size, sizeof(made.info));
	assert_null(tls_section_find(elf, ".none", &left));
	data = tls_section_read(elf_getscn(elf, 1), &header, &left);
	assert_true(tls_section_is_names(data));
	assert_false(tls_section_is_names(NULL));
	left = 1;
	assert_null(tls_section_read(elf_getscn(elf, 2), &header, &left));
	elf_end(elf);
}

static enum tls_missed look(const struct program *made)
{
	char path[] = "/tmp/tls_go_XXXXXX";
	int fd = mkstemp(path);
	enum tls_missed missed;

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, made, sizeof(*made), 0), sizeof(*made));
	missed = tls_missed_look(path);
	close(fd);
	unlink(path);
	return missed;
}

/* Programs whose plaintext cannot be had say so: Go as its code is not here, others by names. */
static void test_missed(void **state)
{
	static const struct {
		char names[sizeof(section_names)];
		enum tls_missed missed;
	} cases[] = {{"\0none\0SSL_ImportFD", TLS_MISSED_NSS},
		     {"\0none\0JLI_Launch", TLS_MISSED_JAVA},
		     {"\0none\0libssl.so.3\0SSL_ImportFD", TLS_MISSED_NONE},
		     {"\0none", TLS_MISSED_NONE}};
	struct program made = made_program();

	assert_int_equal(look(&made), TLS_MISSED_GO);
	for (size_t i = 0; i < COUNT(cases); i++) {
		made = made_program();
		made.sections[1].sh_flags = SHF_ALLOC;
		memcpy(made.section_names, cases[i].names, sizeof(made.section_names));
		assert_int_equal(look(&made), cases[i].missed);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_missed),	 cmocka_unit_test(test_program),
	cmocka_unit_test(test_entry),	 cmocka_unit_test(test_functions),
	cmocka_unit_test(test_damaged),	 cmocka_unit_test(test_others),
	cmocka_unit_test(test_sections),
};

UNIT_GROUP(tests);
