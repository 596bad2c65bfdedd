/* SPDX-License-Identifier: MIT */
/* Loads programs for another process, which has fewer privileges. */
#ifndef SCAP_LIVE_LOADER_SERVER_H
#define SCAP_LIVE_LOADER_SERVER_H

/*
 * Answers the requests that come over a socket until its other side is closed. A malformed request
 * is answered with an error. Returns 0, or -errno if the socket fails.
 */
int loader_serve(int socket);

#endif
