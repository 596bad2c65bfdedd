/* SPDX-License-Identifier: MIT */
/* tcp.*: sockets of TCP, the parameters of events that the kernel writes of them. */
#include "sinsp/fields/table.h"

#include <sys/socket.h>

#include "event/address.h"

enum {
	IPV4_BYTES = 4,
	IPV6_BYTES = 16,
	PORT_BYTES = 2,
	MAPPED_PREFIX = IPV6_BYTES - IPV4_BYTES,
	NS_PER_US = 1000,
};

enum end { LOCAL_END, REMOTE_END };

/* An end of a socket, borrowed from the event. */
struct tcp_end {
	const uint8_t *address;
	size_t len;
	uint16_t port;
};

static bool is_tcp(const struct event_desc *event)
{
	return event->flags & EF_OF_SOCKET;
}

/* Other events have parameters with such names, too. */
static const struct event_param *tcp_param(const struct state_event *event,
					   const struct field_ref *ref)
{
	int index = ref->param_of_event[event->ev.desc->id];

	if (!is_tcp(event->ev.desc) || index < 0 ||
	    !event_param_present(&event->ev, (unsigned int)index))
		return NULL;
	return &event->ev.params[index];
}

static const struct param_desc *tcp_desc(const struct state_event *event,
					 const struct field_ref *ref)
{
	return &event->ev.desc->params[ref->param_of_event[event->ev.desc->id]];
}

static int64_t tcp_number(const struct state_event *event, const struct field_ref *ref,
			  const struct event_param *param)
{
	return event_value_i64(tcp_desc(event, ref)->type, param);
}

static int get_number(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = tcp_param(event, ref);

	return param ? field_give_i64(values, tcp_number(event, ref, param)) : NO_VALUE;
}

/* The kernel has round trips in microseconds. */
static int get_round_trip(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = tcp_param(event, ref);

	return param ? field_give_i64(values, tcp_number(event, ref, param) * NS_PER_US) : NO_VALUE;
}

static int get_error(const struct state_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = tcp_param(event, ref);
	int64_t result = param ? tcp_number(event, ref, param) : 0;

	return result < 0 ? field_give_string(values, error_errno_name(result)) : NO_VALUE;
}

static int get_human(const struct state_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = tcp_param(event, ref);
	struct buf text = field_text_begin(scratch);

	if (!param)
		return NO_VALUE;
	text_append_duration(&text, (uint64_t)tcp_number(event, ref, param));
	return field_give_text(values, scratch, &text);
}

/* The name of one of a set. */
static int get_name(const struct state_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = tcp_param(event, ref);
	const struct param_flag *name = param ? tcp_desc(event, ref)->set : NULL;

	while (name && name->name && name->value != param->data[0])
		name++;
	return name ? field_give_string(values, name->name) : NO_VALUE;
}

/* Of some events the name of one of a set, of others a text of the kernel that captured it. */
static int get_reason(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const struct event_param *param = tcp_param(event, ref);

	if (param && tcp_desc(event, ref)->type == PT_CHARBUF)
		return field_give_string(values, (const char *)param->data);
	return get_name(event, ref, scratch, values);
}

/* Of a socket of IPv6 that is connected by IPv4, the address is that of IPv4. */
static bool find_end(const struct event_param *tuple, enum end which, struct tcp_end *end)
{
	size_t len = tuple->data[0] == AF_INET ? IPV4_BYTES : IPV6_BYTES;
	size_t at = 1 + (which == REMOTE_END ? len + PORT_BYTES : 0);

	if (tuple->len != 1 + 2 * (len + PORT_BYTES))
		return false;
	end->address = tuple->data + at;
	end->len = len;
	memcpy(&end->port, end->address + len, sizeof(end->port));
	if (len == IPV6_BYTES && address_is_mapped(end->address)) {
		end->address += MAPPED_PREFIX;
		end->len = IPV4_BYTES;
	}
	return true;
}

static int give_ip(const struct state_event *event, const struct field_ref *ref, enum end which,
		   struct field_value *value)
{
	const struct event_param *tuple = tcp_param(event, ref);
	struct tcp_end end;

	if (!tuple || !find_end(tuple, which, &end))
		return NO_VALUE;
	value->ip.len = (uint8_t)end.len;
	memcpy(value->ip.address, end.address, end.len);
	return 1;
}

