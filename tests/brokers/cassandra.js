// SPDX-License-Identifier: MIT

// A client of Cassandra for the test beside it: "cassandra.js PORT COUNT [VERSION]" says that it is connected, and when it may read a line
// makes statements, COUNT of a kind at once, and prints as JSON what it got.
'use strict';
const cassandra = require('cassandra-driver');
const [port, count, version] = process.argv.slice(2).map(Number);
const go = () => new Promise((resolve) => { process.stdin.once('data', resolve); console.log('ready'); });
const all = (ask) => Promise.all(Array.from({ length: count }, (_, n) => ask(n)));

async function main() {
  const client = new cassandra.Client({
    contactPoints: [`127.0.0.1:${port}`], localDataCenter: 'here', isMetadataSyncEnabled: false,
    protocolOptions: { port, maxVersion: version }, pooling: { heartBeatInterval: 0 },
  });
  await client.connect();
  await go();
  const got = { codes: [] };
  const rows = await all((n) => client.execute(`SELECT v FROM shop.things WHERE k = 'secret${n}'`));
  got.values = rows.map((result) => result.rows[0].v);
  got.large = (await client.execute('SELECT v FROM shop.large')).rows[0].v.length;
  await all((n) => client.execute('INSERT INTO shop.orders (k) VALUES (?)', [`secret${n}`], { prepare: true }));
  await client.batch(['UPDATE shop.things SET v = 1', 'DELETE FROM shop.other'], {});
  for (const statement of ['SELECT v FROM shop.missing', 'SELEC nothing']) {
    await client.execute(statement).catch((error) => got.codes.push(error.code));
  }
  await client.shutdown();
  console.log(JSON.stringify(got));
}

main().catch((error) => { console.error(error); process.exit(1); });
