/* SPDX-License-Identifier: MIT */
/* Reads folders of sysfs once; those of tracefs, which has thousands, when somebody asks. */
#include "perf/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/count.h"
#include "util/kernel_fs.h"

static const char devices[] = "bus/event_source/devices";

enum { FILE_BYTES = 4096, NAME_BYTES = 320 };

/* Reads a file of one line without its newline. Returns false if there is none. */
static bool machine_read_line(int folder, const char *path, char text[FILE_BYTES])
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, FILE_BYTES - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static int machine_is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int machine_compare_names(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* The entries of a folder in order; -errno if it cannot be read. */
static int machine_scan(int folder, const char *path, struct dirent ***entries)
{
	int n = scandirat(folder, path, entries, machine_is_visible, machine_compare_names);

	return n < 0 ? -errno : n;
}

static void machine_free_entries(struct dirent **entries, int n)
{
	for (int i = 0; i < n; i++)
		free(entries[i]);
	if (n >= 0)
		free(entries);
}

/* Adds "6-10" or "44" to a mask of bits. */
static bool read_bits(const char **at, uint64_t *mask)
{
	char *end;
	unsigned long first = strtoul(*at, &end, 10), last = first;

	if (end == *at)
		return false;
	if (*end == '-') {
		const char *second = end + 1;

		last = strtoul(second, &end, 10);
		if (end == second)
			return false;
	}
	if (last > 63 || first > last)
		return false;
	for (unsigned long bit = first; bit <= last; bit++)
		*mask |= 1ull << bit;
	*at = end;
	return true;
}

/* "config1:1,6-10,44" */
static bool machine_read_format(const char *text, struct perf_format *format)
{
	static const char *const words[PERF_WORDS] = {
		"config:", "config1:", "config2:", "config3:"};

	for (unsigned int word = 0; word < COUNT(words); word++) {
		size_t n = strlen(words[word]);
		const char *at = text + n;

		if (strncmp(text, words[word], n) != 0)
			continue;
		format->word = word;
		format->mask = 0;
		while (read_bits(&at, &format->mask))
			if (*at++ != ',')
				return at[-1] == '\0';
		return false;
	}
	return false;
}

/* The folder of what a PMU has, relative to that of all PMUs. */
static void machine_path(char path[NAME_BYTES], const char *pmu, const char *name)
{
	snprintf(path, NAME_BYTES, "%s/%s", pmu, name);
}

static int machine_load_formats(int folder, struct perf_pmu *pmu, struct arena *arena)
{
	char path[NAME_BYTES], text[FILE_BYTES];
	struct dirent **entries;
	int n, r = 0;

	machine_path(path, pmu->name, "format");
	n = machine_scan(folder, path, &entries);
	for (int i = n - 1; i >= 0 && r == 0; i--) {
		struct perf_format read = {.next = pmu->formats}, *format;

		snprintf(path, sizeof(path), "%s/format/%s", pmu->name, entries[i]->d_name);
		if (!machine_read_line(folder, path, text) || !machine_read_format(text, &read))
			continue;
		format = arena_alloc(arena, sizeof(*format));
		read.name = arena_text(arena, entries[i]->d_name, strlen(entries[i]->d_name));
		r = format && read.name ? 0 : -ENOMEM;
		if (r)
			break;
		*format = read;
		pmu->formats = format;
	}
	machine_free_entries(entries, n);
	return r;
}

/* What is said of an event beside its terms: NAME.unit */
static const char *const siblings[] = {".unit", ".scale", ".per-pkg", ".snapshot"};

static bool is_sibling(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < COUNT(siblings); i++) {
		size_t n = strlen(siblings[i]);

		if (len > n && strcmp(name + len - n, siblings[i]) == 0)
			return true;
	}
	return false;
}

static bool read_sibling(int folder, const char *path, size_t i, char text[FILE_BYTES])
{
	char sibling[NAME_BYTES + 16];

	snprintf(sibling, sizeof(sibling), "%s%s", path, siblings[i]);
	return machine_read_line(folder, sibling, text);
}

static int machine_load_alias(int folder, const char *path, const char *name, struct perf_pmu *pmu,
			      struct arena *arena)
{
	char text[FILE_BYTES];
	struct perf_alias *alias;

	if (!machine_read_line(folder, path, text))
		return 0;
	alias = arena_alloc(arena, sizeof(*alias));
	if (!alias)
		return -ENOMEM;
	*alias = (struct perf_alias){
		.name = arena_text(arena, name, strlen(name)),
		.terms = arena_text(arena, text, strlen(text)),
		.scale = 1,
		.next = pmu->aliases,
	};
	if (!alias->name || !alias->terms)
		return -ENOMEM;
	if (read_sibling(folder, path, 0, text)) {
		alias->unit = arena_text(arena, text, strlen(text));
		if (!alias->unit)
			return -ENOMEM;
	}
	if (read_sibling(folder, path, 1, text))
		alias->scale = strtod(text, NULL);
	alias->per_package = read_sibling(folder, path, 2, text) && strtol(text, NULL, 10) == 1;
	alias->is_gauge = read_sibling(folder, path, 3, text) && strtol(text, NULL, 10) == 1;
	pmu->aliases = alias;
	return 0;
}