/* A port of 0 is that of a socket that has none yet. */
static int give_port(const struct state_event *event, const struct field_ref *ref, enum end which,
		     struct field_value *value)
{
	const struct event_param *tuple = tcp_param(event, ref);
	struct tcp_end end;

	if (!tuple || !find_end(tuple, which, &end) || end.port == 0)
		return NO_VALUE;
	return field_give_u64(value, end.port);
}

#define END_GETTERS(name, which)                                                                   \
	static int get_##name##_ip(const struct state_event *event, const struct field_ref *ref,   \
				   struct field_scratch *scratch, struct field_value *values)      \
	{                                                                                          \
		return give_ip(event, ref, which, values);                                         \
	}                                                                                          \
	static int get_##name##_port(const struct state_event *event, const struct field_ref *ref, \
				     struct field_scratch *scratch, struct field_value *values)    \
	{                                                                                          \
		return give_port(event, ref, which, values);                                       \
	}

END_GETTERS(local, LOCAL_END)
END_GETTERS(remote, REMOTE_END)

/* The words of a parameter that all events of sockets have alike. */
static void each_name(unsigned int id, const char *parameter,
		      void (*see)(void *context, const char *word), void *context)
{
	const struct event_desc *desc = event_desc_get(id);
	int index = event_param_find(desc, parameter);

	for (const struct param_flag *name = desc->params[index].set; name->name; name++)
		see(context, name->name);
}

static void each_state(void (*see)(void *context, const char *word), void *context)
{
	each_name(EVENT_tcp_state, "state", see, context);
}

static void each_role(void (*see)(void *context, const char *word), void *context)
{
	each_name(EVENT_tcp_state, "role", see, context);
}

static void each_protocol(void (*see)(void *context, const char *word), void *context)
{
	each_name(EVENT_skb_drop, "protocol", see, context);
}

static const struct field_words protocols = {each_protocol};
static const struct field_words states = {each_state};
static const struct field_words roles = {each_role};

