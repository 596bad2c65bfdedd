/* SPDX-License-Identifier: MIT */
/*
 * Names of which the kernel reads one and everybody else later another: late_pages KIND ROUNDS, in
 * an empty folder. The second half of a name lies in a page that comes only when the kernel asks
 * for it (userfaultfd(2)); by then it has read the first half, which is rewritten before the page
 * is given. Each round prints what the call was really about: "evilevil2", or "goodgood2", which is
 * what the memory says. Ends with 77 where the machine does not allow it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SKIPPED = 77, HALF = 8, PAGE = 4096, PAGES_MAX = 65536 };

#define EVIL "evilevil"
#define GOOD "goodgood"

static int faults;
static size_t page_bytes;
static char *late; /* the page that comes when it is asked for */
static ino_t opened;
static char *name; /* HALF bytes before it */
static char given[PAGES_MAX] __attribute__((aligned(PAGE))) = "2";

static void need(bool done)
{
	if (done)
		return;
	perror("late_pages");
	exit(errno == EPERM || errno == ENOSYS ? SKIPPED : 1);
}

/* The kernel has the first half when it asks for the page. */
static void *give_pages(void *unused)
{
	struct uffd_msg fault;

	while (read(faults, &fault, sizeof(fault)) == sizeof(fault)) {
		struct uffdio_copy copy = {
			.dst = (uintptr_t)late, .src = (uintptr_t)given, .len = page_bytes};

		memcpy(name, GOOD, HALF);
		need(ioctl(faults, UFFDIO_COPY, &copy) == 0 || errno == EEXIST);
	}
	return unused;
}

static void watch_pages(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	pthread_t thread;
	char *both;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	need(page_bytes <= sizeof(given));
	both = mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	need(both != MAP_FAILED);
	late = both + page_bytes;
	name = late - HALF;
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	need(faults >= 0 && ioctl(faults, UFFDIO_API, &api) == 0);
	range.range.start = (uintptr_t)late;
	range.range.len = page_bytes;
	need(ioctl(faults, UFFDIO_REGISTER, &range) == 0);
	need(pthread_create(&thread, NULL, give_pages, NULL) == 0);
}

static int do_rename(void)
{
	return rename(name, "new");
}

static int do_renameat2(void)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, "old", AT_FDCWD, name, 0);
}

static int do_unlinkat(void)
{
	return unlinkat(AT_FDCWD, name, 0);
}

static int do_rmdir(void)
{
	return unlinkat(AT_FDCWD, name, AT_REMOVEDIR);
}

static int do_linkat(void)
{
	return linkat(AT_FDCWD, name, AT_FDCWD, "new", 0);
}

static int do_symlinkat(void)
{
	return symlinkat("anywhere", AT_FDCWD, name);
}

static int do_mkdirat(void)
{
	return mkdirat(AT_FDCWD, name, 0700);
}

static int do_openat(void)
{
	int fd = openat(AT_FDCWD, name, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	opened = st.st_ino;
	return close(fd);
}

/* How to tell which of the two files the call was about. */
enum trace { IS_GONE, IS_NEW, IS_LINKED, WAS_OPENED };

static const struct kind {
	const char *name;
	int (*call)(void);
	enum trace trace;
	bool folders; /* of the two names there are folders, and not files */
} kinds[] = {
	{"rename", do_rename, IS_GONE, false},	   {"renameat2", do_renameat2, IS_NEW, false},
	{"unlinkat", do_unlinkat, IS_GONE, false}, {"rmdir", do_rmdir, IS_GONE, true},
	{"linkat", do_linkat, IS_LINKED, false},   {"symlinkat", do_symlinkat, IS_NEW, false},
	{"mkdirat", do_mkdirat, IS_NEW, true},	   {"openat", do_openat, WAS_OPENED, false},
};

static const char *const files[] = {EVIL "2", GOOD "2", "new", "old"};

static void make(const char *path, bool is_folder)
{
	int fd = is_folder ? mkdir(path, 0700) : open(path, O_CREAT | O_WRONLY, 0600);

	need(fd >= 0);
	if (!is_folder)
		close(fd);
}

static void clean(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		remove(files[i]);
}

static bool is_the_one(const char *path, enum trace trace)
{
	struct stat st;
	int r = lstat(path, &st);

	if (trace == IS_GONE)
		return r != 0;
	if (r)
		return false;
	return trace == IS_NEW || (trace == IS_LINKED ? st.st_nlink > 1 : st.st_ino == opened);
}

static void do_round(const struct kind *kind)
{
	clean();
	make("old", false);
	for (int i = 0; i < 2 && kind->trace != IS_NEW; i++)
		make(files[i], kind->folders);
	memcpy(name, EVIL, HALF);
	need(madvise(late, page_bytes, MADV_DONTNEED) == 0);
	need(kind->call() == 0);
	for (int i = 0; i < 2; i++)
		if (is_the_one(files[i], kind->trace))
			puts(files[i]);
}

int main(int argc, char **argv)
{
	long rounds = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

	if (rounds <= 0) {
		fputs("usage: late_pages KIND ROUNDS\n", stderr);
		return 2;
	}
	watch_pages();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[1], kinds[i].name) != 0)
			continue;
		while (rounds-- > 0)
			do_round(&kinds[i]);
		clean();
		return 0;
	}
	return 2;
}
