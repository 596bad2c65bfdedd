/* SPDX-License-Identifier: MIT */
/*
 * What a kind of target is: a row in the file of the kind, in output/targets. The thread of an
 * output calls its functions, one after the other.
 */
#ifndef OUTPUT_TARGET_H
#define OUTPUT_TARGET_H

#include "output/config.h"
#include "output/record.h"
#include "output/stop.h"
#include "util/buf.h"
#include "util/error.h"

/* The schema of records, unless schema= names another. */
struct output_default {
	const char *with; /* "KEY=VALUE": if that was given; NULL: in all cases */
	const char *schema;
};

enum output_uses {
	OUTPUT_USES_FOLDER = 1 << 0, /* the target is the path of a file in it */
	OUTPUT_USES_STDOUT = 1 << 1,
	OUTPUT_USES_NETWORK = 1 << 2, /* by names, and with certificates */
};

struct output_kind {
	/* The words before the first colon of --output: "http" and "https". Ends with NULL. */
	const char *const *names;
	const char *target; /* what follows the colon, for the help: "PATH" */
	const char *help;
	const struct output_key *keys; /* its own, besides OUTPUT_KEYS; ends without a name */
	size_t own_bytes; /* of the struct that they are stored in: config->own */
	/* It takes no records but events as they were captured: of the functions it has check(). */
	bool is_capture;
	bool takes_metrics; /* its records are metrics, and no events: see output_measure() */
	bool passes_dotted; /* keys with a dot are for its library: config->passed */
	/* The formats it takes, the default first. Ends with NULL; NULL: all, json first. */
	const char *const *formats;
	/* Of OUTPUT_KEYS, those that mean something here. Ends with NULL; NULL: all. */
	const char *const *common;
	/* The first that applies counts, the last one does always. NULL: schema=native. */
	const struct output_default *defaults;
	/* What its threads use beside the files of its keys: bits of enum output_uses. */
	unsigned int uses;
	/* Variables of the environment that name more files. Ends with NULL; NULL: none. */
	const char *const *file_variables;
	/* Delivered means that the other side confirmed it. Otherwise a part may be lost unseen. */
	bool acknowledges;
	/* Each request of its functions ends within the key timeout=. */
	bool has_deadlines;
	bool is_alone; /* two outputs with the same target would write into each other's records */
	/* The most records that send() takes at once, by the keys; NULL: any number. */
	size_t (*records_max)(const struct output_config *config);
	/* Into how many requests send() divides them, all of a whole batch; NULL: one. */
	size_t (*requests_max)(const struct output_config *config);

	/*
	 * Checks the target and its keys, without looking at files or the network. Returns 0, or
	 * -EINVAL with a message. NULL: all is valid.
	 */
	int (*check)(const struct output_config *config, struct error *err);
	/*
	 * Opens what must be there from the start, as a file to write. A server that cannot be
	 * reached is no error: send() connects. config and stop are borrowed. Returns 0 or -errno
	 * with a message.
	 */
	int (*open)(const struct output_config *config, struct output_stop *stop, void **target,
		    struct error *err);
	/*
	 * Sends a batch and waits for what comes of it: sets batch->results. Returns 0, or -errno
	 * with a message if something went wrong, which may concern only some of the records; it
	 * has nothing to print. -ECANCELED: it was stopped. -ESHUTDOWN: the target is gone for
	 * good: nothing more is sent to it.
	 */
	int (*send)(void *target, struct output_batch *batch, struct error *err);
	/* Called about once a second between batches; NULL: nothing to do. Returns as send(). */
	int (*tick)(void *target, struct error *err);
	/* SIGHUP: opens files anew. NULL: nothing to do. Returns as open(). */
	int (*reopen)(void *target, struct error *err);
	/* Accepts NULL. */
	void (*close)(void *target);
};

static inline bool output_kind_takes_records(const struct output_kind *kind)
{
	return !kind->is_capture;
}

#endif
