/* SPDX-License-Identifier: MIT */
/* Programs, one block of memory each, and current directories; threads that share or leave them. */
#include "sinsp/state/program.h"

#include <string.h>

struct program_block {
	struct state_program program; /* first: a pointer to it is one to its block */
	size_t bytes;
	char *learnt; /* the path that was learnt later, of a block of its own; NULL: none was */
	char strings[];
};

static const char *program_put(char **at, const char *text, size_t len)
{
	char *copy = *at;

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	*at += len + 1;
	return copy;
}

struct state_program *state_program_create(struct pool *pool, const struct state_program *from)
{
	size_t exe_len = strlen(from->exe), exepath_len = strlen(from->exepath);
	size_t strings = exe_len + exepath_len + from->args_len + from->env_len + 4;
	size_t bytes = sizeof(struct program_block) + strings;
	struct program_block *block = pool_alloc(pool, bytes);
	char *at;

	if (!block)
		return NULL;
	block->program = *from;
	block->program.id = pool->allocations;
	block->program.refs = 1;
	block->bytes = bytes;
	block->learnt = NULL;
	at = block->strings;
	block->program.exe = program_put(&at, from->exe, exe_len);
	block->program.exepath = program_put(&at, from->exepath, exepath_len);
	block->program.args = program_put(&at, from->args, from->args_len);
	block->program.env = program_put(&at, from->env, from->env_len);
	return &block->program;
}

static void program_forget_learnt(struct pool *pool, struct program_block *block)
{
	if (block->learnt)
		pool_free(pool, block->learnt, strlen(block->learnt) + 1);
}

bool state_program_learn(struct pool *pool, struct state_program *program,
			 const struct state_program *from)
{
	struct program_block *block = (struct program_block *)program;
	size_t bytes = strlen(from->exepath) + 1;
	char *path = pool_alloc(pool, bytes);

	if (!path)
		return false;
	memcpy(path, from->exepath, bytes);
	program_forget_learnt(pool, block);
	program->exepath = block->learnt = path;
	program->flags = from->flags;
	program->exe_ino = from->exe_ino;
	program->exe_ctime_ns = from->exe_ctime_ns;
	program->exe_mtime_ns = from->exe_mtime_ns;
	program->id = pool->allocations;
	return true;
}

const char *state_program_argument(const struct state_program *program, const char *arg)
{
	const char *next = arg ? arg + strlen(arg) + 1 : program->args;

	return next < program->args + program->args_len ? next : NULL;
}

bool state_program_has_argument(const struct state_program *program, const char *text)
{
	const char *arg = NULL;

	while ((arg = state_program_argument(program, arg)))
		if (strcmp(arg, text) == 0)
			return true;
	return false;
}

struct state_program *state_program_ref(struct state_program *program)
{
	program->refs++;
	return program;
}

void state_program_unref(struct pool *pool, struct state_program *program)
{
	struct program_block *block = (struct program_block *)program;

	if (!program || --program->refs)
		return;
	program_forget_learnt(pool, block);
	pool_free(pool, block, block->bytes);
}

struct state_fs *state_fs_create(struct pool *pool, const char *cwd, size_t len)
{
	struct state_fs *fs = pool_alloc(pool, sizeof(*fs));

	if (!fs)
		return NULL;
	*fs = (struct state_fs){.refs = 1};
	state_fs_set(pool, fs, cwd, len);
	if (!fs->cwd) {
		pool_free(pool, fs, sizeof(*fs));
		return NULL;
	}
	return fs;
}

struct state_fs *state_fs_copy(struct pool *pool, const struct state_fs *fs)
{
	struct state_fs *copy = state_fs_create(pool, fs->cwd, fs->cwd_len);

	if (copy && fs->root)
		state_fs_set_root(pool, copy, fs->root);
	return copy;
}

struct state_fs *state_fs_ref(struct state_fs *fs)
{
	fs->refs++;
	return fs;
}

