/* SPDX-License-Identifier: MIT */
/* The shared library of profiled.c, which calls back. */
int profiled_library(int (*callback)(int), int n);

__attribute__((noinline)) static int library_inner(int (*callback)(int), int n)
{
	n = callback(n) + 1;
	__asm__ volatile("" ::: "memory");
	return n;
}

int profiled_library(int (*callback)(int), int n)
{
	n = library_inner(callback, n) + 1;
	__asm__ volatile("" ::: "memory");
	return n;
}
