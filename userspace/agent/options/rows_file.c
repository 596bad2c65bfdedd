/* SPDX-License-Identifier: MIT */
/* Options: capture files to read and write. */
#include "agent/options/row.h"

#include <errno.h>

#include "agent/options/setters.h"

enum { MEGABYTES_MAX = 1000000000, FILES_MAX = 1000000 };

CONSTANT_SETTER(set_read, read, value)
CONSTANT_SETTER(set_strict, strict, true)
CONSTANT_SETTER(set_progress, progress, true)
CONSTANT_SETTER(set_write, write, value)
CONSTANT_SETTER(set_gzip, writer.compression, SCAP_GZIP)
CONSTANT_SETTER(set_zstd, writer.compression, SCAP_ZSTD)
CONSTANT_SETTER(set_fat, fat, true)
CONSTANT_SETTER(set_container_env, container_env, true)
CONSTANT_SETTER(set_native, writer.native, true)
VALUE_SETTER(set_file_time, limits.ns, value_read_seconds)
VALUE_SETTER(set_file_events, limits.events, value_read_count, UINT64_MAX)
VALUE_SETTER(set_files, limits.files, value_read_count, FILES_MAX)

static int set_file_size(struct options *options, const char *value)
{
	uint64_t megabytes;
	int code = value_read_count(value, MEGABYTES_MAX, &megabytes);

	if (code == 0)
		options->limits.bytes = megabytes * 1000000;
	return code;
}

static const char *compat_year(unsigned int i)
{
	return i == 0 ? "2022" : NULL;
}

static int set_compat(struct options *options, const char *value)
{
	unsigned int place;
	int code = words_find(compat_year, value, &place);

	if (code == 0)
		options->writer.form_2022 = true;
	return code;
}

const struct option_row option_rows_file[] = {
	{'r', "read", "FILE", "take events from a capture file; -: standard input", set_read,
	 .offer = OFFER_FILES, .usual = true},
	{0, "strict", NULL, "corruption or truncation of it is a failure", set_strict,
	 .about = INPUT},
	{'P', "progress", NULL, "print on stderr how much was read", set_progress, .about = INPUT},
	{'w', "write", "FILE",
	 "write events to a capture file; -: standard output. Prints them only if an option says "
	 "what to print",
	 set_write, .offer = OFFER_FILES, .usual = true},
	{'z', "compress", NULL, "compress it with gzip", set_gzip, .about = OUTPUT | COMPRESSES,
	 .usual = true},
	{0, "zstd", NULL, "compress it with zstd: for Lanner alone", set_zstd,
	 .about = OUTPUT | COMPRESSES},
	{'F', "fatfile", NULL,
	 "also, hidden, what keeps the names of descriptors and processes right", set_fat,
	 .about = OUTPUT},
	{0, "container-env", NULL, "also the environment of containers, which often has secrets",
	 set_container_env, .about = OUTPUT},
	{0, "native", NULL, "keep extension events unchanged, for Lanner only", set_native,
	 .about = OUTPUT},
	{0, "scap-compat", "YEAR", "for readers of that year; 2022: sysdig 0.29", set_compat,
	 .words = compat_year, .about = OUTPUT},
	{'C', "file-size", "MB",
	 "another file after that many million bytes; a counter is added to the name",
	 set_file_size, .accepts = "a number of megabytes of 1 or more", .about = OUTPUT | SPLITS},
	{'G', "seconds", "SECONDS",
	 "another file after SECONDS; the name may have a time such as %H%M, as in strftime(3), "
	 "not a counter",
	 set_file_time, .accepts = "a number above 0", .about = OUTPUT | SPLITS},
	{'e', "events", "COUNT", "another file after COUNT events", set_file_events,
	 .accepts = "a number of 1 or more", .about = OUTPUT | SPLITS},
	{'W', "limit", "COUNT", "with -C, -G or -e: keep the last COUNT files", set_files,
	 .accepts = "a number from 1 to 1000000", .about = OUTPUT | SPLIT},
	{0},
};
