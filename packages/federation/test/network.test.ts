import type { NatsConnection as Connection } from '@nats-io/transport-node';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as dial } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drive } from '@lethe/core';
import { federation, type Link } from '@lethe/curator/federation';
import { nkeys } from '@nats-io/transport-node';
import { afterEach, describe, expect, it } from 'vitest';
import { largestPart } from '../src/frame.js';
import {
  connectNats,
  natsLink,
  natsPoints,
  serveNats,
  subjectOf,
  type NatsConnection,
  type NatsOptions,
} from '../src/index.js';
import { hasNatsServer, natsServer, type NatsServer } from './support/nats-server.js';
import { opening, publicCoins, remotes, worldOf, type World } from './support/world.js';

const opened: { close(): Promise<void> }[] = [];
const servers: NatsServer[] = [];
const isFull = process.env['LETHE_EFFORT'] === 'full';
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  for (const one of servers.splice(0)) await one.kill();
});
const server = async (options: readonly string[] = []): Promise<NatsServer> => {
  const made = await natsServer(options);
  servers.push(made);
  return made;
};
const connected = async (options: NatsOptions): Promise<NatsConnection> => {
  const made = await connectNats(options);
  opened.push(made);
  return made;
};
const sleep = (seconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1000 * seconds);
  });

/** What a program prints, whether or not it succeeds. */
const printed = (parameters: readonly string[]): Promise<{ stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, parameters, (_, stdout, stderr) => resolve({ stdout, stderr }));
  });

/** Links to the silos of a world over a NATS server. */
async function served(world: World, options: NatsOptions, seconds = 2): Promise<Link[]> {
  const near = await connected(options);
  const far = await connected(options);
  return world.silos.map(({ public: own }, i) => {
    serveNats(far, subjectOf(own), world.service(i));
    return natsLink(near, subjectOf(own), seconds);
  });
}
const driven = async (world: World, links: readonly Link[]): Promise<Float64Array> => {
  const silos = await remotes(world, links, { attempts: 100, pause: () => sleep(0.05) });
  const { output } = await drive(world.run, federation({ silos }), {
    start: world.start,
    random: publicCoins(),
  });
  return output;
};
const near = async (world: World): Promise<Float64Array> => {
  const silos = world.silos.map((_, silo) =>
    opening(world, { sealed: world.sealed, silo, place: undefined }, world.stores[silo].ledger),
  );
  return (await drive(world.run, federation({ silos }), { start: world.start, random: publicCoins() }))
    .output;
};

