import { drive, memoryStore, sameEvent, seededRandom, type Store } from '@lethe/core';
import { secureFederation, type Link } from '@lethe/curator/federation';
import { encode } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { kinds } from '../src/frame.js';
import { networkSums, refusal, refusalOf, type Outgoing, type SiloService } from '../src/index.js';
import {
  addendRemotes,
  cutLog,
  openingAddends,
  publicCoins,
  registry,
  worldOf,
  type World,
} from './support/world.js';

const options = (world: World) => ({ start: world.start, random: publicCoins() });
const shape = ({ size: { survivors } }: World) => ({ corrupted: 0, survivors, registry });

/** The same silos in this process, without links or masks. */
async function near(world: World): Promise<Float64Array> {
  const silos = world.silos.map((_, silo) =>
    openingAddends(world, { sealed: world.sealed, silo, place: undefined }, world.stores[silo].ledger),
  );
  return (await drive(world.run, secureFederation({ silos, ...shape(world) }), options(world))).output;
}

/** A run over links. */
async function over(
  world: World,
  links: readonly Link[],
  more: {
    readonly store?: Store;
    readonly transcript?: Store;
    readonly stopAt?: number;
    readonly sumStep?: (message: Outgoing) => void;
    readonly onRound?: (index: number, survivors: readonly number[] | null) => void;
    readonly onLeft?: (silo: number, why: Error) => void;
  } = {},
) {
  const silos = await addendRemotes(world, links, { attempts: 20 });
  const spied = silos.map((silo) => ({
    ...silo,
    async sumStep(message: Outgoing) {
      more.sumStep?.(message);
      return await silo.sumStep(message);
    },
  }));
  const sums = networkSums(world.sealed, spied, {
    ...(more.store === undefined ? {} : { store: more.store }),
    ...(more.onRound === undefined ? {} : { onRound: more.onRound }),
    ...(more.onLeft === undefined ? {} : { onLeft: more.onLeft }),
  });
  const curator = secureFederation({ silos, sums, ...shape(world) });
  let queries = 0;
  const run = await drive(world.run, curator, {
    ...options(world),
    checkpointEvery: Infinity,
    ...(more.transcript === undefined ? {} : { transcript: more.transcript }),
    signal: {
      throwIfAborted() {
        if (queries++ === more.stopAt) throw new Error('the server stops');
      },
    },
  });
  return { ...run, silos };
}

