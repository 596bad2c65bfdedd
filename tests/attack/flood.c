/* SPDX-License-Identifier: MIT */
/* Processes that do nothing but fail to open a file: flood PROCESSES SECONDS. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OPENS = 1000 };

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 0;
	time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 0);

	for (int i = 1; i < processes; i++)
		if (fork() == 0)
			break;
	while (time(NULL) < end)
		for (int i = 0; i < OPENS; i++)
			open("/nonexistent/flood", O_RDONLY);
	while (wait(NULL) > 0)
		;
	return 0;
}
