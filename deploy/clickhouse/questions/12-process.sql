-- SPDX-License-Identifier: MIT
-- What does process {pid} of {node} read and write?
SELECT `fd.type`, `fd.name`, sum(`evt.buflen.in`) AS bytes_in, sum(`evt.buflen.out`) AS bytes_out
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND node = {node} AND `proc.pid` = {pid}
GROUP BY `fd.type`, `fd.name`
HAVING bytes_in + bytes_out > 0
ORDER BY bytes_in + bytes_out DESC, `fd.type`, `fd.name` LIMIT 50
