/* SPDX-License-Identifier: MIT */
/*
 * Does things a known number of times: what events count is that, and the same little that every
 * program does. Started as: counted faults|switches|writes|calls|opens|hits N [children|threads]
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What breakpoints and probes are set at. */
volatile long counted_variable __attribute__((aligned(8)));

__attribute__((noinline)) void counted_function(long n)
{
	__asm__ volatile("" : : "r"(n) : "memory");
}

/* A static probe as <sys/sdt.h> makes it: a program calls it only while its semaphore says that
 * somebody watches. */
volatile unsigned short counted_semaphore __attribute__((section(".probes")));

#define STATIC_PROBE                                                                               \
	__asm__ volatile(                                                                          \
		"990: nop\n"                                                                       \
		".pushsection .note.stapsdt, \"\", \"note\"\n"                                     \
		".balign 4\n"                                                                      \
		".4byte 992f - 991f, 994f - 993f, 3\n"                                             \
		"991: .asciz \"stapsdt\"\n"                                                        \
		"992: .balign 4\n"                                                                 \
		"993: .8byte 990b, _.stapsdt.base, counted_semaphore\n"                            \
		".asciz \"counted\"\n"                                                             \
		".asciz \"hit\"\n"                                                                 \
		".asciz \"\"\n"                                                                    \
		"994: .balign 4\n"                                                                 \
		".popsection\n"                                                                    \
		".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"        \
		".weak _.stapsdt.base\n"                                                           \
		"_.stapsdt.base: .space 1\n"                                                       \
		".popsection")

static void make_hits(long n)
{
	for (long i = 0; i < n; i++)
		if (counted_semaphore)
			STATIC_PROBE;
}

/* Each page of a new mapping faults once. */
static void make_faults(long n)
{
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, (size_t)(n * page), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, (size_t)(n * page), MADV_NOHUGEPAGE) != 0)
		exit(1);
	for (long i = 0; i < n; i++)
		memory[i * page] = 1;
}

/* A sleep gives up the CPU once. */
static void make_switches(long n)
{
	for (long i = 0; i < n; i++)
		usleep(100);
}

static void make_writes(long n)
{
	for (long i = 0; i < n; i++)
		counted_variable = i;
}

static void make_calls(long n)
{
	for (long i = 0; i < n; i++)
		counted_function(i);
}

static void make_opens(long n)
{
	for (long i = 0; i < n; i++)
		close(openat(AT_FDCWD, "/dev/null", O_RDONLY));
}

static const struct {
	const char *name;
	void (*make)(long n);
} works[] = {
	{"faults", make_faults}, {"switches", make_switches}, {"writes", make_writes},
	{"calls", make_calls},	 {"opens", make_opens},	      {"hits", make_hits},
};

struct work {
	void (*make)(long n);
	long n;
};

static void *do_work(void *arg)
{
	const struct work *work = arg;

	work->make(work->n);
	return NULL;
}

int main(int argc, char **argv)
{
	struct work work = {NULL, argc > 2 ? atol(argv[2]) : 0};
	pthread_t thread;

	for (size_t i = 0; argc > 1 && i < sizeof(works) / sizeof(works[0]); i++)
		if (strcmp(argv[1], works[i].name) == 0)
			work.make = works[i].make;
	if (!work.make || work.n < 1)
		return 2;
	do_work(&work);
	/* The same again, by others. */
	if (argc > 3 && strcmp(argv[3], "threads") == 0 &&
	    (pthread_create(&thread, NULL, do_work, &work) || pthread_join(thread, NULL)))
		return 1;
	if (argc > 3 && strcmp(argv[3], "children") == 0) {
		pid_t child = fork();

		if (child == 0) {
			do_work(&work);
			_exit(0);
		}
		return waitpid(child, NULL, 0) != child;
	}
	return 0;
}
