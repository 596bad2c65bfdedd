-- SPDX-License-Identifier: MIT
-- Which processes open more descriptors than they close?
SELECT node, `proc.name`, `proc.pid`,
       countIf(`evt.type` IN ('open', 'openat', 'openat2', 'creat', 'socket', 'accept', 'accept4', 'dup', 'epoll_create1', 'eventfd2', 'memfd_create')) AS opened,
       countIf(`evt.type` = 'close') AS closed
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `evt.failed` = 0
GROUP BY node, `proc.name`, `proc.pid`
HAVING opened > closed
ORDER BY toInt64(opened) - toInt64(closed) DESC, node, `proc.name`, `proc.pid` LIMIT 20