describe('a run of secure sums over links', () => {
  it('has the output of the same addends at hand, and spends the plan, with lost replies and restarts', async () => {
    const here = await near(worldOf({ server: 'secure' }));
    const world = worldOf({ server: 'secure' });
    const dice = seededRandom('restarts');
    const links = world.silos.map((_, i): Link => {
      let service = world.service(i);
      return {
        async request(bytes) {
          // Between rounds a silo may die: of an attempt it forgets its keys.
          if (bytes[4] === kinds.keys && dice.uniform() < 0.3) service = world.service(i);
          const reply = await service.request(bytes);
          if (dice.uniform() < 0.2) throw new Error('lost');
          return reply;
        },
      };
    });
    const { output, silos } = await over(world, links);
    expect(output).toStrictEqual(here);
    for (const silo of silos) expect(sameEvent(await silo.end('done'), world.run.plan.event)).toBe(true);
  });

  it('takes no reply to another step of the same sum', async () => {
    const size = { server: 'secure', silos: 2, rounds: 2 } as const;
    const here = await near(worldOf(size));
    const world = worldOf(size);
    let kept: Uint8Array | null = null;
    let shown = 0;
    const links = world.silos.map((_, i): Link => {
      const service = world.service(i);
      return {
        async request(bytes) {
          const old = kept;
          if (i === 0 && bytes[4] === kinds.shares && old !== null) {
            kept = null;
            shown += 1;
            return old;
          }
          const reply = await service.request(bytes);
          if (i === 0 && bytes[4] === kinds.keys) kept = reply.slice();
          return reply;
        },
      };
    });
    const attempts = new Set<string>();
    const { output } = await over(world, links, {
      sumStep: ({ round, attempt }) => attempts.add(`${round}/${attempt}`),
    });
    expect(output).toStrictEqual(here);
    expect(shown).toBeGreaterThan(0);
    // No sum was begun again for it.
    expect([...attempts].filter((one) => !one.endsWith('/0'))).toStrictEqual([]);
  });

  it('begins a sum again when a silo dies in the middle of it, at any step', async () => {
    const here = await near(worldOf({ server: 'secure', silos: 2, rounds: 2 }));
    for (const at of ['keys', 'shares', 'start'] as const) {
      const world = worldOf({ server: 'secure', silos: 2, rounds: 2 });
      let died = false;
      const links = world.silos.map((_, i): Link => {
        let service = world.service(i);
        return {
          async request(bytes) {
            const reply = await service.request(bytes);
            if (i === 0 && !died && bytes[4] === kinds[at]) {
              died = true;
              service = world.service(i);
              throw new Error('killed');
            }
            return reply;
          },
        };
      });
      const { output } = await over(world, links);
      expect([at, died, output]).toStrictEqual([at, true, here]);
    }
  });

  it('goes on without a silo that is away, and with what it added when it is back', async () => {
    const world = worldOf({ server: 'secure', silos: 4, survivors: 3 });
    let keys = 0;
    const links = world.silos.map((_, i): Link => {
      const service = world.service(i);
      return {
        async request(bytes) {
          if (i === 1 && bytes[4] === kinds.keys && keys++ < 40) throw new Error('away');
          return await service.request(bytes);
        },
      };
    });
    const { output, silos } = await over(world, links);
    expect(output.every(Number.isFinite)).toBe(true);
    for (const silo of silos) expect(sameEvent(await silo.end('done'), world.run.plan.event)).toBe(true);
    // Too few are left: the run stops, and what was spent stays spent.
    const less = worldOf({ server: 'secure', silos: 4, survivors: 3 });
    const away = less.silos.map((_, i): Link => {
      const service = less.service(i);
      return {
        async request(bytes) {
          if (i < 2 && bytes[4] === kinds.keys) throw new Error('away');
          return await service.request(bytes);
        },
      };
    });
    await expect(over(less, away)).rejects.toThrow(/too few silos answer for sum 2/u);
  });

  it('takes back a silo that was killed between its ledger and its log, with what it added', async () => {
    const world = worldOf({ server: 'secure', silos: 4, survivors: 3, rounds: 3 });
    const dying = cutLog(world.stores[1]);
    const services = world.silos.map((_, i) => world.service(i, i === 1 ? { store: dying.store } : {}));
    const links = world.silos.map((_, i): Link => ({
      async request(bytes) {
        const round = Buffer.from(bytes).readUInt32LE(12);
        if (i !== 1 || bytes[4] !== kinds.start || round !== 3) return await services[i].request(bytes);
        dying.cut();
        await services[1].request(bytes);
        services[1] = world.service(1);
        throw new Error('killed');
      },
    }));
    const sums = new Map<number, number | undefined>();
    const { output, silos } = await over(world, links, {
      onRound: (index, survivors) => sums.set(index, survivors?.length),
    });
    expect([...sums]).toStrictEqual([
      [2, 4],
      [3, 3],
      [4, 4],
    ]);
    // The last sum is that of all silos, so that only the answer in between lacks an addend.
    const here = await near(worldOf({ server: 'secure', silos: 4, survivors: 3, rounds: 3 }));
    expect(output.every(Number.isFinite)).toBe(true);
    expect(output).not.toStrictEqual(here);
    for (const silo of silos) expect(sameEvent(await silo.end('done'), world.run.plan.event)).toBe(true);
  });

  it('goes on without a silo that is back with an older copy of its ledger and its log: it has ended there', async () => {
    const world = worldOf({ server: 'secure', silos: 3, survivors: 2, rounds: 2 });
    const services = world.silos.map((_, i) => world.service(i));
    const { ledger, log } = world.stores[1];
    let old: readonly Uint8Array[] = [];
    const links = world.silos.map((_, i): Link => ({
      async request(bytes) {
        const round = Buffer.from(bytes).readUInt32LE(12);
        if (i === 1 && bytes[4] === kinds.keys && round === 2)
          old = [ledger.read().slice(), log.read().slice()];
        if (i === 1 && bytes[4] === kinds.keys && round === 3) {
          ledger.replace(old[0]);
          log.replace(old[1]);
          services[1] = world.service(1);
        }
        return await services[i].request(bytes);
      },
    }));
    const survivors: (readonly number[] | null)[] = [];
    const gone: unknown[] = [];
    const { silos } = await over(world, links, {
      onRound: (_, left) => survivors.push(left),
      onLeft: (silo, why) => gone.push([silo, refusalOf(why)]),
    });
    expect(survivors).toStrictEqual([
      [0, 1, 2],
      [0, 2],
    ]);
    expect(gone).toStrictEqual([[1, 'rolled-back']]);
    expect(services[1].agreed()).toBe(null);
    expect(sameEvent(await silos[1].end('done'), world.run.plan.event)).toBe(true);
  });

  it('ends at a refusal that is not of a silo alone, before any mask is taken off', async () => {
    const world = worldOf({ server: 'secure', silos: 3, survivors: 2, rounds: 2 });
    const links = world.silos.map((_, i) => world.service(i));
    const asked: string[] = [];
    const run = over(world, links, {
      sumStep: ({ kind }) => {
        asked.push(kind);
        if (kind === 'shares' && asked.filter((one) => one === 'shares').length === 2)
          throw refusal('outside-domain', 'a point outside the domain was sent', { silo: 'b' });
      },
    });
    expect(refusalOf(await run.catch((error: unknown) => error))).toBe('outside-domain');
    expect(new Set(asked)).toStrictEqual(new Set(['keys', 'shares']));
  });

  it('ends where silos have left for good, and too few are left', async () => {
    const world = worldOf({ server: 'secure', silos: 3, survivors: 2, rounds: 2 });
    const links = world.silos.map((_, i) => world.service(i));
    const gone: number[] = [];
    let asked = 0;
    const run = over(world, links, {
      onLeft: (silo) => gone.push(silo),
      sumStep: ({ kind, round }) => {
        if (kind !== 'keys' || round !== 3) return;
        asked += 1;
        if (asked <= 2) throw refusal('ended', 'its owner ended it', { silo: 'a' });
      },
    });
    expect(refusalOf(await run.catch((error: unknown) => error))).toBe('ended');
    expect(gone).toStrictEqual([0, 1]);
  });

  it('goes on from a transcript with the same output; a round that was signed and lost has no sum', async () => {
    const here = await near(worldOf({ server: 'secure' }));
    for (const stop of [2, 5]) {
      const world = worldOf({ server: 'secure' });
      const [store, transcript] = [memoryStore(), memoryStore()];
      const served = () => world.silos.map((_, i): SiloService => world.service(i));
      await expect(over(world, served(), { store, transcript, stopAt: stop })).rejects.toThrow(
        'the server stops',
      );
      const { output, resumedAt } = await over(world, served(), { store, transcript });
      expect([output, resumedAt]).toStrictEqual([here, stop]);
    }
    // Without its store the server does not go on.
    const world = worldOf({ server: 'secure' });
    const transcript = memoryStore();
    const links = world.silos.map((_, i) => world.service(i));
    await expect(over(world, links, { transcript, stopAt: 4 })).rejects.toThrow('the server stops');
    expect(refusalOf(await over(world, links, { transcript }).catch((error: unknown) => error))).toBe(
      'rolled-back',
    );
    // A server that dies between signatures and secrets loses one sum, and nothing else.
    const lossy = worldOf({ server: 'secure' });
    const kept = { store: memoryStore(), transcript: memoryStore() };
    const services = lossy.silos.map((_, i): Link => {
      const service = lossy.service(i);
      return { request: (bytes) => service.request(bytes) };
    });
    await expect(
      over(lossy, services, {
        ...kept,
        sumStep: ({ kind, round }) => {
          if (kind === 'reveal' && round === 4) throw refusal('ended', 'the server is dead', {});
        },
      }),
    ).rejects.toThrow('the server is dead');
    const lost: number[] = [];
    const { output, silos } = await over(lossy, services, {
      ...kept,
      onRound: (index, survivors) => {
        if (survivors === null) lost.push(index);
      },
    });
    expect(lost).toStrictEqual([4]);
    expect(output.every(Number.isFinite)).toBe(true);
    expect(output).not.toStrictEqual(here);
    for (const silo of silos) expect(sameEvent(await silo.end('done'), lossy.run.plan.event)).toBe(true);
  });

  it('has no sum where silos are shown different sets of survivors', async () => {
    const world = worldOf({ server: 'secure', silos: 5, survivors: 4, rounds: 2 });
    const services = world.silos.map((_, i) => world.service(i));
    const silos = await addendRemotes(world, services);
    const sums = networkSums(
      world.sealed,
      silos.map((silo, i) => ({
        ...silo,
        async sumStep(message) {
          if (message.kind !== 'set') return await silo.sumStep(message);
          // Each is told that another one is missing.
          const survivors = [0, 1, 2, 3, 4].filter((one) => one !== (i + 1) % 5);
          return await silo.sumStep({ ...message, body: encode({ survivors }) });
        },
      })),
    );
    const curator = secureFederation({ silos, sums, ...shape(world) });
    const { output } = await drive(world.run, curator, { ...options(world), checkpointEvery: Infinity });
    // Nothing was learnt: the answers are zeros, and silos sign no other set.
    expect([...output]).toStrictEqual([...world.start]);
    expect(services.every((one) => one.standing()?.answered === 4)).toBe(true);
  });

  it('lets no increment leave a silo but in a sum, and no attempt begin twice', async () => {
    const world = worldOf({ server: 'secure', rounds: 2 });
    const services = world.silos.map((_, i) => world.service(i));
    const [silo] = await addendRemotes(world, services);
    const code = (asked: Promise<unknown>) => asked.then(() => 'no refusal', refusalOf);
    const queries: object[] = [];
    await drive(
      world.run,
      secureFederation({
        silos: await addendRemotes(world, services),
        sums: {
          round: (_index, query) => {
            queries.push(query);
            throw new Error('enough');
          },
          replayed: () => undefined,
        },
        ...shape(world),
      }),
      options(world),
    ).catch(() => undefined);
    expect(await code(Promise.resolve(silo.addendFor(2, queries[0] as never)))).toBe('wrong-query');
    const keys = (attempt: number, known = 2) => ({
      kind: 'keys' as const,
      round: 2,
      attempt,
      body: encode({ known }),
    });
    const begin = (attempt: number) => silo.sumStep(keys(attempt));
    expect(await code(begin(1))).toBe('no refusal');
    expect(await code(begin(0))).toBe('wrong-set');
    // After a restart too: its keys would be other ones, under the same names.
    const [again] = await addendRemotes(world, [world.service(0)]);
    expect(await code(again.sumStep(keys(1)))).toBe('wrong-set');
    expect(await code(again.sumStep(keys(2)))).toBe('no refusal');
    expect(await code(again.sumStep({ ...keys(3), body: encode({}) }))).toBe('malformed-frame');
    expect(await code(again.sumStep(keys(3, 3)))).toBe('rolled-back');
  });
});
