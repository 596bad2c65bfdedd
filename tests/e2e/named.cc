/* SPDX-License-Identifier: MIT */
/*
 * What test_profile_names profiles, without headers of C++: functions with C++ names, or code in
 * memory without a file, of which a map or a dump of a JIT compiler has the name; or the vDSO.
 *
 *     named code | map | shared | doubled | dump | clock      runs until it is killed
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

namespace shop
{
static volatile uint64_t sink;

template <typename T> struct basket {
	__attribute__((noinline)) T total(T n)
	{
		for (T i = 0; i < 100000; i++)
			sink += i * n;
		__asm__ volatile("" ::: "memory");
		return n + 1;
	}
};

__attribute__((noinline)) static int count_all(int n)
{
	n = basket<int>().total(n);
	__asm__ volatile("" ::: "memory");
	return n;
}
}

typedef void jit_code(uint32_t n);

/* Counts down. The code is the same at each address. */
#ifdef __aarch64__
static const uint32_t code[] = {0x71000400, 0x54ffffe1, 0xd65f03c0};
#else
static const uint8_t code[] = {0xff, 0xcf, 0x75, 0xfc, 0xc3};
#endif

/* A process' own memory, such as is shared with children, or what is mapped twice, as by .NET. */
static jit_code *make_code(const char *mode)
{
	int fd = strcmp(mode, "doubled") ? -1 : memfd_create("doublemapper", MFD_CLOEXEC);
	int kind = fd >= 0			   ? MAP_SHARED
		   : strcmp(mode, "shared") == 0 ? MAP_SHARED | MAP_ANONYMOUS
						 : MAP_PRIVATE | MAP_ANONYMOUS;

	if (fd >= 0 && ftruncate(fd, 4096))
		return nullptr;
	void *memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, kind, fd, 0);

	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache((char *)memory, (char *)memory + sizeof(code));
	return (jit_code *)memory;
}

static void write_map(jit_code *made)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *file = fopen(path, "w");
	fprintf(file, "%lx %zx counts_down\n", (unsigned long)made, sizeof(code));
	fclose(file);
}

/* Its header is mapped executable, by which it is found. */
static void write_dump(jit_code *made)
{
	struct {
		uint32_t head[6];
		uint64_t time, flags;
		uint32_t kind, bytes;
		uint64_t then;
		uint32_t pid, tid;
		uint64_t address, code, code_bytes, index;
		char name[16];
	} dump = {{0x4A695444, 1, 40, 62, 0, (uint32_t)getpid()}, 0, 0, 0, 72, 0, 7, 7,
		  (uint64_t)made, (uint64_t)made, sizeof(code), 1, "dumped_code"};
	char path[64];

	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	if (write(fd, &dump, sizeof(dump)) == sizeof(dump))
		mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
}

static void run_clock()
{
	struct timespec time;

	for (;;)
		clock_gettime(CLOCK_MONOTONIC, &time);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "code";
	jit_code *made = make_code(mode);

	if (strcmp(mode, "map") == 0 || strcmp(mode, "shared") == 0 || strcmp(mode, "doubled") == 0)
		write_map(made);
	if (strcmp(mode, "dump") == 0)
		write_dump(made);
	puts("ready");
	fflush(stdout);
	if (strcmp(mode, "clock") == 0)
		run_clock();
	for (int n = 0; strcmp(mode, "code") == 0;)
		n = shop::count_all(n);
	for (;;)
		made(1 << 20);
}
