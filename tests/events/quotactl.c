/* SPDX-License-Identifier: MIT */
/*
 * quotactl: every command, and what each takes and gives. Nearly all calls fail, as there is no
 * such device; what the caller's memory holds is shown nevertheless.
 */
#include <linux/dqblk_xfs.h>
#include <linux/quota.h>

#include "harness/fixture.h"
#include "harness/live.h"

struct call {
	const char *device;
	uint32_t native;
	long id;
	const void *address;
	long ret;
};

/* What its event shows, besides the result. */
struct shown {
	const char *device, *path;
	struct if_dqblk limits;
	struct if_dqinfo settings;
	int64_t format_found, format_given; /* 1: none */
	int64_t command, type;
	uint32_t id;
};

#define COMMAND(command, type) ((uint32_t)QCMD((uint32_t)(command), type))

/* A command that has no values of its own. */
static struct shown plain(int64_t command, int64_t type)
{
	return (struct shown){
		.device = "no/such",
		.format_found = quotactl_quota_fmts__QFMT_NOT_USED,
		.format_given = quotactl_quota_fmts__QFMT_NOT_USED,
		.command = command,
		.type = type,
	};
}

static void check(const struct call *call, const struct shown *shown)
{
	const struct if_dqblk *limits = &shown->limits;
	const struct if_dqinfo *settings = &shown->settings;

	expect_call(quotactl, call->ret,
		    CALL(SYS_quotactl, (long)call->native, call->device, call->id, call->address),
		    TEXT(shown->device), TEXT(shown->path), NUMBER((int64_t)limits->dqb_bhardlimit),
		    NUMBER((int64_t)limits->dqb_bsoftlimit), NUMBER((int64_t)limits->dqb_curspace),
		    NUMBER((int64_t)limits->dqb_ihardlimit),
		    NUMBER((int64_t)limits->dqb_isoftlimit), NUMBER((int64_t)limits->dqb_btime),
		    NUMBER((int64_t)limits->dqb_itime), NUMBER((int64_t)settings->dqi_bgrace),
		    NUMBER((int64_t)settings->dqi_igrace), NUMBER(settings->dqi_flags & 0xff),
		    NUMBER(shown->format_found), NUMBER(shown->command), NUMBER(shown->type),
		    NUMBER(shown->id), NUMBER(shown->format_given));
}

static void check_limits(uint32_t command, int64_t shown_command, uint32_t valid)
{
	const struct if_dqblk given = {
		.dqb_bhardlimit = 1,
		.dqb_bsoftlimit = UINT64_MAX - 1,
		.dqb_curspace = 3,
		.dqb_ihardlimit = 4,
		.dqb_isoftlimit = 5,
		.dqb_curinodes = 6,
		.dqb_btime = 7,
		.dqb_itime = 1L << 40,
		.dqb_valid = valid,
	};
	struct shown shown = plain(shown_command, quotactl_types__USRQUOTA);

	shown.id = 0x89abcdef;
	if (valid & QIF_BLIMITS) {
		shown.limits.dqb_bhardlimit = given.dqb_bhardlimit;
		shown.limits.dqb_bsoftlimit = given.dqb_bsoftlimit;
	}
	if (valid & QIF_SPACE)
		shown.limits.dqb_curspace = given.dqb_curspace;
	if (valid & QIF_ILIMITS) {
		shown.limits.dqb_ihardlimit = given.dqb_ihardlimit;
		shown.limits.dqb_isoftlimit = given.dqb_isoftlimit;
	}
	if (valid & QIF_BTIME)
		shown.limits.dqb_btime = given.dqb_btime;
	if (valid & QIF_ITIME)
		shown.limits.dqb_itime = given.dqb_itime;
	check(&(struct call){"no/such", COMMAND(command, USRQUOTA), 0x189abcdef, &given, -ENOENT},
	      &shown);
}

static void check_settings(uint32_t command, int64_t shown_command, uint32_t valid)
{
	const struct if_dqinfo given = {
		.dqi_bgrace = 604800,
		.dqi_igrace = 1L << 40,
		.dqi_flags = 0xab03,
		.dqi_valid = valid,
	};
	struct shown shown = plain(shown_command, quotactl_types__GRPQUOTA);

	if (valid & IIF_BGRACE)
		shown.settings.dqi_bgrace = given.dqi_bgrace;
	if (valid & IIF_IGRACE)
		shown.settings.dqi_igrace = given.dqi_igrace;
	if (valid & IIF_FLAGS)
		shown.settings.dqi_flags = given.dqi_flags;
	check(&(struct call){"no/such", COMMAND(command, GRPQUOTA), 5, &given, -ENOENT}, &shown);
}

static void check_unreadable(uint32_t command, int64_t shown_command)
{
	struct shown shown = plain(shown_command, quotactl_types__USRQUOTA);

	check(&(struct call){"no/such", COMMAND(command, USRQUOTA), 0, UNREADABLE, -ENOENT},
	      &shown);
	check(&(struct call){"no/such", COMMAND(command, USRQUOTA), 0, NULL, -ENOENT}, &shown);
}

