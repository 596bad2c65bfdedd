/* SPDX-License-Identifier: MIT */
/* Collects the files and folders of each key that names one. */
#include "output/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/target.h"

enum { READS = false, WRITES = true };

/* Libraries that are loaded late, clocks, the number of CPUs, random numbers, the life of a spool.
 */
static const char *const read_by_all[] = {
	"/usr",
	"/lib",
	"/lib64",
	"/etc/ld.so.cache",
	"/etc/localtime",
	"/etc/machine-id",
	"/sys/devices/system/cpu",
	"/dev/urandom",
	"/proc/sys/kernel/random/boot_id",
	NULL,
};

/* Names, services, certificates of the system, and how libraries for these are configured. */
static const char *const read_for_network[] = {
	"/etc/hosts",
	"/etc/host.conf",
	"/etc/gai.conf",
	"/etc/nsswitch.conf",
	"/etc/services",
	"/etc/protocols",
	"/etc/ssl",
	"/etc/pki",
	"/etc/ca-certificates",
	"/etc/crypto-policies",
	"/etc/krb5.conf",
	"/etc/krb5.conf.d",
	NULL,
};

/* Files of certificates, as OpenSSL looks for them. */
static const char *const network_variables[] = {"SSL_CERT_FILE", "SSL_CERT_DIR", "OPENSSL_CONF",
						NULL};

static void reach_add(struct output_reach *reach, const char *path, bool writes)
{
	struct files_rule *grown =
		reallocarray(reach->rules, reach->count + 2, sizeof(*reach->rules));
	char *copy = strdup(path);

	if (grown)
		reach->rules = grown;
	if (!grown || !copy) {
		free(copy);
		reach->failed = true;
		return;
	}
	grown[reach->count++] = (struct files_rule){copy, .writes = writes};
	grown[reach->count] = (struct files_rule){0};
}

static void reach_add_all(struct output_reach *reach, const char *const *paths)
{
	for (; *paths; paths++)
		reach_add(reach, *paths, READS);
}

/* The folder of a file, in which it can be replaced; of a file in the root, the file itself. */
static void add_folder(struct output_reach *reach, const char *path, bool writes)
{
	char copy[PATH_MAX];
	const char *folder;

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return;
	folder = dirname(copy);
	reach_add(reach, strcmp(folder, "/") == 0 ? path : folder, writes);
}

/* Also where it is, if the path leads elsewhere. */
static void reach_add_file(struct output_reach *reach, const char *path, bool writes)
{
	char *place = realpath(path, NULL);

	add_folder(reach, path, writes);
	if (place && strcmp(place, path) != 0)
		add_folder(reach, place, writes);
	free(place);
}

/*
 * Where a link leads, of which nothing is there yet, as before networks are up: the nearest folder
 * that exists.
 */
static void add_future_place(struct output_reach *reach, const char *path)
{
	char link[PATH_MAX], at[2 * PATH_MAX], copy[PATH_MAX], *place = NULL;
	ssize_t len = readlink(path, link, sizeof(link) - 1);

	snprintf(copy, sizeof(copy), "%s", path);
	if (len <= 0) {
		reach_add(reach, dirname(copy), READS);
		return;
	}
	link[len] = '\0';
	snprintf(at, sizeof(at), "%s/%s", link[0] == '/' ? "" : dirname(copy), link);
	while (!place && strcmp(dirname(at), "/") != 0)
		place = realpath(at, NULL);
	if (place)
		reach_add(reach, place, READS);
	free(place);
}

void output_reach_resolver(const char *path, struct output_reach *reach)
{
	char *place = realpath(path, NULL), copy[PATH_MAX];
	struct stat file, folder;
	bool is_mounted;

	if (!place) {
		add_future_place(reach, path);
		return;
	}
	snprintf(copy, sizeof(copy), "%s", place);
	is_mounted = stat(place, &file) == 0 && stat(dirname(copy), &folder) == 0 &&
		     file.st_dev != folder.st_dev;
	if (is_mounted)
		reach_add(reach, place, READS);
	else
		add_folder(reach, place, READS);
	free(place);
}

static void add_variables(struct output_reach *reach, const char *const *names)
{
	for (; names && *names; names++) {
		const char *path = getenv(*names);

		if (path && *path == '/')
			reach_add_file(reach, path, READS);
	}
}

/* The value of a key with a path, or NULL. */
static const char *path_of(const struct output_config *config, const struct output_key *key)
{
	if (key->value != OUTPUT_FILE && key->value != OUTPUT_FILE_WRITTEN)
		return NULL;
	return *(const char *const *)((const char *)config->own + key->offset);
}

static void reach_add_keys(struct output_reach *reach, const struct output_config *config)
{
	for (const struct output_key *key = config->kind->keys; key && key->name; key++) {
		const char *path = path_of(config, key);

		if (path)
			reach_add_file(reach, path, key->value == OUTPUT_FILE_WRITTEN);
	}
	/* Whatever they mean to the library, paths are paths. */
	for (size_t i = 0; i < config->passed.count; i++) {
		const char *value = strchr(config->passed.items[i], '=');

		if (value && value[1] == '/')
			reach_add_file(reach, value + 1, READS);
	}
}

