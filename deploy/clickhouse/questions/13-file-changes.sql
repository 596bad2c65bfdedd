-- SPDX-License-Identifier: MIT
-- Who changed, renamed or deleted {path}?
SELECT node, time_ns, `evt.type`, `proc.name`, `proc.pid`, `user.name`
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `evt.failed` = 0
  AND (`fs.path.name` = {path} OR `fs.path.source` = {path} OR `fs.path.target` = {path})
  AND (`evt.is_open_write` OR `evt.type` IN ('unlink', 'unlinkat', 'rename', 'renameat', 'renameat2', 'truncate', 'chmod',
       'fchmodat', 'fchmodat2', 'chown', 'lchown', 'fchownat', 'link', 'linkat', 'symlink', 'symlinkat', 'mknod', 'mknodat'))
ORDER BY time_ns, node LIMIT 100
