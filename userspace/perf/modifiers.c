/* SPDX-License-Identifier: MIT */
/* Which modifiers there are; they are read into bits, so that their order means nothing. */
#include "perf/modifiers.h"

#include <errno.h>
#include <string.h>

/* Bits in the order of the table below. */
enum {
	MOD_USER = 1 << 0,
	MOD_KERNEL = 1 << 1,
	MOD_HYPERVISOR = 1 << 2,
	MOD_IDLE = 1 << 3,
	MOD_GUEST = 1 << 4,
	MOD_HOST = 1 << 5,
	MOD_PRECISE = 1 << 6,
	MOD_MOST_PRECISE = 1 << 7,
	MOD_READS_GROUP = 1 << 8,
	MOD_PINNED = 1 << 9,
	MOD_EXCLUSIVE = 1 << 10,
	MOD_WEAK = 1 << 11,
	MOD_BPF = 1 << 12,

	MOD_LEVELS = MOD_USER | MOD_KERNEL | MOD_HYPERVISOR,
	MOD_MACHINES = MOD_GUEST | MOD_HOST,
	MOD_OF_LEADERS = MOD_PINNED | MOD_EXCLUSIVE,
	PRECISE_MAX = 3,
};

const struct perf_modifier perf_modifiers[] = {
	{'u', "in user space"},
	{'k', "in the kernel"},
	{'h', "in the hypervisor"},
	{'I', "not while idle"},
	{'G', "in guests"},
	{'H', "in the host"},
	{'p', "precise: at most a constant distance; pp: none wanted, ppp: none"},
	{'P', "as precise as can be"},
	{'S', "samples of the leader carry the counts of the group"},
	{'D', "always on the PMU, or in error"},
	{'e', "alone on the PMU"},
	{'W', "without the group if that does not fit"},
	{'b', "counted by a BPF program"},
	{0},
};

static int fail_letter(struct perf_parser *parser, const char *place)
{
	char memory[32];
	struct buf letters = buf_fixed(memory, sizeof(memory) - 1);

	for (const struct perf_modifier *row = perf_modifiers; row->letter; row++)
		buf_append_char(&letters, row->letter);
	memory[letters.len] = '\0';
	return perf_parser_fail(parser, place, "expected modifiers: letters of %s", memory);
}

static int read_letter(struct perf_parser *parser, struct perf_modifiers *modifiers)
{
	char letter = *parser->at;
	unsigned int i = 0;

	while (perf_modifiers[i].letter && perf_modifiers[i].letter != letter)
		i++;
	if (!perf_modifiers[i].letter)
		return fail_letter(parser, parser->at);
	if (1u << i == MOD_PRECISE && ++modifiers->precise > PRECISE_MAX)
		return perf_parser_fail(parser, parser->at, "p stands at most %d times",
					PRECISE_MAX);
	if (1u << i != MOD_PRECISE && modifiers->given & 1u << i)
		return perf_parser_fail(parser, parser->at, "the modifier %c is given twice",
					letter);
	if (1u << i == MOD_BPF && parser->options.no_bpf_counters)
		return perf_parser_fail(parser, parser->at,
					"no BPF program counts here: without b the event has "
					"counters of its own");
	modifiers->given |= 1u << i;
	parser->at++;
	return 0;
}

int perf_modifiers_read(struct perf_parser *parser, struct perf_modifiers *modifiers)
{
	*modifiers = (struct perf_modifiers){.place = parser->at};
	do {
		if (read_letter(parser, modifiers) != 0)
			return -EINVAL;
	} while (*parser->at && !strchr(",} \t\n/:", *parser->at));
	return 0;
}

/* The levels that are named are all that is wanted, beside those wanted already. */
static void apply_levels(unsigned int given, struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (!(given & MOD_LEVELS))
		return;
	if (!attr->exclude_user && !attr->exclude_kernel && !attr->exclude_hv)
		attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
	if (given & MOD_USER)
		attr->exclude_user = 0;
	if (given & MOD_KERNEL)
		attr->exclude_kernel = 0;
	if (given & MOD_HYPERVISOR)
		attr->exclude_hv = 0;
}

/* Guests are not counted as user space, and precision is not to be had there. */
static void apply_machines(unsigned int given, struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (given & MOD_MACHINES) {
		if (!event->chose_guest)
			attr->exclude_guest = attr->exclude_host = 1;
		event->chose_guest = true;
		if (given & MOD_GUEST)
			attr->exclude_guest = 0;
		if (given & MOD_HOST)
			attr->exclude_host = 0;
	} else if (given & (MOD_USER | MOD_PRECISE) && !event->chose_guest) {
		attr->exclude_guest = 1;
	}
}

static int apply_all(struct perf_parser *parser, const struct perf_modifiers *modifiers,
		     struct perf_event *event)
{
	unsigned int given = modifiers->given;

	if (event->attr.precise_ip + modifiers->precise > PRECISE_MAX)
		return perf_parser_fail(parser, modifiers->place, "p stands at most %d times",
					PRECISE_MAX);
	event->attr.precise_ip += modifiers->precise;
	apply_levels(given, event);
	apply_machines(given, event);
	if (given & MOD_IDLE)
		event->attr.exclude_idle = 1;
	event->wants_most_precise |= (given & MOD_MOST_PRECISE) != 0;
	event->reads_group |= (given & MOD_READS_GROUP) != 0;
	event->is_weak |= (given & MOD_WEAK) != 0;
	event->wants_bpf |= (given & MOD_BPF) != 0;
	if (given & MOD_PINNED)
		event->attr.pinned = 1;
	if (given & MOD_EXCLUSIVE)
		event->attr.exclusive = 1;
	return 0;
}

int perf_modifiers_apply(struct perf_parser *parser, const struct perf_modifiers *modifiers,
			 struct perf_event *event)
{
	event->attr.exclude_guest = 0;
	return apply_all(parser, modifiers, event);
}

int perf_modifiers_apply_group(struct perf_parser *parser, const struct perf_modifiers *modifiers,
			       struct perf_event *event, bool is_leader)
{
	struct perf_modifiers of_member = *modifiers;

	if (!is_leader)
		of_member.given &= ~(unsigned int)MOD_OF_LEADERS;
	return apply_all(parser, &of_member, event);
}
