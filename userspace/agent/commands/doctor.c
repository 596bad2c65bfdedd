/* SPDX-License-Identifier: MIT */
/* Runs the checks of agent/doctor and prints them as text, JSON or Markdown. */
#include "agent/commands/doctor.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/commands/list.h"
#include "agent/commands/doctor_check.h"
#include "sinsp/sinsp.h"
#include "util/terminal.h"

enum { FOLD = 3 };

static const char *const titles[] = {"CHECK", "STATUS", "FOUND", "AFFECTED", "ADVICE", NULL};

/* What is wrong is explained; with -v also what would be affected otherwise. */
static bool is_explained(const struct list *list, enum doctor_status status)
{
	return status != DOCTOR_OK || list->verbose;
}

static void add_row(struct list *list, const struct doctor_check *check, enum doctor_status status,
		    const char *found)
{
	bool explained = is_explained(list, status);

	list_add_cell(list, check->name);
	list_add_cell(list, doctor_status_name(status));
	list_add_cell(list, found);
	list_add_cell(list, explained && check->cost ? check->cost : "");
	list_add_cell(list, explained && check->advice ? check->advice : "");
}

static void add_object(struct list *list, const struct doctor_check *check,
		       enum doctor_status status, const char *found)
{
	list_add_object(list);
	list_add_string(list, "name", check->name);
	list_add_string(list, "status", doctor_status_name(status));
	list_add_string(list, "checks", check->what);
	list_add_string(list, "found", found);
	list_add_string(list, "affected", check->cost);
	list_add_string(list, "advice", check->advice);
	BUF_LITERAL(&list->json, "}\n");
}

static enum doctor_status add(struct list *list, const struct doctor *doctor,
			      const struct doctor_check *check)
{
	struct buf found = {0};
	enum doctor_status status = check->run(doctor, &found);

	/* Messages have lines, and what they quote may be anything. */
	if (found.len)
		terminal_mask(found.data, found.len);
	buf_append_char(&found, '\0');
	if (list->format->objects)
		add_object(list, check, status, found.failed ? "" : found.data);
	else
		add_row(list, check, status, found.failed ? "" : found.data);
	list->json.failed |= found.failed;
	buf_finish(&found);
	return status;
}

/* In few words, for people. */
static void print_verdict(const unsigned int counts[DOCTOR_STATUSES])
{
	if (counts[DOCTOR_MISSING])
		printf("\nCaptures do not work, or lack events: %u missing, %u limited, %u ok.\n",
		       counts[DOCTOR_MISSING], counts[DOCTOR_LIMITED], counts[DOCTOR_OK]);
	else if (counts[DOCTOR_LIMITED])
		printf("\nCaptures work: %u limited, %u ok.\n", counts[DOCTOR_LIMITED],
		       counts[DOCTOR_OK]);
	else
		printf("\nEverything works: %u ok.\n", counts[DOCTOR_OK]);
}

int doctor_run(const struct options *options)
{
	const struct doctor doctor = {.options = options, .root = ""};
	unsigned int counts[DOCTOR_STATUSES] = {0};
	struct list list;
	bool for_people;
	int exit_code;

	list_init(&list, options, titles, FOLD);
	for_people = list.format == &format_text.lists;
	for (const struct doctor_check *check = doctor_checks; check->name; check++) {
		if (!list_matches(&list, check->name) &&
		    !(list.verbose && list_matches(&list, check->what))) {
			nearest_offer(&list.nearest, check->name);
			continue;
		}
		list.found++;
		counts[add(&list, &doctor, check)]++;
	}
	exit_code = list_print(&list, "checks");
	if (exit_code == EXIT_SUCCESS && !options->operand && for_people)
		print_verdict(counts);
	return counts[DOCTOR_MISSING] ? EXIT_FAILURE : exit_code;
}
