/* SPDX-License-Identifier: MIT */
/*
 * A file system whose files can be opened, but never read behind their first page, and processes
 * that others wait for when they read them: hung_files MOUNTPOINT PROCESSES SECONDS [executes]. The
 * arguments of these processes are pages of such a file; or they execute the first page of one,
 * which is the beginning of a program, each of another file. Prints a line with each of their ids
 * when it is so. They open a file that is not there all the time, or compute. Ends with its
 * standard input, or after SECONDS: then those who wait go on.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	REQUEST_BYTES = 1 << 18,
	PROCESSES_MAX = 64,
	FILE_NODE = 2,
	FOLDER_NODE = 3,
	ROOT_NODE = FUSE_ROOT_ID,
	FIRST_NODE = 16, /* of the files "0", "1", ... */
	CACHED_S = 3600,
	CODE = 1024, /* where in the first page */
	HIDDEN = 8 * PAGE, /* where its table of sections would be */
	PAUSE_US = 50000,
};

#define OPENED "/nonexistent/hung_files"

static pid_t processes[PROCESSES_MAX];
static atomic_bool ready; /* both threads of a process have begun */
static bool answers_page; /* the first one of a file */

static uint64_t node_of(const char *name)
{
	if (strcmp(name, "etc") == 0)
		return FOLDER_NODE;
	return name[0] >= '0' && name[0] <= '9' ? FIRST_NODE + (uint64_t)atoi(name) : FILE_NODE;
}

static void fill_attr(struct fuse_attr *attr, uint64_t node)
{
	attr->ino = node;
	attr->mode = node == FOLDER_NODE || node == ROOT_NODE ? S_IFDIR | 0755 : S_IFREG | 0444;
	attr->nlink = 1;
	attr->size = 1 << 20;
	attr->blksize = PAGE;
}

/* A program with sections, of which only this can be read. */
static void fill_page(void *page)
{
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_EXEC,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_shoff = HIDDEN,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 10,
	};

	memset(page, 0, PAGE);
	memcpy(page, &header, sizeof(header));
}

/* Fills an answer; returns its length, or -errno. 0: none is expected, or ever given. */
static int answer_to(const struct fuse_in_header *in, const char *name, void *out)
{
	struct fuse_entry_out *entry = out;
	struct fuse_init_out *init = out;
	struct fuse_attr_out *attr = out;

	switch (in->opcode) {
	case FUSE_INIT:
		*init = (struct fuse_init_out){.major = FUSE_KERNEL_VERSION,
					       .minor = FUSE_KERNEL_MINOR_VERSION,
					       .max_readahead = answers_page ? 0 : 1 << 16,
					       .max_write = PAGE};
		return sizeof(*init);
	case FUSE_LOOKUP:
		*entry = (struct fuse_entry_out){.entry_valid = CACHED_S, .attr_valid = CACHED_S};
		entry->nodeid = node_of(name);
		fill_attr(&entry->attr, entry->nodeid);
		return sizeof(*entry);
	case FUSE_GETATTR:
		*attr = (struct fuse_attr_out){.attr_valid = CACHED_S};
		fill_attr(&attr->attr, in->nodeid);
		return sizeof(*attr);
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		/* What is in the cache stays there: else an open waits for a read. */
		*(struct fuse_open_out *)out =
			(struct fuse_open_out){.open_flags = FOPEN_KEEP_CACHE};
		return sizeof(struct fuse_open_out);
	case FUSE_READ:
		if (!answers_page || ((const struct fuse_read_in *)(const void *)name)->offset)
			return 0;
		fill_page(out);
		return PAGE;
	case FUSE_READDIR:
	case FUSE_READDIRPLUS:
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return 0;
	}
	return -ENOSYS;
}

static void answer(int fuse, const char *request)
{
	const struct fuse_in_header *in = (const void *)request;
	static char bytes[2 * PAGE];
	struct fuse_out_header *out = (void *)bytes;
	int len;

	memset(bytes, 0, sizeof(bytes));
	len = answer_to(in, request + sizeof(*in), out + 1);

	if (len == 0)
		return;
	*out = (struct fuse_out_header){.len = sizeof(*out) + (len > 0 ? (uint32_t)len : 0),
					.error = len < 0 ? len : 0,
					.unique = in->unique};
	if (write(fuse, out, out->len) < 0)
		perror("write");
}