static int machine_load_aliases(int folder, struct perf_pmu *pmu, struct arena *arena)
{
	char path[NAME_BYTES];
	struct dirent **entries;
	int n, r = 0;

	machine_path(path, pmu->name, "events");
	n = machine_scan(folder, path, &entries);
	for (int i = n - 1; i >= 0 && r == 0; i--) {
		const char *name = entries[i]->d_name;

		if (is_sibling(name))
			continue;
		snprintf(path, sizeof(path), "%s/events/%s", pmu->name, name);
		r = machine_load_alias(folder, path, name, pmu, arena);
	}
	machine_free_entries(entries, n);
	return r;
}

/* A list of CPUs; NULL: there is none. */
static int machine_load_cpus(int folder, const char *path, const struct perf_cpus **cpus,
			     struct arena *arena)
{
	char text[FILE_BYTES];
	struct perf_cpus *list;
	int r;

	if (!machine_read_line(folder, path, text))
		return 0;
	list = arena_alloc(arena, sizeof(*list));
	if (!list)
		return -ENOMEM;
	r = perf_cpus_read(text, arena, list);
	if (r == 0)
		*cpus = list;
	return r == -ENOMEM ? r : 0;
}

static int machine_load_pmu(struct perf_machine *machine, int folder, const char *name)
{
	char path[NAME_BYTES], text[FILE_BYTES];
	struct perf_pmu *pmu;
	int r;

	machine_path(path, name, "type");
	if (!machine_read_line(folder, path, text))
		return 0;
	pmu = arena_alloc(&machine->arena, sizeof(*pmu));
	if (!pmu)
		return -ENOMEM;
	pmu->name = arena_text(&machine->arena, name, strlen(name));
	if (!pmu->name)
		return -ENOMEM;
	pmu->type = (uint32_t)strtoul(text, NULL, 10);
	machine_path(path, name, "cpus");
	r = machine_load_cpus(folder, path, &pmu->cpus, &machine->arena);
	/* Those of Intel and AMD that count on all CPUs are called "cpu" and have no such list. */
	pmu->is_core = pmu->cpus || strcmp(name, "cpu") == 0;
	if (r == 0 && !pmu->is_core) {
		machine_path(path, name, "cpumask");
		r = machine_load_cpus(folder, path, &pmu->cpus, &machine->arena);
		pmu->is_uncore = pmu->cpus != NULL;
	}
	if (r == 0)
		r = machine_load_formats(folder, pmu, &machine->arena);
	if (r == 0)
		r = machine_load_aliases(folder, pmu, &machine->arena);
	pmu->next = machine->pmus;
	machine->pmus = pmu;
	machine->cores += pmu->is_core;
	return r;
}

static int machine_load_pmus(struct perf_machine *machine, const char *sysfs)
{
	int root = open(sysfs, O_PATH | O_DIRECTORY | O_CLOEXEC), folder, n, r = 0;
	struct dirent **entries;

	folder = root < 0 ? -1 : openat(root, devices, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root >= 0)
		close(root);
	if (folder < 0)
		return 0;
	n = machine_scan(folder, ".", &entries);
	for (int i = n - 1; i >= 0 && r == 0; i--)
		r = machine_load_pmu(machine, folder, entries[i]->d_name);
	machine_free_entries(entries, n);
	close(folder);
	return r;
}

int perf_machine_open(struct perf_machine *machine, const char *sysfs, const char *tracefs,
		      struct error *err)
{
	int r;

