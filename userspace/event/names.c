/* SPDX-License-Identifier: MIT */
/* Tables of words. */
#include "event/names.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const category_names[] = {
	[EC_UNKNOWN] = "unknown", [EC_OTHER] = "other",
	[EC_FILE] = "file",	  [EC_NET] = "net",
	[EC_IPC] = "IPC",	  [EC_MEMORY] = "memory",
	[EC_PROCESS] = "process", [EC_SLEEP] = "sleep",
	[EC_SYSTEM] = "system",	  [EC_SIGNAL] = "signal",
	[EC_USER] = "user",	  [EC_TIME] = "time",
	[EC_WAIT] = "wait",	  [EC_SCHEDULER] = "scheduler",
};

static const char *const type_names[PT_TYPES_COUNT] = {
	[PT_INT8] = "number",	     [PT_INT16] = "number",
	[PT_INT32] = "number",	     [PT_INT64] = "number",
	[PT_UINT8] = "number",	     [PT_UINT16] = "number",
	[PT_UINT32] = "number",	     [PT_UINT64] = "number",
	[PT_FLAGS8] = "flags",	     [PT_FLAGS16] = "flags",
	[PT_FLAGS32] = "flags",	     [PT_FLAGS64] = "flags",
	[PT_ENUMFLAGS8] = "name",    [PT_ENUMFLAGS16] = "name",
	[PT_ENUMFLAGS32] = "name",   [PT_MODE] = "mode",
	[PT_FD] = "descriptor",	     [PT_PID] = "process",
	[PT_FD32] = "descriptor",    [PT_PID32] = "process",
	[PT_ERRNO] = "result",	     [PT_UID] = "user",
	[PT_GID] = "group",	     [PT_SYSCALLID] = "call",
	[PT_SIGTYPE] = "signal",     [PT_SIGSET] = "signals",
	[PT_RELTIME] = "duration",   [PT_ABSTIME] = "time",
	[PT_PORT] = "port",	     [PT_L4PROTO] = "protocol",
	[PT_BOOL] = "boolean",	     [PT_DOUBLE] = "number",
	[PT_CHARBUF] = "text",	     [PT_FSPATH] = "path",
	[PT_FSRELPATH] = "path",     [PT_BYTEBUF] = "bytes",
	[PT_SOCKADDR] = "address",   [PT_SOCKTUPLE] = "addresses",
	[PT_FDLIST] = "descriptors", [PT_DYN] = "any",
	[PT_CHARBUFARRAY] = "texts", [PT_UINT32LIST] = "numbers",
	[PT_UINT64LIST] = "numbers", [PT_BITSET] = "numbers",
	[PT_IPADDR] = "address",     [PT_IPNET] = "network",
};

static const char *const format_names[] = {
	[PF_DEC] = "decimal",
	[PF_HEX] = "hexadecimal",
	[PF_OCT] = "octal",
	[PF_PADDED_DEC] = "decimal",
};

const char *event_category_name(unsigned int category)
{
	category &= 0xff;
	return category < COUNT(category_names) ? category_names[category] : NULL;
}

const char *param_type_name(enum param_type type)
{
	return type_names[type];
}

const char *param_format_name(enum param_format format)
{
	return format < COUNT(format_names) ? format_names[format] : NULL;
}

static const char *const signal_names[] = {
	NULL,	     "SIGHUP",	"SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
	"SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
	"SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
	"SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
};

const char *signal_name(unsigned int number)
{
	return number < sizeof(signal_names) / sizeof(signal_names[0]) ? signal_names[number]
								       : NULL;
}
