-- SPDX-License-Identifier: MIT
-- Which HTTP requests fail? Status lines as clients read them and servers write them.
SELECT node, `proc.name`, `fd.rip`, `fd.rport`, toUInt16OrZero(substring(`evt.buffer`, 10, 3)) AS status, count() AS answers
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `fd.type` IN ('ipv4', 'ipv6') AND substring(`evt.buffer`, 1, 7) = 'HTTP/1.'
GROUP BY node, `proc.name`, `fd.rip`, `fd.rport`, status
ORDER BY answers DESC, node, `proc.name`, `fd.rip`, `fd.rport`, status LIMIT 50
