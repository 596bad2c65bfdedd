/* SPDX-License-Identifier: MIT */
/* The policy of the process, set once, and what a thread does to enter its role. */
#include "privileges/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "privileges/calls.h"
#include "privileges/capabilities.h"
#include "privileges/files.h"
#include "util/count.h"

enum { FDS_MAX = 1024 /* closed one by one before Linux 5.9 */ };

static void ignore_signals(void)
{
	static const int signals[] = {SIGHUP,  SIGINT,	SIGQUIT, SIGTERM,
				      SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2};

	for (size_t i = 0; i < COUNT(signals); i++)
		signal(signals[i], SIG_IGN);
}

/* All are copied first: a place may be that of another one. */
static int move(const int *fds, size_t count)
{
	int first = HELPER_FD + (int)count, copies[HELPER_FDS_MAX];

	for (size_t i = 0; i < count; i++) {
		copies[i] = fcntl(fds[i], F_DUPFD, first);
		if (copies[i] < 0)
			return -errno;
	}
	for (size_t i = 0; i < count; i++)
		if (dup2(copies[i], HELPER_FD + (int)i) < 0)
			return -errno;
	if (syscall(SYS_close_range, first, ~0U, 0) < 0)
		for (int fd = first; fd < FDS_MAX; fd++)
			close(fd);
	return 0;
}

int privileges_begin_helper(const char *name, const int *fds, size_t count)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	ignore_signals();
	prctl(PR_SET_NAME, name);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		return -errno;
	return move(fds, count);
}

/* Set once, before there are other threads; then only read. */
static struct {
	enum privileges_mode mode;
	struct privileges_needs needs;
	struct privileges_kernel kernel;
} policy;

/* Landlock hides other processes: see files.h. */
static bool reads_proc(enum privileges_role role)
{
	return role == ROLE_EVENTS || role == ROLE_PROCESSES || role == ROLE_NAMESPACES ||
	       role == ROLE_PROFILES || role == ROLE_PROFILES_SENT;
}

void privileges_set(enum privileges_mode mode, const struct privileges_needs *needs)
{
	policy.mode = mode;
	policy.needs = *needs;
	if (mode != PRIVILEGES_KEEP)
		privileges_kernel_read(needs, "", &policy.kernel);
	/* Of the caller: it need not outlive this. */
	policy.needs.writes = NULL;
}

static bool limits_files(void)
{
	return policy.mode == PRIVILEGES_DROP && files_can_be_limited();
}

static uint64_t kept(enum privileges_role role)
{
	struct capability_sets sets;

	return capability_sets_read(&sets)
		       ? 0
		       : privileges_kept(role, &policy.needs, &policy.kernel, sets.permitted);
}

static int privileges_fail(const char *what, int code, struct error *err)
{
	return error_set(err, code, "dropping privileges: %s: %s; --privileges keep goes without",
			 what, strerror(-code));
}

int privileges_enter(enum privileges_role role, const struct files_limits *files, struct error *err)
{
	int r;

	if (policy.mode == PRIVILEGES_KEEP)
		return 0;
	r = capabilities_limit(kept(role));
	if (r)
		return privileges_fail("capabilities", r, err);
	if (files && limits_files() && !reads_proc(role)) {
		r = files_limit(files);
		if (r)
			return privileges_fail("Landlock", r, err);
	}
	if (calls_can_be_limited())
		r = calls_limit(role, policy.needs.reloads, policy.mode == PRIVILEGES_LOG);
	return r ? privileges_fail("the filter of system calls", r, err) : 0;
}

void privileges_append(struct buf *out)
{
	if (policy.mode == PRIVILEGES_KEEP)
		return;
	BUF_LITERAL(out, "agent: privileges: kept are ");
	capabilities_append(kept(ROLE_EVENTS), out);
	privileges_append_reasons(&policy.needs, &policy.kernel, kept(ROLE_EVENTS), out);
	buf_append_string(out, calls_can_be_limited()
				       ? policy.mode == PRIVILEGES_LOG
						 ? "; other system calls are logged"
						 : "; system calls are limited"
				       : "; system calls are not limited: no seccomp");
	buf_append_string(out, limits_files()		? "; files of other threads are limited\n"
			       : files_can_be_limited() ? "; files are not limited\n"
							: "; files are not limited: no Landlock\n");
}
