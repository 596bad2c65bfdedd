/* SPDX-License-Identifier: MIT */
/* The engine: decodes each event, finds its thread and descriptor, and has it applied. */
#include "sinsp/state/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/proc/text.h"
#include "sinsp/state/internal.h"
#include "sinsp/state/program.h"
#include "util/clock.h"

enum { BOOT_ID_BYTES_MAX = 64, UNKNOWN_PID = -1 };

/*
 * The parameter that is the event's descriptor: of calls that make one out of nothing their result,
 * unless that tells of success alone; of calls on a descriptor the first that is not the result.
 */
static int8_t find_fd_param(const struct event_desc *desc)
{
	bool is_new = (desc->flags & EF_CREATES_FD) && !(desc->flags & EF_USES_FD);

	if (!(desc->flags & (EF_CREATES_FD | EF_USES_FD | EF_DESTROYS_FD)))
		return -1;
	if (is_new && (desc->flags & EF_ENTER))
		return -1;
	for (int8_t i = 0; i < desc->nparams; i++)
		if (desc->params[i].type == PT_FD &&
		    (is_new || strcmp(desc->params[i].name, "res") != 0))
			return i;
	return is_new ? 0 : -1;
}

static void make_plans(struct sinsp *sinsp)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		const struct state_rule *rule = state_rule_of(id);

		sinsp->plans[id] = (struct state_plan){
			.handle = rule->handle,
			.fd_param = desc ? find_fd_param(desc) : -1,
			.uses_fd = desc && (desc->flags & (EF_USES_FD | EF_DESTROYS_FD)),
			.closes_fd = desc && (desc->flags & EF_DESTROYS_FD),
			.finds_thread = rule->finds_thread,
			.is_call = desc && (desc->category & EC_SYSCALL),
		};
	}
}

uint64_t state_boot_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t boot_of_this_machine(void)
{
	struct buf text = {0};
	uint64_t boot = 0;

	if (proc_read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", BOOT_ID_BYTES_MAX, &text) ==
	    0)
		boot = state_boot_of(text.data);
	buf_finish(&text);
	return boot;
}

static void set_machine(struct sinsp *sinsp, const struct sinsp_config *config)
{
	const char *etc = config->etc ? config->etc : "/etc";

	/* A path that is cut names no file, and so there are no names. */
	snprintf(sinsp->passwd_path, ETC_PATH_BYTES, "%s/passwd", etc);
	snprintf(sinsp->group_path, ETC_PATH_BYTES, "%s/group", etc);
	snprintf(sinsp->hosts_path, ETC_PATH_BYTES, "%s/hosts", etc);
	users_init(&sinsp->users, sinsp->passwd_path);
	users_init(&sinsp->groups, sinsp->group_path);
	hosts_init(&sinsp->hosts, sinsp->hosts_path);
	sinsp->boot = config->boot_id ? state_boot_of(config->boot_id) : boot_of_this_machine();
	if (config->hostname)
		snprintf(sinsp->machine.hostname, HOSTNAME_BYTES, "%s", config->hostname);
	else
		gethostname(sinsp->machine.hostname, HOSTNAME_BYTES - 1);
	sinsp->machine.boot_ns = config->boot_ns ? config->boot_ns : clock_boot_offset_ns();
}

int sinsp_create(const struct sinsp_config *config, struct sinsp **sinsp, struct error *err)
{
	static const struct sinsp_program nothing = {
		.exe = "", .exepath = "", .args = "", .env = ""};
	struct sinsp *made = calloc(1, sizeof(*made));

	if (!made)
		goto fail;
	made->proc = config->proc;
	made->fd_store.pool = &made->pool;
	made->fd_store.max = config->fds_max ? config->fds_max : SINSP_FDS_MAX;
	set_machine(made, config);
	make_plans(made);
	made->no_program = sinsp_program_create(&made->pool, &nothing);
	if (!made->no_program ||
	    sinsp_threads_init(&made->threads, &made->pool,
			       config->threads_max ? config->threads_max : SINSP_THREADS_MAX) < 0)
		goto fail;
	*sinsp = made;
	return 0;
fail:
	sinsp_destroy(made);
	return error_set(err, -ENOMEM, "no memory for the tables of threads and descriptors");
}

void sinsp_destroy(struct sinsp *sinsp)
{
	if (!sinsp)
		return;
	sinsp_threads_finish(&sinsp->threads);
	sinsp_program_unref(&sinsp->pool, sinsp->no_program);
	users_finish(&sinsp->users);
	users_finish(&sinsp->groups);
	hosts_finish(&sinsp->hosts);
	machine_finish(&sinsp->machine);
	pool_finish(&sinsp->pool);
	free(sinsp);
}

void state_finish_last(struct sinsp *sinsp)
{
	struct state_after *after = &sinsp->after;

	if (after->renamed)
		after->renamed->name_changed = false;
	if (after->closed_in)
		sinsp_fds_close(after->closed_in, after->closed);
	if (after->ended)
		sinsp_threads_end(&sinsp->threads, after->ended);
	*after = (struct state_after){0};
}

int sinsp_reseed(struct sinsp *sinsp, struct error *err)
{
	state_finish_last(sinsp);
	return sinsp_seed(sinsp, err);
}