static void free_root(struct pool *pool, struct state_fs *fs)
{
	if (fs->root)
		pool_free(pool, fs->root, strlen(fs->root) + 1);
}

void state_fs_unref(struct pool *pool, struct state_fs *fs)
{
	if (!fs || --fs->refs)
		return;
	pool_free(pool, fs->cwd, fs->cwd_len + 1u);
	free_root(pool, fs);
	pool_free(pool, fs, sizeof(*fs));
}

void state_fs_set_root(struct pool *pool, struct state_fs *fs, const char *root)
{
	size_t bytes = strlen(root) + 1;
	char *copy = NULL;

	if (strcmp(root, "/") != 0) {
		copy = pool_alloc(pool, bytes);
		if (!copy)
			return;
		memcpy(copy, root, bytes);
	}
	free_root(pool, fs);
	fs->root = copy;
}

void state_fs_set(struct pool *pool, struct state_fs *fs, const char *cwd, size_t len)
{
	bool separate = len && cwd[len - 1] != '/';
	char *copy = pool_alloc(pool, len + separate + 1);

	if (!copy)
		return;
	memcpy(copy, cwd, len);
	if (separate)
		copy[len++] = '/';
	copy[len] = '\0';
	pool_free(pool, fs->cwd, fs->cwd_len + 1u);
	fs->cwd = copy;
	fs->cwd_len = (uint32_t)len;
}

/* The parts that threads share, and attributes that several events change. */

enum { CAPABILITIES = 41 };

void state_unshare_fs(struct state *state, struct state_thread *thread)
{
	struct state_fs *own;

	if (thread->fs->refs == 1)
		return;
	own = state_fs_copy(&state->pool, thread->fs);
	if (!own)
		return;
	state_fs_unref(&state->pool, thread->fs);
	thread->fs = own;
}

void state_unshare_fds(struct state_thread *thread)
{
	struct state_fds *own;

	if (!state_fds_shared(thread->fds))
		return;
	own = state_fds_copy(thread->fds);
	if (!own)
		return;
	state_fds_unref(thread->fds);
	thread->fds = own;
}

void state_set_program(struct state *state, struct state_thread *thread,
		       const struct state_program *from)
{
	struct state_program *program = state_program_create(&state->pool, from);

	if (!program)
		return;
	state_program_unref(&state->pool, thread->program);
	thread->program = program;
}

void state_set_comm(struct state_thread *thread, const char *comm)
{
	size_t len = comm ? strnlen(comm, sizeof(thread->comm) - 1) : 0;

	if (!comm)
		return;
	memcpy(thread->comm, comm, len);
	memset(thread->comm + len, 0, sizeof(thread->comm) - len);
}

void state_share(struct state *state, struct state_thread *thread,
		 const struct state_thread *creator, uint32_t flags)
{
	struct state_fs *fs = creator->fs;
	struct state_fds *fds = creator->fds;

	fs = flags & clone_flags__CLONE_FS ? state_fs_ref(fs) : state_fs_copy(&state->pool, fs);
	fds = flags & clone_flags__CLONE_FILES ? state_fds_ref(fds) : state_fds_copy(fds);
	if (fs) {
		state_fs_unref(&state->pool, thread->fs);
		thread->fs = fs;
	}
	if (fds) {
		state_fds_unref(thread->fds);
		thread->fds = fds;
	}
	state_program_ref(creator->program);
	state_program_unref(&state->pool, thread->program);
	thread->program = creator->program;
}

void state_set_unix_ends(struct state *state, struct state_fd *fd, uint64_t own, uint64_t peer)
{
	bool known = own || peer || fd->has_ends;
	union state_ends *ends = known ? state_fd_make_ends(&state->fd_store, fd) : NULL;

	if (!ends)
		return;
	ends->unix_socket = own;
	ends->unix_peer = peer;
}

void state_enter_userns(struct state_thread *thread)
{
	thread->caps_permitted = thread->caps_effective = (UINT64_C(1) << CAPABILITIES) - 1;
	thread->caps_inheritable = 0;
}