	*machine = (struct perf_machine){.tracefs = -ENOENT};
	r = machine_load_pmus(machine, sysfs ? sysfs : "/sys");
	if (r) {
		perf_machine_close(machine);
		return error_set(err, r, "reading what this machine can count: %s", strerror(-r));
	}
	if (tracefs)
		machine->tracefs = open(tracefs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	else
		machine->tracefs = kernel_fs_open("tracefs", "/sys/kernel/tracing", "events");
	if (machine->tracefs == -1)
		machine->tracefs = -errno;
	return 0;
}

void perf_machine_close(struct perf_machine *machine)
{
	if (machine->tracefs >= 0)
		close(machine->tracefs);
	arena_finish(&machine->arena);
	*machine = (struct perf_machine){.tracefs = -ENOENT};
}

static bool machine_equals(const char *name, const char *text, size_t len)
{
	return strncmp(name, text, len) == 0 && name[len] == '\0';
}

const struct perf_pmu *perf_machine_pmu(const struct perf_machine *machine, const char *name,
					size_t len)
{
	const struct perf_pmu *pmu = machine->pmus;

	while (pmu && !machine_equals(pmu->name, name, len))
		pmu = pmu->next;
	return pmu;
}

const struct perf_format *perf_machine_format(const struct perf_pmu *pmu, const char *name,
					      size_t len)
{
	const struct perf_format *format = pmu->formats;

	while (format && !machine_equals(format->name, name, len))
		format = format->next;
	return format;
}

const struct perf_alias *perf_machine_alias(const struct perf_pmu *pmu, const char *name,
					    size_t len)
{
	const struct perf_alias *alias = pmu->aliases;

	while (alias && (strncasecmp(alias->name, name, len) != 0 || alias->name[len]))
		alias = alias->next;
	return alias;
}

/* Whether `name` is `text`, or has a number behind it: "imc_0" or "imc0" for "imc". */
static bool differs_in_number(const char *name, const char *text, size_t len)
{
	if (strncmp(name, text, len) != 0)
		return false;
	name += len;
	if (*name == '_' && name[1])
		name++;
	return name[strspn(name, "0123456789")] == '\0';
}

bool perf_machine_pmu_is_meant(const struct perf_pmu *pmu, const char *name, size_t len)
{
	static const char uncore[] = "uncore_";
	size_t n = sizeof(uncore) - 1;
	bool drops = strncmp(pmu->name, uncore, n) == 0 && strncmp(name, uncore, n) != 0;
	const char *shorter = drops ? pmu->name + n : pmu->name;
	char pattern[128];

	if (machine_equals(pmu->name, name, len))
		return true;
	if (len == 0 || len >= sizeof(pattern))
		return false;
	memcpy(pattern, name, len);
	pattern[len] = '\0';
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, pmu->name, 0) == 0 || fnmatch(pattern, shorter, 0) == 0;
	return differs_in_number(shorter, name, len);
}

/* The folder of tracepoints, or -errno. */
static int machine_open_tracepoints(const struct perf_machine *machine)
{
	int folder;

	if (machine->tracefs < 0)
		return machine->tracefs;
	folder = openat(machine->tracefs, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder < 0 ? -errno : folder;
}

/* Its number in tracefs; 0: there is none, as for files that stand beside tracepoints. */
static uint64_t machine_tracepoint_number(int folder, const char *group, const char *name)
{
	char path[2 * NAME_BYTES], text[FILE_BYTES];

	snprintf(path, sizeof(path), "%s/%s/id", group, name);
	return machine_read_line(folder, path, text) ? strtoull(text, NULL, 10) : 0;
}

/* A visit of the tracepoints that patterns select. */
struct machine_walk {
	int folder;
	const char *name;
	perf_tracepoint_visit *visit;
	void *context;
};

static int visit_tracepoint(const struct machine_walk *walk, const char *group, const char *name)
{
	uint64_t number = machine_tracepoint_number(walk->folder, group, name);

	return number ? walk->visit(walk->context, group, name, number) : 0;
}

/* Names without pattern are not searched for: folders of tracefs have hundreds of entries. */
static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* A path of tracefs has these names as folders. */
static bool is_folder_name(const char *name)
{
	return name[0] && name[0] != '.' && !strchr(name, '/') && strlen(name) < NAME_BYTES / 2;
}

static int visit_group(const struct machine_walk *walk, const char *group)
{
	struct dirent **entries;
	int n, r = 0;

	if (!is_pattern(walk->name))
		return is_folder_name(walk->name) ? visit_tracepoint(walk, group, walk->name) : 0;
	n = machine_scan(walk->folder, group, &entries);
	for (int i = 0; i < n && r == 0; i++)
		if (fnmatch(walk->name, entries[i]->d_name, 0) == 0)
			r = visit_tracepoint(walk, group, entries[i]->d_name);
	machine_free_entries(entries, n);
	return r;
}

int perf_machine_tracepoints(const struct perf_machine *machine, const char *group,
			     const char *name, perf_tracepoint_visit *visit, void *context)
{
	struct machine_walk walk = {
		.folder = machine_open_tracepoints(machine),
		.name = name,
		.visit = visit,
		.context = context,
	};
	struct dirent **entries;
	int n, r = 0;

	if (walk.folder < 0)
		return walk.folder;
	if (!is_pattern(group)) {
		r = is_folder_name(group) ? visit_group(&walk, group) : 0;
		close(walk.folder);
		return r;
	}
	n = machine_scan(walk.folder, ".", &entries);
	for (int i = 0; i < n && r == 0; i++)
		if (fnmatch(group, entries[i]->d_name, 0) == 0)
			r = visit_group(&walk, entries[i]->d_name);
	machine_free_entries(entries, n);
	close(walk.folder);
	return n < 0 ? n : r;
}

void perf_machine_tracepoint_names(const struct perf_machine *machine, const char *group,
				   perf_name_visit *visit, void *context)
{
	int folder = machine_open_tracepoints(machine), n;
	struct dirent **entries;

	if (folder < 0)
		return;
	n = machine_scan(folder, group ? group : ".", &entries);
	for (int i = 0; i < n; i++)
		visit(context, entries[i]->d_name);
	machine_free_entries(entries, n);
	close(folder);
}
