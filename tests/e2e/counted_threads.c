/* SPDX-License-Identifier: MIT */
/*
 * Processes that end, fork, execute another program, take another name, user and threads, while
 * calls are counted whose thread somebody wants to know afterwards. Started as: vt_main ROUNDS;
 * executes the program vt_leaf beside it. Or as: vt_main names N, which takes so many names;
 * vt_main moved, which says that its stack begins elsewhere; vt_main crowd USER USERS THREADS,
 * whose threads have rows under many names until its input ends.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READS = 100, WRITES = 50, THREADS = 3, THREAD_READS = 20, MESSAGES = 10, USER = 12345 };

static void read_zeros(int times, size_t bytes)
{
	char text[64];
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < times; i++)
		if (read(fd, text, bytes) != (ssize_t)bytes)
			exit(1);
	close(fd);
	if (read(fd, text, 1) != -1)
		exit(1);
}

static void write_nothing(int times)
{
	int fd = open("/dev/null", O_WRONLY);

	for (int i = 0; i < times; i++)
		if (write(fd, "text", 4) != 4)
			exit(1);
	close(fd);
}

static void send_to_itself(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	socklen_t bytes = sizeof(to);
	char text[16] = "";
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (void *)&to, bytes) || getsockname(fd, (void *)&to, &bytes) ||
	    connect(fd, (void *)&to, bytes))
		exit(1);
	for (int i = 0; i < MESSAGES; i++)
		if (send(fd, text, sizeof(text), 0) != sizeof(text) ||
		    recv(fd, text, sizeof(text), 0) != sizeof(text))
			exit(1);
	close(fd);
}

static void *run_thread(void *unused)
{
	prctl(PR_SET_NAME, "vt_thread");
	read_zeros(THREAD_READS, 8);
	return NULL;
}

static void be_leaf(void)
{
	pthread_t threads[THREADS];

	read_zeros(READS, 32);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run_thread, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (syscall(SYS_setresuid, USER, USER, USER))
		exit(1);
	write_nothing(WRITES);
	usleep(1000);
}

/* A call under each of so many names, by one user. */
static void take_names(int names)
{
	char name[16];

	if (syscall(SYS_setresuid, USER, USER, USER))
		exit(1);
	for (int i = 0; i < names; i++) {
		snprintf(name, sizeof(name), "vt_%d", i);
		prctl(PR_SET_NAME, name);
		if (read(-1, name, 1) != -1)
			exit(1);
	}
}

/* As unprivileged processes can; the fields that stat of proc(5) has, by their numbers. */
static void move_stack(void)
{
	static const int fields[] = {26, 27, 45, 46, 47, 0, 28, 48, 49, 50, 51};
	unsigned long long map[sizeof(struct prctl_mm_map) / 8] = {0}, numbers[52] = {0};
	struct prctl_mm_map *made = (void *)map;
	FILE *stat = fopen("/proc/self/stat", "r");
	char text[4096], *at, *word;

	if (!stat || !fgets(text, sizeof(text), stat))
		exit(1);
	fclose(stat);
	at = strrchr(text, ')') + 2;
	for (int field = 3; field < 52 && (word = strsep(&at, " ")); field++)
		numbers[field] = strtoull(word, NULL, 10);
	for (int i = 0; i < 11; i++)
		map[i] = numbers[fields[i]];
	made->brk = (unsigned long)sbrk(0);
	made->start_stack -= 4096;
	made->exe_fd = (unsigned int)-1;
	if (prctl(PR_SET_MM, PR_SET_MM_MAP, made, sizeof(*made), 0))
		exit(1);
}

static void *read_under_name(void *unused)
{
	prctl(PR_SET_NAME, "vt_moved");
	read_zeros(READS, 64);
	return NULL;
}

static void be_moved(void)
{
	pthread_t thread;

	if (syscall(SYS_setresuid, USER, USER, USER))
		exit(1);
	/* Else no process reads its own. */
	prctl(PR_SET_DUMPABLE, 1);
	move_stack();
	if (pthread_create(&thread, NULL, read_under_name, NULL))
		exit(1);
	pthread_join(thread, NULL);
}

static pthread_barrier_t all_have_rows;

static void *have_rows(void *unused)
{
	char name[16];

	for (int i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "vt_crowd%d", i);
		prctl(PR_SET_NAME, name);
		if (read(-1, name, 1) != -1)
			exit(1);
	}
	pthread_barrier_wait(&all_have_rows);
	pause();
	return NULL;
}

