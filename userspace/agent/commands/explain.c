/* SPDX-License-Identifier: MIT */
/* The option --explain: prints what would be captured, what the kernel decides of it, and why. */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/commands/commands.h"
#include "agent/commands/doctor.h"
#include "agent/input/hold.h"
#include "agent/input/host.h"
#include "agent/input/live_open.h"
#include "agent/input/sampling.h"
#include "agent/plan/output_views.h"
#include "agent/plan/plan.h"
#include "agent/plan/printer.h"
#include "agent/plan/pushdown.h"
#include "agent/process/memory.h"
#include "event/event.h"
#include "scap/live/live.h"
#include "scap/live/programs.h"
#include "scap/samples/frame.h"
#include "util/terminal.h"

/* Each list of checks, with the events that have it. */

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

static void explain_print_check(const struct kernel_check *check, int number)
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

		explain_print_check(check, i + 1);
		if (check->on_true < KERNEL_CHECKS_MAX && check->on_true > last)
			last = check->on_true;
		if (check->on_false < KERNEL_CHECKS_MAX && check->on_false > last)
			last = check->on_false;
	}
}

static bool explain_filter_print_events(const uint8_t by_event[EVENT_ID_MAX], unsigned int number,
					const char *when, const char *end)
{
	int column = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		if (by_event[id] != number)
			continue;
		if (column == 0)
			column = printf("%s", when);
		help_print_word(event_desc_get(id)->name, &column);
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
		if (filters->groups[id] || filters->mute[id])
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
		used = explain_filter_print_events(filters->at_exit, i + 1, "At the exit of", ":");
		used |= explain_filter_print_events(filters->at_entry, i + 1, "At the entry of",
						    ":");
		used |= explain_filter_print_events(filters->at_path, i + 1,
						    "When the path is read of", ":");
		if (used)
			print_checks(&filters->filters[i]);
	}
	for (unsigned int calls = 1; calls < KERNEL_GROUPS_COUNT; calls++)
		explain_filter_print_events(filters->groups, calls, groups_texts[calls], "");
	explain_filter_print_events(
		filters->mute, KERNEL_MUTE_DROPS,
		"Of busy processes of which no event can pass, until they change:", "");
}

/* Prints the plan of a capture: state, events with reasons, programs with hooks. */

enum {
	NAME_COLUMNS = 14,
	HOOK_COLUMNS = 22,
	KIB_COLUMNS = 7,
	KIB_BYTES = 1 << 10,
	MIB_BYTES = 1 << 20
};

static void explain_print_row(const char *name, const char *value)
{
	printf("%-*s %s\n", NAME_COLUMNS, name, value);
}

/* Whether the filter, the output or both need something. */
static const char *askers(bool filter, bool output)
{
	static const char *const names[] = {"", " (filter)", " (output)", " (filter, output)"};

	return names[filter + 2 * output];
}

static void print_rules(const struct plan *plan)
{
	struct buf text = {0};

	rules_append_summary(&plan->rules_counts, &text);
	buf_append_char(&text, '\0');
	if (!text.failed)
		explain_print_row("Rules:", text.data);
	buf_finish(&text);
}

/* What asks a flight recorder for a file. */
static void print_triggers(const struct plan *plan)
{
	for (size_t i = 0; i < ruleset_count(plan->triggers); i++)
		explain_print_row("On rule:", ruleset_rule(plan->triggers, i)->name);
}

static void print_state(const struct selection *selection)
{
	uint16_t wanted = selection->filter_parts | selection->output_parts;
	const char *separator = "";

	printf("%-*s ", NAME_COLUMNS, "State kept:");
	for (unsigned int why = WHY_FILTER << 1; why < WHY_END; why <<= 1) {
		if (!(wanted & why))
			continue;
		printf("%s%s%s", separator, selection_why_name(why),
		       askers(selection->filter_parts & why, selection->output_parts & why));
		separator = ", ";
	}
	puts(wanted ? "" : "none");
}

