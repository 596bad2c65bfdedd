/* SPDX-License-Identifier: MIT */
/*
 * System calls as a program makes them that wants to hide: with garbage in those parts of registers
 * that the kernel ignores, above the number and above arguments of types below 64 bits. The types
 * are those that the kernel gives for its tracepoints.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { ARGS = 6, PATH_BYTES = 256, ERRORS_MAX = 4095 };

/* For each call and argument, the bits that the kernel ignores. */
static uint64_t ignored[SYSCALL_NR_MAX][ARGS];

/* Calls that the kernel's tracepoints name differently. */
static const char *const other_names[][2] = {
	{"stat", "newstat"},   {"lstat", "newlstat"},	   {"fstat", "newfstat"},
	{"uname", "newuname"}, {"sendfile", "sendfile64"}, {"umount2", "umount"},
};

static uint64_t ignored_of_type(const char *type)
{
	static const char *const words[] = {
		"int",	     "unsigned",    "unsigned int",   "u32",
		"__u32",     "__s32",	    "pid_t",	      "uid_t",
		"gid_t",     "qid_t",	    "key_t",	      "key_serial_t",
		"rwf_t",     "clockid_t",   "timer_t",	      "mqd_t",
		"const int", "const __u32", "const clockid_t"};

	if (strcmp(type, "umode_t") == 0)
		return ~0xffffULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(type, words[i]) == 0)
			return ~0xffffffffULL;
	return 0;
}

static void read_types(FILE *format, uint64_t of_call[ARGS])
{
	char line[PATH_BYTES], type[PATH_BYTES];
	bool is_argument = false;
	int n = 0;

	while (n < ARGS && fgets(line, sizeof(line), format)) {
		if (sscanf(line, " field:%255[^;]", type) != 1)
			continue;
		if (is_argument && strrchr(type, ' ')) {
			*strrchr(type, ' ') = '\0';
			of_call[n++] = ignored_of_type(type);
		}
		is_argument |= strstr(line, "__syscall_nr") != NULL;
	}
}

static const char *tracepoint_name(const char *call)
{
	for (size_t i = 0; i < sizeof(other_names) / sizeof(other_names[0]); i++)
		if (strcmp(call, other_names[i][0]) == 0)
			return other_names[i][1];
	return call;
}

bool garbage_learn_types(void)
{
	char folder[] = "/tmp/lanner-tracefs-XXXXXX", path[PATH_BYTES];
	unsigned int known = 0;

	if (!mkdtemp(folder))
		return false;
	if (mount("tracefs", folder, "tracefs", 0, NULL) == 0) {
		for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
			const char *name = syscall_name(syscall_code_of_native(number));
			FILE *format;

			snprintf(path, sizeof(path), "%s/events/syscalls/sys_enter_%s/format",
				 folder, tracepoint_name(name));
			format = fopen(path, "re");
			if (!format)
				continue;
			read_types(format, ignored[number]);
			fclose(format);
			known++;
		}
		umount2(folder, MNT_DETACH);
	}
	rmdir(folder);
	return known > 0;
}

#ifdef __aarch64__
/* There the syscall() of the C library cuts the number, so that no garbage would arrive. */
static long call_as_it_is(long number, const uint64_t arg[ARGS])
{
	register long x8 asm("x8") = number;
	register uint64_t x0 asm("x0") = arg[0];
	register uint64_t x1 asm("x1") = arg[1];
	register uint64_t x2 asm("x2") = arg[2];
	register uint64_t x3 asm("x3") = arg[3];
	register uint64_t x4 asm("x4") = arg[4];
	register uint64_t x5 asm("x5") = arg[5];

	asm volatile("svc #0"
		     : "+r"(x0)
		     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
		     : "memory");
	if (x0 < -(uint64_t)ERRORS_MAX)
		return (long)x0;
	errno = -(int)x0;
	return -1;
}
#else
static long call_as_it_is(long number, const uint64_t arg[ARGS])
{
	return syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
#endif

long garbage_call(long number, ...)
{
	uint64_t arg[ARGS];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < ARGS; i++) {
		arg[i] = va_arg(args, uint64_t);
		if (number >= 0 && number < SYSCALL_NR_MAX)
			arg[i] = (arg[i] & ~ignored[number][i]) |
				 (GARBAGE_ABOVE_ARGUMENT & ignored[number][i]);
	}
	va_end(args);
	return call_as_it_is(number | GARBAGE_ABOVE_NUMBER, arg);
}
