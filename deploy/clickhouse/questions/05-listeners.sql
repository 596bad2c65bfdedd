-- SPDX-License-Identifier: MIT
-- What listens on port {port}, and who bound it?
SELECT node, `evt.type`, `proc.name`, `proc.pid`, `user.name`, count() AS calls
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `evt.type` IN ('bind', 'listen') AND `evt.failed` = 0 AND `fd.sport` = {port}
GROUP BY node, `evt.type`, `proc.name`, `proc.pid`, `user.name`
ORDER BY node, `evt.type`, `proc.name`, `proc.pid`, `user.name`
