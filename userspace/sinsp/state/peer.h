/* SPDX-License-Identifier: MIT */
/*
 * The other end of a request, as the event's process has it: who asks a server, who answers a
 * client. What is known of it comes from the connection, if its other end is on this machine, from
 * Services of Kubernetes, and from answers of DNS. Nothing is guessed: what could be of two is of
 * none.
 */
#ifndef SINSP_STATE_PEER_H
#define SINSP_STATE_PEER_H

#include "scap/proc/fd.h"
#include "sinsp/state/event.h"
#include "sinsp/state/containers/services.h"

/* All that is borrowed is valid as long as the event. */
struct state_peer {
	/*
	 * The end of the socket, as the process has it. address_len 0: not known, 4 or 16.
	 */
	struct scap_endpoint end;
	uint8_t address_len;
	/* That of which the kernel makes it, by translation. real_len 0: it does not, or it is not
	 * known; 4 or 16. */
	struct scap_endpoint real;
	uint8_t real_len;
	const struct state_thread *process; /* its main thread; NULL: not known, or not of here */
	const struct state_container *container; /* NULL: none, or not known */
	const struct state_pod *pod; /* NULL: none, or not known; some of its texts may be NULL */
	const struct state_workload *workload; /* of the pod; NULL: none, or not known */
	/*
	 * The Service of Kubernetes that a client asked, by the address that it connected to; NULL:
	 * none, or not known. Its `pod` may be behind it.
	 */
	const struct state_service_info *service;
	/*
	 * The name whose address it is by the last answer of DNS that the client's container got,
	 * or that a process of the host got; NULL: none. Whoever answers chooses it.
	 */
	const char *domain;
};

/*
 * Tells what is known of the other end of an event of the type `request`. Returns false if that is
 * nothing, or the event is of another type; then all of it is zero.
 */
bool state_peer_of(const struct state_event *event, struct state_peer *peer);

/*
 * Tells what is known of a place that the event's process is connected to as a client: by Services
 * of Kubernetes and answers of DNS. Its process is not looked for.
 */
void state_peer_at(const struct state_event *event, const struct state_place *place,
		   struct state_peer *peer);

#endif
