/* SPDX-License-Identifier: MIT */
/* Static probes, in this program: each is an instruction of one byte, or of four. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf/elf_file.h"
#include "perf/usdt.h"
#include "unit.h"

/* As <sys/sdt.h> counts who watches. */
volatile unsigned short unit_semaphore __attribute__((section(".probes"))) = 0x5a17;

#define PROBE(name, semaphore, args)                                                               \
	__asm__ volatile(                                                                          \
		"990: nop\n"                                                                       \
		".pushsection .note.stapsdt, \"\", \"note\"\n"                                     \
		".balign 4\n"                                                                      \
		".4byte 992f - 991f, 994f - 993f, 3\n"                                             \
		"991: .asciz \"stapsdt\"\n"                                                        \
		"992: .balign 4\n"                                                                 \
		"993: .8byte 990b, _.stapsdt.base, " semaphore "\n"                                \
		".asciz \"unit\"\n"                                                                \
		".asciz \"" name "\"\n"                                                            \
		".asciz \"" args "\"\n"                                                            \
		"994: .balign 4\n"                                                                 \
		".popsection\n"                                                                    \
		".ifndef _.stapsdt.base\n"                                                         \
		".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"        \
		".weak _.stapsdt.base\n"                                                           \
		".hidden _.stapsdt.base\n"                                                         \
		"_.stapsdt.base: .space 1\n"                                                       \
		".popsection\n"                                                                    \
		".endif")

static void has_probes(void)
{
	PROBE("twice", "unit_semaphore", "");
	PROBE("twice", "unit_semaphore", "");
	PROBE("plain", "0", "8@$7 -4@$9");
}

struct places {
	uint64_t offsets[4], semaphores[4];
	char args[32]; /* of the last one */
	size_t count;
	int result;
};

static int note_place(void *context, uint64_t offset, uint64_t semaphore, const char *args)
{
	struct places *places = context;

	snprintf(places->args, sizeof(places->args), "%s", args);
	places->offsets[places->count] = offset;
	places->semaphores[places->count++] = semaphore;
	return places->result;
}

static void find(const char *name, struct places *places)
{
	char reason[PERF_REASON_BYTES] = "";
	int r = perf_usdt_find("/proc/self/exe", "unit", name, note_place, places, reason);

	assert_string_equal(reason, "");
	assert_int_equal(r, places->result);
}

static void read_at(uint64_t offset, void *bytes, size_t len)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, bytes, len, (off_t)offset), len);
	close(fd);
}

static void finds_each_place(void **state)
{
	struct places twice = {.count = 0}, plain = {.count = 0}, ended = {.result = 7};
	unsigned char first[4], second[4];
	unsigned short semaphore;

	has_probes();
	find("twice", &twice);
	assert_int_equal(twice.count, 2);
	assert_true(twice.offsets[1] > twice.offsets[0]);
	read_at(twice.offsets[0], first, sizeof(first));
	read_at(twice.offsets[1], second, sizeof(second));
	assert_int_equal(first[0], second[0]);
	read_at(twice.semaphores[0], &semaphore, sizeof(semaphore));
	assert_int_equal(semaphore, 0x5a17);
	assert_int_equal(unit_semaphore, 0x5a17);
	find("plain", &plain);
	assert_int_equal(plain.count, 1);
	assert_int_equal(plain.semaphores[0], 0);
	assert_string_equal(plain.args, "8@$7 -4@$9");
	assert_string_equal(twice.args, "");
	/* A visit ends the search. */
	find("twice", &ended);
	assert_int_equal(ended.count, 1);
}

static void check_failure(const char *path, const char *provider, const char *name, int error,
			  const char *expected)
{
	char reason[PERF_REASON_BYTES] = "";
	struct places places = {.count = 0};

	assert_int_equal(perf_usdt_find(path, provider, name, note_place, &places, reason), error);
	assert_string_equal(reason, expected);
	assert_int_equal(places.count, 0);
}

static void says_why_it_finds_nothing(void **state)
{
	static const char exe[] = "/proc/self/exe";

	check_failure(exe, "unit", "twcie", -ENOENT, "no such static probe; did you mean 'twice'?");
	check_failure(exe, "unti", "twice", -ENOENT, "no such static probe");
	check_failure("/bin/true", "unit", "twice", -ENOENT, "it has no static probes");
	check_failure("/nonexistent", "unit", "twice", -ENOENT, "No such file or directory");
	check_failure("/", "unit", "twice", -EINVAL, "it is no regular file");
}

static void converts_addresses(void **state)
{
	char reason[PERF_REASON_BYTES];
	struct perf_elf_segments segments;
	struct perf_elf file;
	uint64_t offset = 42;

	assert_int_equal(perf_elf_open(&file, "/proc/self/exe", reason), 0);
	assert_int_equal(perf_elf_segments_read(file.elf, &segments), 0);
	assert_int_equal(perf_elf_offset(&segments, UINT64_MAX, &offset), -EBADMSG);
	assert_int_equal(offset, 42);
	/* The head of the file is loaded first. */
	assert_int_equal(perf_elf_offset(&segments, 16, &offset), 0);
	assert_int_equal(offset, 16);
	perf_elf_close(&file);
	assert_int_equal(perf_elf_fail(reason, -EIO, "%d of %s", 1, "x"), -EIO);
	assert_string_equal(reason, "1 of x");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_each_place),
	cmocka_unit_test(says_why_it_finds_nothing),
	cmocka_unit_test(converts_addresses),
};

UNIT_GROUP(tests);
