/* SPDX-License-Identifier: MIT */
/* Processes that do nothing but fail to open a file, or to bind: flood PROCESSES SECONDS [bind]. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 1000 };

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 0;
	time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 0);
	bool binds = argc > 3;

	for (int i = 1; i < processes; i++)
		if (fork() == 0)
			break;
	while (time(NULL) < end)
		for (int i = 0; i < CALLS; i++)
			if (binds)
				bind(-1, NULL, 0);
			else
				open("/nonexistent/flood", O_RDONLY);
	while (wait(NULL) > 0)
		;
	return 0;
}