describe.skipIf(!hasNatsServer)('over a nats-server, which is a program of its own to install', () => {
  it('a run has the output of the same silos at hand, also in messages longer than NATS carries', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lethe-nats-'));
    const config = join(folder, 'nats.conf');
    // Room for one part: less than the 1 MiB that NATS carries by default needs less work here.
    writeFileSync(config, `max_payload: ${largestPart + 4096}\n`);
    const { url } = await server(['-c', config]);
    for (const dimension of [5, 68_000]) {
      const size = { silos: 1, rounds: 2, batchSize: 1, dimension };
      const here = await near(worldOf(size));
      const world = worldOf(size);
      expect(await driven(world, await served(world, { servers: url }, 20))).toStrictEqual(here);
      // The silos of the next world have the same names.
      for (const one of opened.splice(0)) await one.close();
    }
    rmSync(folder, { recursive: true });
  });

  it('queries travel with the point that they are about', async () => {
    const { url } = await server();
    const size = { silos: 2, rounds: 12, dimension: 2000 };
    const here = await near(worldOf(size));
    const world = worldOf(size);
    const [own, far] = await Promise.all([connected({ servers: url }), connected({ servers: url })]);
    const subject = 'lethe.points.test';
    const points = natsPoints(own, subject);
    let apart = 0;
    const links = world.silos.map(({ public: key }, i) => {
      const service = world.service(i);
      serveNats(far, subjectOf(key), service, { subject, take: service.take });
      (far as Connection).subscribe(subjectOf(key), {
        callback: (_, { data }) => {
          if (data.length > 0) apart += 1;
        },
      });
      return natsLink(own, subjectOf(key), 5, points);
    });
    await (far as Connection).flush();
    const silos = await remotes(world, links, { attempts: 100, pause: () => sleep(0.05), points });
    const { output } = await drive(world.run, federation({ silos }), {
      start: world.start,
      random: publicCoins(),
    });
    expect(output).toStrictEqual(here);
    // Each silo is sent the plan and what has no point; eleven rounds and more travel with theirs.
    expect(apart).toBeLessThan(2 * 6);
  });

  it('a run goes on when the server is killed and started again', async () => {
    const nats = await server();
    const size = { silos: 2, rounds: 6 };
    const here = await near(worldOf(size));
    const world = worldOf(size);
    const links = await served(world, { servers: nats.url }, 0.5);
    let requests = 0;
    const failing = links.map((link): Link => ({
      async request(bytes) {
        requests += 1;
        if (requests === 9) {
          await nats.kill();
          setTimeout(() => nats.start(), 300);
        }
        return await link.request(bytes);
      },
    }));
    expect(await driven(world, failing)).toStrictEqual(here);
    expect(requests).toBeGreaterThan(12);
  });

  it('sends a request again as soon as a silo is back, and fails when nobody listens any more', async () => {
    const { url } = await server();
    const [own, other] = await Promise.all([connected({ servers: url }), connected({ servers: url })]);
    const bytes = new Uint8Array(104);
    bytes.set(Buffer.from('LFL1'));
    const mute = { request: () => new Promise<Uint8Array>(() => undefined) };
    const stop = serveNats(other, 'lethe.silo.back', mute);
    const gone = serveNats(other, 'lethe.silo.gone', mute);
    await (other as Connection).flush();
    const link = natsLink(own, 'lethe.silo.back', 60);
    const reply = link.request(bytes);
    await sleep(0.3);
    stop();
    serveNats(other, 'lethe.silo.back', { request: (back) => Promise.resolve(back) });
    expect(await reply).toStrictEqual(bytes);
    expect(await link.request(bytes, bytes.length)).toStrictEqual(bytes);
    await expect(link.request(bytes, bytes.length - 1)).rejects.toThrow(/a reply of more than 103 bytes/u);
    // Looked at from the start: it may fail before `gone` returns.
    const lost = Promise.allSettled([natsLink(own, 'lethe.silo.gone', 60).request(bytes)]);
    await sleep(0.1);
    gone();
    expect(await lost).toMatchObject([
      { reason: { message: 'nobody listens on lethe.silo.gone; nobody with that key is connected' } },
    ]);
    const closed = link.request(bytes);
    link.close();
    await expect(closed).rejects.toThrow(/closed/u);
  });

  it('neither side stops reading, or is disconnected, by what strangers send', async () => {
    const { url } = await server();
    const [own, other] = await Promise.all([connected({ servers: url }), connected({ servers: url })]);
    const bytes = new Uint8Array(104);
    bytes.set(Buffer.from('LFL1'));
    let replies = 0;
    const echo = {
      request: async (given: Uint8Array) => {
        replies += 1;
        // The first reply waits until the stranger has sent all.
        if (replies === 1) await sleep(0.5);
        return given.slice();
      },
    };
    serveNats(other, 'lethe.silo.odd', echo);
    const inboxes: string[] = [];
    (other as Connection).subscribe('lethe.silo.odd', {
      callback: (_, { reply = '' }) => {
        inboxes.push(reply);
      },
    });
    await (other as Connection).flush();
    const link = natsLink(own, 'lethe.silo.odd', 3);
    const first = link.request(bytes);
    await sleep(0.1);
    // The client library sends no such headers and subjects.
    const stranger = dial(Number(new URL(url).port), '127.0.0.1');
    stranger.write('CONNECT {"headers":true,"verbose":false}\r\n');
    const header = 'NATS/1.0\r\nno name: 1\r\n\r\n';
    stranger.write(`HPUB ${inboxes[0]} ${header.length} ${header.length}\r\n${header}\r\n`);
    for (const subject of ['ÿ'.repeat(2000), 'a.*', '>', 'lethe.silo.odd.up', '$SYS.REQ.SERVER.PING'])
      stranger.write(Buffer.from(`PUB lethe.silo.odd ${subject} 104\r\n${'LFL1'.padEnd(104)}\r\n`, 'latin1'));
    expect(await first).toStrictEqual(bytes);
    expect(await link.request(bytes)).toStrictEqual(bytes);
    stranger.destroy();
    // None of the stranger's was served.
    expect(replies).toBe(2);
    expect((other as Connection).stats().inMsgs).toBeGreaterThan(6);
  });

  it('says that nobody listens, and that no reply came in time', async () => {
    const { url } = await server();
    const connection = await connected({ servers: url });
    const bytes = new Uint8Array(104);
    bytes.set(Buffer.from('LFL1'));
    await expect(natsLink(connection, 'lethe.silo.none', 5).request(bytes)).rejects.toThrow(
      /nobody listens/u,
    );
    (connection as Connection).subscribe('lethe.silo.mute', { callback: () => undefined });
    await expect(natsLink(connection, 'lethe.silo.mute', 0.1).request(bytes)).rejects.toThrow(
      /within 0.1 s/u,
    );
    await expect(natsLink(connection, 'lethe.silo.mute', 1).request(Uint8Array.of(1))).rejects.toThrow(
      /no frame/u,
    );
  });

  it('a token or an nkey is shown to a server that asks for one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lethe-nats-'));
    const world = worldOf({ silos: 1, rounds: 2 });
    const here = await near(worldOf({ silos: 1, rounds: 2 }));
    const { url } = await server(['--auth', 'a secret']);
    await expect(connectNats({ servers: url })).rejects.toThrow(/authorization/iu);
    expect(await driven(world, await served(world, { servers: url, token: 'a secret' }))).toStrictEqual(here);
    const pair = nkeys.createUser();
    const nkeyFile = join(folder, 'user.nk');
    writeFileSync(nkeyFile, `${new TextDecoder().decode(pair.getSeed())}\n`);
    const config = join(folder, 'nats.conf');
    writeFileSync(config, `authorization { users: [ { nkey: ${pair.getPublicKey()} } ] }\n`);
    const asking = await server(['-c', config]);
    await expect(connectNats({ servers: asking.url })).rejects.toThrow(/authorization/iu);
    const again = worldOf({ silos: 1, rounds: 2 });
    expect(await driven(again, await served(again, { servers: asking.url, nkeyFile }))).toStrictEqual(here);
    rmSync(folder, { recursive: true });
    await expect(connectNats({ servers: url, token: 'x', nkeyFile })).rejects.toThrow(/a token or an nkey/u);
    await expect(connectNats({ servers: url, certFile: 'x' })).rejects.toThrow(/belong together/u);
  });

  it('TLS is spoken where the server has a certificate', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lethe-tls-'));
    const at = (file: string): string => join(folder, file);
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '1',
      '-keyout',
      at('key.pem'),
      '-out',
      at('cert.pem'),
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
    ]);
    // Without openssl there is no certificate to try.
    if (made.status !== 0) return;
    const nats = await server(['--tls', '--tlscert', at('cert.pem'), '--tlskey', at('key.pem')]);
    const url = nats.url.replace('127.0.0.1', 'localhost');
    const world = worldOf({ silos: 1, rounds: 2 });
    const links = await served(world, { servers: url, caFile: at('cert.pem') });
    expect(await driven(world, links)).toStrictEqual(await near(worldOf({ silos: 1, rounds: 2 })));
    await expect(connectNats({ servers: url })).rejects.toThrow(/no connection .* certificate/u);
    rmSync(folder, { recursive: true });
  });

  // With fewer survivors than silos a second run has silos that are killed for good, until too few are left.
  // Most of their time is waiting, so that at night both are made at once.
  it.concurrent.each([...(isFull ? [{ silos: 3, runs: 1 }] : []), { silos: 4, runs: 2 }])(
    '$silos silos of sums of at least 3 and a server are processes of their own, which are killed at random',
    async ({ silos, runs }) => {
      const program = fileURLToPath(new URL('faults/run.mjs', import.meta.url));
      const size = ['--runs', '1', '--silos', String(silos), '--survivors', '3', '--rounds', '4'];
      const options = [program, ...size, '--seed', '11', ...(runs > 1 ? ['--gone', '--at-once', '2'] : [])];
      const { stdout, stderr } = await printed(options);
      const told = stdout
        .split('\n')
        .map((line) => (line === '' ? {} : (JSON.parse(line) as { readonly seed?: number })));
      const [run, gone] = [11, 12].map((seed) => told.find((one) => one.seed === seed));
      // The output is that of a run without faults, unless a sum was lost or lacks a silo.
      expect(run, stderr).toMatchObject({ passed: true, twice: 0, wrongLedgers: 0 });
      if (runs === 1) expect(run).toMatchObject({ partial: 0 });
      else expect(gone, stderr).toMatchObject({ passed: true, ended: 'few-survivors', wrongLedgers: 0 });
    },
    600_000,
  );
});