static void be_many(unsigned int user, unsigned int threads, int said)
{
	pthread_attr_t small;

	pthread_barrier_init(&all_have_rows, NULL, threads + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (syscall(SYS_setresuid, user, user, user))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned int i = 0; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, &small, have_rows, NULL))
			_exit(1);
	}
	pthread_barrier_wait(&all_have_rows);
	if (write(said, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* Makes a user namespace as USER, to which the first process gives subordinate ids. */
static void be_users(unsigned int users, unsigned int threads, int said, int mapped)
{
	char byte;

	if (syscall(SYS_setresuid, USER, USER, USER) || prctl(PR_SET_DUMPABLE, 1) ||
	    unshare(CLONE_NEWUSER) || write(said, "", 1) != 1 || read(mapped, &byte, 1) != 1)
		_exit(1);
	for (unsigned int i = 0; i < users; i++)
		if (fork() == 0)
			be_many(i, threads, said);
	for (;;)
		pause();
}

static void fork_users(unsigned int users, unsigned int threads, const int said[2])
{
	char path[64], byte;
	int mapped[2];
	pid_t child;
	FILE *map;

	if (pipe(mapped))
		exit(1);
	child = fork();
	if (child == 0)
		be_users(users, threads, said[1], mapped[0]);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)child);
	if (read(said[0], &byte, 1) != 1 || !(map = fopen(path, "w")) ||
	    fputs("0 100000 65536\n", map) < 0 || fclose(map) || write(mapped[1], "", 1) != 1)
		exit(1);
}

/* Says a line when all have their rows, and ends with its input. Several users are subordinate ids of one. */
static void crowd(unsigned int user, unsigned int users, unsigned int threads)
{
	int said[2];
	char byte;

	/* All end with it. */
	setpgid(0, 0);
	if (pipe(said))
		exit(1);
	if (users > 1)
		fork_users(users, threads, said);
	else if (fork() == 0)
		be_many(user, threads, said[1]);
	for (unsigned int i = 0; i < users; i++)
		if (read(said[0], &byte, 1) != 1)
			exit(1);
	puts("ready");
	fflush(stdout);
	if (read(0, &byte, 1) < 0)
		exit(1);
	kill(0, SIGKILL);
}

/* Reads of a file that another user's rights are taken for, by turns with a process on the same CPU. */
static void read_overlay(const char *path)
{
	static char bytes[1 << 24];
	cpu_set_t cpus;
	pid_t other;
	int fd;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || syscall(SYS_setresuid, USER, USER, USER))
		exit(1);
	other = fork();
	while (other == 0)
		getppid();
	fd = open(path, O_RDONLY);
	prctl(PR_SET_NAME, "vt_overlay");
	for (int i = 0; i < 100; i++)
		if (pread(fd, bytes, sizeof(bytes), 0) != sizeof(bytes))
			exit(1);
	kill(other, SIGKILL);
}

/* Processes that make several calls and end, with pauses. */
static void make_many(int processes)
{
	for (int i = 0; i < processes; i++) {
		pid_t child = fork();

		if (child == 0) {
			char byte = 0;

			/* A row each. */
			if (read(-1, &byte, 1) != -1 || write(-1, &byte, 1) != -1 ||
			    pread(-1, &byte, 1, 0) != -1 || pwrite(-1, &byte, 1, 0) != -1)
				_exit(1);
			read_zeros(1, 1);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			exit(1);
		if (i % 500 == 0)
			usleep(300000);
	}
}

static void be_child(const char *leaf, int round)
{
	read_zeros(READS, 64);
	prctl(PR_SET_NAME, "vt_child");
	write_nothing(WRITES);
	send_to_itself();
	if (round % 2)
		execl(leaf, "vt_leaf", "leaf", NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	char leaf[4096];

	if (argc < 2)
		return 1;
	if (strcmp(argv[1], "leaf") == 0) {
		be_leaf();
		return 0;
	}
	if (strcmp(argv[1], "names") == 0 && argc == 3) {
		take_names(atoi(argv[2]));
		return 0;
	}
	if (strcmp(argv[1], "overlay") == 0 && argc == 3) {
		read_overlay(argv[2]);
		return 0;
	}
	if (strcmp(argv[1], "moved") == 0) {
		be_moved();
		return 0;
	}
	if (strcmp(argv[1], "crowd") == 0 && argc == 5) {
		crowd((unsigned int)atoi(argv[2]), (unsigned int)atoi(argv[3]),
		      (unsigned int)atoi(argv[4]));
		return 0;
	}
	if (strcmp(argv[1], "many") == 0 && argc == 3) {
		make_many(atoi(argv[2]));
		return 0;
	}
	strcpy(leaf, argv[0]);
	strcpy(strrchr(leaf, '/'), "/vt_leaf");
	for (int round = 0; round < atoi(argv[1]); round++) {
		pid_t child = fork();

		if (child == 0)
			be_child(leaf, round);
		if (waitpid(child, NULL, 0) != child)
			return 1;
		usleep(20000);
	}
	return 0;
}
