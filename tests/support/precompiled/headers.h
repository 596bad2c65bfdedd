/* SPDX-License-Identifier: MIT */
/*
 * What most unit tests include, for builds that have it compiled once (-Dprecompiled=true): the
 * event table above all. Tests include what they use nevertheless, as other builds do without.
 */
#ifndef TESTS_PRECOMPILED_HEADERS_H
#define TESTS_PRECOMPILED_HEADERS_H

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drive.h"
#include "event/event.h"
#include "frame.h"
#include "sinsp/fields/field.h"
#include "sinsp/sinsp.h"
#include "sinsp/state/core.h"
#include "util/json.h"

#endif
