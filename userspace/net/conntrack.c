/* SPDX-License-Identifier: MIT */
/* One connection is asked for by a direction; the answer has both. */
#include "net/conntrack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "event/address.h"
#include "net/netlink.h"

enum {
	IPV4_BYTES = 4,
	IPV6_BYTES = 16,
	TYPE_GET = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET,
	TYPE_NEW = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_NEW,
};

static void unmap_end(struct scap_endpoint *end)
{
	memmove(end->address, end->address + IPV6_BYTES - IPV4_BYTES, IPV4_BYTES);
	memset(end->address + IPV4_BYTES, 0, IPV6_BYTES - IPV4_BYTES);
}

void conntrack_unmap(struct conntrack_tuple *tuple)
{
	if (tuple->address_len != IPV6_BYTES || !address_is_mapped(tuple->from.address) ||
	    !address_is_mapped(tuple->to.address))
		return;
	unmap_end(&tuple->from);
	unmap_end(&tuple->to);
	tuple->address_len = IPV4_BYTES;
}

bool conntrack_has_source(const struct conntrack_tuple *tuple)
{
	static const uint8_t none[IPV6_BYTES];
	struct conntrack_tuple packets = *tuple;

	conntrack_unmap(&packets);
	return memcmp(packets.from.address, none, packets.address_len) != 0;
}

int conntrack_open(void)
{
	return netlink_open(NETLINK_NETFILTER);
}

static uint8_t protocol_of(const struct conntrack_tuple *tuple)
{
	return tuple->l4 == SCAP_L4_UDP ? IPPROTO_UDP : IPPROTO_TCP;
}

static void put_tuple(struct netlink_request *request, const struct conntrack_tuple *tuple)
{
	bool is_ipv6 = tuple->address_len == IPV6_BYTES;
	uint16_t from_port = htons(tuple->from.port), to_port = htons(tuple->to.port);
	uint8_t protocol = protocol_of(tuple);
	size_t whole = netlink_enter(request, CTA_TUPLE_ORIG), part;

	part = netlink_enter(request, CTA_TUPLE_IP);
	netlink_put(request, is_ipv6 ? CTA_IP_V6_SRC : CTA_IP_V4_SRC, tuple->from.address,
		    tuple->address_len);
	netlink_put(request, is_ipv6 ? CTA_IP_V6_DST : CTA_IP_V4_DST, tuple->to.address,
		    tuple->address_len);
	netlink_leave(request, part);
	part = netlink_enter(request, CTA_TUPLE_PROTO);
	netlink_put(request, CTA_PROTO_NUM, &protocol, sizeof(protocol));
	netlink_put(request, CTA_PROTO_SRC_PORT, &from_port, sizeof(from_port));
	netlink_put(request, CTA_PROTO_DST_PORT, &to_port, sizeof(to_port));
	netlink_leave(request, part);
	netlink_leave(request, whole);
}

static bool read_addresses(struct netlink_span span, struct conntrack_tuple *tuple)
{
	static const struct {
		uint16_t from, to;
		uint8_t bytes;
	} families[] = {{CTA_IP_V4_SRC, CTA_IP_V4_DST, IPV4_BYTES},
			{CTA_IP_V6_SRC, CTA_IP_V6_DST, IPV6_BYTES}};
	bool is_ipv6 = tuple->address_len == IPV6_BYTES, has_from = false, has_to = false;
	struct netlink_attribute attribute;

	while (netlink_next(&span, &attribute)) {
		if (attribute.type == families[is_ipv6].from)
			has_from = netlink_copy(&attribute, tuple->from.address,
						families[is_ipv6].bytes);
		else if (attribute.type == families[is_ipv6].to)
			has_to = netlink_copy(&attribute, tuple->to.address,
					      families[is_ipv6].bytes);
	}
	return has_from && has_to;
}

