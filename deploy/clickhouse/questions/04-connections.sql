-- SPDX-License-Identifier: MIT
-- Who talks to whom, and how much?
SELECT node, `proc.name`, `fd.l4proto`, `fd.rip`, `fd.rport`, sum(`evt.buflen.in`) AS bytes_in, sum(`evt.buflen.out`) AS bytes_out
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `fd.type` IN ('ipv4', 'ipv6') AND `fd.rip` != ''
GROUP BY node, `proc.name`, `fd.l4proto`, `fd.rip`, `fd.rport`
HAVING bytes_in + bytes_out > 0
ORDER BY bytes_in + bytes_out DESC, node, `proc.name`, `fd.l4proto`, `fd.rip`, `fd.rport` LIMIT 20