/* Of others nothing is captured, whatever the state needs. */
static void print_processes(const struct plan *plan)
{
	if (!plan_chooses(plan))
		return;
	explain_print_row("Processes:",
			  plan->options->follow
				  ? "the chosen ones and their children, in the kernel"
				  : "the chosen ones, in the kernel");
	if (hold_is_wanted(plan->options))
		explain_print_row("If rings fill:", "these processes wait");
}

/* Start times need a program on entry to every system call. */
static void print_enter_times(const struct selection *selection)
{
	if (selection->filter_enter_times || selection->output_enter_times)
		printf("%-*s noted at sys_enter%s\n", NAME_COLUMNS, "Enter times:",
		       askers(selection->filter_enter_times, selection->output_enter_times));
}

/* They can be large: an exec without them is cheaper. */
static void print_environments(const struct selection *selection)
{
	if (selection_has_environments(selection))
		explain_print_row("Environments:", "read at each exec");
}

static bool reads_entries(const struct selection *selection)
{
	enum live_entry_notes notes = selection_entry_notes(selection);
	bool reads = false;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		reads |= selection->events[id] && live_reads_entry(id, notes);
	return reads;
}

/* A program on entry to some calls costs all calls. */
static void print_entry_notes(const struct selection *selection)
{
	if (!reads_entries(selection))
		return;
	explain_print_row("On entry:",
			  selection->entry_needs & NEEDS_CHANGED
				  ? "arguments that the kernel or other threads overwrite"
				  : "arguments that the kernel overwrites (ppoll, pselect6)");
}

static const char *hook_of(const struct event_desc *desc)
{
	if (desc->tracepoint)
		return desc->tracepoint;
	for (unsigned int kind = 0; kind < SAMPLE_KINDS; kind++)
		if (sample_kinds[kind].id == desc->id)
			return sample_kinds[kind].option;
	return desc->category & EC_SYSCALL ? "sys_exit" : "none";
}

static void print_reasons(unsigned int reasons)
{
	const char *separator = "";

	for (unsigned int why = WHY_FILTER; why < WHY_END; why <<= 1) {
		if (!(reasons & why))
			continue;
		printf("%s%s", separator, selection_why_name(why));
		separator = ", ";
	}
	putchar('\n');
}

/* The width of their column. */
static int columns_of_events(const struct selection *selection)
{
	int columns = NAME_COLUMNS;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (selection->events[id] && (int)strlen(event_desc_get(id)->name) > columns)
			columns = (int)strlen(event_desc_get(id)->name);
	return columns;
}

/* Prints the events that can pass the filter, or the others. */
static void print_events_of(const struct selection *selection, int columns, bool filtered)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!selection->events[id] || !!(selection->events[id] & WHY_FILTER) != filtered)
			continue;
		printf("%-*s %-*s ", columns, desc->name, HOOK_COLUMNS, hook_of(desc));
		print_reasons(selection->events[id]);
	}
}

static void explain_print_events(const struct selection *selection)
{
	int columns = columns_of_events(selection);

	printf("\n%-*s %-*s %s\n", columns, "EVENT", HOOK_COLUMNS, "TRACEPOINT", "WHY");
	print_events_of(selection, columns, true);
	print_events_of(selection, columns, false);
}

static void print_generic(const struct selection *selection)
{
	int column = 0;

	if (!selection->events[EVENT_syscall])
		return;
	puts("\nSystem calls of the event 'syscall':");
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		unsigned int r = syscall_code_of_native(number);

		/* Numbers without a name are captured, too, but not printed. */
		if (selection->syscalls[number] && r != SC_unknown)
			help_print_word(syscall_name(r), &column);
		r = syscall_code_of_compat(number);
		if (selection->compat_syscalls[number] && syscall_native_number(r) < 0 &&
		    r != SC_unknown)
			help_print_word(syscall_name(r), &column);
	}
	putchar('\n');
}

static void print_captures(const struct captures *captures)
{
	for (size_t i = 0; captures && i < captures->count; i++) {
		const struct output_config *config = captures->list[i]->config;

		printf("%-*s %s, a capture%s%s\n", NAME_COLUMNS, "Output:", config->text,
		       config->filter ? ", filter: " : "", config->filter ? config->filter : "");
	}
}

