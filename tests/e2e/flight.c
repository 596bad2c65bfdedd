/* SPDX-License-Identifier: MIT */
/*
 * Makes calls with the numbers 1, 2, 3 … as arguments: flight FILE COUNT PAUSE_US. With COUNT 0
 * it goes on until it is killed. The number of the latest call that has returned is in FILE. After
 * COUNT calls it executes itself, under another name, to make one more, and waits.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic int64_t *open_number(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	void *map;

	if (fd < 0 || ftruncate(fd, sizeof(int64_t)))
		exit(2);
	map = mmap(NULL, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		exit(2);
	close(fd);
	return map;
}

static void call(_Atomic int64_t *number, int64_t i)
{
	lseek(-1, i, SEEK_SET);
	*number = i;
}

int main(int argc, char **argv)
{
	_Atomic int64_t *number = open_number(argv[1]);
	int64_t count = atoll(argv[2]), first = *number + 1;
	useconds_t pause_us = (useconds_t)atoi(argv[3]);

	for (int64_t i = first; !count || i < first + count; i++) {
		call(number, i);
		if (pause_us)
			usleep(pause_us);
	}
	if (!strcmp(argv[0], "after"))
		pause();
	execl("/proc/self/exe", "after", argv[1], "1", argv[3], (char *)NULL);
	return 2;
}
