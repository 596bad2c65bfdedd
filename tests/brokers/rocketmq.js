// SPDX-License-Identifier: MIT

// A producer and a consumer of RocketMQ for the test beside it: "rocketmq.js PORT COUNT" asks the name server of that port, has
// a message sent and received, says so, and when it may read a line sends others, COUNT of them at once, and prints as JSON
// what it got.
'use strict';
const crypto = require('crypto');
const { Consumer, Message, Producer } = require('ali-ons');
const [port, count] = process.argv.slice(2).map(Number);
const go = () => new Promise((resolve) => { process.stdin.once('data', resolve); console.log('ready'); });
const silent = { debug() {}, info() {}, warn() {}, error: console.error };
const options = { nameSrv: `127.0.0.1:${port}`, httpclient: {}, logger: silent };

async function main() {
  const producer = new Producer({ ...options, producerGroup: 'writers' });
  const consumer = new Consumer({ ...options, consumerGroup: 'readers' });
  const received = [];
  let awaited = () => {};
  producer.on('error', console.error);
  consumer.on('error', console.error);
  consumer.subscribe('orders', '*', async (message) => { received.push(message.body.toString('latin1')); awaited(); });
  const until = (number) => new Promise((resolve) => { awaited = () => received.length >= number && resolve(); awaited(); });
  const send = (tag, body, topic = 'orders') => producer.send(new Message(topic, tag, body));
  await Promise.all([producer.ready(), consumer.ready()]);
  await send('first', 'first');
  await until(1);
  await go();
  const sent = await Promise.all(Array.from({ length: count }, (_, n) => send('pair', `message ${n}`)));
  const got = { offsets: sent.map(({ queueOffset }) => queueOffset).sort((a, b) => a - b) };
  got.late = (await send('late', 'late')).sendStatus;
  await send('large', crypto.randomBytes(50_000));
  got.busy = await send('busy', 'busy').catch((error) => error.code);
  got.missing = await send('first', 'missing', 'missing').catch((error) => error.code);
  await until(count + 3);
  got.received = received.map((body) => body.length > 1000 ? 'large' : body).sort();
  await consumer.close();
  await producer.close();
  console.log(JSON.stringify(got));
  process.exit(0);
}

main().catch((error) => { console.error(error); process.exit(1); });