static void print_outputs(const struct plan *plan)
{
	const struct outputs *outputs = plan->printer->outputs;

	if (!outputs)
		explain_print_row("Output:", plan->printer->format->name);
	for (size_t i = 0; outputs && i < outputs->count; i++) {
		const struct output *output = outputs->list[i];
		const struct output_view *view = &output->view;
		const struct schema *schema =
			view->schema ? view->schema : view->format->events.schema;
		const char *filter = output->config->filter;

		printf("%-*s %s, %s%s%s%s%s\n", NAME_COLUMNS, "Output:", output->config->text,
		       view->format->name, schema ? ", schema " : "", schema ? schema->name : "",
		       filter ? ", filter: " : "", filter ? filter : "");
	}
	print_captures(plan->printer->captures);
}

static void print_plan(const struct plan *plan)
{
	if (plan->ruleset)
		print_rules(plan);
	if (plan->options->filter || !plan->ruleset)
		explain_print_row("Filter:",
				  plan->filter ? plan->options->filter : "none: everything");
	if (plan->triggers)
		print_triggers(plan);
	print_outputs(plan);
	print_state(&plan->selection);
	print_processes(plan);
	print_enter_times(&plan->selection);
	print_environments(&plan->selection);
	print_entry_notes(&plan->selection);
	explain_print_events(&plan->selection);
	print_generic(&plan->selection);
	explain_filters_print(&plan->kernel_filters);
}

static void print_programs(const struct scap_live *live)
{
	const uint16_t *rejected = scap_live_rejected(live);
	const char *program, *hook;
	int column = 0;

	printf("\n%-*s %s\n", NAME_COLUMNS, "Hooks:", live_hooks_text(live));
	explain_print_row("io_uring:", live_uring_text(live));
	printf("\n%-*s %s\n", NAME_COLUMNS + 1 + HOOK_COLUMNS, "PROGRAM", "ATTACHED TO");
	for (unsigned int i = 0; scap_live_program(live, i, &program, &hook); i++)
		if (hook)
			printf("%-*s %s\n", NAME_COLUMNS + 1 + HOOK_COLUMNS, program, hook);
	for (unsigned int i = 0; scap_live_program(live, i, &program, &hook); i++) {
		if (hook)
			continue;
		if (column == 0)
			puts("\nPrograms that these call:");
		help_print_word(program, &column);
	}
	if (column)
		putchar('\n');
	for (; *rejected; rejected++)
		printf("\nRejected by this kernel: %s\n", event_desc_get(*rejected)->name);
}

/* The memory of the capture in addition to that of the agent. */
static void print_memory(const struct options *options, struct scap_live *live)
{
	static struct scap_live_stats stats;
	int64_t maps = scap_live_map_bytes(live);

	if (maps < 0 || scap_live_stats(live, &stats) < 0)
		return;
	printf("\n%-*s %.1f MiB: maps %.1f MiB, ring buffers of %u CPUs %.1f MiB\n", NAME_COLUMNS,
	       "Kernel memory:",
	       (double)((uint64_t)maps + stats.ring_bytes + stats.backward_bytes) / MIB_BYTES,
	       (double)maps / MIB_BYTES, stats.cpus, (double)stats.ring_bytes / MIB_BYTES);
	if (stats.backward_bytes)
		printf("%-*s ring buffers whose oldest events are overwritten %.1f MiB\n",
		       NAME_COLUMNS, "", (double)stats.backward_bytes / MIB_BYTES);
	if (stats.ring_bytes_max > stats.ring_bytes)
		printf("%-*s ring buffers of busy CPUs grow, all together up to %.1f MiB\n",
		       NAME_COLUMNS, "", (double)stats.ring_bytes_max / MIB_BYTES);
	printf("%-*s threads and descriptors at most %.1f MiB, half of --memory-limit\n",
	       NAME_COLUMNS, "State memory:",
	       (double)memory_limit_of_state(options->memory_limit, true) / MIB_BYTES);
}

