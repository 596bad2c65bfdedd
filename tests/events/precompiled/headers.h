/* SPDX-License-Identifier: MIT */
/* What most live tests include, for builds that have it compiled once (-Dprecompiled=true). */
#ifndef TESTS_EVENTS_PRECOMPILED_HEADERS_H
#define TESTS_EVENTS_PRECOMPILED_HEADERS_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/fixture.h"
#include "harness/live.h"

#endif
