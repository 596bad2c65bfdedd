/* SPDX-License-Identifier: MIT */
/*
 * A 32-bit program without a C library, for the test that it is captured as others are. It makes
 * files and calls of every kind of argument, and in the end becomes itself again, to leave with 7.
 */
enum {
	NR_EXIT = 1,
	NR_WRITE = 4,
	NR_OPEN = 5,
	NR_CLOSE = 6,
	NR_CREAT = 8,
	NR_UNLINK = 10,
	NR_EXECVE = 11,
	NR_GETGROUPS16 = 80,
	NR_SOCKETCALL = 102,
	NR_READV = 145,
	NR_NANOSLEEP = 162,
	NR_PREAD64 = 180,
};

enum { SOCKET = 1, CONNECT = 3, UNIX = 1, STREAM = 1 };

static long call(long number, long a, long b, long c, long d, long e)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
			 : "memory");
	return ret;
}

static const char text[] = "hello from 32 bits\n";
static char room[32];

static void use_files(void)
{
	const struct {
		char *base;
		unsigned long len;
	} vector[] = {{room, 5}, {room + 5, sizeof(room) - 5}};
	long fd;

	call(NR_OPEN, (long)"no/such", 0, 0, 0, 0);
	fd = call(NR_CREAT, (long)"made", 0640, 0, 0, 0);
	call(NR_WRITE, fd, (long)text, sizeof(text) - 1, 0, 0);
	call(NR_CLOSE, fd, 0, 0, 0, 0);
	fd = call(NR_OPEN, (long)"made", 0, 0, 0, 0);
	call(NR_READV, fd, (long)vector, 2, 0, 0);
	/* The position is in two registers: 1 + (2 << 32), after the end. */
	call(NR_PREAD64, fd, (long)room, sizeof(room), 1, 2);
	call(NR_CLOSE, fd, 0, 0, 0, 0);
	call(NR_UNLINK, (long)"made", 0, 0, 0, 0);
}

static void use_socket(void)
{
	static const struct {
		unsigned short family;
		char path[16];
	} address = {UNIX, "nobody/listens"};
	const long socket[] = {UNIX, STREAM, 0};
	long fd = call(NR_SOCKETCALL, SOCKET, (long)socket, 0, 0, 0);
	const long connect[] = {fd, (long)&address, sizeof(address)};

	call(NR_SOCKETCALL, CONNECT, (long)connect, 0, 0, 0);
	call(NR_CLOSE, fd, 0, 0, 0, 0);
}

void run(long argc)
{
	const char *const arguments[] = {"again", "and again", 0};
	const char *const environment[] = {"BITS=32", 0};
	const long short_time[] = {0, 5};

	if (argc == 2)
		call(NR_EXIT, 7, 0, 0, 0, 0);
	use_files();
	use_socket();
	call(NR_NANOSLEEP, (long)short_time, 0, 0, 0, 0);
	call(NR_GETGROUPS16, 0, 0, 0, 0, 0);
	call(NR_EXECVE, (long)"no/program", (long)arguments, (long)environment, 0, 0);
	call(NR_EXECVE, (long)"program32", (long)arguments, (long)environment, 0, 0);
	call(NR_EXIT, 1, 0, 0, 0, 0);
}

/* The kernel leaves the count of arguments on top of the stack. */
__asm__(".globl _start\n_start: pushl (%esp)\n call run\n");
