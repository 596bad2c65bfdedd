/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over inputs, without libFuzzer and with any compiler: so that findings stay
 * fixed.
 *   replay_NAME FILE_OR_FOLDER...
 * Fails if a folder is empty, as a test that runs nothing proves nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static const char *input; /* for the message when a run fails */

static int fail(const char *path)
{
	fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
	return 1;
}

/* The target gets a block of exactly that size, so that a sanitizer detects reads past its end. */
static int replay_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "re");
	uint8_t *data = malloc(size ? size : 1);
	bool complete = file && data && fread(data, 1, size, file) == size;

	if (!complete)
		return fail(path);
	fclose(file);
	input = path;
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay(const char *path);

static int replay_folder(const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_input, alphasort), failed = 0;

	if (n < 0)
		return fail(folder);
	for (int i = 0; i < n && !failed; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		failed = replay(path);
	}
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	printf("%s: %d inputs\n", folder, n);
	return failed || n == 0;
}

static int replay(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return fail(path);
	return S_ISDIR(status.st_mode) ? replay_folder(path)
				       : replay_file(path, (size_t)status.st_size);
}

int main(int argc, char **argv)
{
	int failed = argc < 2;

	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	return failed;
}
