/* SPDX-License-Identifier: MIT */
/* Functions of TLS in files: the program of the test has some itself. */
#include "scap/tls/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "scap/tls/missed.h"
#include "unit.h"

int SSL_read(void *object, void *data, int bytes);
int SSL_write(void *object, const void *data, int bytes);

__attribute__((noinline)) int SSL_read(void *object, void *data, int bytes)
{
	return object ? 1 : bytes;
}

__attribute__((noinline)) int SSL_write(void *object, const void *data, int bytes)
{
	return object ? 2 : bytes + 1;
}

#ifdef __x86_64__
/* As compilers make them for branches that are tracked: with, and without something to save. */
__asm__(".globl SSL_clear, SSL_free\n"
	".type SSL_clear, @function\n"
	"SSL_clear: endbr64\n"
	"push %r12\n"
	"pop %r12\n"
	"ret\n"
	".type SSL_free, @function\n"
	"SSL_free: endbr64\n"
	"sub $8, %rsp\n"
	"add $8, %rsp\n"
	"ret\n");
void SSL_clear(void);
void SSL_free(void);
#endif

static const struct tls_place *place_of(const struct tls_library *library, const char *name)
{
	for (size_t i = 0; i < library->count; i++)
		if (strcmp(tls_functions[library->places[i].function].name, name) == 0)
			return &library->places[i];
	return NULL;
}

/* Where a function is in the file are its instructions, but for breakpoints in memory: of other
 * agents. */
static void expect_function(const struct tls_library *library, const char *name,
			    const void *function)
{
	const struct tls_place *place = place_of(library, name);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	enum { BREAKPOINT = 0xcc };
	const uint8_t *memory = function;
	uint8_t code[8];

	assert_non_null(place);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, code, sizeof(code), (off_t)place->offset), sizeof(code));
	for (size_t i = 0; i < sizeof(code); i++)
		assert_true(code[i] == memory[i] || memory[i] == BREAKPOINT);
	close(fd);
}

static void test_functions(void **state)
{
	char reason[PERF_REASON_BYTES];
	struct tls_library library;

	assert_int_equal(SSL_read(NULL, NULL, 3) + SSL_write(NULL, NULL, 3), 7);
	assert_int_equal(tls_library_read("/proc/self/exe", &library, reason), 0);
	expect_function(&library, "SSL_read", SSL_read);
	expect_function(&library, "SSL_write", SSL_write);
#ifdef __x86_64__
	expect_function(&library, "SSL_clear", (const char *)SSL_clear + 4);
	expect_function(&library, "SSL_free", (const void *)SSL_free);
	assert_int_equal(library.count, 4);
#else
	assert_int_equal(library.count, 2);
#endif
	assert_int_equal(tls_missed_look("/proc/self/exe"), TLS_MISSED_NONE);
}

static void test_others(void **state)
{
	char reason[PERF_REASON_BYTES];
	struct tls_library library;

	assert_int_equal(tls_library_read("/bin/true", &library, reason), -ENOENT);
	assert_int_equal(tls_library_read("/etc/passwd", &library, reason), -EBADMSG);
	assert_int_equal(tls_library_read("/dev/null", &library, reason), -EINVAL);
	assert_int_equal(tls_library_read("/nothing", &library, reason), -ENOENT);
	assert_int_equal(tls_missed_look("/bin/true"), TLS_MISSED_NONE);
	assert_int_equal(tls_missed_look("/nothing"), TLS_MISSED_NONE);
	assert_non_null(tls_missed_name(TLS_MISSED_GO));
}

/* A program with sections over the same hole, and names that are sound. */
static int open_crafted(char *path, uint32_t type, uint64_t hole)
{
	enum { TABLES = 6, NAMES = TABLES + 1, SECTIONS };
	Elf64_Shdr sections[SECTIONS] = {{0}};
	int fd = mkstemp(path), own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;

	assert_true(fd >= 0);
	assert_true(own >= 0);
	assert_int_equal(pread(own, &header, sizeof(header), 0), sizeof(header));
	close(own);
	header.e_shoff = sizeof(header);
	header.e_shnum = SECTIONS;
	header.e_phnum = 0;
	header.e_shstrndx = NAMES;
	for (size_t i = 1; i < SECTIONS; i++)
		sections[i] = (Elf64_Shdr){.sh_type = type,
					   .sh_flags = SHF_ALLOC,
					   .sh_offset = 4096,
					   .sh_size = hole,
					   .sh_entsize = sizeof(Elf64_Sym),
					   .sh_link = NAMES};
	sections[NAMES].sh_type = SHT_STRTAB;
	sections[NAMES].sh_offset = 4096;
	sections[NAMES].sh_size = 16;
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(pwrite(fd, sections, sizeof(sections), sizeof(header)), sizeof(sections));
	assert_int_equal(ftruncate(fd, (off_t)(4096 + hole)), 0);
	return fd;
}