static void check_limits_and_settings(void)
{
	for (uint32_t valid = 0; valid < 2 * QIF_ITIME; valid++) {
		check_limits(Q_GETQUOTA, quotactl_cmds__Q_GETQUOTA, valid);
		check_limits(Q_SETQUOTA, quotactl_cmds__Q_SETQUOTA, valid);
	}
	for (uint32_t valid = 0; valid < 2 * IIF_FLAGS; valid++) {
		check_settings(Q_GETINFO, quotactl_cmds__Q_GETINFO, valid);
		check_settings(Q_SETINFO, quotactl_cmds__Q_SETINFO, valid);
	}
	check_unreadable(Q_GETQUOTA, quotactl_cmds__Q_GETQUOTA);
	check_unreadable(Q_SETINFO, quotactl_cmds__Q_SETINFO);
}

/* Formats as the kernel numbers them and as events do. */
static const struct {
	uint32_t native;
	int64_t stored;
} formats[] = {
	{0, quotactl_quota_fmts__QFMT_NOT_USED},
	{QFMT_VFS_OLD, quotactl_quota_fmts__QFMT_VFS_OLD},
	{QFMT_VFS_V0, quotactl_quota_fmts__QFMT_VFS_V0},
	{QFMT_OCFS2, quotactl_quota_fmts__QFMT_NOT_USED},
	{QFMT_VFS_V1, quotactl_quota_fmts__QFMT_VFS_V1},
	{UINT32_MAX, quotactl_quota_fmts__QFMT_NOT_USED},
};

static void check_formats(void)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct shown given = plain(quotactl_cmds__Q_QUOTAON, quotactl_types__USRQUOTA);
		struct shown found = plain(quotactl_cmds__Q_GETFMT, quotactl_types__USRQUOTA);

		given.format_given = formats[i].stored;
		given.path = "/no/quota.file";
		check(&(struct call){"no/such", COMMAND(Q_QUOTAON, USRQUOTA), formats[i].native,
				     given.path, -ENOENT},
		      &given);
		found.format_found = formats[i].stored;
		check(&(struct call){"no/such", COMMAND(Q_GETFMT, USRQUOTA), 0, &formats[i].native,
				     -ENOENT},
		      &found);
	}
	check_unreadable(Q_GETFMT, quotactl_cmds__Q_GETFMT);
}

/* Commands that have nothing of the above. */
static const struct {
	uint32_t native;
	int64_t stored;
	bool has_id;
} commands[] = {
	{Q_SYNC, quotactl_cmds__Q_SYNC, false},
	{Q_QUOTAOFF, quotactl_cmds__Q_QUOTAOFF, false},
	{Q_XQUOTAON, quotactl_cmds__Q_XQUOTAON, false},
	{Q_XQUOTAOFF, quotactl_cmds__Q_XQUOTAOFF, false},
	{Q_XGETQUOTA, quotactl_cmds__Q_XGETQUOTA, true},
	{Q_XSETQLIM, quotactl_cmds__Q_XSETQLIM, true},
	{Q_XGETQSTAT, quotactl_cmds__Q_XGETQSTAT, false},
	{Q_XQUOTARM, quotactl_cmds__Q_XQUOTARM, false},
	{Q_XQUOTASYNC, quotactl_cmds__Q_XQUOTASYNC, false},
	{Q_GETNEXTQUOTA, 0, false},
	{Q_XGETQSTATV, 0, false},
	{0, 0, false},
	{0xffffff, 0, false},
};

static void check_commands(void)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct shown shown = plain(commands[i].stored, quotactl_types__USRQUOTA);

		shown.id = commands[i].has_id ? 1000 : 0;
		check(&(struct call){"no/such", COMMAND(commands[i].native, USRQUOTA), 1000, NULL,
				     -ENOENT},
		      &shown);
	}
}

/* Without a device, the command would have to be one that is for all of them. */
static void check_devices(void)
{
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		struct shown shown = plain(quotactl_cmds__Q_QUOTAOFF, quotactl_types__GRPQUOTA);

		shown.device = paths[i].shown;
		check(&(struct call){paths[i].path, COMMAND(Q_QUOTAOFF, GRPQUOTA), 3, NULL,
				     paths[i].path ? paths[i].error : -ENODEV},
		      &shown);
	}
}

LIVE_TEST(quotactl)
{
	struct shown shown = plain(quotactl_cmds__Q_SYNC, 0);

	check_devices();
	check_commands();
	check_limits_and_settings();
	check_formats();
	check(&(struct call){"no/such", COMMAND(Q_SYNC, 2), 0, NULL, -ENOENT}, &shown);
	check(&(struct call){"no/such", COMMAND(Q_SYNC, 0xff), 0, NULL, -EINVAL}, &shown);
	shown.device = NULL;
	shown.type = quotactl_types__USRQUOTA;
	check(&(struct call){NULL, COMMAND(Q_SYNC, USRQUOTA), 0, NULL, 0}, &shown);
}
