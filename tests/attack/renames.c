/* SPDX-License-Identifier: MIT */
/*
 * A process that is uninteresting for a while and then is not: renames ROUNDS. Under the name "other" it opens
 * and closes a file, for some microseconds up to some milliseconds; then it names itself "wanted", opens
 * another file and writes to it once, as many bytes as the round's number has in its last digit, plus one,
 * and closes it. In every other round a thread does that while the first one goes on opening. At the end it says
 * "done" and waits for the end of its input.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { NUMBERS = 10, OPENS_MAX = 3000 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void open_and_close(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		fail(path);
	close(fd);
}

static void write_once(const char *path, int bytes)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, "xxxxxxxxxx", (size_t)bytes) != bytes)
		fail(path);
	close(fd);
}

static void name(const char *text)
{
	if (prctl(PR_SET_NAME, text))
		fail(text);
}

static void *be_wanted(void *round)
{
	name("wanted");
	write_once("/dev/null", *(const int *)round % NUMBERS + 1);
	name("other");
	return NULL;
}

static void with_a_thread(int round)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, be_wanted, &round))
		fail("pthread_create");
	for (int i = 0; i < NUMBERS; i++)
		open_and_close("/dev/zero");
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0;
	char end;

	name("other");
	for (int round = 0; round < rounds; round++) {
		for (int i = rand() % (round % NUMBERS ? OPENS_MAX / 50 : OPENS_MAX); i > 0; i--)
			open_and_close("/dev/zero");
		if (round % 2)
			with_a_thread(round);
		else
			be_wanted(&round);
	}
	puts("done");
	fflush(stdout);
	while (read(STDIN_FILENO, &end, 1) > 0)
		;
	return 0;
}
