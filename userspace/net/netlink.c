/* SPDX-License-Identifier: MIT */
/* Messages of netlink: written, sent, read with every length checked. */
#include "net/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/clock.h"

enum {
	ANSWER_BYTES = 32 * 1024, /* the kernel's messages of a list have 16 KiB, or 32 */
	ANSWERS_MAX = 4096, /* of one request */
	TIMEOUT_S = 1,
};

static size_t netlink_padded(size_t len)
{
	return (len + NLMSG_ALIGNTO - 1) & ~(size_t)(NLMSG_ALIGNTO - 1);
}

/* What does not fit is left out: the caller's requests are of constant size. */
static uint8_t *netlink_append(struct netlink_request *request, const void *data, size_t len)
{
	uint8_t *at = request->bytes + request->len;

	if (netlink_padded(len) > sizeof(request->bytes) - request->len)
		return NULL;
	if (len)
		memcpy(at, data, len);
	request->len += netlink_padded(len);
	return at;
}

void netlink_begin(struct netlink_request *request, uint16_t type, uint16_t flags,
		   const void *header, size_t len)
{
	const struct nlmsghdr message = {.nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags};

	*request = (struct netlink_request){0};
	netlink_append(request, &message, sizeof(message));
	netlink_append(request, header, len);
}

void netlink_put(struct netlink_request *request, uint16_t type, const void *data, size_t len)
{
	const struct nlattr attribute = {.nla_len = (uint16_t)(sizeof(attribute) + len),
					 .nla_type = type};

	netlink_append(request, &attribute, sizeof(attribute));
	netlink_append(request, data, len);
}

size_t netlink_enter(struct netlink_request *request, uint16_t type)
{
	size_t at = request->len;

	netlink_put(request, type | NLA_F_NESTED, NULL, 0);
	return at;
}

void netlink_leave(struct netlink_request *request, size_t at)
{
	uint16_t len = (uint16_t)(request->len - at);

	memcpy(request->bytes + at + offsetof(struct nlattr, nla_len), &len, sizeof(len));
}

bool netlink_next(struct netlink_span *span, struct netlink_attribute *attribute)
{
	struct nlattr header;
	size_t whole;

	if (span->len < sizeof(header))
		return false;
	memcpy(&header, span->data, sizeof(header));
	if (header.nla_len < sizeof(header) || header.nla_len > span->len)
		return false;
	attribute->type = header.nla_type & NLA_TYPE_MASK;
	attribute->value =
		(struct netlink_span){span->data + sizeof(header), header.nla_len - sizeof(header)};
	whole = netlink_padded(header.nla_len);
	if (whole > span->len)
		whole = span->len;
	span->data += whole;
	span->len -= whole;
	return true;
}

bool netlink_copy(const struct netlink_attribute *attribute, void *out, size_t bytes)
{
	if (attribute->value.len != bytes)
		return false;
	memcpy(out, attribute->value.data, bytes);
	return true;
}

int netlink_open(int protocol)
{
	static const struct timeval timeout = {.tv_sec = TIMEOUT_S};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) == 0)
		return fd;
	close(fd);
	return -EIO;
}

/* What is read of one request. */
struct netlink_reading {
	netlink_take *take;
	void *data;
	uint32_t number; /* of the request; answers to one that was given up have another */
	bool is_list; /* it was asked for: messages also say so where there is but one */
	bool has_ended;
	int result;
};

static void end_reading(struct netlink_reading *reading, int result)
{
	reading->has_ended = true;
	reading->result = result;
}

/* An error, of 0 too, is the last answer; so is the only one if it is no list. */
static void netlink_take_message(struct netlink_reading *reading, const struct nlmsghdr *header,
				 struct netlink_span message)
{
	int code = 0;

	if (header->nlmsg_type == NLMSG_DONE || header->nlmsg_type == NLMSG_ERROR) {
		if (message.len >= sizeof(code))
			memcpy(&code, message.data, sizeof(code));
		end_reading(reading, code < 0 ? code : 0);
		return;
	}
	if (header->nlmsg_type >= NLMSG_MIN_TYPE && reading->take)
		reading->take(reading->data, header->nlmsg_type, message);
	if (!reading->is_list)
		end_reading(reading, 0);
}

static void take_messages(struct netlink_reading *reading, struct netlink_span bytes)
{
	struct nlmsghdr header;
	size_t whole;

	while (!reading->has_ended && bytes.len >= sizeof(header)) {
		memcpy(&header, bytes.data, sizeof(header));
		if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > bytes.len) {
			end_reading(reading, -EBADMSG);
			return;
		}
		if (header.nlmsg_seq == reading->number)
			netlink_take_message(
				reading, &header,
				(struct netlink_span){bytes.data + sizeof(header),
						      header.nlmsg_len - sizeof(header)});
		whole = netlink_padded(header.nlmsg_len);
		if (whole > bytes.len)
			whole = bytes.len;
		bytes.data += whole;
		bytes.len -= whole;
	}
}

static bool asks_for_list(const struct netlink_request *request)
{
	struct nlmsghdr header;

	memcpy(&header, request->bytes, sizeof(header));
	return (header.nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
}

int netlink_ask(int fd, struct netlink_request *request, netlink_take *take, void *data)
{
	struct netlink_reading reading = {.take = take,
					  .data = data,
					  .number = (uint32_t)clock_ns(CLOCK_MONOTONIC),
					  .is_list = asks_for_list(request)};
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	uint32_t len = (uint32_t)request->len;
	uint8_t bytes[ANSWER_BYTES];

	memcpy(request->bytes + offsetof(struct nlmsghdr, nlmsg_len), &len, sizeof(len));
	memcpy(request->bytes + offsetof(struct nlmsghdr, nlmsg_seq), &reading.number,
	       sizeof(reading.number));
	if (sendto(fd, request->bytes, request->len, 0, (struct sockaddr *)&kernel,
		   sizeof(kernel)) < 0)
		return -errno;
	for (unsigned int n = 0; !reading.has_ended; n++) {
		struct sockaddr_nl from = {0};
		socklen_t size = sizeof(from);
		ssize_t got = recvfrom(fd, bytes, sizeof(bytes), MSG_TRUNC,
				       (struct sockaddr *)&from, &size);

		if (got < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		if ((size_t)got > sizeof(bytes) || n >= ANSWERS_MAX)
			return -EMSGSIZE;
		/* Other processes may send messages, too. */
		if (from.nl_pid == 0)
			take_messages(&reading, (struct netlink_span){bytes, (size_t)got});
	}
	return reading.result;
}
