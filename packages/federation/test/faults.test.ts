import { drive, memoryStore, sameEvent, seededRandom, type RandomSource, type Store } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { federation, type Link } from '@lethe/curator/federation';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../src/index.js';
import { cutLog, opening, publicCoins, remotes, worldOf, type World } from './support/world.js';

/** A process that was killed: thrown in place of what it would have done. */
class Killed extends Error {}

/** A store whose process may be killed before and after each write. What was written stays. */
const mortal = (store: Store, dice: RandomSource, rate: number): Store => {
  const perhaps = (): void => {
    if (dice.uniform() < rate) throw new Killed('killed');
  };
  const killing =
    <Arguments extends readonly unknown[]>(write: (...given: Arguments) => void) =>
    (...given: Arguments): void => {
      perhaps();
      write(...given);
      perhaps();
    };
  return {
    read: () => store.read(),
    truncate: (length) => store.truncate(length),
    append: killing((bytes: Uint8Array) => store.append(bytes)),
    replace: killing((bytes: Uint8Array) => store.replace(bytes)),
  };
};

interface Faults {
  /** Of a kill at each write, and before each reply. */
  readonly kills: number;
  /** Of each kind of loss, repetition, delay. */
  readonly losses: number;
}

/** What a silo sent, by query: more than one form of one query is a second answer. */
type Sent = Map<number, Set<string>>;

/** A silo that is killed now and then and started again from its stores, over a network with faults. */
function faultySilo(world: World, silo: number, dice: RandomSource, faults: Faults, sent: Sent): Link {
  const { kills, losses } = faults;
  let killed = 0;
  const start = () => {
    const rate = killed > 6 ? 0 : kills;
    const isDead = { now: false };
    const ledger = mortal(world.stores[silo].ledger, dice, rate);
    const service = world.service(silo, {
      store: mortal(world.stores[silo].log, dice, rate),
      open: (run) => opening(world, run, ledger),
      onEvent(event) {
        // Whoever catches the end of the process is part of it.
        const { cause } = event.what === 'refused' ? (event.error as Error) : {};
        if (event.what === 'refused' && (event.error instanceof Killed || cause instanceof Killed))
          isDead.now = true;
      },
    });
    return { service, isDead };
  };
  let process = start();
  const late: Uint8Array[] = [];
  const deliver = async (bytes: Uint8Array): Promise<Uint8Array> => {
    const { service, isDead } = process;
    const reply = await service.request(bytes);
    if (!isDead.now && reply[4] === 5) {
      const round = Buffer.from(reply).readUInt32LE(12);
      sent.set(round, (sent.get(round) ?? new Set()).add(Buffer.from(reply).toString('base64')));
    }
    if (!isDead.now && killed <= 6 && dice.uniform() < kills) isDead.now = true;
    if (!isDead.now) return reply;
    killed += 1;
    process = start();
    throw new Killed('no reply');
  };
  return {
    async request(bytes) {
      const own = bytes.slice();
      if (late.length > 0 && dice.uniform() < 0.5)
        await deliver(late.splice(dice.integer(late.length), 1)[0]).catch(() => undefined);
      if (dice.uniform() < losses) late.push(own);
      if (dice.uniform() < losses) throw new Error('the request is lost');
      if (dice.uniform() < losses) await deliver(own).catch(() => undefined);
      const reply = await deliver(own);
      if (dice.uniform() < losses) throw new Error('the reply is lost');
      return reply;
    },
  };
}

const size = { silos: 2, rounds: 4, batchSize: 1, dimension: 3 };
const expectedOutput = async (): Promise<Float64Array> => {
  const world = worldOf(size);
  const silos = world.silos.map((_, silo) =>
    opening(world, { sealed: world.sealed, silo, place: undefined }, memoryStore()),
  );
  const { output } = await drive(world.run, federation({ silos }), {
    start: world.start,
    random: publicCoins(),
  });
  return output;
};
const isFull = process.env['LETHE_EFFORT'] === 'full';
const count = Number(process.env['LETHE_FAULTS'] ?? (isFull ? 24 : 12));

