// SPDX-License-Identifier: MIT
// Checks objects against the schemas of the API: node validate.mjs MODULES <OBJECTS, where MODULES is the folder
// node_modules with kubernetes-models and @kubernetes-models/prometheus-operator, and OBJECTS a JSON array.
// Prints a line for each error. Fields that the schemas do not have are errors, too: a server would drop them.
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

const modules = process.argv[2];

/** The name of the schema of an object: "IoK8sApiAppsV1DaemonSet". */
function schemaOf({apiVersion, kind}) {
	const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion];
	const upper = (word) => word[0].toUpperCase() + word.slice(1);
	if (group === "monitoring.coreos.com")
		return `@kubernetes-models/prometheus-operator/_schemas/ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoring${upper(version)}${kind}.js`;
	const short = group.split(".")[0];
	return `kubernetes-models/_schemas/IoK8sApi${upper(short)}${upper(version)}${kind}.js`;
}

/** A view of a value that notes which of its members were read. */
function watched(value, path, seen) {
	if (value === null || typeof value !== "object")
		return value;
	const children = new Map();
	return new Proxy(value, {
		get(target, key) {
			if (typeof key !== "string" || !Object.hasOwn(target, key) || key === "length")
				return target[key];
			seen.add(`${path}/${key}`);
			if (!children.has(key))
				children.set(key, watched(target[key], `${path}/${key}`, seen));
			return children.get(key);
		},
	});
}

/** Members that no schema asked for: the outermost of each. */
function* unknown(value, path, seen) {
	if (value === null || typeof value !== "object")
		return;
	for (const key of Object.keys(value)) {
		if (!seen.has(`${path}/${key}`))
			yield `${path}/${key}`;
		else
			yield* unknown(value[key], `${path}/${key}`, seen);
	}
}

for (const object of JSON.parse(readFileSync(0, "utf8"))) {
	const name = `${object.kind} ${object.metadata?.name}`;
	const {validate} = await import(pathToFileURL(`${modules}/${schemaOf(object)}`));
	const seen = new Set();
	if (!validate(watched(object, "", seen)))
		for (const error of validate.errors)
			console.log(`${name}: ${error.instancePath}: ${error.keyword} ${JSON.stringify(error.params)}`);
	for (const path of unknown(object, "", seen))
		console.log(`${name}: ${path}: unknown`);
}
