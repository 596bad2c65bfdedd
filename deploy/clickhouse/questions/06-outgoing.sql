-- SPDX-License-Identifier: MIT
-- Who connects out to {address}?
SELECT node, `proc.name`, `fd.rport`, count() AS calls, sum(`evt.failed`) AS failed
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `evt.type` = 'connect' AND `fd.rip` = {address}
GROUP BY node, `proc.name`, `fd.rport`
ORDER BY calls DESC, node, `proc.name`, `fd.rport`
