/* SPDX-License-Identifier: MIT */
/* Checks of /proc: whether it is the machine's, and whether all processes can be read. */
#include "agent/doctor/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/input/host.h"
#include "scap/proc/text.h"

enum { PROCESSES_MAX = 2000 };

enum doctor_status doctor_host(const struct doctor *doctor, struct buf *found)
{
	struct buf warnings = {0};
	enum doctor_status status = DOCTOR_OK;
	struct error err = {""};
	struct host host;
	int code = host_open(&host, doctor->options->host_root, &err);

	if (code == 0)
		host_append_warnings(&host, false, &warnings);
	if (code) {
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

static int try_link(int process, const char *name)
{
	char target[PATH_MAX];

	return readlinkat(process, name, target, sizeof(target)) < 0 ? -errno : 0;
}

static int try_folder(int process, const char *name)
{
	int fd = openat(process, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int try_file(int process, const char *name)
{
	int fd = openat(process, name, O_RDONLY | O_CLOEXEC), code = 0;
	char byte;

	if (fd < 0)
		return -errno;
	if (read(fd, &byte, 1) < 0)
		code = -errno;
	close(fd);
	return code;
}

/* What a capture reads of each process and the kernel may refuse. */
static const struct {
	const char *name;
	int (*try)(int process, const char *name);
} parts[] = {
	{"exe", try_link},  {"cwd", try_link},	   {"root", try_link},
	{"fd", try_folder}, {"environ", try_file}, {"status", try_file},
};

struct survey {
	unsigned int read, refused;
	char first[64]; /* refused: "812/fd" */
	int error;
};

static void survey_process(int proc, const char *name, struct survey *survey)
{
	int process = openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int code = 0;
	size_t i;

	if (process < 0)
		return;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		code = parts[i].try(process, parts[i].name);
		/* Others: it exited, or is a thread of the kernel. */
		if (code == -EACCES || code == -EPERM)
			break;
		code = 0;
	}
	close(process);
	survey->read += code == 0;
	survey->refused += code != 0;
	if (code && !survey->first[0]) {
		snprintf(survey->first, sizeof(survey->first), "%.16s/%s", name, parts[i].name);
		survey->error = code;
	}
}

static void survey_processes(int proc, struct survey *survey)
{
	int fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int64_t pid;

	while (dir && (entry = readdir(dir)) && survey->read + survey->refused < PROCESSES_MAX)
		if (proc_name_number(entry->d_name, &pid))
			survey_process(proc, entry->d_name, survey);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

enum doctor_status doctor_processes(const struct doctor *doctor, struct buf *found)
{
	struct survey survey = {0};
	struct host host;
	int code = host_open(&host, doctor->options->host_root, NULL);

	if (code == 0)
		survey_processes(scap_proc_dir(host.proc), &survey);
	host_close(&host);
	if (code) {
		buf_printf(found, "/proc cannot be used: %s", strerror(-code));
		return DOCTOR_MISSING;
	}
	buf_printf(found, "%u of %u can be read", survey.read, survey.read + survey.refused);
	if (!survey.refused)
		return DOCTOR_OK;
	buf_printf(found, "; refused: %s (%s)", survey.first, strerror(-survey.error));
	return DOCTOR_LIMITED;
}
