/* SPDX-License-Identifier: MIT */
/*
 * Calls whose argument another thread rewrites all the time: race KIND ATTEMPTS. Prints a line for
 * each attempt, with what the kernel made of it: the letter or the port that the call really got, or
 * "-" when it failed. Run in a folder with the files a and b, for `missing` without; for `execve` and
 * `execveat` a has to end with 0 and b with 1.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_BYTES = 65536 };

/* What is rewritten: a name of one letter, or the port of an address. */
static volatile char name[2] = "a";
static struct sockaddr_in address;
static uint16_t ports[2];
static char stack[STACK_BYTES];
static char *const argv[] = {(char *)"x", NULL};

static void run_on(size_t cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus); /* with one CPU it stays where it is */
}

static void *rewrite(void *unused)
{
	volatile uint16_t *port = &address.sin_port;

	run_on(1);
	for (unsigned int i = 0;; i++) {
		name[0] = (char)('a' + i % 2);
		*port = ports[i % 2];
		for (volatile unsigned int pause = i % 64; pause; pause--)
			;
	}
	return unused;
}

static int open_name(const char *kind)
{
	struct open_how how = {.flags = O_RDONLY};

	if (strcmp(kind, "openat2") == 0)
		return (int)syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof(how));
	if (strcmp(kind, "openat") == 0)
		return (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY);
#ifdef SYS_open
	if (strcmp(kind, "creat") == 0)
		return (int)syscall(SYS_creat, name, 0600);
	return (int)syscall(SYS_open, name, O_RDONLY);
#else
	return -1;
#endif
}

static void attempt_open(const char *kind, const struct stat *a)
{
	struct stat opened;
	int fd = open_name(kind);

	if (fd < 0 || fstat(fd, &opened)) {
		puts("-");
		return;
	}
	close(fd);
	puts(opened.st_ino == a->st_ino ? "a" : "b");
}

/* What was renamed is the one that is not there. */
static void attempt_rename(void)
{
	const char *renamed;

	if (syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, "c", 0)) {
		puts("-");
		return;
	}
	renamed = access("a", F_OK) ? "a" : "b";
	if (rename("c", renamed))
		exit(1);
	puts(renamed);
}

static void attempt_connect(void)
{
	struct sockaddr_in peer;
	socklen_t len = sizeof(peer);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    getpeername(fd, (struct sockaddr *)&peer, &len))
		puts("-");
	else
		printf("%u\n", ntohs(peer.sin_port));
	close(fd);
}

/* In the memory of the parent, where the other thread goes on writing. */
static int exec_name(void *kind)
{
	if (strcmp(kind, "execveat") == 0)
		syscall(SYS_execveat, AT_FDCWD, name, argv, NULL, 0);
	else
		syscall(SYS_execve, name, argv, NULL);
	_exit(2);
}

static void attempt_exec(const char *kind)
{
	int status, pid = clone(exec_name, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD,
				(void *)kind);

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) > 1)
		puts("-");
	else
		puts(WEXITSTATUS(status) ? "b" : "a");
}

int main(int argc, char **argv_of_main)
{
	const char *kind = argc == 3 ? argv_of_main[1] : "";
	long attempts = argc == 3 ? strtol(argv_of_main[2], NULL, 10) : 0;
	struct stat a = {0};
	pthread_t writer;

	if (attempts <= 0) {
		fprintf(stderr, "usage: race open|openat|openat2|creat|missing|rename|connect|execve|"
				"execveat ATTEMPTS\n");
		return 2;
	}
	address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	ports[0] = address.sin_port = htons(7001);
	ports[1] = htons(7002);
	stat("a", &a);
	run_on(0);
	if (pthread_create(&writer, NULL, rewrite, NULL))
		return 1;
	for (long i = 0; i < attempts; i++) {
		if (strncmp(kind, "exec", 4) == 0)
			attempt_exec(kind);
		else if (strcmp(kind, "connect") == 0)
			attempt_connect();
		else if (strcmp(kind, "rename") == 0)
			attempt_rename();
		else
			attempt_open(strcmp(kind, "missing") == 0 ? "openat" : kind, &a);
	}
	return 0;
}
