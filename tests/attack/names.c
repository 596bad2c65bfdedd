/* SPDX-License-Identifier: MIT */
/*
 * Names that would control a terminal or forge lines: names FOLDER. The process takes one, and
 * opens files that have each of them.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char *const names[] = {
	"\n12:00:00.000000000 0 root (1) forged",
	"\r\x1b[2J\x1b]0;title\a\x7f\t",
	"\xc2\x9b[31m\xc2\x85\xc2\x9d", /* C1 as UTF-8 */
	"\x9b[31m\x85\x9d", /* and as single bytes */
	"\xe2\x80\xaetxt.exe\xe2\x80\xac\xe2\x81\xa6\xe2\x81\xa9\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c",
	"\xe2\x80\xa8\xe2\x80\xa9",
	"\xc0\x9b\xe0\x82\x9b", /* overlong */
	"\xed\xa0\xbd\xed\xb8\x80", /* surrogates */
	"\xff\xfe\xf5\x80\x80\x80",
	"\xc3\xa9\xe6\x97\xa5", /* letters, which stay */
};

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	int fd;

	if (argc != 2) {
		fputs("usage: names FOLDER\n", stderr);
		return 2;
	}
	prctl(PR_SET_NAME, "\x1b[2J\xc2\x9b\n\xff");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", argv[1], names[i]);
		fd = open(path, O_CREAT | O_WRONLY, 0600);
		if (fd < 0) {
			perror("names: open");
			return 1;
		}
		close(fd);
	}
	return 0;
}
