/* SPDX-License-Identifier: MIT */
/*
 * The map is found by its name in the process' /tmp; a dump is mapped executable, by which perf(1)
 * finds it, too. Only files of the process' own user or of root are read.
 */
#include "profile/names/jit_tables.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "scap/symbols/symbol_file.h"
#include "scap/symbols/symbol_jit.h"
#include "scap/symbols/symbol_maps.h"

static void read_map(const struct stack_process *process, int proc, struct symbol_table *table)
{
	const struct symbol_jit_process whose = {.proc = proc,
						 .pid = process->pid,
						 .ns_pid = process->ns_pid,
						 .root = process->root_fd,
						 .uid = process->uid};
	int fd = process->root_fd < 0 ? -1 : symbol_jit_open_map(&whose);

	if (fd < 0)
		return;
	if (symbol_jit_read_map(fd, table) != 0)
		*table = (struct symbol_table){0};
	close(fd);
}

/* "/app/jit-123.dump" */
static bool is_dump(const struct symbol_maps_line *line)
{
	const char *slash = strrchr(line->path, '/');
	int end = 0;

	if (!line->id.ino || line->rights[2] != 'x' || !slash)
		return false;
	return sscanf(slash, "/jit-%*u.dump%n", &end) == 0 && end > 0;
}

/* Whether the process with that id is still this one; a tick may be lost in the conversion. */
static bool is_same_process(const struct stack_process *process, int proc)
{
	const uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	char name[32], text[1024];
	uint64_t ticks = 0, begun_ns;
	const char *end;
	ssize_t len;
	int fd;

	snprintf(name, sizeof(name), "%" PRId32 "/stat", process->pid);
	fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	end = strrchr(text, ')');
	if (!end || sscanf(end,
			   ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			   "%*s %*s %*s %*s %" SCNu64,
			   &ticks) != 1)
		return false;
	begun_ns = ticks * tick_ns;
	return process->start_ns < begun_ns + 2 * tick_ns &&
	       begun_ns < process->start_ns + 2 * tick_ns;
}

static int open_dump(const struct stack_process *process, int proc)
{
	struct symbol_maps_line line;
	char name[32];
	bool found = false;
	FILE *file;

	snprintf(name, sizeof(name), "%" PRId32 "/maps", process->pid);
	if (proc < 0 || !is_same_process(process, proc) || symbol_maps_open(proc, name, &file) != 0)
		return -1;
	while (!found && symbol_maps_next(file, &line))
		found = is_dump(&line);
	fclose(file);
	return found ? symbol_file_open(&(const struct symbol_file){process->pid, line.begin,
								    line.end, line.id, line.path,
								    .no_waiting = true},
					proc)
		     : -1;
}

static void read_dump(const struct stack_process *process, int proc, struct symbol_table *table)
{
	int fd = open_dump(process, proc);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) != 0 || (st.st_uid != process->uid && st.st_uid != 0) ||
	    symbol_jit_read_dump(fd, table) != 0)
		*table = (struct symbol_table){0};
	close(fd);
}

void jit_tables_read(const struct stack_process *process, int proc,
		     struct symbol_table tables[JIT_TABLES])
{
	memset(tables, 0, JIT_TABLES * sizeof(*tables));
	read_dump(process, proc, &tables[0]);
	read_map(process, proc, &tables[1]);
}