static void find_thread(struct sinsp *sinsp, const struct state_plan *plan,
			struct sinsp_event *event)
{
	event->thread = state_thread(sinsp, event->ev.tid);
	/* Of a capture's threads that nothing told of, descriptors can be followed all the same. */
	if (!event->thread && plan->is_call && sinsp->listener.sinsp && event->ev.tid > 0)
		event->thread = state_thread_add(sinsp, event->ev.tid, UNKNOWN_PID);
	if (!event->thread)
		return;
	sinsp_threads_use(&sinsp->threads, event->thread);
	/* Page faults and switches may come before the call that made it has returned. */
	if (plan->is_call)
		sinsp_thread_entry(event->thread)->by_caller = false;
}

/*
 * Whether /proc may know the event's descriptor. Anybody can let calls fail on descriptors that
 * never were, and what is closed by now is something else in /proc, if anything.
 */
static bool is_open(const struct state_plan *plan, const struct event *ev)
{
	int64_t result;

	if (plan->closes_fd)
		return false;
	return !event_result(ev, &result) || result >= 0 || result == -EINPROGRESS ||
	       result == -EAGAIN;
}

static void find_fd(struct sinsp *sinsp, const struct state_plan *plan, struct sinsp_event *event)
{
	unsigned int param = (unsigned int)plan->fd_param;

	if (plan->fd_param < 0 || !event_param_present(&event->ev, param))
		return;
	event->has_fd = true;
	event->fd_num = event_param_i64(&event->ev, param);
	if (!plan->uses_fd || !event->thread)
		return;
	event->fd = sinsp_fds_find(event->thread->fds, event->fd_num);
	if (!event->fd && is_open(plan, &event->ev))
		event->fd = state_fd(sinsp, event->thread, event->fd_num);
}

static int count_unusable(struct sinsp *sinsp, int code)
{
	if (code == -ENOENT)
		sinsp->stats.unknown++;
	else
		sinsp->stats.damaged++;
	return code;
}

int sinsp_process(struct sinsp *sinsp, const struct scap_event *raw, struct sinsp_event *event)
{
	const struct state_plan *plan;
	int r;

	state_finish_last(sinsp);
	r = event_decode(raw->frame, raw->len, raw->cpu, &event->ev);
	if (r < 0)
		return count_unusable(sinsp, r);
	if (sinsp->stats.events++ == 0)
		sinsp->first_ts_ns = event->ev.ts_ns;
	sinsp->now_ns = event->ev.ts_ns;
	event->num = sinsp->stats.events;
	event->first_ts_ns = sinsp->first_ts_ns;
	event->sinsp = sinsp;
	event->thread = NULL;
	event->fd = NULL;
	event->has_fd = false;
	event->fd_num = -1;

	plan = &sinsp->plans[event->ev.desc->id];
	if (!plan->finds_thread)
		find_thread(sinsp, plan, event);
	find_fd(sinsp, plan, event);
	if (plan->handle)
		plan->handle(sinsp, event);
	return 0;
}

void sinsp_stats(const struct sinsp *sinsp, struct sinsp_stats *stats)
{
	*stats = sinsp->stats;
	stats->threads = sinsp->threads.entries - sinsp->threads.unknown;
	stats->fds = sinsp->fd_store.count;
	stats->threads_evicted = sinsp->threads.evicted;
	stats->fds_refused = sinsp->fd_store.refused;
}

unsigned int sinsp_event_keeps(unsigned int id)
{
	return state_rule_of(id)->keeps;
}

struct sinsp_thread *sinsp_thread_find(struct sinsp *sinsp, int64_t tid)
{
	struct sinsp_thread_entry *entry = sinsp_threads_find(&sinsp->threads, tid);

	return entry && !entry->unknown ? &entry->thread : NULL;
}

struct sinsp_thread *sinsp_thread_main(struct sinsp *sinsp, const struct sinsp_thread *thread)
{
	return sinsp_thread_find(sinsp, thread->pid);
}

struct sinsp_thread *sinsp_thread_parent(struct sinsp *sinsp, const struct sinsp_thread *thread)
{
	const struct sinsp_thread *main = sinsp_thread_main(sinsp, thread), *parent;

	parent = sinsp_thread_find(sinsp, main ? main->ptid : thread->ptid);
	return parent ? sinsp_thread_main(sinsp, parent) : NULL;
}

const struct user_entry *sinsp_user(struct sinsp *sinsp, uint32_t uid)
{
	return users_find(&sinsp->users, uid, sinsp->now_ns);
}

const char *sinsp_user_name(struct sinsp *sinsp, uint32_t uid)
{
	const struct user_entry *user = sinsp_user(sinsp, uid);

	return user ? user->name : NULL;
}

const char *sinsp_group_name(struct sinsp *sinsp, uint32_t gid)
{
	const struct user_entry *group = users_find(&sinsp->groups, gid, sinsp->now_ns);

	return group ? group->name : NULL;
}

const char *sinsp_host_name(struct sinsp *sinsp, const uint8_t *address, size_t len)
{
	return hosts_name(&sinsp->hosts, address, len);
}

uint64_t sinsp_boot(const struct sinsp *sinsp)
{
	return sinsp->boot;
}

const char *sinsp_hostname(const struct sinsp *sinsp)
{
	return sinsp->machine.hostname;
}

uint64_t sinsp_run_ns(const struct sinsp_event *event)
{
	return event->sinsp->run_ns;
}