const char *output_path_written(const struct output_config *config, size_t i)
{
	if (config->target[0] && i-- == 0)
		return config->target;
	if (config->spool && i-- == 0)
		return config->spool;
	for (const struct output_key *key = config->kind->keys; key && key->name; key++)
		if (key->value == OUTPUT_FILE_WRITTEN && path_of(config, key) && i-- == 0)
			return path_of(config, key);
	return NULL;
}

void output_reach_target(const struct output_config *config, struct output_reach *reach)
{
	unsigned int uses = config->kind->uses;

	reach_add_all(reach, read_by_all);
	if (uses & OUTPUT_USES_FOLDER)
		reach_add_file(reach, config->target, WRITES);
	/* The file, terminal or pipe that it is; a path of the same in /proc can be opened. */
	if (uses & OUTPUT_USES_STDOUT)
		reach_add(reach, "/proc/self/fd/1", WRITES);
	if (uses & OUTPUT_USES_NETWORK) {
		reach_add_all(reach, read_for_network);
		add_variables(reach, network_variables);
		output_reach_resolver("/etc/resolv.conf", reach);
	}
	add_variables(reach, config->kind->file_variables);
	reach_add_keys(reach, config);
}

/* Of a path, dirname(3) may also give a constant. */
static void cut_last(char path[PATH_MAX])
{
	const char *folder = dirname(path);

	if (folder != path)
		snprintf(path, PATH_MAX, "%s", folder);
}

/*
 * A folder that is not there is made later, or what it is on is mounted: in the last folder that is
 * there, or over it, for which the one above counts. A rule about all files would be none.
 */
static void add_later(struct output_reach *reach, const char *path)
{
	char there[PATH_MAX], copy[PATH_MAX];
	const char *above;

	if (access(path, F_OK) == 0 || snprintf(there, sizeof(there), "%s", path) >= PATH_MAX)
		return;
	while (access(there, F_OK) && strcmp(there, "/") != 0 && strcmp(there, ".") != 0)
		cut_last(there);
	if (strcmp(there, "/") == 0)
		return;
	memcpy(copy, there, sizeof(copy));
	above = dirname(copy);
	reach_add(reach, strcmp(above, "/") == 0 ? there : above, WRITES);
}

void output_reach_spool(const struct output_config *config, struct output_reach *reach)
{
	if (!config->spool)
		return;
	reach_add_all(reach, read_by_all);
	reach_add(reach, config->spool, WRITES);
	add_later(reach, config->spool);
}

enum { FOLDER_MODE = 0755 };

/* Makes the folders above a path, whatever is made there itself. */
static int make_folders_above(const char *path, struct error *err)
{
	char copy[PATH_MAX];
	size_t len = strlen(path);

	while (len && path[len - 1] == '/')
		len--;
	if (len >= sizeof(copy))
		return error_set(err, -ENAMETOOLONG, "%.64s...: %s", path, strerror(ENAMETOOLONG));
	memcpy(copy, path, len);
	copy[len] = '\0';
	for (char *end = strchr(copy, '/'); end; end = strchr(end + 1, '/')) {
		*end = '\0';
		if (*copy && mkdir(copy, FOLDER_MODE) && errno != EEXIST)
			return error_set(err, -errno, "cannot make the folder %s, for %s: %s", copy,
					 path, strerror(errno));
		*end = '/';
	}
	return 0;
}

int output_make_folders(const struct output_config *config, struct error *err)
{
	int r = 0;

	if (config->kind->uses & OUTPUT_USES_FOLDER)
		r = make_folders_above(config->target, err);
	if (r == 0 && config->spool)
		r = make_folders_above(config->spool, err);
	for (const struct output_key *key = config->kind->keys; r == 0 && key && key->name; key++)
		if (key->value == OUTPUT_FILE_WRITTEN && path_of(config, key))
			r = make_folders_above(path_of(config, key), err);
	return r;
}

int output_check_files(const struct output_config *config, struct error *err)
{
	for (const struct output_key *key = config->kind->keys; key && key->name; key++) {
		const char *path = key->value == OUTPUT_FILE ? path_of(config, key) : NULL;
		int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;

		if (path && fd < 0)
			return error_set(err, -errno, "%s=%s: %s", key->name, path,
					 strerror(errno));
		if (path)
			close(fd);
	}
	return 0;
}

struct files_limits output_reach_limits(const struct output_reach *reach)
{
	static const struct files_rule none;

	return (struct files_limits){.rules = reach->rules ? reach->rules : &none, .reads = true};
}

void output_reach_append(const struct output_reach *reach, struct buf *text)
{
	for (int writes = WRITES; writes >= READS; writes--) {
		const char *separator = writes ? "writes " : "; reads ";

		for (size_t i = 0; i < reach->count; i++) {
			if (reach->rules[i].writes != writes)
				continue;
			buf_printf(text, "%s%s", separator, reach->rules[i].path);
			separator = ", ";
		}
		if (writes && separator[0] != ',')
			BUF_LITERAL(text, "writes nothing");
	}
}

void output_reach_finish(struct output_reach *reach)
{
	for (size_t i = 0; i < reach->count; i++)
		free((char *)reach->rules[i].path);
	free(reach->rules);
	*reach = (struct output_reach){0};
}
