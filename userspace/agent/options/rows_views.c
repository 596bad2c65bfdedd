/* SPDX-License-Identifier: MIT */
/* Rows of the table of options: views. */
#include <errno.h>

#include "agent/options/options.h"
#include "agent/options/row.h"
#include "util/value.h"

/* A terminal that is drawn more often is no easier to read. */
enum { INTERVAL_LEAST_NS = 100000000 };

static int set_interval(struct options *options, const char *value)
{
	uint64_t ns;
	int r = value_read_seconds(value, &ns);

	if (r)
		return r;
	if (ns < INTERVAL_LEAST_NS)
		return -EINVAL;
	options->interval_ns = ns;
	return 0;
}

static int set_sort(struct options *options, const char *value)
{
	options->sort = value;
	return 0;
}

static int set_tables(struct options *options, const char *value)
{
	return value_read_count(value, UINT64_MAX, &options->tables);
}

const struct option_row option_rows_views[] = {
	{0, "view-dir", "DIR", "look for views there, too: NAME.yaml; may be repeated",
	 options_add_view_folder, .list = LIST_REPEATED, .about = VIEWS | OF_VIEWS,
	 .offer = OFFER_FILES},
	{0, "interval", "SECONDS",
	 "a table every SECONDS, of what happened in that time; of a file, of its own time. "
	 "Default: on a terminal 1, else one table at the end",
	 set_interval, .accepts = "a number of 0.1 or more, or a time such as 10s or 1m",
	 .about = VIEWS},
	{0, "count", "TABLES", "exit after that many tables", set_tables,
	 .accepts = "a number of 1 or more", .about = VIEWS},
	{0, "sort", "NAME,...",
	 "sort rows by these keys or values, as JSON names them; -NAME: the other way round",
	 set_sort, .list = LIST_COMMAS, .about = VIEWS},
	{0},
};