/* CPUs whose rings are the same, from `first` on, are one line: "0-3". Returns the next one. */
static uint32_t print_cpus_of(const struct scap_live *live, uint32_t first)
{
	struct scap_live_cpu cpu, next;
	uint32_t last = first;
	char numbers[32];

	if (!scap_live_cpu(live, first, &cpu) || !cpu.ring_bytes)
		return first + 1;
	while (scap_live_cpu(live, last + 1, &next) && next.ring_bytes == cpu.ring_bytes &&
	       next.backward_bytes == cpu.backward_bytes)
		last++;
	snprintf(numbers, sizeof(numbers), last > first ? "%" PRIu32 "-%" PRIu32 : "%" PRIu32,
		 first, last);
	printf("%-*s %*" PRIu64 " KiB forward    %s %" PRIu64 " KiB\n", NAME_COLUMNS, numbers,
	       KIB_COLUMNS, cpu.ring_bytes / KIB_BYTES, "at", cpu.watermark_bytes / KIB_BYTES);
	if (cpu.backward_bytes)
		printf("%-*s %*" PRIu64
		       " KiB backward   never: the oldest events are overwritten\n",
		       NAME_COLUMNS, "", KIB_COLUMNS, cpu.backward_bytes / KIB_BYTES);
	return last + 1;
}

static void print_rings(const struct scap_live *live)
{
	struct scap_live_cpu cpu;

	printf("\n%-*s RING BUFFER WRITTEN    WAKES ITS READER\n", NAME_COLUMNS, "CPU");
	for (uint32_t i = 0; scap_live_cpu(live, i, &cpu);)
		i = print_cpus_of(live, i);
}

/* What they take of the kernel, and whether it has lowered that. */
static void print_sampling(const struct sampling *sampling)
{
	const struct doctor here = {.root = ""};
	struct buf text = {0};

	buf_printf(&text, "\n%-*s ", NAME_COLUMNS, "Sampling:");
	doctor_sampling(&here, &text);
	BUF_LITERAL(&text, "\n\n");
	sampling_append_plan(sampling, &text);
	terminal_print(stdout, &text);
	buf_finish(&text);
}

/* Opens what would be sampled. Returns 0, or -errno with a message. */
static int explain_samples(const struct plan *plan, struct error *err)
{
	static const uint32_t nobody[SELF_PIDS];
	struct sampling sampling = {0};
	struct host host = {0};
	int r = 0;

	if (!options_have_samples(plan->options))
		return 0;
	r = host_open(&host, plan->options->host_root, err);
	if (r == 0)
		r = sampling_open(&sampling, plan, &host, nobody, err);
	if (r == 0)
		print_sampling(&sampling);
	sampling_finish(&sampling);
	host_close(&host);
	return r;
}

static int print_live(const struct plan *plan)
{
	struct error err = {""};
	const struct live_place here = {0};
	struct scap_live *live;

	if (live_open(plan, &here, 0, &live, &err))
		return command_fail(EXIT_FAILURE, &err);
	print_programs(live);
	print_rings(live);
	print_memory(plan->options, live);
	scap_source_destroy(scap_live_source(live));
	if (explain_samples(plan, &err))
		return command_fail(EXIT_FAILURE, &err);
	return command_finish_output();
}

int explain_run(const struct options *options)
{
	struct printer printer;
	struct outputs outputs = {0};
	struct captures captures = {0};
	struct plan *plan = NULL;
	struct buf messages = {0};
	struct error err = {""};
	int exit_code, r = printer_init(&printer, options, &messages, &err);

	if (r == 0)
		r = output_views_make(options, &printer, &outputs, &captures, &messages, &err);
	if (r == 0)
		r = plan_create(options, &printer, &plan, &messages, &err);
	command_print_messages(&messages);
	if (r) {
		exit_code = command_fail(EXIT_USAGE, &err);
	} else {
		print_plan(plan);
		fflush(stdout);
		exit_code = print_live(plan);
	}
	plan_destroy(plan);
	outputs_finish(&outputs);
	captures_finish(&captures);
	printer_finish(&printer);
	return exit_code;
}
