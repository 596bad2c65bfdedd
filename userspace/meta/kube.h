/* SPDX-License-Identifier: MIT */
/*
 * The follower of a node's pods, by the API server or by kubelet: makes the requests of the
 * reflector and pushes the pods.
 */
#ifndef META_KUBE_H
#define META_KUBE_H

#include "meta/sink.h"
#include "meta/kube_config.h"

/* What is followed: the pods, or for API servers what peers are known by. */
enum kube_subject { KUBE_PODS, KUBE_SERVICES, KUBE_SLICES, KUBE_SUBJECTS };

/* Copies the configuration, not the texts it refers to. Returns 0, or -errno with a message. */
int kube_follower_create(const struct kube_config *config, enum kube_subject subject,
			 struct meta_follower **follower, struct error *err);

/* From any thread: a container of a pod was found, which kubelet may already know. */
void kube_follower_hurry(struct meta_follower *follower);

#endif
