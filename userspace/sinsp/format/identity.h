/* SPDX-License-Identifier: MIT */
/* What tells this machine from others: architecture, kernel, ids. */
#ifndef SINSP_FORMAT_IDENTITY_H
#define SINSP_FORMAT_IDENTITY_H

enum identity_part {
	IDENTITY_NONE,
	IDENTITY_MACHINE, /* as uname(2) names the architecture: x86_64, aarch64 */
	IDENTITY_ARCHITECTURE, /* as Go and OpenTelemetry do: amd64, arm64 */
	IDENTITY_KERNEL, /* its release: 6.1.0-28-amd64 */
	IDENTITY_MACHINE_ID, /* of the installation: 32 hexadecimal digits */
	IDENTITY_BOOT_ID, /* of this start of the machine: a UUID */
	IDENTITY_PARTS,
};

enum { IDENTITY_BYTES = 65 }; /* of utsname */

struct identity {
	char parts[IDENTITY_PARTS][IDENTITY_BYTES]; /* "": unknown */
};

/* `root`: where the root of the host is mounted; NULL: here. */
void identity_read(struct identity *identity, const char *root);

#endif
