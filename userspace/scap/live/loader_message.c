/* SPDX-License-Identifier: MIT */
/*
 * The packets between a process and its loader: settings, which are checked, errors and
 * descriptors.
 */
#include "scap/live/loader.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union rights {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(LOADER_PARTS_MAX * sizeof(int))];
};

static const uint8_t whose_bits[] = {
	[FOLLOWED_CHOSEN] = 0,
	[FOLLOWED_KIN] = LOADER_OF_KIN,
	[FOLLOWED_ALL] = LOADER_OF_ALL,
};

void loader_config_write(const struct scap_live_config *config, uint64_t boot_offset_ns,
			 struct loader_config *wire)
{
	*wire = (struct loader_config){
		.boot_offset_ns = boot_offset_ns,
		.ring_bytes = config->ring_bytes,
		.backward_bytes = config->backward_bytes,
		.snaplen = config->snaplen,
		.stream_bytes = config->stream_bytes,
		.snaplen_rules = config->snaplen_rules,
		.tls_chosen = config->tls_chosen,
		.kernel_filters = config->kernel_filters,
		.enter_times = config->enter_times,
		.thread_times = config->thread_times,
		.environments = config->environments,
		.call_rows_by = (uint8_t)config->call_rows_by,
		.waiting_max = config->waiting_max,
		.entry_notes = (uint8_t)config->entry_notes,
		.call_hooks = (uint8_t)config->call_hooks,
		.verbose = config->verbose,
		.has_budget = config->has_budget,
		.chooses = config->chosen.chooses,
		.chooses_children = config->chosen.children,
		.holds = config->chosen.holds,
	};
	memcpy(wire->self_pids, config->self_pids, sizeof(wire->self_pids));
	memcpy(wire->rate_limits, config->rate_limits, sizeof(wire->rate_limits));
	for (unsigned int i = 0; i < SCAP_LIVE_ITERATORS; i++)
		wire->iterators[i] = config->iterators[i];
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		wire->events[id] = (uint8_t)((config->events[id] ? LOADER_WANTED : 0) |
					     (config->successes[id] ? LOADER_SUCCESSES : 0) |
					     (config->of_rules[id] ? LOADER_OF_RULES : 0) |
					     (config->stream_only[id] ? LOADER_OF_STREAMS : 0) |
					     (config->read_at_once[id] ? LOADER_READ_AT_ONCE : 0) |
					     (config->counted[id] ? LOADER_COUNTED : 0) |
					     whose_bits[config->chosen.whose[id]]);
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
		wire->calls[number] =
			(uint8_t)((config->syscalls[number] ? LOADER_NATIVE : 0) |
				  (config->compat_syscalls[number] ? LOADER_COMPAT : 0));
}

/* Whether a check compares a known fact, and continues at a later one, as each run must end. */
static bool is_valid_check(const struct kernel_filter *filter, unsigned int at)
{
	const struct kernel_check *check = &filter->checks[at];
	const uint8_t next[] = {check->on_true, check->on_false};

	for (unsigned int i = 0; i < 2; i++)
		if (next[i] <= at || (next[i] >= KERNEL_CHECKS_MAX && next[i] != KERNEL_PASS &&
				      next[i] != KERNEL_REJECT))
			return false;
	return check->fact < KERNEL_FACTS && check->op < KERNEL_OPS &&
	       (filter->facts & 1u << check->fact);
}

/* Checks that none leads to are zeros. */
static bool is_valid_filter(const struct kernel_filter *filter)
{
	bool reached[KERNEL_REJECT + 1] = {true};

	for (unsigned int i = 0; i < KERNEL_CHECKS_MAX; i++) {
		if (!reached[i])
			continue;
		if (!is_valid_check(filter, i))
			return false;
		reached[filter->checks[i].on_true] = reached[filter->checks[i].on_false] = true;
	}
	return filter->facts < 1u << KERNEL_FACTS;
}

static bool are_valid_filters(const struct kernel_filters *filters)
{
	for (unsigned int i = 0; i < KERNEL_FILTERS_MAX; i++)
		if (filters->filters[i].facts && !is_valid_filter(&filters->filters[i]))
			return false;
	if (filters->hierarchies >> (CGROUPS + 1) || filters->mutes > 1)
		return false;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const uint8_t numbers[] = {filters->at_exit[id], filters->at_entry[id],
					   filters->at_path[id]};

		for (unsigned int i = 0; i < sizeof(numbers); i++)
			if (numbers[i] > KERNEL_FILTERS_MAX ||
			    (numbers[i] && !filters->filters[numbers[i] - 1].facts))
				return false;
		if (filters->groups[id] >= KERNEL_GROUPS_COUNT ||
		    filters->mute[id] >= KERNEL_MUTE_COUNT)
			return false;
	}
	return true;
}

