/* SPDX-License-Identifier: MIT */
/*
 * Processes that do nothing but fail to open a file, to bind, or to connect to the port 1 of this
 * machine, where nobody listens: flood PROCESSES SECONDS [bind|connect].
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 1000 };

static void fail_to_open(void)
{
	open("/nonexistent/flood", O_RDONLY);
}

static void fail_to_bind(void)
{
	bind(-1, NULL, 0);
}

static void fail_to_connect(void)
{
	const struct sockaddr_in nobody = {
		.sin_family = AF_INET,
		.sin_port = htons(1),
		.sin_addr = {htonl(INADDR_LOOPBACK)},
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	connect(fd, (const struct sockaddr *)&nobody, sizeof(nobody));
	close(fd);
}

static const struct {
	const char *name;
	void (*call)(void);
} kinds[] = {{"bind", fail_to_bind}, {"connect", fail_to_connect}};

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 0;
	time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 0);
	void (*call)(void) = fail_to_open;

	for (size_t i = 0; argc > 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[3], kinds[i].name) == 0)
			call = kinds[i].call;

	for (int i = 1; i < processes; i++)
		if (fork() == 0)
			break;
	while (time(NULL) < end)
		for (int i = 0; i < CALLS; i++)
			call();
	while (wait(NULL) > 0)
		;
	return 0;
}
