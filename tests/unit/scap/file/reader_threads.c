/* SPDX-License-Identifier: MIT */
/* Lists of processes of all nine versions, and their ends of all lengths. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "snapshot.h"
#include "unit.h"

static const struct {
	uint32_t block;
	int version;
} process_blocks[] = {
	{0x202, 1}, {0x207, 2}, {0x209, 3}, {0x210, 4},	     {0x211, 5},      {0x212, 6},
	{0x213, 7}, {0x214, 8}, {0x215, 9}, {0x8000abcd, 1}, {0x8013abcd, 2}, {0x8014abcd, 3},
};

/* The fields of a version, without those at the end of the last one. */
static void put_thread(int version)
{
	capture_u64(&capture, 10);
	capture_u64(&capture, 11);
	capture_u64(&capture, 12);
	if (version >= 6)
		capture_u64(&capture, 13);
	if (version >= 8)
		capture_u64(&capture, 14);
	capture_string(&capture, "comm");
	capture_string(&capture, "exe");
	if (version >= 7)
		capture_string(&capture, "/bin/exe");
	capture_u16(&capture, 4); /* the last NUL is missing */
	capture_bytes(&capture, "a\0bc", 4);
	capture_string(&capture, "/cwd");
	capture_u64(&capture, 1024);
	capture_u32(&capture, 0x2001);
	capture_u32(&capture, 1000);
	capture_u32(&capture, 100);
	if (version >= 2) {
		for (uint32_t i = 21; i <= 23; i++)
			capture_u32(&capture, i);
		capture_u64(&capture, 24);
		capture_u64(&capture, 25);
	}
	if (version >= 3) {
		capture_u16(&capture, 4);
		capture_bytes(&capture, "E=1", 4);
	}
	if (version >= 4) {
		capture_u64(&capture, 31);
		capture_u64(&capture, 32);
		capture_u16(&capture, 5);
		capture_bytes(&capture, "cpu=", 5);
	}
	if (version >= 5)
		capture_string(&capture, "/root");
}

static int print_thread(char *text, size_t size, int version, const char *pgid, const char *tail)
{
	return snprintf(text, size,
			"thread tid=10 pid=11 ptid=12 sid=%s vpgid=%s pgid=%s vtid=%s vpid=%s "
			"comm=comm exe=exe exepath=%s cwd=/cwd root=%s args=a|bc| env=%s "
			"cgroups=%s limit=1024 flags=2001 uid=1000 gid=100 vm=%s faults=%s %s\n",
			version >= 6 ? "13" : "-1", version >= 8 ? "14" : "-1", pgid,
			version >= 4 ? "31" : "-1", version >= 4 ? "32" : "-1",
			version >= 7 ? "/bin/exe" : "", version >= 5 ? "/root" : "",
			version >= 3 ? "E=1|" : "", version >= 4 ? "cpu=|" : "",
			version >= 2 ? "21,22,23" : "0,0,0", version >= 2 ? "24,25" : "0,0", tail);
}

#define NO_TAIL "pidns=0 tty=0 login=-1 exe_flags=0 caps=0,0,0 exe_file=0,0,0"

static void test_processes_of_all_versions(void **state)
{
	char text[8192];
	int n = 0;

	for (size_t i = 0; i < sizeof(process_blocks) / sizeof(*process_blocks); i++) {
		int version = process_blocks[i].version;

		capture_block_begin(&capture, process_blocks[i].block);
		for (int j = 0; j < 2; j++) {
			size_t at = version == 9 ? capture_entry_begin(&capture) : 0;

			put_thread(version);
			if (version == 9)
				capture_entry_end(&capture, at, true);
			n += print_thread(text + n, sizeof(text) - (size_t)n, version, "-1",
					  NO_TAIL);
		}
		capture_block_end(&capture);
	}
	expect_whole(text);
}

/* The fields at the end of the last version: with how many bytes each ends, and what is reported.
 */
