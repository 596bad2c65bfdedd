/* SPDX-License-Identifier: MIT */
/* Each list of checks, with the events that have it. */
#include "agent/commands/explain_filter.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/commands/words.h"
#include "event/event.h"

static const char *const fact_names[KERNEL_FACTS] = {
	[KERNEL_RESULT] = "result",
	[KERNEL_PID] = "pid",
	[KERNEL_TID] = "tid",
	[KERNEL_PPID] = "ppid",
	[KERNEL_UID] = "uid",
	[KERNEL_GID] = "gid",
	[KERNEL_NAME] = "name",
	[KERNEL_OPEN_FLAGS] = "opened",
	[KERNEL_DESCRIPTOR] = "descriptor",
	[KERNEL_PATH] = "path",
	[KERNEL_PATH_2] = "path from its 17th byte",
	[KERNEL_PATH_END] = "path",
};

static void print_text(const struct kernel_check *check)
{
	char name[sizeof(check->value) + 1] = {0};
	char last[sizeof(check->mask) + 1] = {0};

	memcpy(name, check->value, sizeof(check->value));
	memcpy(last, check->mask, sizeof(check->mask));
	/* The NUL of a whole text is compared, too. */
	printf("%s '%s'", last[strlen(name)] ? "is" : "begins with", name);
}

/* The end of a text is at the end of the words. */
static void print_end(const struct kernel_check *check)
{
	char text[sizeof(check->value) + 1] = {0};
	size_t begin = 0;

	memcpy(text, check->value, sizeof(check->value));
	while (begin < sizeof(check->value) && !text[begin])
		begin++;
	printf("ends with '%s'", text + begin);
}

/* A single bit is set or not, or neither of those of opens that make files is. */
static void print_flags(const struct kernel_check *check)
{
	uint64_t flag = check->mask[0];

	if (flag & file_flags__O_CREAT) {
		printf("without O_CREAT and O_TMPFILE");
		return;
	}
	printf("%s %s", check->value[0] ? "for" : "not for",
	       flag == file_flags__O_WRONLY ? "writing" : "reading");
}

static void print_number(const struct kernel_check *check, int64_t number)
{
	printf("%s %" PRId64, check->op == KERNEL_LESS ? "<" : "=", number);
}

/* Its kind, or its number. */
static void print_descriptor(const struct kernel_check *check)
{
	if (check->mask[0] == S_IFMT)
		printf("is a %s", check->value[0] == S_IFSOCK ? "socket" : "pipe");
	else
		print_number(check, (int64_t)check->value[0] >> 32);
}

static void print_target(uint8_t target)
{
	if (target == KERNEL_PASS)
		printf("pass");
	else if (target == KERNEL_REJECT)
		printf("reject");
	else
		printf("go to %d", target + 1);
}

static void print_check(const struct kernel_check *check, int number)
{
	printf("%4d. if %s ", number, fact_names[check->fact]);
	if (check->fact == KERNEL_PATH_END)
		print_end(check);
	else if (check->fact == KERNEL_NAME || check->fact == KERNEL_PATH ||
		 check->fact == KERNEL_PATH_2)
		print_text(check);
	else if (check->fact == KERNEL_OPEN_FLAGS)
		print_flags(check);
	else if (check->fact == KERNEL_DESCRIPTOR)
		print_descriptor(check);
	else
		print_number(check, (int64_t)check->value[0]);
	printf(": ");
	print_target(check->on_true);
	printf(", else ");
	print_target(check->on_false);
	putchar('\n');
}

/* Checks are in order; those behind the last one are zeros, and none leads to them. */
static void print_checks(const struct kernel_filter *filter)
{
	int last = 0;

	for (int i = 0; i <= last; i++) {
		const struct kernel_check *check = &filter->checks[i];

		print_check(check, i + 1);
		if (check->on_true < KERNEL_CHECKS_MAX && check->on_true > last)
			last = check->on_true;
		if (check->on_false < KERNEL_CHECKS_MAX && check->on_false > last)
			last = check->on_false;
	}
}

static bool print_events(const uint8_t by_event[EVENT_ID_MAX], unsigned int number,
			 const char *when, const char *end)
{
	int column = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		if (by_event[id] != number)
			continue;
		if (column == 0)
			column = printf("%s", when);
		words_print(event_desc_get(id)->name, &column);
	}
	if (column)
		puts(end);
	return column;
}

static bool decides_any(const struct kernel_filters *filters)
{
	for (unsigned int i = 0; i < KERNEL_FILTERS_MAX; i++)
		if (filters->filters[i].facts)
			return true;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (filters->groups[id])
			return true;
	return false;
}

static const char *const groups_texts[KERNEL_GROUPS_COUNT] = {
	[KERNEL_GROUPS_OF_FAILED] = "Failed calls, by the container of the thread:",
	[KERNEL_GROUPS_OF_ALL] = "By the container of the thread, if that alone decides:",
};

void explain_filters_print(const struct kernel_filters *filters)
{
	if (!decides_any(filters))
		return;
	puts("\nDecided in the kernel; what passes is filtered again:");
	for (unsigned int i = 0; i < KERNEL_FILTERS_MAX; i++) {
		bool used;

		if (!filters->filters[i].facts)
			continue;
		used = print_events(filters->at_exit, i + 1, "At the exit of", ":");
		used |= print_events(filters->at_entry, i + 1, "At the entry of", ":");
		used |= print_events(filters->at_path, i + 1, "When the path is read of", ":");
		if (used)
			print_checks(&filters->filters[i]);
	}
	for (unsigned int calls = 1; calls < KERNEL_GROUPS_COUNT; calls++)
		print_events(filters->groups, calls, groups_texts[calls], "");
}
