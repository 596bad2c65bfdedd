/* SPDX-License-Identifier: MIT */
/*
 * Checks of /proc: whether it is the machine's, whether all processes can be read, and whose TLS is
 * not seen.
 */
#include "agent/commands/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/input/host.h"
#include "scap/proc/ids.h"
#include "scap/proc/text.h"
#include "scap/tls/mapped.h"
#include "scap/tls/missed.h"
#include "scap/tls/probe.h"
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

/* Processes whose plaintext under TLS cannot be had. */

enum {
	TLS_PROGRAMS_MAX = 512, /* that are looked at; of more, processes are not named */
	TLS_NAMED_MAX = 10,
	TLS_COMM_BYTES = 32,
};

/* A program, and what was found of it: many processes have the same. */
struct seen_program {
	dev_t dev;
	ino_t ino;
	enum tls_missed missed;
};

struct tls_survey {
	const struct doctor *doctor;
	struct seen_program programs[TLS_PROGRAMS_MAX];
	size_t count;
	unsigned int missed; /* processes */
	int32_t last; /* of these */
	struct buf *found;
};

static enum tls_missed look_at_program(struct tls_survey *survey, int fd)
{
	struct seen_program *program = &survey->programs[survey->count];
	char path[64];
	struct stat file;

	if (fstat(fd, &file))
		return TLS_MISSED_NONE;
	for (size_t i = 0; i < survey->count; i++)
		if (survey->programs[i].ino == file.st_ino &&
		    survey->programs[i].dev == file.st_dev)
			return survey->programs[i].missed;
	if (survey->count == TLS_PROGRAMS_MAX)
		return TLS_MISSED_NONE;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*program = (struct seen_program){file.st_dev, file.st_ino, tls_missed_look(path)};
	survey->count++;
	return program->missed;
}

static void look_at_process(void *context, int fd, int32_t pid)
{
	struct tls_survey *survey = context;
	enum tls_missed missed = look_at_program(survey, fd);
	char path[64], name[DOCTOR_TEXT_BYTES];

	/* Its program and a library may both say it. */
	if (missed == TLS_MISSED_NONE || survey->last == pid)
		return;
	survey->last = pid;
	if (survey->missed++ >= TLS_NAMED_MAX)
		return;
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/comm", pid);
	if (doctor_read(survey->doctor, path, name))
		name[0] = '\0';
	buf_printf(survey->found, "%s%.*s[%" PRId32 "]: %s", survey->missed > 1 ? ", " : "",
		   TLS_COMM_BYTES, name, pid, tls_missed_name(missed));
}

enum doctor_status doctor_tls(const struct doctor *doctor, struct buf *found)
{
	struct tls_survey survey = {.doctor = doctor, .found = found};
	char proc[4096];
	int type = tls_probe_type();

	if (type < 0) {
		buf_printf(found, "no probes in programs: %s", strerror(-type));
		return DOCTOR_LIMITED;
	}
	snprintf(proc, sizeof(proc), "%s/proc", doctor->root);
	tls_mapped_all(proc, &(struct tls_look){.see = look_at_process, .context = &survey});
	if (!survey.missed)
		BUF_LITERAL(found,
			    "no process is known to speak TLS by functions that are not found");
	else if (survey.missed > TLS_NAMED_MAX)
		buf_printf(found, " and %u more", survey.missed - TLS_NAMED_MAX);
	return survey.missed ? DOCTOR_LIMITED : DOCTOR_OK;
}
