/* SPDX-License-Identifier: MIT */
/* Messages of syslog: RFC 5424 and 3164. */
#ifndef OUTPUT_TARGETS_SYSLOG_H
#define OUTPUT_TARGETS_SYSLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "output/targets/messenger.h"

enum {
	SYSLOG_BYTES_MIN = 480, /* what every receiver takes: RFC 5424, section 6.1 */
	SYSLOG_HOST_MAX = 255,
	SYSLOG_APP_MAX = 48,
	SYSLOG_SD_ID_MAX = 32,
};

/* Names of facilities, by their number; ends with NULL. */
extern const char *const SYSLOG_FACILITIES[];

struct syslog_format {
	bool local; /* the form of the local daemon: "<PRI>Nov 22 19:58:12 app[pid]: " */
	unsigned int facility;
	size_t bytes_max; /* of a message; longer ones are truncated, and say so */
	const char *host, *app, *sd_id; /* borrowed; see syslog_is_name() */
	int pid;
	time_t second; /* the last second of a time, and its text */
	struct buf second_text;
};

void syslog_format_finish(struct syslog_format *format);

/* Whether a text can be a name in a header: 1 to `max` printable ASCII characters. */
bool syslog_is_name(const char *text, size_t max);

/* Whether it can be the name of structured data, which has further limits. */
bool syslog_is_sd_id(const char *text);

/* For struct messenger; the context is a struct syslog_format. */
void syslog_message_make(void *format, const struct output_batch *batch,
			 const struct output_record *record, struct messenger_message *message);

#endif
