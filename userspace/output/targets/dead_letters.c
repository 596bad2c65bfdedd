/* SPDX-License-Identifier: MIT */
/* Appends rejected records to a file of mode 600, up to its size. */
#include "output/targets/dead_letters.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/record.h"
#include "sinsp/fields/clock.h"
#include "util/clock.h"
#include "util/json.h"

int dead_letters_open(struct dead_letters *letters, const char *path, uint64_t max_bytes,
		      struct error *err)
{
	struct stat status;
	int fd, r = 0;

	if (!path)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0 || fstat(fd, &status))
		r = -errno;
	else if (!S_ISREG(status.st_mode))
		r = -EINVAL;
	if (r) {
		if (fd >= 0)
			close(fd);
		return error_set(err, r, "dead-letter=%s: %s", path,
				 r == -EINVAL ? "it is not a regular file" : strerror(-r));
	}
	*letters = (struct dead_letters){path, fd, (uint64_t)status.st_size, max_bytes, {0}};
	return 0;
}

void dead_letters_close(struct dead_letters *letters)
{
	if (letters->path)
		close(letters->fd);
	buf_finish(&letters->text);
	*letters = (struct dead_letters){0};
}

static void append_record(struct buf *text, const struct output_record *record)
{
	size_t len = output_record_text_len(record);

	if (len > 1 && record->bytes[0] == '{' && record->bytes[len - 1] == '}') {
		BUF_LITERAL(text, ",\"record\":");
		buf_append(text, record->bytes, len);
	} else {
		BUF_LITERAL(text, ",\"record_b64\":");
		json_append_base64(text, record->bytes, record->len);
	}
}

void dead_letters_add(struct dead_letters *letters, const struct output_batch *batch,
		      const struct output_record *record, long status, const char *reason)
{
	char time[CLOCK_RFC3339_BYTES];
	struct clock utc = {0};
	struct buf *text = &letters->text;

	if (!letters->path)
		return;
	clock_rfc3339(&utc, clock_ns(CLOCK_REALTIME), time);
	BUF_LITERAL(text, "{\"time\":");
	json_append_string(text, time, sizeof(time));
	buf_printf(text, ",\"status\":%ld,\"reason\":", status);
	json_append_string(text, reason, strlen(reason));
	BUF_LITERAL(text, ",\"id\":\"");
	record_id_append(text, batch, record);
	buf_append_char(text, '"');
	append_record(text, record);
	BUF_LITERAL(text, "}\n");
}

/* As many whole lines as there is space for. */
static size_t dead_letters_fitting(const struct dead_letters *letters)
{
	uint64_t space =
		letters->max_bytes > letters->bytes ? letters->max_bytes - letters->bytes : 0;
	const char *end;

	if (letters->text.len <= space)
		return letters->text.len;
	end = memrchr(letters->text.data, '\n', (size_t)space);
	return end ? (size_t)(end - letters->text.data) + 1 : 0;
}

/* Returns 0, or -errno after a part of it. */
static int dead_letters_write_all(struct dead_letters *letters, size_t len)
{
	const char *bytes = letters->text.data;

	while (len) {
		ssize_t n = write(letters->fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		len -= (size_t)n;
		letters->bytes += (uint64_t)n;
	}
	return 0;
}

int dead_letters_write(struct dead_letters *letters, struct error *err)
{
	size_t len = letters->path && !letters->text.failed ? dead_letters_fitting(letters) : 0;
	bool all = len == letters->text.len && !letters->text.failed;
	int r = dead_letters_write_all(letters, len);

	buf_clear(&letters->text);
	if (r)
		return error_set(err, r, "dead-letter=%s: %s", letters->path, strerror(-r));
	if (all)
		return 0;
	return error_set(
		err, -EFBIG,
		"dead-letter=%s: the file is as large as dead-letter-size= allows: move it "
		"away, and reload",
		letters->path);
}
