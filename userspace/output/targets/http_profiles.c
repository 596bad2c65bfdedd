/* SPDX-License-Identifier: MIT */
#include "output/targets/http_profiles.h"

#include <stddef.h>

const struct http_profile *const HTTP_PROFILES[] = {
	&http_profile_plain,  &http_profile_elasticsearch, &http_profile_loki,
	&http_profile_splunk, &http_profile_victorialogs,  &http_profile_clickhouse,
};

const char *const HTTP_PROFILE_WORDS[] = {
	"plain", "elasticsearch", "loki", "splunk", "victorialogs", "clickhouse", NULL,
};
