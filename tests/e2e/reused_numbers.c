/* SPDX-License-Identifier: MIT */
/*
 * Threads that open, read and close a file of their own, so that each gets numbers that another one
 * has just closed: reused_numbers ROUNDS FILE...
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MAX = 8 };

static int rounds;

static void *read_file(void *name)
{
	char bytes[16];

	for (int i = 0; i < rounds; i++) {
		int fd = open(name, O_RDONLY);

		if (fd < 0 || pread(fd, bytes, sizeof(bytes), 0) < 0 || close(fd))
			exit(1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	int count = argc - 2;

	if (count < 1 || count > THREADS_MAX)
		return 2;
	rounds = atoi(argv[1]);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, read_file, argv[2 + i]))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
