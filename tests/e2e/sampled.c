/* SPDX-License-Identifier: MIT */
/*
 * Is sampled while it does what its words say: writes N (to a variable), loop MS (computes, below
 * main, outer and inner), turns N (a write, then a system call), probes N (calls, and a static
 * probe), where N (prints the address of the variable), deleted MS (as loop, when it has deleted
 * its file).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

volatile long sampled_variable __attribute__((aligned(8)));

__attribute__((noinline)) static void write_variable(long n)
{
	for (long i = 0; i < n; i++)
		sampled_variable = i;
}

/* Of the time of CPUs: on a busy machine it computes as long, and not less. */
static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

__attribute__((noinline)) static unsigned long inner(unsigned long n)
{
	for (volatile int i = 0; i < 1000000; i++)
		n = n * 31 + (unsigned long)i;
	return n;
}

/* Does not end with the call, which would be a jump then. */
__attribute__((noinline)) static unsigned long outer(unsigned long n)
{
	return inner(n) + 1;
}

__attribute__((noinline)) static void loop(long ms)
{
	unsigned long n = 1;

	for (long end = now_ms() + ms; now_ms() < end;)
		n = outer(n);
	sampled_variable = (long)n;
}

__attribute__((noinline)) static void take_turns(long n)
{
	for (long i = 0; i < n; i++) {
		sampled_variable = i;
		(void)chdir("/");
	}
}

/* What probes of functions see. */
__attribute__((noinline)) static long twice(long n, long m)
{
	__asm__ volatile("" : "+r"(n) : "r"(m) : "memory");
	return 2 * n;
}

/* How the assembler of the machine writes a number. */
#if defined(__x86_64__)
#define CONSTANT "$-7"
#else
#define CONSTANT "-7"
#endif

/* A static probe with arguments in a register, a constant, and in memory, as <sys/sdt.h> makes it.
 */
__attribute__((noinline)) static void meet(long n)
{
	volatile int in_memory = (int)-n;

#if defined(__x86_64__) || defined(__aarch64__)
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt, \"\", \"note\"\n"
			 ".balign 4\n"
			 ".4byte 992f - 991f, 994f - 993f, 3\n"
			 "991: .asciz \"stapsdt\"\n"
			 "992: .balign 4\n"
			 "993: .8byte 990b, _.stapsdt.base, 0\n"
			 ".asciz \"sampled\"\n"
			 ".asciz \"met\"\n"
			 ".asciz \"8@%0 -4@" CONSTANT " -4@%1\"\n"
			 "994: .balign 4\n"
			 ".popsection\n"
			 ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
			 ".weak _.stapsdt.base\n"
			 "_.stapsdt.base: .space 1\n"
			 ".popsection"
			 :
			 : "r"(n), "m"(in_memory));
#endif
}

__attribute__((noinline)) static void be_probed(long n)
{
	for (long i = 1; i <= n; i++) {
		sampled_variable = twice(i, 1000 + i);
		meet(i);
	}
}

static void loop_deleted(long ms)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len > 0) {
		path[len] = '\0';
		unlink(path);
	}
	loop(ms);
}

static void print_address(long n)
{
	printf("%p\n", (void *)&sampled_variable);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*work)(long n);
	} works[] = {{"writes", write_variable}, {"loop", loop},
		     {"turns", take_turns},	 {"probes", be_probed},
		     {"where", print_address},	 {"deleted", loop_deleted}};

	for (size_t i = 0; argc > 2 && i < sizeof(works) / sizeof(works[0]); i++)
		if (strcmp(argv[1], works[i].name) == 0) {
			works[i].work(atol(argv[2]));
			return 0;
		}
	return 2;
}
