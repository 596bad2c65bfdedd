/* SPDX-License-Identifier: MIT */
/* Records of the iterator, whole and corrupt, in reads of any size. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/event.h"
#include "open_fd.h"
#include "scap/live/iter.h"
#include "unit.h"
#include "util/buf.h"

enum { PID = 50, MANY = 20000 };

struct records {
	struct scap_proc *proc;
	struct buf bytes;
	struct scap_open_fds *open_fds;
};

static int setup(void **state)
{
	static struct records records;

	records = (struct records){0};
	*state = &records;
	return scap_proc_open("/proc", &records.proc, NULL);
}

static int teardown(void **state)
{
	struct records *records = *state;

	scap_open_fds_destroy(records->open_fds);
	scap_proc_close(records->proc);
	buf_finish(&records->bytes);
	return 0;
}

static void add(struct records *records, uint16_t kind, uint32_t num, const void *body,
		size_t bytes)
{
	const struct open_fd header = {
		.kind = kind,
		.bytes = (uint16_t)bytes,
		.pid = PID,
		.num = num,
		.flags = O_RDWR | O_CLOEXEC,
		.ino = 9,
		.dev = 8 << 20 | 1,
		.magic = EXT4_SUPER_MAGIC,
		.mode = S_IFREG,
	};

	buf_append(&records->bytes, (const char *)&header, sizeof(header));
	if (bytes)
		buf_append(&records->bytes, body, bytes);
}

static void add_file(struct records *records, uint32_t num, const char *path)
{
	add(records, OPEN_FD_FILE, num, path, strlen(path) + 1);
}

/* Sets a member of the last header, which may lie at any address. */
static void set(struct records *records, size_t offset, uint16_t value)
{
	char *header = records->bytes.data + records->bytes.len - sizeof(struct open_fd);

	memcpy(header + offset, &value, sizeof(value));
}

static void set_mode(struct records *records, uint16_t mode)
{
	set(records, offsetof(struct open_fd, mode), mode);
}

/* Makes what was added readable. */
static void begin(struct records *records)
{
	int fd = memfd_create("records", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, records->bytes.data, records->bytes.len), records->bytes.len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(scap_open_fds_create(fd, records->proc, &records->open_fds), 0);
}

static int next(struct records *records, struct scap_fd *fd)
{
	int64_t pid = 0;
	int r = scap_open_fds_next(records->open_fds, &pid, fd);

	if (r == 1)
		assert_int_equal(pid, PID);
	return r;
}

static void test_files(void **state)
{
	struct records *records = *state;
	struct scap_fd fd;

	add_file(records, 3, "/a/b");
	add_file(records, 4, "pipe:[9]");
	add_file(records, 5, "anon_inode:[eventpoll]");
	add(records, OPEN_FD_END, 0, NULL, 0);
	begin(records);
	assert_int_equal(next(records, &fd), 1);
	assert_int_equal(fd.num, 3);
	assert_int_equal(fd.type, SCAP_FD_FILE);
	assert_string_equal(fd.name, "/a/b");
	assert_int_equal(fd.ino, 9);
	assert_int_equal(fd.dev, 8 << 8 | 1);
	assert_int_equal(fd.flags, file_flags__O_RDWR | file_flags__O_CLOEXEC);
	assert_int_equal(next(records, &fd), 1);
	assert_int_equal(fd.type, SCAP_FD_PIPE);
	assert_int_equal(next(records, &fd), 1);
	assert_int_equal(fd.type, SCAP_FD_EPOLL);
	assert_int_equal(next(records, &fd), 0);
	assert_int_equal(next(records, &fd), 0);
}

static void test_modes(void **state)
{
	static const struct {
		uint16_t mode;
		enum scap_fd_type type;
	} rows[] = {
		{S_IFDIR | 0755, SCAP_FD_DIRECTORY},
		{S_IFIFO | 0600, SCAP_FD_PIPE},
		{S_IFCHR | 0600, SCAP_FD_FILE},
	};
	struct records *records = *state;
	struct scap_fd fd;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		add(records, OPEN_FD_FILE, 3, NULL, 0);
		set_mode(records, rows[i].mode);
		set(records, offsetof(struct open_fd, bytes), 2);
		buf_append(&records->bytes, "/", 2);
	}
	add(records, OPEN_FD_END, 0, NULL, 0);
	begin(records);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(next(records, &fd), 1);
		assert_int_equal(fd.type, rows[i].type);
	}
}

