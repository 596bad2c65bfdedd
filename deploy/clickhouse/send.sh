# SPDX-License-Identifier: MIT
# Sourced by the scripts here: send() sends a statement to $url, and prints the answer.
# $CLICKHOUSE_USER and $CLICKHOUSE_PASSWORD are sent if they are set.
send() {
	# The setting is for servers of 2018, the only ones that ask for it.
	curl -sS --fail-with-body ${CLICKHOUSE_USER:+-H "X-ClickHouse-User: $CLICKHOUSE_USER"} \
		${CLICKHOUSE_PASSWORD:+-H "X-ClickHouse-Key: $CLICKHOUSE_PASSWORD"} \
		"$url/?allow_experimental_low_cardinality_type=1" --data-binary "$1"
}
