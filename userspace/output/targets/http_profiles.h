/* SPDX-License-Identifier: MIT */
/* The table of profiles, and those of OTLP. */
#ifndef OUTPUT_TARGETS_HTTP_PROFILES_H
#define OUTPUT_TARGETS_HTTP_PROFILES_H

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