/* Many more than fit in one read. */
static void test_many(void **state)
{
	struct records *records = *state;
	struct scap_fd fd;

	for (uint32_t i = 0; i < MANY; i++)
		add_file(records, i, i % 2 ? "/odd" : "/even/number");
	add(records, OPEN_FD_END, 0, NULL, 0);
	begin(records);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(next(records, &fd), 1);
		assert_int_equal(fd.num, i);
		assert_string_equal(fd.name, i % 2 ? "/odd" : "/even/number");
	}
	assert_int_equal(next(records, &fd), 0);
}

static void test_sockets(void **state)
{
	struct records *records = *state;
	struct {
		struct open_fd_socket socket;
		char path[6];
	} unix_socket = {{.family = AF_UNIX, .type = SOCK_STREAM, .unix_bytes = 6}, "/sock"};
	struct scap_fd fd;

	add(records, OPEN_FD_SOCKET, 3, &unix_socket, sizeof(unix_socket.socket) + 6);
	add(records, OPEN_FD_END, 0, NULL, 0);
	begin(records);
	assert_int_equal(next(records, &fd), 1);
	assert_int_equal(fd.type, SCAP_FD_UNIX);
	assert_string_equal(fd.name, "/sock");
	assert_int_equal(fd.dev, 0);
	assert_int_equal(next(records, &fd), 0);
}

/* A descriptor that the kernel's program could not read, and no process has. */
static void test_unknown(void **state)
{
	struct records *records = *state;
	struct scap_fd fd;

	add(records, OPEN_FD_UNKNOWN, INT32_MAX, NULL, 0);
	add_file(records, 4, "/next");
	add(records, OPEN_FD_END, 0, NULL, 0);
	begin(records);
	assert_int_equal(next(records, &fd), 1);
	assert_int_equal(fd.num, 4);
}

static void expect_corrupt(struct records *records)
{
	struct scap_fd fd;

	begin(records);
	assert_int_equal(next(records, &fd), -EBADMSG);
	scap_open_fds_destroy(records->open_fds);
	records->open_fds = NULL;
	buf_clear(&records->bytes);
}

static void test_corrupt(void **state)
{
	struct records *records = *state;
	struct open_fd_socket socket = {.family = AF_UNIX, .unix_bytes = 20};
	char path[OPEN_FD_PATH_BYTES + 1] = "";

	expect_corrupt(records); /* no end */
	buf_append(&records->bytes, "short", 5);
	expect_corrupt(records);
	add(records, 0, 3, NULL, 0);
	expect_corrupt(records);
	add(records, OPEN_FD_UNKNOWN + 1, 3, NULL, 0);
	expect_corrupt(records);
	add(records, OPEN_FD_FILE, 3, NULL, 0);
	expect_corrupt(records);
	add(records, OPEN_FD_FILE, 3, "no NUL", 6);
	expect_corrupt(records);
	add(records, OPEN_FD_FILE, 3, "a\0b", 4);
	expect_corrupt(records);
	add(records, OPEN_FD_FILE, 3, path, sizeof(path));
	expect_corrupt(records);
	add_file(records, 3, "/truncated");
	records->bytes.len -= 3;
	expect_corrupt(records);
	add(records, OPEN_FD_SOCKET, 3, &socket, sizeof(socket) - 1);
	expect_corrupt(records);
	add(records, OPEN_FD_SOCKET, 3, &socket, sizeof(socket));
	expect_corrupt(records);
	add(records, OPEN_FD_UNKNOWN, 3, "x", 1);
	expect_corrupt(records);
	add(records, OPEN_FD_END, 3, "x", 1);
	expect_corrupt(records);
	add(records, OPEN_FD_END, 3, NULL, 0);
	add_file(records, 3, "/behind the end");
	expect_corrupt(records);
}

static void test_read_error(void **state)
{
	struct records *records = *state;
	struct scap_fd fd;

	assert_int_equal(scap_open_fds_create(open("/", O_RDONLY | O_CLOEXEC), records->proc,
					      &records->open_fds),
			 0);
	assert_int_equal(next(records, &fd), -EISDIR);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(test_files),   TEST(test_modes),	TEST(test_many),       TEST(test_sockets),
	TEST(test_unknown), TEST(test_corrupt), TEST(test_read_error),
};

UNIT_GROUP(tests);
