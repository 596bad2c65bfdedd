/* SPDX-License-Identifier: MIT */
/* What streams of sockets need of protocols, which are a folder in front of them. */
#ifndef REQUESTS_PROTOCOL_H
#define REQUESTS_PROTOCOL_H

#include "requests/protocols/protocol.h"

#endif
