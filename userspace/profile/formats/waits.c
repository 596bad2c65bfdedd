/* SPDX-License-Identifier: MIT */
/* Rows that are printed alike are added up, then sorted by their time. */
#include "profile/formats/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/terminal.h"

enum { NS_PER_US = 1000 };

struct wait_sum {
	const struct stack_row *row; /* the first of those that are alike */
	uint32_t kernel, user; /* of its frames, and where they begin */
	uint32_t kernel_at, user_at;
	uint64_t ns;
};

struct writing {
	const struct stacks *stacks;
	const struct profile_names *names;
	const struct waits_options *options;
	struct buf *out;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_alike(const void *a, const void *b)
{
	const struct wait_sum *one = a, *other = b;
	int r = compare_numbers((uint32_t)one->row->tid, (uint32_t)other->row->tid);

	if (r == 0)
		r = compare_numbers(one->row->process, other->row->process);
	if (r == 0)
		r = compare_numbers(one->user_at, other->user_at);
	if (r == 0)
		r = compare_numbers(one->user, other->user);
	if (r == 0)
		r = compare_numbers(one->kernel_at, other->kernel_at);
	if (r == 0)
		r = compare_numbers(one->kernel, other->kernel);
	return r ? r : strcmp(one->row->comm, other->row->comm);
}

static int compare_times(const void *a, const void *b)
{
	const struct wait_sum *one = a, *other = b;
	int r = compare_numbers(one->ns, other->ns);

	return r ? r : compare_alike(a, b);
}

/* Returns how many there are. */
static size_t add_up(const struct writing *writing, struct wait_sum *sums)
{
	size_t count = 0, n = 0;

	for (size_t i = 0; i < writing->stacks->rows_count; i++) {
		const struct stack_row *row = &writing->stacks->rows[i];
		struct wait_sum *sum = &sums[count];

		if (row->kind != STACK_OFF_CPU)
			continue;
		*sum = (struct wait_sum){.row = row, .ns = row->value};
		if (!writing->options->no_kernel && row->kernel.count) {
			sum->kernel = row->kernel.count;
			sum->kernel_at = row->kernel.first;
		}
		if (!writing->options->no_user && row->user.count) {
			sum->user = row->user.count;
			sum->user_at = row->user.first;
		}
		count++;
	}
	qsort(sums, count, sizeof(sums[0]), compare_alike);
	for (size_t i = 0; i < count; i++) {
		if (n && compare_alike(&sums[n - 1], &sums[i]) == 0)
			sums[n - 1].ns += sums[i].ns;
		else
			sums[n++] = sums[i];
	}
	return n;
}

/* Names are the choice of other users: a semicolon would end a frame. */
static void waits_append_name(const struct writing *writing, const char *name)
{
	struct buf *out = writing->out;
	size_t start = out->len;

	buf_append_string(out, name);
	if (out->failed)
		return;
	terminal_mask(out->data + start, out->len - start);
	for (size_t i = start; writing->options->folded && i < out->len; i++)
		if (out->data[i] == ';')
			out->data[i] = ':';
}

static void waits_append_frame(const struct writing *writing, const struct wait_sum *sum,
			       uint32_t frame)
{
	const struct names_location *location =
		names_find(writing->names, writing->stacks, sum->row->process,
			   &writing->stacks->frames[frame]);

	waits_append_name(writing,
			  location ? names_text(writing->names,
						writing->names->functions[location->function].name)
				   : "[unknown]");
}

static bool has_delimiter(const struct writing *writing, const struct wait_sum *sum)
{
	return writing->options->delimited && sum->kernel && sum->user;
}

static void append_folded(const struct writing *writing, const struct wait_sum *sum)
{
	struct buf *out = writing->out;

	waits_append_name(writing, sum->row->comm);
	for (uint32_t i = sum->user; i-- > 0;) {
		buf_append_char(out, ';');
		waits_append_frame(writing, sum, sum->user_at + i);
	}
	if (has_delimiter(writing, sum))
		BUF_LITERAL(out, ";-");
	for (uint32_t i = sum->kernel; i-- > 0;) {
		buf_append_char(out, ';');
		waits_append_frame(writing, sum, sum->kernel_at + i);
	}
	buf_append_char(out, ' ');
	buf_append_u64(out, sum->ns / NS_PER_US);
	buf_append_char(out, '\n');
}

static void append_frames(const struct writing *writing, const struct wait_sum *sum, uint32_t at,
			  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		BUF_LITERAL(writing->out, "    ");
		waits_append_frame(writing, sum, at + i);
		buf_append_char(writing->out, '\n');
	}
}

static void append_lines(const struct writing *writing, const struct wait_sum *sum)
{
	struct buf *out = writing->out;

	append_frames(writing, sum, sum->kernel_at, sum->kernel);
	if (has_delimiter(writing, sum))
		BUF_LITERAL(out, "    --\n");
	append_frames(writing, sum, sum->user_at, sum->user);
	BUF_LITERAL(out, "    -                ");
	waits_append_name(writing, sum->row->comm);
	buf_printf(out, " (%d)\n        %llu\n\n", sum->row->tid,
		   (unsigned long long)(sum->ns / NS_PER_US));
}

int waits_write(const struct stacks *stacks, const struct profile_names *names,
		const struct waits_options *options, struct buf *out)
{
	const struct writing writing = {stacks, names, options, out};
	struct wait_sum *sums = calloc(stacks->rows_count + 1, sizeof(sums[0]));
	size_t count;

	if (!sums)
		return -ENOMEM;
	count = add_up(&writing, sums);
	qsort(sums, count, sizeof(sums[0]), compare_times);
	for (size_t i = 0; i < count; i++) {
		if (sums[i].ns < NS_PER_US)
			continue;
		if (options->folded)
			append_folded(&writing, &sums[i]);
		else
			append_lines(&writing, &sums[i]);
	}
	free(sums);
	return out->failed ? -ENOMEM : 0;
}
