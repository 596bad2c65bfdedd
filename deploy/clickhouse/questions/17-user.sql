-- SPDX-License-Identifier: MIT
-- What did user {user} run?
SELECT node, `proc.cmdline`, count() AS runs
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `evt.type` IN ('execve', 'execveat') AND `evt.failed` = 0 AND (`user.name` = {user} OR `user.loginname` = {user})
GROUP BY node, `proc.cmdline`
ORDER BY runs DESC, node, `proc.cmdline` LIMIT 50
