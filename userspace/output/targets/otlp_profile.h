/* SPDX-License-Identifier: MIT */
/* The two forms of OTLP: what the kind otlp chooses from. */
#ifndef OUTPUT_TARGETS_OTLP_PROFILE_H
#define OUTPUT_TARGETS_OTLP_PROFILE_H

struct http_profile;

extern const struct http_profile http_profile_otlp_proto;
extern const struct http_profile http_profile_otlp_json;

#endif