/* The memory that a file takes does not grow with the number of its tables. */
static void test_memory(void **state)
{
	enum { HOLE = 48 << 20, BOUND_KB = 100 << 10 };
	char path[] = "/tmp/tls_library_XXXXXX", reason[PERF_REASON_BYTES];
	int fd = open_crafted(path, SHT_DYNSYM, HOLE);
	struct rusage before, after;
	struct tls_library library;

	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(tls_library_read(path, &library, reason), -ENOENT);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < BOUND_KB);
	close(fd);
	unlink(path);
}

/* Nor does that of a program which is looked through. */
static void test_memory_of_texts(void **state)
{
	enum { HOLE = 48 << 20, BOUND_KB = 150 << 10 };
	char path[] = "/tmp/tls_library_XXXXXX";
	int fd = open_crafted(path, SHT_STRTAB, HOLE);
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(tls_missed_look(path), TLS_MISSED_NONE);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < BOUND_KB);
	close(fd);
	unlink(path);
}

/* A program whose functions are at an address of a segment that has more bytes than the file. */
static int open_inflated(char *path, uint64_t address)
{
	static const char names[] = "\0SSL_read\0SSL_write";
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		Elf64_Shdr sections[3];
		Elf64_Sym symbols[2];
		char names[sizeof(names)];
	} made = {.segment = {.p_type = PT_LOAD,
			      .p_flags = PF_R | PF_X,
			      .p_filesz = 1ULL << 40,
			      .p_memsz = 1ULL << 40}};
	int fd = mkstemp(path), own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && own >= 0);
	assert_int_equal(pread(own, &made.header, sizeof(made.header), 0), sizeof(made.header));
	close(own);
	made.header.e_phoff = offsetof(typeof(made), segment);
	made.header.e_phnum = 1;
	made.header.e_shoff = offsetof(typeof(made), sections);
	made.header.e_shnum = 3;
	made.header.e_shstrndx = 0;
	made.sections[1] = (Elf64_Shdr){.sh_type = SHT_DYNSYM,
					.sh_offset = offsetof(typeof(made), symbols),
					.sh_size = sizeof(made.symbols),
					.sh_entsize = sizeof(Elf64_Sym),
					.sh_link = 2};
	made.sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
					.sh_offset = offsetof(typeof(made), names),
					.sh_size = sizeof(names)};
	for (size_t i = 0; i < 2; i++)
		made.symbols[i] = (Elf64_Sym){.st_name = i ? sizeof("_SSL_read") : 1,
					      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					      .st_shndx = 1,
					      .st_value = address};
	memcpy(made.names, names, sizeof(names));
	assert_int_equal(pwrite(fd, &made, sizeof(made), 0), sizeof(made));
	assert_int_equal(ftruncate(fd, 8192), 0);
	return fd;
}

/* No place is behind the end of its file, nor so near to it that the instruction is cut. */
static void test_inflated(void **state)
{
	static const struct {
		uint64_t address;
		int result;
	} cases[] = {{8192 - 16, 0}, {8192 - 15, -EBADMSG}, {8192, -EBADMSG}, {1 << 30, -EBADMSG}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char path[] = "/tmp/tls_library_XXXXXX", reason[PERF_REASON_BYTES];
		int fd = open_inflated(path, cases[i].address);
		struct tls_library library;

		assert_int_equal(tls_library_read(path, &library, reason), cases[i].result);
		assert_int_equal(library.count, cases[i].result ? 0 : 2);
		close(fd);
		unlink(path);
	}
}

static void test_names(void **state)
{
	assert_true(tls_library_is_name("/usr/lib/libssl.so.3"));
	assert_true(tls_library_is_name("/a/libssl-3e69114b.so.1.1.1k (deleted)"));
	assert_true(tls_library_is_name("libgnutls.so.30"));
	assert_false(tls_library_is_name("/libssl/libc.so.6"));
	assert_false(tls_library_is_name("[vdso]"));
	assert_false(tls_library_is_name(""));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_functions), cmocka_unit_test(test_others),
	cmocka_unit_test(test_memory),	  cmocka_unit_test(test_memory_of_texts),
	cmocka_unit_test(test_inflated),  cmocka_unit_test(test_names),
};

UNIT_GROUP(tests);
