/* SPDX-License-Identifier: MIT */
/* Calls getppid a known number of times as fast as it can: storm COUNT. It waits a moment first, so
 * that the events of its own start are not among those that the storm makes the agent lose. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long count = argc == 2 ? strtol(argv[1], NULL, 10) : 0;

	usleep(200000);
	for (long i = 0; i < count; i++)
		syscall(SYS_getppid);
	return count > 0 ? 0 : 2;
}
