/* SPDX-License-Identifier: MIT */
#include "net/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/proc/text.h"

#define TOKEN_AGE_NS (TOKEN_AGE_S * UINT64_C(1000000000))

static int read_file(const char *path, struct buf *text)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	int code = fd < 0 ? -errno : proc_read_regular(fd, TOKEN_BYTES_MAX, text);

	if (fd >= 0)
		close(fd);
	return code;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Part of a header: a token has neither spaces nor control characters. */
static bool is_valid(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return len > 0;
}

static int take(struct token *token, const struct buf *file)
{
	const char *text = file->data;
	size_t len = file->len;
	char *copy;

	for (; len && is_space(text[0]); len--)
		text++;
	while (len && is_space(text[len - 1]))
		len--;
	if (!is_valid(text, len))
		return -EBADMSG;
	copy = strndup(text, len);
	if (!copy)
		return -ENOMEM;
	free(token->text);
	token->text = copy;
	return 0;
}

int token_refresh(struct token *token, uint64_t now_ns, struct error *err)
{
	struct buf file = {0};
	int code;

	if (!token->path)
		return 0;
	if (token->text && !token->rejected && now_ns - token->read_ns < TOKEN_AGE_NS)
		return 0;
	token->read_ns = now_ns;
	token->rejected = false;
	code = read_file(token->path, &file);
	if (code == 0)
		code = take(token, &file);
	buf_finish(&file);
	if (code == 0)
		return 0;
	return error_set(err, code, "reading the token %s: %s", token->path,
			 code == -EBADMSG  ? "it is no token"
			 : code == -EINVAL ? "it is not a regular file"
					   : strerror(-code));
}

void token_finish(struct token *token)
{
	free(token->text);
	token->text = NULL;
}
