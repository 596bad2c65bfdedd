/* SPDX-License-Identifier: MIT */
/* Making and releasing the parts of a run. */
#include "agent/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/live.h"
#include "sinsp/filter.h"
#include "sinsp/format.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"

/* Not a filter, but perhaps meant as a command. */
static bool is_bare_word(const char *text)
{
	return text[0] && text[strspn(text, "abcdefghijklmnopqrstuvwxyz-")] == '\0';
}

static int compile_filter(struct capture *capture, struct error *err)
{
	const struct options *options = capture->options;
	struct filter_options filter_options = {.exact_types = options->exact_types};
	struct filter_error filter_err = {0};
	struct buf text = {0};
	int code;

	if (!options->filter)
		return 0;
	code = filter_create(options->filter, &filter_options, &capture->filter, &filter_err);
	if (code == 0)
		return 0;
	if (code != -EINVAL)
		return error_set(err, code, "cannot compile the filter: out of memory");
	filter_error_render(options->filter, &filter_err, &text);
	while (text.len && text.data[text.len - 1] == '\n')
		text.len--;
	if (is_bare_word(options->filter)) {
		BUF_LITERAL(&text, "\n(commands: ");
		options_append_commands(&text);
		buf_append_char(&text, ')');
	}
	buf_append_char(&text, '\0');
	error_set(err, code, "%s", text.failed ? filter_err.text : text.data);
	buf_finish(&text);
	return code;
}

static int create_formatter(struct capture *capture, struct error *err)
{
	capture->format = capture->options->format;
	if (capture->format == FORMAT_AUTO)
		capture->format = isatty(STDOUT_FILENO) ? FORMAT_TEXT : FORMAT_JSON;
	if (capture->format == FORMAT_NONE)
		return 0;
	return formatter_create(capture->format == FORMAT_JSON ? FORMATTER_JSON : FORMATTER_TEXT,
				NULL, 0, &capture->formatter, err);
}

int capture_plan(struct capture *capture, const struct options *options, struct error *err)
{
	const char *hint;
	int code;

	*capture = (struct capture){.options = options};
	code = compile_filter(capture, err);
	if (code == 0)
		code = create_formatter(capture, err);
	if (code)
		return code;
	selection_make(&capture->selection, capture->filter,
		       capture->formatter ? formatter_needs(capture->formatter) : 0);
	if (!selection_is_empty(&capture->selection))
		return 0;
	hint = capture_wants_entries(capture) ? ": there are only exit events (evt.dir=<)" : "";
	return error_set(err, -EINVAL, "no event can match this filter%s", hint);
}

bool capture_wants_entries(const struct capture *capture)
{
	return capture->filter && (filter_flags(capture->filter) & FIELD_DEPRECATED) &&
	       selection_lacks_calls(&capture->selection);
}

int capture_open(struct capture *capture, struct error *err)
{
	const struct selection *selection = &capture->selection;
	struct scap_live_config config = {
		.ring_bytes = capture->options->ring_bytes,
		.snaplen = capture->options->snaplen,
		.snaplen_rules = capture->options->snaplen_rules,
		.include_self = capture->options->include_self,
		.verbose = capture->options->verbose,
	};

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		config.events[id] = selection->events[id] != 0;
		config.successes[id] = !(selection->events[id] & WHY_FILTER);
	}
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		config.syscalls[number] = selection->syscalls[number];
		config.compat_syscalls[number] = selection->compat_syscalls[number];
	}
	return scap_live_open(&config, &capture->live, err);
}

int capture_seed(struct capture *capture, struct error *err)
{
	struct sinsp_config config = {0};
	int code;

	code = scap_proc_open("/proc", &capture->proc, err);
	if (code)
		return code;
	if (access("/proc/self", F_OK))
		return error_set(err, -ENOENT, "/proc shows no processes; mount it: "
					       "mount -t proc proc /proc");
	config.proc = capture->proc;
	code = sinsp_create(&config, &capture->sinsp, err);
	return code ? code : sinsp_seed(capture->sinsp, err);
}

void capture_finish(struct capture *capture)
{
	sinsp_destroy(capture->sinsp);
	scap_proc_close(capture->proc);
	if (capture->live)
		scap_source_destroy(scap_live_source(capture->live));
	formatter_destroy(capture->formatter);
	filter_destroy(capture->filter);
	*capture = (struct capture){0};
}