/* Which events can have a value: those with the parameter. */
#define HAVING(parameter)                                                                          \
	static bool has_##parameter(const struct event_desc *event)                                \
	{                                                                                          \
		return is_tcp(event) && event_param_find(event, #parameter) >= 0;                  \
	}

HAVING(tuple)
HAVING(netns)
HAVING(ino)
HAVING(role)
HAVING(state)
HAVING(old_state)
HAVING(res)
HAVING(time)
HAVING(retransmits)
HAVING(srtt)
HAVING(reason)
HAVING(segments)
HAVING(bytes)
HAVING(protocol)
HAVING(waiting)
HAVING(unacked)
HAVING(send_queue)
HAVING(receive_queue)
HAVING(cwnd) /* and what else TCP_MEASURED has */

#define ROW(name, parameter, having, type, getter, sample, help, more...)                          \
	{                                                                                          \
		"tcp." name, PT_##type, PF_DEC, 0, FIELD_ARG_NONE, 0, getter, help,                \
			.param = parameter, .example = sample, .can_have = has_##having, more      \
	}
#define MEASURED(name, parameter, help, more...)                                                   \
	ROW(name, parameter, cwnd, UINT64, get_number, ">100", help, more)
#define ROUND_TRIP(name, parameter, having, help)                                                  \
	ROW(name, parameter, having, RELTIME, get_round_trip, ">10ms", help, .unit = FIELD_UNIT_NS)

const struct field_desc fields_tcp[] = {
	ROW("local.ip", "tuple", tuple, IPADDR, get_local_ip, "=10.0.0.1",
	    "the address of the socket; of IPv4 also where a socket of IPv6 is connected by it"),
	ROW("local.port", "tuple", tuple, PORT, get_local_port, "=443", "its port"),
	ROW("remote.ip", "tuple", tuple, IPADDR, get_remote_ip, "=10.0.0.2",
	    "the address that it is connected to"),
	ROW("remote.port", "tuple", tuple, PORT, get_remote_port, "=443", "the port there"),
	ROW("role", "role", role, CHARBUF, get_name, "=server",
	    "of the process: client for the one that connected, server for the one that accepts",
	    .words = &roles),
	ROW("netns", "netns", netns, UINT64, get_number, "=4026531840",
	    "the network namespace: its inode, as in /proc/PID/ns/net"),
	ROW("inode", "ino", ino, UINT64, get_number, "=12345",
	    "the inode of the socket, as in /proc/PID/fd; none before it is accepted"),
	ROW("state", "state", state, CHARBUF, get_name, "=ESTABLISHED",
	    "of the socket; of tcp_close the one before", .words = &states),
	ROW("old_state", "old_state", old_state, CHARBUF, get_name, "=SYN_SENT",
	    "of tcp_state: the one before", .words = &states),
	ROW("error", "res", res, CHARBUF, get_error, "=ECONNREFUSED",
	    "why a connection was not made, or ended: ECONNREFUSED, ETIMEDOUT, ECONNRESET",
	    .colour = FIELD_COLOUR_RESULT),
	ROW("time", "time", time, RELTIME, get_number, ">100ms",
	    "how long a connection took to be made (tcp_connect), or was there (tcp_close)",
	    .unit = FIELD_UNIT_NS),
	ROW("time.human", "time", time, CHARBUF, get_human, " endswith s",
	    "the same with a unit (ns, us, ms, s): 1.25ms"),
	ROW("reason", "reason", reason, CHARBUF, get_reason, "=TCP_LISTEN_OVERFLOW",
	    "of tcp_retransmit: timeout, fast, probe, handshake; else as the kernel calls it",
	    .colour = FIELD_COLOUR_RESULT),
	ROW("protocol", "protocol", protocol, CHARBUF, get_name, "=udp",
	    "of a packet that is dropped: tcp, udp", .words = &protocols),
	ROW("segments", "segments", segments, UINT64, get_number, ">1",
	    "segments that are sent again"),
	ROW("bytes", "bytes", bytes, UINT64, get_number, ">1000",
	    "of what is sent again, or dropped", .unit = FIELD_UNIT_BYTES),
	ROW("waiting", "waiting", waiting, UINT64, get_number, ">100",
	    "connections that wait to be accepted"),
	ROW("waiting.limit", "limit", waiting, UINT64, get_number, "<100", "how many of them may"),
	ROUND_TRIP("srtt", "srtt", srtt, "the smoothed round trip time"),
	ROUND_TRIP("rttvar", "rttvar", cwnd, "how much round trip times differ"),
	ROUND_TRIP("min_rtt", "min_rtt", cwnd, "the least round trip time of late"),
	MEASURED("cwnd", "cwnd", "the congestion window, in segments"),
	MEASURED("ssthresh", "ssthresh",
		 "the window up to which slow start goes, in segments; none before it ended"),
	MEASURED("mss", "mss", "bytes of a segment at most", .unit = FIELD_UNIT_BYTES),
	MEASURED("bytes.sent", "bytes_sent", "bytes that were sent, those again included",
		 .unit = FIELD_UNIT_BYTES),
	MEASURED("bytes.acked", "bytes_acked", "bytes that the other end confirmed",
		 .unit = FIELD_UNIT_BYTES),
	MEASURED("bytes.received", "bytes_received", "bytes that were received in order",
		 .unit = FIELD_UNIT_BYTES),
	MEASURED("bytes.retransmitted", "bytes_retransmitted", "bytes that were sent again",
		 .unit = FIELD_UNIT_BYTES),
	MEASURED("segments.sent", "segments_sent", "segments that were sent"),
	MEASURED("segments.received", "segments_received", "segments that were received"),
	MEASURED("segments.sent_data", "data_segments_sent", "of those sent, the ones with data"),
	MEASURED("segments.received_data", "data_segments_received",
		 "of those received, the ones with data"),
	ROW("retransmits", "retransmits", retransmits, UINT64, get_number, ">0",
	    "segments that were sent again, so far"),
	MEASURED("lost", "lost", "segments that were taken for lost, so far"),
	MEASURED("reordering", "reordering",
		 "by how many segments the network may change their order"),
	MEASURED("reorderings", "reorderings", "how often it did"),
	MEASURED("duplicates", "duplicates", "segments that arrived at the other end twice"),
	ROW("unacked", "unacked", unacked, UINT64, get_number, ">100",
	    "segments that were sent and are not confirmed yet"),
	ROW("queue.send", "send_queue", send_queue, UINT64, get_number, ">1000",
	    "bytes that are not sent, or not confirmed yet", .unit = FIELD_UNIT_BYTES),
	ROW("queue.receive", "receive_queue", receive_queue, UINT64, get_number, ">1000",
	    "bytes that the process has not read yet", .unit = FIELD_UNIT_BYTES),
	{0},
};
