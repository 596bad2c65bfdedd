/* SPDX-License-Identifier: MIT */
/* Options: the server that is asked for the pods of this node. */
#include "agent/options/row.h"

#include <errno.h>
#include <string.h>

#include "agent/options/setters.h"

CONSTANT_SETTER(set_node, kubernetes.node, value)
CONSTANT_SETTER(set_token, kubernetes.token_path, value)
CONSTANT_SETTER(set_ca, kubernetes.ca_path, value)
CONSTANT_SETTER(set_kubelet_ca, kubernetes.kubelet_ca_path, value)
CONSTANT_SETTER(set_kubelet_insecure, kubernetes.kubelet_insecure, true)

static bool is_url(const char *text)
{
	return strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
}

static int set_api(struct options *options, const char *value)
{
	if (!is_url(value) && strcmp(value, "auto") != 0 && strcmp(value, "none") != 0)
		return -EINVAL;
	options->kubernetes.api = value;
	return 0;
}

static int set_kubelet(struct options *options, const char *value)
{
	if (!is_url(value))
		return -EINVAL;
	options->kubernetes.kubelet = value;
	return 0;
}

static int set_cluster(struct options *options, const char *value)
{
	if (!*value)
		return -EINVAL;
	options->k8s_cluster = value;
	return 0;
}

const struct option_row option_rows_kubernetes[] = {
	{0, "k8s-api", "URL",
	 "the API server; auto, the default: that of the cluster in which the agent runs, if any; "
	 "none: it is not asked",
	 set_api, .accepts = "auto, none, or a URL with https://", .about = LIVE | OF_DOCTOR},
	{0, "k8s-node", "NAME", "the name of this node; default: the variable NODE_NAME", set_node,
	 .about = LIVE | OF_DOCTOR},
	{0, "k8s-token", "FILE",
	 "the token for the API server, or the kubelet; default: that of the pod", set_token,
	 .about = LIVE | OF_DOCTOR, .offer = OFFER_FILES},
	{0, "k8s-ca", "FILE",
	 "certificates that the API server's is checked with; default: those of the pod", set_ca,
	 .about = LIVE | OF_DOCTOR, .offer = OFFER_FILES},
	{0, "kubelet", "URL", "ask this kubelet in place of the API server", set_kubelet,
	 .accepts = "a URL with https://", .about = LIVE | OF_DOCTOR},
	{0, "kubelet-ca", "FILE", "the same as --k8s-ca for the kubelet", set_kubelet_ca,
	 .about = LIVE | OF_DOCTOR, .offer = OFFER_FILES},
	{0, "kubelet-insecure", NULL, "do not check the kubelet's certificate",
	 set_kubelet_insecure, .about = LIVE | OF_DOCTOR},
	{0, "k8s-cluster", "NAME", "name of the cluster, for k8s.cluster.name", set_cluster,
	 .accepts = "a name"},
	{0},
};
