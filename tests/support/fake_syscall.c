/* SPDX-License-Identifier: MIT */
#include "fake_syscall.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <unistd.h>

static long (*answer_by)(long number, const long arg[SYSCALL_ARGUMENTS]) = real_syscall;

void fake_syscall_by(long (*answer)(long number, const long arg[SYSCALL_ARGUMENTS]))
{
	answer_by = answer;
}

/* Reads as many arguments as a call can have, as that of the C library: the caller passed fewer. */
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
	long arg[SYSCALL_ARGUMENTS];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < SYSCALL_ARGUMENTS; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	return answer_by(number, arg);
}

long real_syscall(long number, const long arg[SYSCALL_ARGUMENTS])
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");

	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