static bool read_ports(struct netlink_span span, struct conntrack_tuple *tuple)
{
	bool has_from = false, has_to = false, is_protocol = false;
	struct netlink_attribute attribute;
	uint8_t protocol;
	uint16_t port;

	while (netlink_next(&span, &attribute)) {
		if (attribute.type == CTA_PROTO_NUM &&
		    netlink_copy(&attribute, &protocol, sizeof(protocol)))
			is_protocol = protocol == protocol_of(tuple);
		if (attribute.type == CTA_PROTO_SRC_PORT &&
		    netlink_copy(&attribute, &port, sizeof(port))) {
			tuple->from.port = ntohs(port);
			has_from = true;
		}
		if (attribute.type == CTA_PROTO_DST_PORT &&
		    netlink_copy(&attribute, &port, sizeof(port))) {
			tuple->to.port = ntohs(port);
			has_to = true;
		}
	}
	return has_from && has_to && is_protocol;
}

/* `like`: of what family and protocol it is. */
static bool read_tuple(struct netlink_span span, const struct conntrack_tuple *like,
		       struct conntrack_tuple *tuple)
{
	bool has_addresses = false, has_ports = false;
	struct netlink_attribute attribute;

	*tuple = (struct conntrack_tuple){.address_len = like->address_len, .l4 = like->l4};
	while (netlink_next(&span, &attribute)) {
		if (attribute.type == CTA_TUPLE_IP)
			has_addresses = read_addresses(attribute.value, tuple);
		else if (attribute.type == CTA_TUPLE_PROTO)
			has_ports = read_ports(attribute.value, tuple);
	}
	return has_addresses && has_ports;
}

static bool is_same_tuple(const struct conntrack_tuple *one, const struct conntrack_tuple *other)
{
	return scap_endpoint_is_same(&one->from, &other->from) &&
	       scap_endpoint_is_same(&one->to, &other->to);
}

struct conntrack_search {
	const struct conntrack_tuple *wanted;
	struct conntrack_tuple other; /* the other direction */
	bool is_found;
};

/* Of two directions that wanted is one of, the other one. */
static void note_connection(struct conntrack_search *search, const struct conntrack_tuple *original,
			    const struct conntrack_tuple *reply)
{
	if (is_same_tuple(search->wanted, original))
		search->other = *reply;
	else if (is_same_tuple(search->wanted, reply))
		search->other = *original;
	else
		return;
	search->is_found = true;
}

static void take_connection(void *data, uint16_t type, struct netlink_span message)
{
	struct conntrack_search *search = data;
	struct conntrack_tuple original, reply;
	bool has_original = false, has_reply = false;
	struct netlink_attribute attribute;

	if (type != TYPE_NEW || message.len < sizeof(struct nfgenmsg))
		return;
	message.data += sizeof(struct nfgenmsg);
	message.len -= sizeof(struct nfgenmsg);
	while (netlink_next(&message, &attribute)) {
		if (attribute.type == CTA_TUPLE_ORIG)
			has_original = read_tuple(attribute.value, search->wanted, &original);
		else if (attribute.type == CTA_TUPLE_REPLY)
			has_reply = read_tuple(attribute.value, search->wanted, &reply);
	}
	if (has_original && has_reply)
		note_connection(search, &original, &reply);
}

int conntrack_follow(int fd, struct conntrack_tuple *tuple)
{
	const struct nfgenmsg header = {.nfgen_family = tuple->address_len == IPV6_BYTES ? AF_INET6
											 : AF_INET,
					.version = NFNETLINK_V0};
	struct conntrack_search search = {.wanted = tuple};
	struct netlink_request request;
	int r;

	netlink_begin(&request, TYPE_GET, 0, &header, sizeof(header));
	put_tuple(&request, tuple);
	r = netlink_ask(fd, &request, take_connection, &search);
	if (r)
		return r;
	if (!search.is_found)
		return -ENOENT;
	tuple->from = search.other.to;
	tuple->to = search.other.from;
	return 0;
}
