/* SPDX-License-Identifier: MIT */
/* The values of the command line. */
#ifndef AGENT_OPTIONS_OPTIONS_H
#define AGENT_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi.h"
#include "agent/options/subcommand.h"
#include "meta/kube/config.h"
#include "rules/rules.h"
#include "scap/file/writer.h"
#include "sinsp/sinsp.h"
#include "util/error.h"

enum agent_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* When a recording continues in another file, and how many files are kept. 0: no limit. */
struct recording_limits {
	uint64_t bytes, ns, events;
	uint64_t files;
};

enum { META_WAIT_MS_DEFAULT = 50 };

struct options {
	const struct subcommand *subcommands; /* all of them, for the help */
	const struct subcommand *subcommand; /* NULL: a capture */
	char *filter;		/* owned; NULL: everything */
	const char *operand;	/* the word after a subcommand: a file ("-": stdin), a pattern; or NULL */
	const char **rules;	/* owned, the paths not: files and folders, in their order */
	size_t rules_count;	/* 0: no rules, every event that passes the filter is printed */
	enum rules_priority priority; /* least priority of the rules that run */
	bool all_rules;		/* a line for each rule that an event matches */
	const struct output_format *format; /* NULL: the default */
	const char *json_fields; /* list of fields; NULL: default fields */
	bool json_base64;	/* invalid UTF-8 is also printed in base64 */
	const char *print;	/* -p: format of events; NULL: the default */
	struct text_style style; /* of the output; coloured: see color */
	enum agent_color color;
	uint64_t count;		/* matching events, 0: no limit */
	uint64_t duration_ns;	/* 0: no limit */
	uint64_t stats_ns;	/* interval between lines of counters, 0: none */
	uint32_t ring_bytes;	/* per CPU: a power of two, at least a page; 0: see scap_ring_bytes() */
	uint32_t snaplen;
	struct snaplen_rules snaplen_rules; /* exceptions with a larger snaplen */
	bool snaplen_chosen;	/* set by an option */
	uint32_t meta_wait_ms;	/* how long new containers are waited for; 0: not */
	const char **runtime_sockets; /* owned, the paths not: of container runtimes */
	size_t runtime_sockets_count;
	struct kube_options kubernetes; /* the server that is asked for pods */
	const char *host_root;	/* where the root of the host is mounted; NULL: here */
	const char *k8s_cluster; /* name of the cluster that pods are of; NULL: not known */
	const char *read;	/* the capture file to read; NULL: the kernel */
	bool strict;		/* corrupt parts of it are a failure */
	bool progress;		/* report how much of it was read */
	pid_t *pids;		/* owned; only events of these processes; NULL: all */
	size_t pids_count;
	bool follow;		/* and of children that they create from now on; default true */
	char **command;		/* to start and capture: argv, NULL-terminated; NULL: none */
	bool summary;		/* tables of calls, processes and descriptors at the end */
	bool quiet;		/* no event is printed */
	bool port_names;	/* ports in texts as names of services */
	const char *write; /* file to write matching events to; NULL: none */
	struct scap_writer_config writer;
	bool container_env; /* the environment of containers is written, too */
	bool fat; /* also write events that only update the state */
	struct recording_limits limits;
	bool explain;		/* print the plan of the capture instead */
	bool exact_types;
	bool include_self;
	bool verbose;
};

/*
 * Reads the command line with these subcommands, the last of which has no name. Returns 0, or
 * -EINVAL or -ENOMEM with a message; release with options_finish() in every case.
 */
int options_parse(int argc, char **argv, const struct subcommand *subcommands,
		  struct options *options, struct error *err);
void options_finish(struct options *options);

/* Adds a file or folder of rules, whose path must outlive the options. Returns 0 or -ENOMEM. */
int options_add_rules(struct options *options, const char *path);

/* Adds the socket of a container runtime; as above. */
int options_add_runtime_socket(struct options *options, const char *path);

/* The name of the file that is read, for messages. */
const char *options_input_name(const struct options *options);

#endif
