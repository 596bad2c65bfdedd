/* SPDX-License-Identifier: MIT */
/*
 * event.category by the family of an event, event.type by a table of events. The schema allows
 * each category only some types: the test of this file has them.
 */
#include "sinsp/format/schema.h"

#include "event/event.h"

static const char *const categories[EVENT_FAMILIES_COUNT] = {
	[FAMILY_file] = "file",	      [FAMILY_mount] = "configuration", [FAMILY_net] = "network",
	[FAMILY_process] = "process", [FAMILY_signal] = "process",	[FAMILY_user] = "process",
	[FAMILY_module] = "driver",   [FAMILY_system] = "host",
};

const char *ecs_category(unsigned int event_id)
{
	const char *category = categories[event_family_of(event_id)];

	return category ? category : "api";
}

static const char *const types[EVENT_ID_MAX] = {
	[EVENT_open] = "access",
	[EVENT_openat] = "access",
	[EVENT_openat2] = "access",
	[EVENT_open_by_handle_at] = "access",
	[EVENT_access] = "access",
	[EVENT_faccessat] = "access",
	[EVENT_faccessat2] = "access",
	[EVENT_readlink] = "access",
	[EVENT_readlinkat] = "access",
	[EVENT_creat] = "creation",
	[EVENT_mkdir] = "creation",
	[EVENT_mkdirat] = "creation",
	[EVENT_mknod] = "creation",
	[EVENT_mknodat] = "creation",
	[EVENT_link] = "creation",
	[EVENT_linkat] = "creation",
	[EVENT_symlink] = "creation",
	[EVENT_symlinkat] = "creation",
	[EVENT_rmdir] = "deletion",
	[EVENT_unlink] = "deletion",
	[EVENT_unlinkat] = "deletion",
	[EVENT_rename] = "change",
	[EVENT_renameat] = "change",
	[EVENT_renameat2] = "change",
	[EVENT_chmod] = "change",
	[EVENT_fchmod] = "change",
	[EVENT_fchmodat] = "change",
	[EVENT_fchmodat2] = "change",
	[EVENT_chown] = "change",
	[EVENT_lchown] = "change",
	[EVENT_fchown] = "change",
	[EVENT_fchownat] = "change",
	[EVENT_truncate] = "change",
	[EVENT_ftruncate] = "change",
	[EVENT_setxattr] = "change",
	[EVENT_setxattrat] = "change",
	[EVENT_lsetxattr] = "change",
	[EVENT_fsetxattr] = "change",
	[EVENT_removexattr] = "change",
	[EVENT_removexattrat] = "change",
	[EVENT_lremovexattr] = "change",
	[EVENT_fremovexattr] = "change",
	[EVENT_utime] = "change",
	[EVENT_utimes] = "change",
	[EVENT_utimensat] = "change",
	[EVENT_futimesat] = "change",
	[EVENT_mount] = "creation",
	[EVENT_umount] = "deletion",
	[EVENT_umount2] = "deletion",
	[EVENT_move_mount] = "change",
	[EVENT_mount_setattr] = "change",
	[EVENT_pivot_root] = "change",
	[EVENT_chroot] = "change",
	[EVENT_connect] = "start",
	[EVENT_accept] = "start",
	[EVENT_accept4] = "start",
	[EVENT_shutdown] = "end",
	[EVENT_clone] = "start",
	[EVENT_clone3] = "start",
	[EVENT_fork] = "start",
	[EVENT_vfork] = "start",
	[EVENT_execve] = "start",
	[EVENT_execveat] = "start",
	[EVENT_procexit] = "end",
	[EVENT_exit] = "end",
	[EVENT_exit_group] = "end",
	[EVENT_setsid] = "change",
	[EVENT_setpgid] = "change",
	[EVENT_setuid] = "change",
	[EVENT_setgid] = "change",
	[EVENT_setreuid] = "change",
	[EVENT_setregid] = "change",
	[EVENT_setresuid] = "change",
	[EVENT_setresgid] = "change",
	[EVENT_setfsuid] = "change",
	[EVENT_setfsgid] = "change",
	[EVENT_setgroups] = "change",
	[EVENT_init_module] = "start",
	[EVENT_finit_module] = "start",
	[EVENT_delete_module] = "end",
	[EVENT_sethostname] = "change",
	[EVENT_setdomainname] = "change",
};

const char *ecs_type(unsigned int event_id)
{
	const char *type = event_id < EVENT_ID_MAX ? types[event_id] : NULL;

	return type ? type : "info";
}
