// SPDX-License-Identifier: MIT

// A client of Dubbo 2 for the test beside it: "dubbo.js PORT COUNT" makes a call, says so, and when it may read a line makes others,
// COUNT of them at once on the same connection, and prints as JSON what it got.
'use strict';
const { DirectlyDubbo, java } = require('apache-dubbo-js');
const [port, count] = process.argv.slice(2).map(Number);
const go = () => new Promise((resolve) => { process.stdin.once('data', resolve); console.log('ready'); });

async function main() {
  const dubbo = DirectlyDubbo.from({ dubboAddress: `127.0.0.1:${port}`, dubboVersion: '2.0.2', dubboInvokeTimeout: 60 });
  const text = (value) => [java.String(value)];
  const greeter = dubbo.proxyService({
    dubboInterface: 'shop.Greeter', version: '1.0.0', methods: { hello: text, nothing: () => [], fails: text, large: text },
  });
  const missing = dubbo.proxyService({ dubboInterface: 'shop.Missing', version: '1.0.0', methods: { hello: text } });
  await greeter.nothing();
  await go();
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => greeter.hello(`name ${n}`)));
  const got = { hello: answers.map(({ res }) => res) };
  got.nothing = (await greeter.nothing()).res;
  got.large = (await greeter.large('x'.repeat(100000))).res.length;
  got.fails = (await greeter.fails('why')).err !== null;
  got.missing = (await missing.hello('why')).err !== null;
  console.log(JSON.stringify(got));
  process.exit(0);
}

main().catch((error) => { console.error(error); process.exit(1); });
