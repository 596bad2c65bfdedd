/* SPDX-License-Identifier: MIT */
/*
 * Which server is asked for pods, and with what: as options say, or as the environment and the files
 * of a container of the cluster say.
 */
#ifndef META_KUBE_CONFIG_H
#define META_KUBE_CONFIG_H

#include <stdbool.h>
#include <string.h>

#include "util/error.h"

#define KUBE_ACCOUNT_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"

/* What the user chose; NULL: nothing. */
struct kube_options {
	const char *api; /* "auto", the same as NULL; "none"; or a URL */
	const char *node;
	const char *token_path, *ca_path;
	const char *kubelet; /* URL: it is asked in place of the API server */
	const char *kubelet_ca_path;
	bool kubelet_insecure; /* its certificate is not checked */
};

/* Whether they have the URL of an API server; or of any server. */
static inline bool kube_options_name_api(const struct kube_options *options)
{
	return options->api && strcmp(options->api, "auto") != 0 &&
	       strcmp(options->api, "none") != 0;
}

static inline bool kube_options_name_server(const struct kube_options *options)
{
	return options->kubelet || kube_options_name_api(options);
}

enum { KUBE_URL_BYTES = 1024, KUBE_NODE_BYTES = 254 };

/* Refers to the texts of the options. */
struct kube_config {
	char url[KUBE_URL_BYTES]; /* without a '/' at the end */
	char node[KUBE_NODE_BYTES]; /* the pods of this node; "": those of the kubelet */
	const char *token_path; /* NULL: none is sent */
	const char *ca_path; /* NULL: the certificates of the system */
	bool insecure;
};

/*
 * Returns 0; -ENOENT if no server is to be asked, with a message if this is a cluster of which
 * something is missing; or -EINVAL with a message: the options are wrong.
 */
int kube_config_find(const struct kube_options *options, struct kube_config *config,
		     struct error *err);

#endif
