/* SPDX-License-Identifier: MIT */
/* Names, then a tree or the stacks themselves in the format, then what is not in them. */
#include "agent/tools/profile_print.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/capture/kernel_names.h"
#include "profile/formats/flame.h"
#include "profile/formats/flame_svg.h"
#include "profile/formats/folded.h"
#include "profile/formats/otlp_profiles.h"
#include "profile/formats/pprof.h"
#include "profile/formats/speedscope.h"
#include "profile/formats/top.h"
#include "profile/formats/waits.h"
#include "profile/names/namer.h"
#include "scap/proc/text.h"
#include "util/terminal.h"

enum {
	TOP_ROWS = 40,
	BEFORE_BYTES_MAX = 1 << 30,
};

int profile_output_open(const struct profile_options *options, struct profile_output *output,
			struct error *err)
{
	const char *path = options->write ? options->write : options->before;
	int fd, r = 0;

	*output = (struct profile_output){.file = stdout};
	if (options->write) {
		fd = open(options->write, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		output->file = fd < 0 ? NULL : fdopen(fd, "w");
		if (!output->file)
			r = -errno;
	}
	if (r == 0 && options->before) {
		path = options->before;
		r = proc_read_file(AT_FDCWD, path, BEFORE_BYTES_MAX, &output->before);
	}
	return r ? error_set(err, r, "%s: %s", path, strerror(-r)) : 0;
}

void profile_output_close(struct profile_output *output)
{
	if (output->file && output->file != stdout)
		fclose(output->file);
	buf_finish(&output->before);
	*output = (struct profile_output){0};
}

static int name_stacks(const struct profile_printing *printing, const struct stacks *stacks,
		       struct profile_names *names)
{
	struct namer *namer;
	int r = namer_create_here(printing->proc, &namer);

	if (r)
		return r;
	namer_limit(namer, printing->is_over, printing->context);
	namer_ask_kernel(namer, kernel_names_read);
	if (!printing->options->no_inline)
		namer_find_inlined(namer);
	r = namer_run(namer, stacks, names);
	namer_destroy(namer);
	return r;
}

/* "CPU time of process 12", or of the first of some. */
static void append_title(const struct profile_options *options, struct buf *out)
{
	buf_append_string(out, options->wall	  ? "Time on the CPU and off it"
			       : options->off_cpu ? "Time off the CPU"
			       : options->cycles  ? "CPU cycles"
						  : "CPU time");
	if (options->pids_count)
		buf_printf(out,
			   options->pids_count == 1 ? " of process %d" : " of processes %d, ..",
			   options->pids[0]);
	buf_append_char(out, '\0');
}

/* "cpu-clock at 99 Hz for 10.0 s" */
static void append_facts(const struct stacks *stacks, struct buf *out)
{
	if (stacks->frequency_hz)
		buf_printf(out, "%s at %llu Hz ", stacks->event,
			   (unsigned long long)stacks->frequency_hz);
	buf_printf(out, "for %.1f s", (double)stacks->duration_ns / 1e9);
	buf_append_char(out, '\0');
}

/* What is written of a tree. */
static int write_tree(const struct profile_options *options, const struct stacks *stacks,
		      const struct flame *flame, struct buf *out)
{
	char title_memory[128], facts_memory[128];
	struct buf title = buf_fixed(title_memory, sizeof(title_memory));
	struct buf facts = buf_fixed(facts_memory, sizeof(facts_memory));

	append_title(options, &title);
	append_facts(stacks, &facts);
	switch (options->format) {
	case PROFILE_TOP:
		return top_write(flame, TOP_ROWS,
				 options->write ? 0 : terminal_width(STDOUT_FILENO), out);
	case PROFILE_SPEEDSCOPE:
		speedscope_write(flame, title.data, out);
		return 0;
	case PROFILE_SVG:
		flame_svg_write(flame, &(const struct flame_svg_text){title.data, facts.data}, out);
		return 0;
	default:
		folded_write(flame, out);
		return 0;
	}
}

static int make_tree(const struct profile_options *options, const struct profile_output *output,
		     const struct stacks *stacks, const struct profile_names *names,
		     struct buf *out, struct error *err)
{
	const struct flame_options frames = {.threads = options->threads,
					     .containers = options->containers,
					     .wakers = options->off_cpu || options->wall};
	struct flame flame;
	int r = flame_init(&flame);

