/* oxlint-disable no-console -- prints its results */
/**
 * `node tools/bench/loopback.mjs [ROUNDS]`: what a round of the federated case costs where nothing is
 * computed, authenticated or stored, over plain sockets of this machine: 16 processes are sent a point of
 * 10 000 numbers and send back 4 bytes a number. Prints the least and the median round, and the processor
 * time of all processes for one.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { spreadOf } from './measure.mjs';

const silos = 16;
const dimension = 10_000;
const down = new Uint8Array(104 + 4 + 8 * dimension);
const up = new Uint8Array(104 + 18 + 4 * dimension);

/** @param {import('node:net').Socket} socket @param {number} length @param {() => void} whole */
function forEach(socket, length, whole) {
  let got = 0;
  socket.setNoDelay(true).on('data', (bytes) => {
    got += bytes.length;
    if (got < length) return;
    got -= length;
    whole();
  });
}

/** Microseconds of processor time of this process. */
const used = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

if (process.send !== undefined) {
  const socket = connect(Number(process.argv[2]), '127.0.0.1');
  forEach(socket, down.length, () => void socket.write(up));
  process.on('message', () => process.send?.(used()));
  process.on('disconnect', () => process.exit());
} else {
  const rounds = Number(process.argv[2] ?? 200);
  /** @type {import('node:net').Socket[]} */
  const sockets = [];
  let missing = 0;
  let done = () => {};
  const server = createServer((socket) => {
    sockets.push(socket);
    forEach(socket, up.length, () => {
      missing -= 1;
      if (missing === 0) done();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const children = Array.from({ length: silos }, () => fork(fileURLToPath(import.meta.url), [String(port)]));
  while (sockets.length < silos) await once(server, 'connection');
  const round = () =>
    new Promise((/** @type {(value: void) => void} */ resolve) => {
      done = resolve;
      missing = silos;
      for (const socket of sockets) socket.write(down);
    });
  const told = async () => {
    const replies = children.map((child) => once(child, 'message'));
    for (const child of children) child.send('time');
    return (await Promise.all(replies)).reduce((sum, [microseconds]) => sum + microseconds, used());
  };
  for (let k = 0; k < 50; k++) await round();
  const before = await told();
  const times = [];
  for (let k = 0; k < rounds; k++) {
    const begun = performance.now();
    await round();
    times.push(performance.now() - begun);
  }
  const processor = ((await told()) - before) / 1000 / rounds;
  const { least, median } = spreadOf(times);
  console.log(
    `a round of ${silos} processes over plain sockets: ${least.toFixed(1)} ms at best, median ` +
      `${median.toFixed(1)} ms, ${processor.toFixed(1)} ms of processor time`,
  );
  for (const child of children) child.disconnect();
  server.close();
  for (const socket of sockets) socket.destroy();
}
