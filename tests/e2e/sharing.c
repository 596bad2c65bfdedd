/* SPDX-License-Identifier: MIT */
/* Spends three quarters of its time in one function and a quarter in another one; exits with 7. */
#include <stdlib.h>

enum { STEPS = 1000000 };

volatile unsigned long sum;

__attribute__((noinline)) void three(void)
{
	for (long i = 0; i < 3 * STEPS; i++)
		sum += i;
}

__attribute__((noinline)) void one(void)
{
	for (long i = 0; i < STEPS; i++)
		sum += i;
}

/* Its calls are none that a compiler can make jumps of. */
__attribute__((noinline)) void outer(void)
{
	three();
	one();
	sum++;
}

int main(int argc, char **argv)
{
	for (long i = argc > 1 ? atol(argv[1]) : 1; i; i--)
		outer();
	return 7;
}
