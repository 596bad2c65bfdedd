/* SPDX-License-Identifier: MIT */
/* Paths below mounts that have moved. */
#include "sinsp/state/mounts.h"

#include <string.h>

#include "sinsp/state/program.h"

/* The part of a path below a directory: "" for itself, "/x"; NULL if it is not below. */
static const char *below(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	if (strcmp(directory, "/") == 0)
		len = 0;
	if (strncmp(path, directory, len) != 0 || (path[len] != '/' && path[len]))
		return NULL;
	return path + len;
}

/* Puts a path below another directory. */
static size_t put_below(const char *directory, const char *rest, char out[SINSP_PATH_MAX])
{
	rest += strspn(rest, "/");
	return sinsp_path_join(directory, strlen(directory), *rest ? rest : ".",
			       *rest ? strlen(rest) : 1, out);
}

/*
 * A directory of the old root moves below its new place; the root itself is replaced by the new
 * root.
 */
static void move_cwd(struct sinsp *sinsp, struct sinsp_fs *fs, const struct state_move *move)
{
	const char *rest = below(fs->cwd, move->from), *to = move->to;
	char moved[SINSP_PATH_MAX];

	if (!rest && *move->old_root) {
		rest = fs->cwd;
		to = move->old_root;
	}
	if (rest && strcmp(fs->cwd, "/") != 0)
		sinsp_fs_set(&sinsp->pool, fs, moved, put_below(to, rest, moved));
}

/* Files opened in another namespace do not move: those of the old root are unchanged. */
static void move_fd(struct sinsp *sinsp, struct sinsp_fd *fd, const struct state_move *move)
{
	const char *rest = below(fd->name, move->from), *given;
	char moved[SINSP_PATH_MAX];
	size_t len, given_len;

	if (!rest || (fd->type != SCAP_FD_FILE && fd->type != SCAP_FD_DIRECTORY))
		return;
	given = sinsp_fd_given_name(fd, &given_len);
	len = put_below(move->to, rest, moved);
	sinsp_fd_set_names(&sinsp->fd_store, fd, moved, len, given, given_len);
}

void state_apply_move(struct sinsp *sinsp, const struct state_move *move)
{
	struct sinsp_thread *thread = state_thread_find(sinsp, move->tid);
	struct sinsp_fd *fd;

	if (!thread)
		return;
	move_cwd(sinsp, thread->fs, move);
	for (int64_t num = 0; (fd = sinsp_fds_next(thread->fds, &num)); num++) {
		move_fd(sinsp, fd, move);
		sinsp_fds_recharge(thread->fds, num);
	}
}
