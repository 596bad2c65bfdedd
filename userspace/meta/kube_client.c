/* SPDX-License-Identifier: MIT */
/* The token, the request, and what its failure is. */
#include "meta/kube_client.h"

#include <errno.h>
#include <stdio.h>

#include "util/clock.h"

enum { STATUS_OK = 200, STATUS_UNAUTHORIZED = 401 };

_Static_assert(META_COUNTERS <= 64, "a bit each");

int kube_client_init(struct kube_client *client, const struct kube_config *config,
		     struct error *err)
{
	client->config = *config;
	client->token.path = config->token_path;
	return fetch_create(&client->fetch, err);
}

void kube_client_finish(struct kube_client *client)
{
	net_token_finish(&client->token);
	fetch_destroy(client->fetch);
}

/* Failures that need somebody, and what helps. Those that are not here pass by themselves. */
static const char *const hints[META_COUNTERS] = {
	[META_KUBE_UNREACHABLE] = "",
	[META_KUBE_UNTRUSTED] = "; --k8s-ca or --kubelet-ca names the certificates to trust",
	[META_KUBE_TOKEN] = "; --k8s-token names another file",
	[META_KUBE_UNAUTHORIZED] = "; the token is not accepted",
	[META_KUBE_FORBIDDEN] = "",
	[META_KUBE_STATUS] = "",
	[META_KUBE_NONSENSE] = "",
	[META_KUBE_TOO_LONG] = "",
};

void kube_client_report(struct kube_client *client, enum meta_counter failure, const char *message)
{
	uint64_t bit = UINT64_C(1) << failure;
	struct meta_update *update;

	if (!hints[failure] || (client->reported & bit))
		return;
	client->reported |= bit;
	update = meta_update_create(META_FAILURE, NULL);
	if (update)
		error_set(&update->err, 0, "Kubernetes: %s: %s%s", client->config.url, message,
			  failure == META_KUBE_FORBIDDEN ? client->needs : hints[failure]);
	meta_post(client->sink, update);
}

/* Returns whether there is a token, if one is needed. */
static bool refresh_token(struct kube_client *client, struct error *err)
{
	if (net_token_refresh(&client->token, clock_ns(CLOCK_MONOTONIC), err) &&
	    client->token.text) {
		/* The old one may be good for a while. */
		meta_count(client->sink, META_KUBE_TOKEN, 1);
		kube_client_report(client, META_KUBE_TOKEN, err->text);
	}
	return !client->token.path || client->token.text;
}

/* What a result of fetch_get() is counted as. */
static enum meta_counter to_failure(int code, long status)
{
	switch (code) {
	case 0:
		return META_COUNTERS;
	case -EKEYREJECTED:
		return META_KUBE_UNTRUSTED;
	case -EMSGSIZE:
		return META_KUBE_CUT;
	case -ETIMEDOUT:
		return status == STATUS_OK ? META_KUBE_CUT : META_KUBE_UNREACHABLE;
	default:
		return META_KUBE_UNREACHABLE;
	}
}

bool kube_client_get(struct kube_client *client, const char *path, struct fetch_request *request,
		     struct reflector_end *end, struct error *err)
{
	char url[KUBE_URL_BYTES + REFLECTOR_PATH_BYTES];
	struct fetch_end answer;
	int r;

	*end = (struct reflector_end){.failure = META_KUBE_TOKEN, .message = err->text};
	if (!refresh_token(client, err))
		return true;
	snprintf(url, sizeof(url), "%s%s", client->config.url, path);
	request->url = url;
	request->token = client->token.text;
	request->ca_path = client->config.ca_path;
	request->trusts_any = client->config.insecure;
	r = fetch_get(client->fetch, request, &answer, err);
	end->status = answer.status;
	end->retry_after_s = answer.retry_after_s;
	end->failure = to_failure(r, answer.status);
	client->token.rejected = answer.status == STATUS_UNAUTHORIZED;
	return r != -ECANCELED;
}
