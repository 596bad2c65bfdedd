/* SPDX-License-Identifier: MIT */
/*
 * Servers that take batches by HTTP: a profile for each kind says how bodies and answers look. What
 * they reject for good goes to a file.
 */
#ifndef OUTPUT_TARGETS_HTTP_H
#define OUTPUT_TARGETS_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "output/record.h"
#include "output/target.h"
#include "output/targets/http_body.h"
#include "output/targets/http_client.h"
#include "output/targets/http_keys.h"
#include "util/buf.h"
#include "util/error.h"

/*
 * A file of records that a server rejected for good, with its reason: a JSON object a line. Only
 * its owner can read it, and it stops at a size.
 */

/* Zeroed: there is no file. */
struct http_dead_letters {
	const char *path; /* borrowed; NULL: rejected records are dropped */
	int fd; /* owned; valid while there is a path */
	uint64_t bytes, max_bytes; /* of the file */
	struct buf text; /* owned; what is to be written */
};

/* Opens the file, made with mode 600. Returns 0 or -errno with a message. */
int http_dead_letters_open(struct http_dead_letters *letters, const char *path, uint64_t max_bytes,
			   struct error *err);
void http_dead_letters_close(struct http_dead_letters *letters);

/* Adds a record. `status` is that of HTTP, `reason` what the server said. */
void http_dead_letters_add(struct http_dead_letters *letters, const struct output_batch *batch,
			   const struct output_record *record, long status, const char *reason);

/*
 * Writes what was added. Returns 0; -EFBIG if it did not all fit, or another -errno, with a
 * message: those records are lost.
 */
int http_dead_letters_write(struct http_dead_letters *letters, struct error *err);

/*
 * A server that takes batches by HTTP: one request for each, and the next one after its answer, so
 * that records arrive in their order. The kinds http and otlp differ in the profile alone.
 */

struct http_profile;

struct http_target {
	const struct output_config *config; /* borrowed */
	const struct http_keys *keys; /* borrowed */
	const struct http_profile *profile;
	char *url; /* owned */
	char *host; /* owned; the name of this machine */
	struct http_client *client; /* owned */
	struct http_body body;
	struct http_answer answer;
	struct http_dead_letters letters;
	struct output_stop *stop; /* borrowed */
	void *own; /* of the profile */
};

/* As open(), send() and close() of a kind. `keys` are borrowed, `url` is that of the server. */
int http_target_open(const struct output_config *config, const struct http_keys *keys,
		     const struct http_profile *profile, const char *url, struct output_stop *stop,
		     void **target, struct error *err);
int http_target_send(void *target, struct output_batch *batch, struct error *err);
void http_target_close(void *target);

/*
 * Several requests at a time: a target of HTTP for each, between which a batch is divided. What
 * comes of them is settled together, in the order of the records.
 */

enum { HTTP_LANES_MAX = 16 };

/* As open(), send() and close() of a kind; as many lanes as the keys say. */
int http_lanes_open(const struct output_config *config, const struct http_profile *profile,
		    struct output_stop *stop, void **target, struct error *err);
int http_lanes_send(void *target, struct output_batch *batch, struct error *err);
void http_lanes_close(void *target);

/*
 * What a kind of server wants of a request, and how its answers are read: a row in the file of the
 * kind. The functions share a struct http_target, whose `own` belongs to the profile.
 */

struct url;

/* What a status says of all records. */
struct http_verdict {
	uint16_t first, last; /* of the statuses */
	uint8_t result; /* enum output_result */
	bool uncertain; /* the records may have arrived */
	bool too_large;
	bool divides; /* smaller batches find the record; alone it has the result */
};

struct http_profile {
	const char *path; /* of a URL that has none; NULL: "/" */
	const char *content_type; /* NULL: as the format of the records says */
	const char *const *headers; /* more of them, NULL at the end; NULL: none */
	bool is_ordered; /* the server rejects records that arrive after later ones */
	const char *scheme; /* of the header Authorization with a token */
	/* The first row with the status counts; ends with {0}. */
	const struct http_verdict *verdicts;
	/* Checks the keys. Returns 0 or -EINVAL with a message. NULL: all are valid. */
	int (*check)(const struct output_config *config, struct error *err);
	/* Completes the URL, creates `own`. Returns 0 or -ENOMEM. NULL: nothing to do. */
	int (*open)(struct http_target *target, struct url *url);
	/* Releases `own`. NULL: nothing to do. */
	void (*close)(struct http_target *target);
	/* The URL of this batch, which stays with the target. NULL: always target->url. */
	const char *(*url)(struct http_target *target, const struct output_batch *batch);
	/* Writes the body. */
	void (*write)(struct http_target *target, const struct output_batch *batch);
	/*
	 * Reads the answer and sets the results. Returns as send(). NULL: the status says all.
	 */
	int (*read)(struct http_target *target, struct output_batch *batch, struct error *err);
};

/* Those of nearly all servers. */
extern const struct http_verdict HTTP_VERDICTS[];

/* Sets the results as the verdicts say, for functions of profiles. Returns as send(). */
int http_read_status(struct http_target *target, struct output_batch *batch, struct error *err);

/* Sets the results as one verdict says, where `why` is what the server said. Returns as send(). */
int http_apply(struct http_target *target, struct output_batch *batch,
	       const struct http_verdict *verdict, const char *why, struct error *err);

/* Rejects a record, and keeps it among the dead letters. */
void http_reject(struct http_target *target, struct output_batch *batch, size_t i, long status,
		 const char *reason);

/* Of some records that were rejected while others were not: the message. Returns -EBADMSG. */
int http_report_rejected(const struct http_target *target, size_t rejected, size_t count,
			 const char *reason, struct error *err);

/* The name of a record's type: "openat", of a drop record "drop". */
const char *http_record_type(const struct output_record *record);

/* Of keys: rejects another format than JSON. */
int http_check_json(const struct output_config *config, struct error *err);

/* The table of profiles, and those of OTLP. */

struct http_profile;

/* In the same order; the words are those of profile=, and end with NULL. */
extern const struct http_profile *const HTTP_PROFILES[];
extern const char *const HTTP_PROFILE_WORDS[];

extern const struct http_profile http_profile_plain;
extern const struct http_profile http_profile_elasticsearch;
extern const struct http_profile http_profile_loki;
extern const struct http_profile http_profile_splunk;
extern const struct http_profile http_profile_victorialogs;
extern const struct http_profile http_profile_clickhouse;

#endif
