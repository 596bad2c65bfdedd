/* SPDX-License-Identifier: MIT */
/* URLs that cannot be, and a server that is not there; the rest is e2e/test_profile_continuous. */
#include "agent/continuous/sender.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

static void rejects_urls(void **state)
{
	static const char *const urls[] = {"http://", "ftp://a", "http://user@a/", ""};

	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		struct sender *sender = NULL;
		struct error err = {""};

		assert_true(sender_create(urls[i], &sender, &err) < 0);
		assert_true(err.text[0]);
		assert_null(sender);
	}
	sender_destroy(NULL);
}

/* A port that is bound, and not listened at. */
static void says_what_fails(void **state)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct buf message = {.data = (char[]){"x"}, .len = 1};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sender *sender;
	struct error err = {""};
	char url[64], shown[96];

	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", ntohs(address.sin_port));
	snprintf(shown, sizeof(shown), "%s/v1development/profiles: ", url);
	assert_int_equal(sender_create(url, &sender, &err), 0);
	assert_true(sender_send(sender, &message, &err) < 0);
	if (strncmp(err.text, shown, strlen(shown)) != 0)
		fail_msg("%s", err.text);
	sender_destroy(sender);
	/* A path is kept. */
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/a", ntohs(address.sin_port));
	assert_int_equal(sender_create(url, &sender, &err), 0);
	assert_true(sender_send(sender, &message, &err) < 0);
	assert_int_equal(strncmp(err.text, url, strlen(url)), 0);
	assert_int_equal(err.text[strlen(url)], ':');
	sender_destroy(sender);
	close(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rejects_urls),
	cmocka_unit_test(says_what_fails),
};

UNIT_GROUP(tests);
