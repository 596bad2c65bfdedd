/* SPDX-License-Identifier: MIT */
/*
 * Changes every byte of files, one at a time and in two ways, and runs a fuzz target on each
 * result:
 *
 *   flip_NAME FILE...
 *
 * With sanitizers it makes a fifth of these changes, of the whole file and of both ways.
 *
 * Memory and time of each run are limited, to detect endless loops.
 */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fuzz.h"
#include "sanitized.h"

#define MEMORY_MAX_MIB 96
#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(number) #number

enum { SECONDS_MAX = 5, FILE_MAX_BYTES = 1 << 16, KEPT_MAX_BYTES = 32 << 20 };

/*
 * The sanitizer reserves far more memory than it uses: there it limits what is allocated at once
 * and, looking every 100 ms, what is resident in all. Little of what was freed is kept.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "max_allocation_size_mb=32:allocator_may_return_null=1:quarantine_size_mb=16:"
	       "hard_rss_limit_mb=" TEXT_OF(MEMORY_MAX_MIB);
}

static struct {
	const char *path;
	size_t at;
	uint8_t value;
} place; /* at hand, for the last words */

static void say_where(int number)
{
	fprintf(stderr, "flip: %s: signal %d with byte %zu changed to 0x%02x\n", place.path, number,
		place.at, place.value);
	signal(number, SIG_DFL);
	raise(number);
}

static void limit(void)
{
	struct rlimit memory = {.rlim_cur = (rlim_t)MEMORY_MAX_MIB << 20,
				.rlim_max = (rlim_t)MEMORY_MAX_MIB << 20};

#if !SANITIZED
	if (setrlimit(RLIMIT_DATA, &memory))
		abort();
	/* What a run gave back is there for the next one, without asking the kernel. */
	mallopt(M_MMAP_THRESHOLD, KEPT_MAX_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_MAX_BYTES);
#endif
	(void)memory;
	signal(SIGALRM, say_where);
	signal(SIGABRT, say_where);
}

static void try_byte(uint8_t *data, size_t size, size_t at, uint8_t value)
{
	uint8_t old = data[at];

	place.at = at;
	place.value = value;
	data[at] = value;
	alarm(SECONDS_MAX);
	LLVMFuzzerTestOneInput(data, size);
	alarm(0);
	data[at] = old;
}

static int flip_file(const char *path)
{
	static uint8_t whole[FILE_MAX_BYTES];
	FILE *file = fopen(path, "re");
	size_t size = file ? fread(whole, 1, sizeof(whole), file) : 0, tried = 0;
	uint8_t *data = malloc(size ? size : 1);

	if (!size || size == sizeof(whole) || !data) {
		fprintf(stderr, "flip: %s: cannot be read, or is empty or too large\n", path);
		return 1;
	}
	fclose(file);
	memcpy(data, whole, size); /* a block of just that size: reading after it is noticed */
	place.path = path;
	for (size_t n = 0; n < 2 * size; n += UNIT_STEP, tried++) {
		size_t at = n / 2;

		try_byte(data, size, at, (uint8_t)(n % 2 ? data[at] + 1 : data[at] ^ 0xff));
	}
	free(data);
	printf("%s: %zu bytes, %zu changes\n", path, size, tried);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = argc < 2;

	limit();
	for (int i = 1; i < argc; i++)
		failed |= flip_file(argv[i]);
	return failed;
}
