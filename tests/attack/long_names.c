/* SPDX-License-Identifier: MIT */
/*
 * Makes the agent remember much: long_names FOLDER COUNT opens COUNT files, each with a name of about
 * 3,900 bytes of its own, and removes the names at once. Prints a line when all are open. Each line on
 * standard input is a file to open, to read, and to close once more; the answer is a line, too. Ends
 * with the input.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME = 250, DEEP = 3600 };

/* Enters a folder whose path has DEEP bytes or more. */
static unsigned int descend(size_t len)
{
	char name[NAME + 1];
	unsigned int levels = 0;

	memset(name, 'd', NAME);
	name[NAME] = '\0';
	for (; len < DEEP; len += NAME + 1, levels++)
		if (mkdir(name, 0700) || chdir(name))
			err(1, "folder %u", levels);
	return levels;
}

static void ascend(unsigned int levels)
{
	char name[NAME + 1];

	memset(name, 'd', NAME);
	name[NAME] = '\0';
	for (; levels; levels--)
		if (chdir("..") || rmdir(name))
			err(1, "leaving folder %u", levels);
}

static void open_removed(long number)
{
	char name[NAME + 1];

	snprintf(name, sizeof(name), "%0*ld", NAME, number);
	if (open(name, O_RDWR | O_CREAT | O_EXCL, 0600) < 0 || unlink(name))
		err(1, "file %ld", number);
}

static void read_named(char *line)
{
	char byte;
	int fd;

	line[strcspn(line, "\n")] = '\0';
	fd = open(line, O_RDONLY);
	if (fd < 0 || read(fd, &byte, 1) < 0 || close(fd))
		err(1, "%s", line);
	puts("read");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long count = argc == 3 ? atol(argv[2]) : 0;
	struct rlimit limit = {(rlim_t)count + 100, (rlim_t)count + 100};
	char line[4096];
	unsigned int levels;

	if (!count || setrlimit(RLIMIT_NOFILE, &limit) || mkdir(argv[1], 0700) || chdir(argv[1]))
		err(1, "long_names FOLDER COUNT");
	levels = descend(strlen(argv[1]));
	for (long i = 0; i < count; i++)
		open_removed(i);
	ascend(levels);
	puts("open");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		read_named(line);
	return 0;
}
