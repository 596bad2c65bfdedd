-- SPDX-License-Identifier: MIT
-- Which calls fail, with what error?
SELECT node, `proc.name`, `evt.type`, `evt.res`, count() AS calls
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `evt.failed`
GROUP BY node, `proc.name`, `evt.type`, `evt.res`
ORDER BY calls DESC, node, `proc.name`, `evt.type`, `evt.res` LIMIT 50
