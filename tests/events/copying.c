/* SPDX-License-Identifier: MIT */
/* sendfile, splice, copy_file_range: both descriptors, offsets and sizes of 64 bits. */
#include <fcntl.h>
#include <stdlib.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { FILE_BYTES = 100 };

struct files {
	int from, to;
};

static struct files open_files(void)
{
	struct files files;

	fixture_file("from", FILE_BYTES);
	files.from = open("from", O_RDONLY);
	files.to = open("to", O_RDWR | O_CREAT, 0644);
	require(files.from > 0 && files.to > 0);
	return files;
}

static void close_files(const struct files *files)
{
	close(files->from);
	close(files->to);
}

static void check_sendfile(long to, long from, off_t *offset, long size, long ret, int64_t shown)
{
	expect_call(sendfile, ret, CALL(SYS_sendfile, to, from, offset, size), NUMBER(shown),
		    NUMBER((int)to), NUMBER((int)from), NUMBER(size));
}

LIVE_TEST(sendfile)
{
	struct files files = open_files();
	off_t offset = 3;

	check_sendfile(files.to, files.from, &offset, 40, 40, 43);
	check_sendfile(files.to, files.from, &offset, 1L << 33, FILE_BYTES - 43, FILE_BYTES);
	check_sendfile(files.to, files.from, NULL, 8, 8, 0);
	check_sendfile(files.to, files.from, UNREADABLE, 8, -EFAULT, 0);
	offset = -1;
	check_sendfile(files.to, files.from, &offset, 8, -EINVAL, -1);
	offset = 1L << 40;
	check_sendfile(0x100000000L + NO_FD, files.from, &offset, 5, -EBADF, 1L << 40);
	check_sendfile(files.to, -1, NULL, 0, -EBADF, 0);
	close_files(&files);
}

static void check_splice(long from, long to, long size, long flags, int64_t shown, long ret)
{
	expect_call(splice, ret, CALL(SYS_splice, from, NULL, to, NULL, size, flags),
		    NUMBER((int)from), NUMBER((int)to), NUMBER(size), NUMBER(shown));
}

LIVE_TEST(splice)
{
	struct files files = open_files();
	int fds[2];

	require(pipe(fds) == 0);
	check_splice(files.from, fds[1], 30, 0, 0, 30);
	check_splice(fds[0], files.to, 10, SPLICE_F_MOVE, splice_flags__SPLICE_F_MOVE, 10);
	check_splice(fds[0], files.to, 10, SPLICE_F_MORE, splice_flags__SPLICE_F_MORE, 10);
	check_splice(fds[0], files.to, 1L << 33, SPLICE_F_GIFT, splice_flags__SPLICE_F_GIFT, 10);
	check_splice(fds[0], files.to, 10, SPLICE_F_NONBLOCK, splice_flags__SPLICE_F_NONBLOCK,
		     -EAGAIN);
	check_splice(fds[0], files.to, 10, 0xffffffff, 0xf, -EINVAL);
	check_splice(files.from, files.to, 10, 0, 0, -EINVAL);
	check_splice(0x100000000L + NO_FD, -1, 10, 0, 0, -EBADF);
	close(fds[0]);
	close(fds[1]);
	close_files(&files);
}

static void check_copy(long from, void *from_offset, long to, void *to_offset, long size, long ret)
{
	expect_call(copy_file_range, ret,
		    CALL(SYS_copy_file_range, from, from_offset, to, to_offset, size, 0L),
		    NUMBER((int)to), NUMBER((intptr_t)to_offset), NUMBER((int)from),
		    NUMBER((intptr_t)from_offset), NUMBER(size));
}

LIVE_TEST(copy_file_range)
{
	struct files files = open_files();
	loff_t from_offset = 5, to_offset = 0;

	check_copy(files.from, &from_offset, files.to, &to_offset, 15, 15);
	check_copy(files.from, NULL, files.to, NULL, 8, 8);
	check_copy(files.from, UNREADABLE, files.to, NULL, 8, -EFAULT);
	check_copy(0x100000000L + NO_FD, &from_offset, files.to, NULL, 1L << 33, -EBADF);
	check_copy(files.from, NULL, -1, &to_offset, -1, -EBADF);
	close_files(&files);
}
