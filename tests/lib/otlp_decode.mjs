// SPDX-License-Identifier: MIT
// Decodes a request of OTLP by the published definitions and checks each of its messages; prints it as JSON.
//   node otlp_decode.mjs NODE_MODULES proto|json|metrics < request
// of logs, or of metrics as protobuf.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [modules, form] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const root = require(`${modules}/@opentelemetry/otlp-transformer/build/src/generated/root.js`);
const collector = root.opentelemetry.proto.collector;
const Request =
	form === "metrics" ? collector.metrics.v1.ExportMetricsServiceRequest : collector.logs.v1.ExportLogsServiceRequest;
const bytes = readFileSync(0);

function known(value, message, path) {
	for (const key of Object.keys(value))
		if (!(key in message)) throw new Error(`${path}: no member ${key}`);
}

let request;
if (form !== "json") {
	request = Request.decode(bytes);
} else {
	const parsed = JSON.parse(bytes);
	const wrong = Request.verify(Request.fromObject(parsed));
	if (wrong) throw new Error(wrong);
	request = Request.fromObject(parsed);
	for (const record of parsed.resourceLogs[0].scopeLogs[0].logRecords)
		known(record, root.opentelemetry.proto.logs.v1.LogRecord.prototype, "LogRecord");
}
console.log(JSON.stringify(Request.toObject(request, { longs: String, bytes: String, enums: Number })));