	if (r)
		return r;
	r = flame_add_stacks(&flame, FLAME_NOW, stacks, names, &frames);
	if (r == 0 && options->before)
		r = flame_add_folded(&flame, FLAME_BEFORE, output->before.data, output->before.len,
				     err);
	if (r == 0)
		r = flame_complete(&flame);
	if (r == 0)
		r = write_tree(options, stacks, &flame, out);
	if (flame.cut)
		fprintf(stderr,
			"agent: %llu frames are not shown, as stacks are too deep or there was no "
			"room\n",
			(unsigned long long)flame.cut);
	flame_finish(&flame);
	return r;
}

/* A file gets the size of what is written. */
static int write_out(const struct profile_options *options, struct profile_output *output,
		     const struct buf *out, struct error *err)
{
	const char *name = options->write ? options->write : "standard output";
	FILE *file = output->file;
	struct stat st;
	int r = 0;

	/* What is no regular file has no size. */
	if (options->write && fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) &&
	    ftruncate(fileno(file), 0) != 0)
		r = -errno;
	if (fwrite(out->data, 1, out->len, file) != out->len || fflush(file))
		r = r ? r : -errno;
	if (file != stdout) {
		output->file = NULL;
		if (fclose(file) && !r)
			r = -errno;
	}
	return r ? error_set(err, r, "cannot write the profile to %s: %s", name, strerror(-r)) : 0;
}

/* Frames that are missing, by cause, and what could not be counted. */
static void print_lacks(const struct stacks *stacks, const struct profile_names *names)
{
	uint64_t all = 0, lacks[STACK_LACKS] = {0};

	for (size_t i = 0; i < stacks->rows_count; i++) {
		all += stacks->rows[i].times;
		uint8_t lack = stacks->rows[i].user.lack;

		lacks[lack ? lack : stacks->rows[i].kernel.lack] += stacks->rows[i].times;
	}
	for (int i = STACK_WHOLE + 1; i < STACK_LACKS; i++)
		if (lacks[i])
			fprintf(stderr, "agent: %llu of %llu stacks are not whole: %s\n",
				(unsigned long long)lacks[i], (unsigned long long)all,
				stack_lack_text(i));
	for (int i = 0; i < STACKS_LOSSES; i++)
		if (stacks->lost[i])
			fprintf(stderr, "agent: %llu %s\n", (unsigned long long)stacks->lost[i],
				stacks_loss_text(i));
	for (int i = NAMES_FOUND + 1; i < NAMES_LACKS; i++)
		if (names->lacks[i])
			fprintf(stderr, "agent: %llu addresses have no name: %s\n",
				(unsigned long long)names->lacks[i], names_lack_text(i));
	if (names->inlined_lacks)
		fprintf(stderr,
			"agent: of %llu files the inlined functions are not all known: their "
			"debugging information is damaged, elsewhere, too large, or takes too "
			"long\n",
			(unsigned long long)names->inlined_lacks);
}

/* A file of ProfilesData. */
static int write_otlp(const struct stacks *stacks, const struct profile_names *names,
		      struct buf *out)
{
	char host[HOST_NAME_MAX + 1] = "";
	struct otlp_profiles_resource resource = {.host = NULL};

	if (gethostname(host, sizeof(host) - 1) == 0)
		resource.host = host;
	return otlp_profiles_write(stacks, names, &resource, out);
}

int profile_print(const struct profile_printing *printing, struct profile_output *output,
		  const struct stacks *stacks, struct error *err)
{
	struct profile_options chosen = *printing->options;
	struct profile_names names = {0};
	struct buf out = {0};
	int r = name_stacks(printing, stacks, &names);

	if (chosen.format == PROFILE_CHOOSE)
		chosen.format =
			!chosen.write && isatty(STDOUT_FILENO) ? PROFILE_TOP : PROFILE_FOLDED;
	if (r == 0 && chosen.format == PROFILE_PPROF)
		r = pprof_write(stacks, &names, &out);
	else if (r == 0 && chosen.format == PROFILE_OTLP)
		r = write_otlp(stacks, &names, &out);
	else if (r == 0 && chosen.format == PROFILE_WAITS)
		r = waits_write(stacks, &names, &chosen.waits, &out);
	else if (r == 0)
		r = make_tree(&chosen, output, stacks, &names, &out, err);
	if (r == -ENOMEM || out.failed)
		r = error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = write_out(&chosen, output, &out, err);
	if (r == 0)
		print_lacks(stacks, &names);
	names_finish(&names);
	buf_finish(&out);
	return r;
}
