-- SPDX-License-Identifier: MIT
-- Which lookups of names fail? Calls to name servers, and datagrams without an answer.
SELECT node, `proc.name`, `fd.rip`, countIf(`evt.buflen.out` > 0) AS questions, countIf(`evt.buflen.in` > 0) AS answers, sum(`evt.failed`) AS failed
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `fd.type` IN ('ipv4', 'ipv6') AND `fd.rport` = 53
GROUP BY node, `proc.name`, `fd.rip`
ORDER BY node, `proc.name`, `fd.rip` LIMIT 50
