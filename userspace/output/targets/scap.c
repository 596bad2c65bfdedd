/* SPDX-License-Identifier: MIT */
/* The keys of captures, named as those of file: and the options about -w. */
#include "output/targets/scap.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "output/targets/compress.h"
#include "output/targets/appended.h"
#include "output/targets/kinds.h"

_Static_assert((int)COMPRESS_NONE == (int)SCAP_PLAIN && (int)COMPRESS_GZIP == (int)SCAP_GZIP &&
		       (int)COMPRESS_ZSTD == (int)SCAP_ZSTD,
	       "the same words for both");

static int scap_check(const struct output_config *config, struct error *err)
{
	const struct scap_keys *keys = config->own;
	mode_t mode;

	if (config->target[0] == '\0')
		return error_set(err, -EINVAL, "scap: a path is missing: scap:PATH");
	if (strcmp(config->target, "-") == 0)
		return error_set(err, -EINVAL, "scap:-: for a capture on standard output use -w -");
	if (output_mode_read(keys->mode, &mode, err))
		return -EINVAL;
	if (keys->native && keys->compat != SCAP_COMPAT_NONE)
		return error_set(err, -EINVAL,
				 "native is for Lanner alone, scap-compat for others: one of "
				 "them");
	if (config->redact)
		return error_set(err, -EINVAL,
				 "a capture has the data of events as it is: secrets cannot be "
				 "hidden in it. Say redact=no to allow that");
	return 0;
}

static const char *const compat_words[] = {"no", "2022", NULL};

#define MEMBER(member) offsetof(struct scap_keys, member)
static const struct output_key keys[] = {
	{"mode", "MODE", "permissions of the files that are made", OUTPUT_TEXT, MEMBER(mode),
	 "600"},
	{"rotate-size", "BYTES",
	 "begins a new file before this one gets larger; the state at its start may be more",
	 OUTPUT_BYTES, MEMBER(rotate_bytes), "100M"},
	{"rotate-age", "TIME", "begins a new file with the first event after that time; 0: never",
	 OUTPUT_TIME, MEMBER(rotate_ns)},
	{"keep", "COUNT", "how many files before this one remain; 0: all", OUTPUT_COUNT,
	 MEMBER(keep), "10"},
	{"compress", "METHOD", "as -z and --zstd: none, gzip or zstd (for Lanner alone)",
	 OUTPUT_WORD, MEMBER(compress), "none", COMPRESS_WORDS},
	{"fatfile", "yes|no",
	 "also, hidden, what keeps the names of descriptors and processes right", OUTPUT_FLAG,
	 MEMBER(fat)},
	{"native", "yes|no", "keeps extension events unchanged, for Lanner alone", OUTPUT_FLAG,
	 MEMBER(native)},
	{"scap-compat", "YEAR", "for readers of that year; 2022: sysdig 0.29", OUTPUT_WORD,
	 MEMBER(compat), "no", compat_words},
	{0},
};
static const char *const names[] = {"scap", NULL};
static const char *const common[] = {"redact", "filter", NULL};

const struct output_kind output_kind_scap = {
	.names = names,
	.target = "PATH",
	.help = "a ring of capture files, for -r and other readers; needs redact=no",
	.keys = keys,
	.own_bytes = sizeof(struct scap_keys),
	.is_capture = true,
	.acknowledges = true,
	.uses = OUTPUT_USES_FOLDER,
	.common = common,
	.check = scap_check,
};
