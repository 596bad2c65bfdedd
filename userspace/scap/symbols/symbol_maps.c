/* SPDX-License-Identifier: MIT */
/* Reads lines of /proc/PID/maps in memory of the caller: how many there are, a process decides. */
#include "scap/symbols/symbol_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

int symbol_maps_open(int dir, const char *name, FILE **file)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*file = fdopen(fd, "r");
	if (*file)
		return 0;
	close(fd);
	return -ENOMEM;
}

/* The next line, without what does not fit: how long a path is, a process decides. */
static bool read_text(FILE *file, char text[SYMBOL_MAPS_LINE_BYTES])
{
	size_t len;

	if (!fgets(text, SYMBOL_MAPS_LINE_BYTES, file))
		return false;
	len = strcspn(text, "\n");
	for (int c = text[len]; c != '\n' && c != EOF;)
		c = getc_unlocked(file);
	text[len] = '\0';
	return true;
}

/* "7f00-7f10 r-xp 00001000 fe:01 1234   /lib/x.so" */
static bool parse_text(struct symbol_maps_line *line)
{
	int path = 0;

	if (sscanf(line->text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &line->begin, &line->end, line->rights, &line->offset, &line->id.major,
		   &line->id.minor, &line->id.ino, &path) < 7)
		return false;
	line->path = line->text + path;
	return true;
}

bool symbol_maps_next(FILE *file, struct symbol_maps_line *line)
{
	while (read_text(file, line->text))
		if (parse_text(line))
			return true;
	return false;
}
