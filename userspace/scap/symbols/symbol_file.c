/* SPDX-License-Identifier: MIT */
/* Tries the ways to a file, and checks that it is this one. */
#include "scap/symbols/symbol_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scap/proc/root.h"
#include "util/regular.h"

/* Of which file the mapping at an address of this process is. */
static bool find_own_mapping(uint64_t address, struct symbol_maps_line *line)
{
	bool is_there = false;
	FILE *file;

	if (symbol_maps_open(AT_FDCWD, "/proc/self/maps", &file) != 0)
		return false;
	while (!is_there && symbol_maps_next(file, line))
		is_there = line->begin <= address && address < line->end;
	fclose(file);
	return is_there;
}

/*
 * Whether a file that is mapped has this device: stat(2) says another one where a file system has
 * layers or subvolumes, as overlayfs and btrfs. So it is mapped here, where nobody replaces it.
 */
static bool has_device(int fd, const struct symbol_file_id *id)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	struct symbol_maps_line found;
	bool has_it;

	if (memory == MAP_FAILED)
		return false;
	has_it = find_own_mapping((uint64_t)(uintptr_t)memory, &found) && found.id.ino == id->ino &&
		 found.id.major == id->major && found.id.minor == id->minor;
	munmap(memory, bytes);
	return has_it;
}

/*
 * Whether a server answers for a file, whoever mounted it. Of a mount that neither the process nor
 * the agent has that is not known.
 */
static bool is_served(const struct symbol_file *file, int proc, int path_fd)
{
	char name[32];

	snprintf(name, sizeof(name), "%d/mountinfo", file->pid);
	return proc_mount_is_served_as(path_fd, proc, name) &&
	       proc_mount_is_served_as(path_fd, AT_FDCWD, "/proc/self/mountinfo");
}

/* Opens for reading what was opened with O_PATH, which is closed, if it is the file. */
static int open_checked(const struct symbol_file *sought, int proc, int path_fd)
{
	const struct symbol_file_id *id = &sought->id;
	struct statx file;
	int fd = -ESTALE;

	if (path_fd < 0)
		return path_fd;
	if (sought->no_waiting && is_served(sought, proc, path_fd)) {
		close(path_fd);
		return -EOPNOTSUPP;
	}
	/* What the kernel knows, without asking a server. */
	if (statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &file) == 0 &&
	    file.stx_ino == id->ino)
		fd = regular_reopen(path_fd);
	close(path_fd);
	if (fd < 0 || (file.stx_dev_major == id->major && file.stx_dev_minor == id->minor) ||
	    has_device(fd, id))
		return fd;
	close(fd);
	return -ESTALE;
}

static int open_mapped(const struct symbol_file *file, int proc)
{
	char name[96];
	int fd;

	snprintf(name, sizeof(name), "%d/map_files/%" PRIx64 "-%" PRIx64, file->pid, file->begin,
		 file->end);
	fd = openat(proc, name, O_PATH | O_CLOEXEC);
	return open_checked(file, proc, fd < 0 ? -errno : fd);
}

static int open_in_root(const struct symbol_file *file, int proc)
{
	char name[32];
	int root, fd;

	snprintf(name, sizeof(name), "%d/root", file->pid);
	root = openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	fd = proc_root_open_path(root, file->path, 0, RESOLVE_IN_ROOT);
	close(root);
	return open_checked(file, proc, fd);
}

/* Its program, which may be deleted, or replaced by another one. */
static int open_program(const struct symbol_file *file, int proc)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "%d/exe", file->pid);
	fd = openat(proc, name, O_PATH | O_CLOEXEC);
	return open_checked(file, proc, fd < 0 ? -errno : fd);
}

int symbol_file_open(const struct symbol_file *file, int proc)
{
	int fd = open_mapped(file, proc), program;

	if (fd >= 0 || file->path[0] != '/' || file->no_waiting)
		return fd;
	fd = open_in_root(file, proc);
	if (fd < 0)
		fd = open_checked(file, proc, proc_root_open_path(AT_FDCWD, file->path, 0, 0));
	if (fd >= 0)
		return fd;
	program = open_program(file, proc);
	return program < 0 ? fd : program;
}