static const struct {
	size_t bytes;
	const char *pgid, *text;
} tails[] = {
	/* The first two are there only if there is more than the old ones would take. */
	{4, "-1", "pidns=0 tty=0 login=7 exe_flags=0 caps=0,0,0 exe_file=0,0,0"},
	{5, "-1", "pidns=0 tty=0 login=7 exe_flags=1 caps=0,0,0 exe_file=0,0,0"},
	{29, "-1", "pidns=0 tty=0 login=7 exe_flags=1 caps=a1,a2,a3 exe_file=0,0,0"},
	{41, "-1", "pidns=41 tty=42 login=7 exe_flags=1 caps=a1,a2,a3 exe_file=0,0,0"},
	{42, "-1", "pidns=41 tty=42 login=7 exe_flags=3 caps=a1,a2,a3 exe_file=0,0,0"},
	{66, "-1", "pidns=41 tty=42 login=7 exe_flags=3 caps=a1,a2,a3 exe_file=51,52,53"},
	{67, "-1", "pidns=41 tty=42 login=7 exe_flags=7 caps=a1,a2,a3 exe_file=51,52,53"},
	{68, "-1", "pidns=41 tty=42 login=7 exe_flags=f caps=a1,a2,a3 exe_file=51,52,53"},
	{76, "60", "pidns=41 tty=42 login=7 exe_flags=f caps=a1,a2,a3 exe_file=51,52,53"},
	{83, "60", "pidns=41 tty=42 login=7 exe_flags=f caps=a1,a2,a3 exe_file=51,52,53"},
};

static void put_tail(size_t bytes)
{
	size_t end = capture.bytes.len + bytes;

	if (bytes > 29) {
		capture_u64(&capture, 41);
		capture_u32(&capture, 42);
	}
	capture_u32(&capture, 7);
	capture_u8(&capture, 1);
	for (uint64_t i = 0xa1; i <= 0xa3; i++)
		capture_u64(&capture, i);
	capture_u8(&capture, 1);
	for (uint64_t i = 51; i <= 53; i++)
		capture_u64(&capture, i);
	capture_u8(&capture, 1);
	capture_u8(&capture, 1);
	capture_u64(&capture, 60);
	capture_u64(&capture, 0); /* of the future */
	capture.bytes.len = end;
}

static void test_process_tails(void **state)
{
	char text[8192];
	int n = 0;

	capture_block_begin(&capture, 0x215);
	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		size_t at = capture_entry_begin(&capture);

		put_thread(9);
		put_tail(tails[i].bytes);
		capture_entry_end(&capture, at, true);
		n += print_thread(text + n, sizeof(text) - (size_t)n, 9, tails[i].pgid,
				  tails[i].text);
	}
	capture_block_end(&capture);
	expect_whole(text);
}

/* The kernel's names have 15 bytes; strings of 65535 bytes are read. */
static void test_long_strings(void **state)
{
	static char text[65536];

	memset(text, 'x', sizeof(text) - 1);
	capture_block_begin(&capture, 0x202);
	for (int i = 0; i < 3; i++)
		capture_u64(&capture, 10);
	for (int i = 0; i < 4; i++)
		capture_string(&capture, text);
	capture_u64(&capture, 1024);
	for (int i = 0; i < 3; i++)
		capture_u32(&capture, 0);
	capture_block_end(&capture);
	capture_close_event(&capture, 0x216, 0, 5);
	assert_int_equal(capture_read(capture.bytes.data, capture.bytes.len, &transcript).code,
			 -ENODATA);
	assert_int_equal(transcript.threads, 1);
	assert_non_null(strstr(transcript_text(&transcript), "comm=xxxxxxxxxxxxxxx exe=x"));
	assert_true(transcript.text.len > 3 * 65535);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, snapshot_setup, snapshot_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_processes_of_all_versions),
	TEST(test_process_tails),
	TEST(test_long_strings),
};

UNIT_GROUP(tests);