/* What is wrong, or NULL. */
static const char *find_fault(const struct loader_config *wire)
{
	const struct snaplen_rules *rules = &wire->snaplen_rules;

	if (wire->snaplen > SNAPLEN_MAX || wire->stream_bytes > SNAPLEN_MAX)
		return "snaplen";
	if (!wire->ring_bytes || wire->ring_bytes > LOADER_RING_BYTES_MAX ||
	    (wire->ring_bytes & (wire->ring_bytes - 1)) ||
	    wire->backward_bytes > LOADER_RING_BYTES_MAX ||
	    (wire->backward_bytes & (wire->backward_bytes - 1)))
		return "the size of ring buffers";
	if (wire->enter_times > 1 || wire->thread_times > 1 || wire->verbose > 1 ||
	    wire->has_budget > 1 || wire->environments > 1 || wire->chooses > 1 ||
	    wire->chooses_children > 1 || wire->holds > 1 || wire->tls_chosen.wanted > 1 ||
	    wire->tls_chosen.all > 1 || wire->tls_chosen.is_asked > 1 ||
	    wire->entry_notes > ENTRY_NOTES_ALL || wire->call_hooks > CALL_HOOKS_EACH)
		return "a flag";
	/* Of one unit. */
	if (__builtin_popcount(wire->call_rows_by & BY_TIME) > 1)
		return "what calls are counted by";
	if (wire->waiting_max > LOADER_WAITING_MAX)
		return "how many threads wait";
	for (unsigned int i = 0; i < SCAP_LIVE_ITERATORS; i++)
		if (wire->iterators[i] > 1)
			return "a flag";
	if (rules->full_low > rules->full_high || rules->dynamic > 1)
		return "the rules of snaplen";
	if (!are_valid_filters(&wire->kernel_filters))
		return "a filter";
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if ((wire->events[id] & LOADER_OF_KIN && wire->events[id] & LOADER_OF_ALL) ||
		    (wire->events[id] & LOADER_COUNTED && !(wire->events[id] & LOADER_WANTED)))
			return "an event";
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
		if (wire->calls[number] & ~(LOADER_NATIVE | LOADER_COMPAT))
			return "a system call";
	return NULL;
}

int loader_config_read(const struct loader_config *wire, struct scap_live_config *config,
		       struct error *err)
{
	const char *fault = find_fault(wire);

	if (fault)
		return error_set(err, -EINVAL, "a request to load programs is malformed: %s",
				 fault);
	*config = (struct scap_live_config){
		.ring_bytes = wire->ring_bytes,
		.backward_bytes = wire->backward_bytes,
		.snaplen = wire->snaplen,
		.stream_bytes = wire->stream_bytes,
		.snaplen_rules = wire->snaplen_rules,
		.tls_chosen = wire->tls_chosen,
		.kernel_filters = wire->kernel_filters,
		.enter_times = wire->enter_times,
		.thread_times = wire->thread_times,
		.environments = wire->environments,
		.call_rows_by = wire->call_rows_by,
		.waiting_max = wire->waiting_max,
		.entry_notes = (enum live_entry_notes)wire->entry_notes,
		.call_hooks = (enum live_hooks)wire->call_hooks,
		.verbose = wire->verbose,
		.has_budget = wire->has_budget,
		.chosen = {.chooses = wire->chooses,
			   .children = wire->chooses_children,
			   .holds = wire->holds},
	};
	memcpy(config->self_pids, wire->self_pids, sizeof(config->self_pids));
	memcpy(config->rate_limits, wire->rate_limits, sizeof(config->rate_limits));
	for (unsigned int i = 0; i < SCAP_LIVE_ITERATORS; i++)
		config->iterators[i] = wire->iterators[i];
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		config->events[id] = wire->events[id] & LOADER_WANTED;
		config->successes[id] = wire->events[id] & LOADER_SUCCESSES;
		config->of_rules[id] = wire->events[id] & LOADER_OF_RULES;
		config->stream_only[id] = wire->events[id] & LOADER_OF_STREAMS;
		config->read_at_once[id] = wire->events[id] & LOADER_READ_AT_ONCE;
		config->counted[id] = wire->events[id] & LOADER_COUNTED;
		config->chosen.whose[id] = wire->events[id] & LOADER_OF_KIN   ? FOLLOWED_KIN
					   : wire->events[id] & LOADER_OF_ALL ? FOLLOWED_ALL
									      : FOLLOWED_CHOSEN;
	}
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		config->syscalls[number] = wire->calls[number] & LOADER_NATIVE;
		config->compat_syscalls[number] = wire->calls[number] & LOADER_COMPAT;
	}
	return 0;
}

int loader_send(int socket, const void *packet, size_t bytes, const int *fds, size_t count)
{
	struct iovec data = {.iov_base = (void *)packet, .iov_len = bytes};
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
	union rights rights = {0};
	ssize_t sent;

	if (count) {
		rights.header.cmsg_level = SOL_SOCKET;
		rights.header.cmsg_type = SCM_RIGHTS;
		rights.header.cmsg_len = CMSG_LEN(count * sizeof(*fds));
		memcpy(CMSG_DATA(&rights.header), fds, count * sizeof(*fds));
		message.msg_control = &rights;
		message.msg_controllen = CMSG_SPACE(count * sizeof(*fds));
	}
	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

/* Takes the descriptors; more than `most` are closed. Returns how many there were. */
static size_t take_rights(struct msghdr *message, int *fds, size_t most)
{
	size_t count = 0;

	for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at; at = CMSG_NXTHDR(message, at)) {
		size_t here = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < here; i++, count++) {
			int fd;

			memcpy(&fd, CMSG_DATA(at) + i * sizeof(fd), sizeof(fd));
			if (count < most)
				fds[count] = fd;
			else
				close(fd);
		}
	}
	return count;
}

static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
}

int loader_receive(int socket, void *packet, size_t bytes, int *fds, size_t most, size_t *count)
{
	struct iovec data = {.iov_base = packet, .iov_len = bytes};
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
	union rights rights;
	size_t found;
	ssize_t got;

	/* Without room for descriptors the kernel drops those that come. */
	if (most) {
		message.msg_control = &rights;
		message.msg_controllen = sizeof(rights);
	}
	do
		got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	found = take_rights(&message, fds, most);
	if (got > 0 && (size_t)got == bytes && found <= most &&
	    !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		*count = found;
		return 0;
	}
	close_all(fds, found < most ? found : most);
	return got == 0 ? -EPIPE : -EBADMSG;
}
