/* SPDX-License-Identifier: MIT */
/*
 * Requests to a server of Kubernetes with the token of the account, their failures counted and
 * reported: for the threads that follow and ask, one each.
 */
#ifndef META_KUBE_CLIENT_H
#define META_KUBE_CLIENT_H

#include "meta/kube_config.h"
#include "meta/reflector.h"
#include "meta/sink.h"
#include "net/fetch.h"
#include "net/url.h"

enum { KUBE_NEEDS_BYTES = 160 };

struct kube_client {
	struct kube_config config; /* its texts are borrowed */
	struct fetch *fetch; /* owned */
	/* What a server that forbids a request is told of: "; the service account needs ...". */
	char needs[KUBE_NEEDS_BYTES];
	/* Used by the client's thread alone. */
	struct meta_sink *sink; /* borrowed; to be set when the thread begins */
	struct net_token token;
	uint64_t reported; /* bits of enum meta_counter: failures that were reported */
};

/* Returns 0, or -ENOMEM with a message. */
int kube_client_init(struct kube_client *client, const struct kube_config *config,
		     struct error *err);
void kube_client_finish(struct kube_client *client);

/*
 * Makes a request: the URL, the token and whom to trust are added to it. *end says how it ended,
 * its message is err->text. Returns false if the client is being stopped.
 */
bool kube_client_get(struct kube_client *client, const char *path, struct fetch_request *request,
		     struct reflector_end *end, struct error *err);

/* Reports a failure that needs somebody: each kind once. */
void kube_client_report(struct kube_client *client, enum meta_counter failure, const char *message);

#endif