describe('a run with faults', () => {
  const here = expectedOutput();
  it.each(Array.from({ length: count }, (_, seed) => seed))(
    'has the output of the run without, answers nothing twice differently and charges once: seed %i',
    async (seed) => {
      const dice = seededRandom(`faults ${seed}`);
      const world = worldOf({ ...size, gaps: seed % 3 === 2 });
      const faults = { kills: 0.08, losses: 0.12 };
      const sent = world.silos.map((): Sent => new Map());
      const links = world.silos.map((_, i) => faultySilo(world, i, dice.fork(i), faults, sent[i]));
      const transcript = memoryStore();
      const sums = world.silos.map(() => memoryStore());
      let output: Float64Array | undefined;
      // The server is killed as well, and resumes from its transcript.
      for (let starts = 0; output === undefined; starts++) {
        const own = dice.fork(`server ${starts}`);
        const rate = starts > 4 ? 0 : 0.06;
        try {
          const silos = [];
          for (const [i, link] of links.entries())
            silos.push(
              await remotes(
                world,
                [link],
                {
                  attempts: 400,
                  store: mortal(sums[i], own, rate),
                },
                i,
              ),
            );
          ({ output } = await drive(world.run, federation({ silos: silos.flat() }), {
            start: world.start,
            random: publicCoins(),
            transcript: mortal(transcript, own, rate),
          }));
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
        }
      }
      expect(output).toStrictEqual(await here);
      for (const [i, each] of sent.entries()) {
        expect([...each.keys()].toSorted((a, b) => a - b)).toStrictEqual([0, 1, 2, 3, 4, 5]);
        for (const forms of each.values()) expect(forms.size).toBe(1);
        const ledger = openLedger({
          adjacency: 'replace-one',
          store: memoryStore(world.stores[i].ledger.read()),
        });
        expect(sameEvent(ledger.total(), world.run.plan.event)).toBe(true);
      }
    },
  );

  it('goes on without a silo that stays away, and takes it back with the sum it has', async () => {
    const world = worldOf({ ...size, rounds: 8, gaps: true });
    const services = world.silos.map((_, i) => world.service(i));
    let queries = 0;
    const links = services.map((service, i): Link => ({
      request(bytes) {
        const round = Buffer.from(bytes).readUInt32LE(12);
        const isAway = i === 1 && bytes[4] === 4 && round >= 4 && round < 7;
        if (isAway) queries += 1;
        return isAway ? Promise.reject(new Error('silence')) : service.request(bytes);
      },
    }));
    const silos = await remotes(world, links, { attempts: 2 });
    const curator = federation({ silos, isAbsence: (error) => refusalOf(error) === undefined });
    const { output } = await drive(world.run, curator, {
      start: world.start,
      random: publicCoins(),
      checkpointEvery: Infinity,
    });
    expect(queries).toBe(6);
    expect(output.every(Number.isFinite)).toBe(true);
    expect(services.map((service) => service.standing()?.answered)).toStrictEqual([10, 7]);
  });

  it('takes back a silo that was killed between its ledger and its log while the server went on', async () => {
    const world = worldOf({ ...size, rounds: 6, gaps: true });
    const dying = cutLog(world.stores[1]);
    let died = false;
    const services = [world.service(0), world.service(1, { store: dying.store })];
    const links = services.map((_, i): Link => ({
      async request(bytes) {
        const round = Buffer.from(bytes).readUInt32LE(12);
        if (i === 0 || bytes[4] !== 4 || round !== 4) return await services[i].request(bytes);
        // It notes the query and charges it, and dies before it has stored its answer.
        if (!died) {
          dying.cut();
          await services[1].request(bytes);
          services[1] = world.service(1);
          died = true;
        }
        throw new Error('silence');
      },
    }));
    const silos = await remotes(world, links, { attempts: 2 });
    const { output } = await drive(
      world.run,
      federation({ silos, isAbsence: (error) => refusalOf(error) === undefined }),
      { start: world.start, random: publicCoins(), checkpointEvery: Infinity },
    );
    expect(output.every(Number.isFinite)).toBe(true);
    // Its answer to query 4 is in the sum that it sends with query 5: nothing is lost.
    expect(services.map((service) => service.standing()?.answered)).toStrictEqual([8, 8]);
  });

  it('ends clearly where a silo has forgotten what it sent', async () => {
    const world = worldOf(size);
    const service = world.service(0);
    const old = memoryStore(world.stores[0].ledger.read());
    const [silo] = await remotes(world, [service]);
    await drive(
      world.run,
      federation({ silos: [silo, ...(await remotes(world, [world.service(1)], {}, 1))] }),
      {
        start: world.start,
        random: publicCoins(),
      },
    );
    const restored = worldOf(size).service(0, {
      store: world.stores[0].log,
      open: (run) => opening(world, run, old),
    });
    const failure = await remotes(world, [restored]).catch((error: unknown) => error);
    expect(refusalOf(failure)).toBe('rolled-back');
    expect((failure as Error).message).toMatch(/The run ends; what was spent stays spent/u);
  });
});
