/* SPDX-License-Identifier: MIT */
#include "sinsp/format/identity.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* x: a hexadecimal digit. */
static const char machine_id_form[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
static const char boot_id_form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

static bool has_form(const char *text, const char *form)
{
	for (; *form; form++, text++)
		if (*form == 'x' ? !isxdigit((unsigned char)*text) : *text != *form)
			return false;
	return *text == '\0' || *text == '\n';
}

/* An image of a container may have an empty file, or the word "uninitialized". */
static void read_id(const char *path, const char *form, char text[IDENTITY_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, text, IDENTITY_BYTES - 1) : 0;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[has_form(text, form) ? strlen(form) : 0] = '\0';
}

static const char *architecture_of(const char *machine)
{
	static const struct {
		const char *machine, *architecture;
	} rows[] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].machine, machine) == 0)
			return rows[i].architecture;
	return machine;
}

static void set(struct identity *identity, enum identity_part part, const char *text)
{
	snprintf(identity->parts[part], IDENTITY_BYTES, "%s", text);
}

void identity_read(struct identity *identity, const char *root)
{
	struct utsname names;
	char path[PATH_MAX];

	memset(identity, 0, sizeof(*identity));
	if (uname(&names) == 0) {
		set(identity, IDENTITY_MACHINE, names.machine);
		set(identity, IDENTITY_ARCHITECTURE, architecture_of(names.machine));
		set(identity, IDENTITY_KERNEL, names.release);
	}
	snprintf(path, sizeof(path), "%s/etc/machine-id", root ? root : "");
	read_id(path, machine_id_form, identity->parts[IDENTITY_MACHINE_ID]);
	read_id("/proc/sys/kernel/random/boot_id", boot_id_form, identity->parts[IDENTITY_BOOT_ID]);
}
