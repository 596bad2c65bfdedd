/* SPDX-License-Identifier: MIT */
/*
 * Reads the kubeconfig, the token and the certificates of a pod's service account, and the options.
 */
#include "meta/kube_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char default_token[] = KUBE_ACCOUNT_FOLDER "/token";
static const char default_ca[] = KUBE_ACCOUNT_FOLDER "/ca.crt";

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Returns 0, or -EINVAL with a message. */
static int check_readable(const char *option, const char *path, struct error *err)
{
	if (eaccess(path, R_OK) == 0)
		return 0;
	return error_set(err, -EINVAL, "%s: %s: %s", option, path, strerror(errno));
}

static bool is_encrypted(const struct kube_config *config)
{
	return strncmp(config->url, "https://", 8) == 0;
}

static int set_url(struct kube_config *config, const char *option, const char *url,
		   struct error *err)
{
	size_t len = strlen(url);

	/* Messages have the URL. */
	if (strchr(url, '@'))
		return error_set(err, -EINVAL,
				 "%s: a URL with a user or a password; --k8s-token FILE is the way "
				 "to identify the agent",
				 option);
	if (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0)
		return error_set(err, -EINVAL, "%s %s: a URL begins with https:// or http://",
				 option, url);
	while (len && url[len - 1] == '/')
		len--;
	if (len >= sizeof(config->url) || strcspn(url, " \t\r\n?#") < len)
		return error_set(err, -EINVAL, "%s %s: not the URL of a server", option, url);
	memcpy(config->url, url, len);
	config->url[len] = '\0';
	return 0;
}

/* The server's address as containers of a cluster have it. Returns whether this is one. */
static bool set_url_of_cluster(struct kube_config *config)
{
	const char *host = environment("KUBERNETES_SERVICE_HOST");
	const char *port = environment("KUBERNETES_SERVICE_PORT");
	bool is_ipv6 = host && strchr(host, ':') && host[0] != '[';
	char url[KUBE_URL_BYTES];

	if (!host)
		return false;
	if (snprintf(url, sizeof(url), "https://%s%s%s:%s", is_ipv6 ? "[" : "", host,
		     is_ipv6 ? "]" : "", port ? port : "443") >= (int)sizeof(url))
		return false;
	return set_url(config, "KUBERNETES_SERVICE_HOST", url, NULL) == 0;
}

/* A name of Kubernetes is part of the requests as it is. */
static bool config_is_name(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789.-");

	return len && len < KUBE_NODE_BYTES && text[len] == '\0';
}

/* Without a name, all pods of the cluster would be listed, by each agent. */
static int set_node(struct kube_config *config, const struct kube_options *options, int code,
		    struct error *err)
{
	const char *node = options->node ? options->node : environment("NODE_NAME");

	if (!node)
		return error_set(err, code,
				 "Kubernetes: which node this is, is not known: set NODE_NAME by "
				 "the downward API (spec.nodeName), or --k8s-node");
	if (!config_is_name(node))
		return error_set(err, -EINVAL, "%s %s: not the name of a node",
				 options->node ? "--k8s-node" : "NODE_NAME", node);
	memcpy(config->node, node, strlen(node) + 1);
	return 0;
}

/* The token is not sent without encryption. code: if there is none. */
static int set_token(struct kube_config *config, const struct kube_options *options, int code,
		     struct error *err)
{
	config->token_path = NULL;
	if (!is_encrypted(config) && options->token_path)
		return error_set(err, -EINVAL, "--k8s-token %s: a token is sent to https:// alone",
				 options->token_path);
	if (!is_encrypted(config))
		return 0;
	config->token_path = options->token_path ? options->token_path : default_token;
	if (options->token_path)
		return check_readable("--k8s-token", options->token_path, err);
	if (eaccess(default_token, R_OK) == 0)
		return 0;
	return error_set(err, code,
			 "Kubernetes: the token %s: %s: mount it (automountServiceAccountToken), "
			 "name another one with --k8s-token, or say --k8s-api none",
			 default_token, strerror(errno));
}

/* Those of the cluster if there are any. */
static int set_ca(struct kube_config *config, const char *option, const char *path,
		  struct error *err)
{
	config->ca_path = path;
	if (path)
		return check_readable(option, path, err);
	if (eaccess(default_ca, R_OK) == 0)
		config->ca_path = default_ca;
	return 0;
}

static int find_kubelet(const struct kube_options *options, struct kube_config *config,
			struct error *err)
{
	int r = set_url(config, "--kubelet", options->kubelet, err);

	config->insecure = options->kubelet_insecure;
	if (r == 0)
		r = set_token(config, options, -EINVAL, err);
	if (r == 0)
		r = set_ca(config, "--kubelet-ca", options->kubelet_ca_path, err);
	return r;
}

/* code: if something is missing. */
static int config_complete(const struct kube_options *options, struct kube_config *config, int code,
			   struct error *err)
{
	int result = set_token(config, options, code, err);

	if (result == 0)
		result = set_node(config, options, code, err);
	if (result == 0)
		result = set_ca(config, "--k8s-ca", options->ca_path, err);
	return result;
}

/* Options that contradict each other, or mean nothing. */
static int config_check(const struct kube_options *options, struct error *err)
{
	if (options->kubelet && kube_options_name_api(options))
		return error_set(err, -EINVAL, "--k8s-api %s and --kubelet %s: one of them",
				 options->api, options->kubelet);
	if (!options->kubelet && (options->kubelet_ca_path || options->kubelet_insecure))
		return error_set(err, -EINVAL, "%s goes with --kubelet",
				 options->kubelet_insecure ? "--kubelet-insecure" : "--kubelet-ca");
	return 0;
}

int kube_config_find(const struct kube_options *options, struct kube_config *config,
		     struct error *err)
{
	bool is_none = options->api && strcmp(options->api, "none") == 0;
	int r = config_check(options, err);

	*config = (struct kube_config){0};
	if (r)
		return r;
	if (options->kubelet)
		return find_kubelet(options, config, err);
	if (is_none)
		return -ENOENT;
	if (!kube_options_name_api(options))
		return set_url_of_cluster(config) ? config_complete(options, config, -ENOENT, err)
						  : -ENOENT;
	r = set_url(config, "--k8s-api", options->api, err);
	return r ? r : config_complete(options, config, -EINVAL, err);
}
