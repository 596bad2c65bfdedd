/* SPDX-License-Identifier: MIT */
/* Checks of /proc: whether it is the machine's, and whether all processes can be read. */
#include "agent/commands/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/input/host.h"
#include "scap/proc/ids.h"
#include "scap/proc/text.h"
#include "util/count.h"

enum { PROCESSES_MAX = 2000 };

enum doctor_status doctor_host(const struct doctor *doctor, struct buf *found)
{
	struct buf warnings = {0};
	enum doctor_status status = DOCTOR_OK;
	struct error err = {""};
	struct host host;
	int r = host_open(&host, doctor->options->host_root, &err);

	if (r == 0)
		host_append_warnings(&host, false, &warnings);
	if (r) {
		buf_append_string(found, err.text);
		status = DOCTOR_MISSING;
	} else if (warnings.len) {
		/* One line, which begins with the program's name. */
		buf_append(found, warnings.data + strlen("agent: "),
			   warnings.len - strlen("agent: ") - 1);
		status = DOCTOR_LIMITED;
	} else {
		buf_printf(found, "ids of processes are those of events; this is %s",
			   host.hostname);
	}
	buf_finish(&warnings);
	host_close(&host);
	return status;
}

/* A process of the survey. */
struct surveyed {
	const struct scap_proc *proc;
	int64_t pid;
	int dir;
};

static int try_link(const struct surveyed *process, const char *name)
{
	char target[PATH_MAX];

	return readlinkat(process->dir, name, target, sizeof(target)) < 0 ? -errno : 0;
}

static int doctor_processes_try_folder(const struct surveyed *process, const char *name)
{
	int fd = openat(process->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* The process may let that wait. */
static int try_environment(const struct surveyed *process, const char *name)
{
	struct buf text = {0};
	const struct proc_target target = {process->pid, process->pid, proc_owner(process->dir)};
	int r = proc_readers_read_or_here(scap_proc_readers(process->proc),
					  scap_proc_dir(process->proc), process->dir, &target,
					  PROC_READ_ENVIRONMENT, &text);

	buf_finish(&text);
	return r;
}

static int doctor_processes_try_file(const struct surveyed *process, const char *name)
{
	int fd = openat(process->dir, name, O_RDONLY | O_CLOEXEC), r = 0;
	char byte;

	if (fd < 0)
		return -errno;
	if (read(fd, &byte, 1) < 0)
		r = -errno;
	close(fd);
	return r;
}

/* What a capture reads of each process and the kernel may refuse. */
static const struct {
	const char *name;
	int (*try)(const struct surveyed *process, const char *name);
} parts[] = {
	{"exe", try_link},
	{"cwd", try_link},
	{"root", try_link},
	{"fd", doctor_processes_try_folder},
	{"environ", try_environment},
	{"status", doctor_processes_try_file},
};

struct survey {
	unsigned int read, refused, silent;
	char first[64]; /* refused: "812/fd" */
	int error;
};

/* Returns 0, or the first error that is about rights or about no answer; `part`: what has it. */
static int survey_parts(const struct surveyed *process, const char **part)
{
	for (size_t i = 0; i < COUNT(parts); i++) {
		int r = parts[i].try(process, parts[i].name);

		*part = parts[i].name;
		/* Others: it exited, or is a thread of the kernel. */
		if (r == -EACCES || r == -EPERM || r == -ETIMEDOUT)
			return r;
	}
	return 0;
}

static void survey_process(const struct scap_proc *proc, const char *name, int64_t pid,
			   struct survey *survey)
{
	struct surveyed process = {proc, pid};
	const char *part;
	int r;

	process.dir = openat(scap_proc_dir(proc), name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process.dir < 0)
		return;
	r = survey_parts(&process, &part);
	close(process.dir);
	survey->read += r == 0;
	survey->silent += r == -ETIMEDOUT;
	survey->refused += r && r != -ETIMEDOUT;
	if (r && !survey->first[0]) {
		snprintf(survey->first, sizeof(survey->first), "%.16s/%s", name, part);
		survey->error = r;
	}
}

static unsigned int surveyed(const struct survey *survey)
{
	return survey->read + survey->refused + survey->silent;
}

static void survey_processes(const struct scap_proc *proc, struct survey *survey)
{
	int fd = openat(scap_proc_dir(proc), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int64_t pid;

	while (dir && (entry = readdir(dir)) && surveyed(survey) < PROCESSES_MAX)
		if (proc_name_number(entry->d_name, &pid))
			survey_process(proc, entry->d_name, pid, survey);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

enum doctor_status doctor_processes(const struct doctor *doctor, struct buf *found)
{
	struct survey survey = {0};
	struct proc_readers *readers = NULL;
	struct host host;
	int r = host_open(&host, doctor->options->host_root, NULL);

	if (r == 0)
		r = host_start_readers(doctor->options->host_root, &readers, NULL);
	if (r == 0) {
		scap_proc_set_readers(host.proc, readers);
		survey_processes(host.proc, &survey);
	}
	proc_readers_unref(readers);
	host_close(&host);
	if (r) {
		buf_printf(found, "/proc cannot be used: %s", strerror(-r));
		return DOCTOR_MISSING;
	}
	buf_printf(found, "%u of %u can be read", survey.read, surveyed(&survey));
	if (survey.read == surveyed(&survey))
		return DOCTOR_OK;
	if (survey.silent)
		buf_printf(found, "; %u do not answer", survey.silent);
	buf_printf(found, "; refused: %s (%s)", survey.first, strerror(-survey.error));
	return DOCTOR_LIMITED;
}