static void serve(int fuse)
{
	static char request[REQUEST_BYTES];
	struct pollfd wait[] = {{.fd = fuse, .events = POLLIN},
				{.fd = STDIN_FILENO, .events = POLLIN}};

	while (poll(wait, 2, -1) >= 0 && !wait[1].revents)
		if (wait[0].revents && read(fuse, request, sizeof(request)) > 0)
			answer(fuse, request);
}

/*
 * The kernel does not read arguments from files. But while a thread reads a page of the file by its
 * memory's own file the memory is locked, and once another thread waits to change that memory all
 * others wait, too.
 */
static void *lock_memory(void *page)
{
	char byte;
	int fd = open("/proc/self/mem", O_RDONLY);

	while (!atomic_load(&ready))
		usleep(PAUSE_US);
	if (pread(fd, &byte, 1, (off_t)(uintptr_t)page) < 0)
		perror("/proc/self/mem");
	return NULL;
}

static void *change_memory(void *unused)
{
	while (!atomic_load(&ready))
		usleep(PAUSE_US);
	while (mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		usleep(PAUSE_US);
	return unused;
}

/*
 * From then on whatever changes the memory of this process waits, page faults included: so all of
 * it is there, and each function was called.
 */
static void be_read(const char *path)
{
	char text[32];
	size_t len = (size_t)snprintf(text, sizeof(text), "%d\n", (int)getpid());
	pthread_t threads[2];
	void *page;
	int fd = open(path, O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	usleep(write(STDOUT_FILENO, text, 0) != 0);
	if (fd < 0 || mlockall(MCL_CURRENT))
		_exit(1);
	page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	pthread_create(&threads[0], NULL, lock_memory, page);
	pthread_create(&threads[1], NULL, change_memory, NULL);
	atomic_store(&ready, true);
	usleep(4 * PAUSE_US);
	if (write(STDOUT_FILENO, text, len) < 0)
		_exit(1);
	for (;;) {
		open(OPENED, O_RDONLY);
		usleep(PAUSE_US);
	}
}

/* Computes for ever in a page of the file, with code of its own there. */
static void execute(const char *path)
{
#if defined(__x86_64__)
	static const unsigned char loop[] = {0xeb, 0xfe};
#else
	static const unsigned char loop[] = {0, 0, 0, 0x14};
#endif
	int fd = open(path, O_RDONLY);
	char *page =
		fd < 0 ? MAP_FAILED
		       : mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, fd, 0);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, 19);
	if (page == MAP_FAILED)
		_exit(1);
	memcpy(page + CODE, loop, sizeof(loop));
	__builtin___clear_cache(page, page + PAGE);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	((void (*)(void))(uintptr_t)(page + CODE))();
}

/* Without the connection: its last descriptor ends the waits. */
static pid_t start(const char *folder, int number, int fuse)
{
	char path[PAGE];
	pid_t pid = fork();

	if (pid == 0) {
		close(fuse);
		if (answers_page)
			snprintf(path, sizeof(path), "%s/%d", folder, number);
		else
			snprintf(path, sizeof(path), "%s/file", folder);
		(answers_page ? execute : be_read)(path);
	}
	return pid;
}

int main(int argc, char **argv)
{
	int fuse, count = argc > 2 ? atoi(argv[2]) : 0;
	char text[PAGE];

	if (argc < 4 || count > PROCESSES_MAX)
		return 2;
	alarm((unsigned int)atoi(argv[3]));
	answers_page = argc > 4;
	fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(text, sizeof(text), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
	if (fuse < 0 || mount("hung", argv[1], "fuse", MS_NOSUID | MS_NODEV, text)) {
		perror(argv[1]);
		return 1;
	}
	for (int i = 0; i < count; i++)
		processes[i] = start(argv[1], i, fuse);
	if (count == 0)
		puts("mounted");
	fflush(stdout);
	serve(fuse);
	for (int i = 0; i < count; i++)
		kill(processes[i], SIGKILL);
	umount2(argv[1], MNT_DETACH);
	return 0;
}
