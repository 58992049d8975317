import { drive, memoryStore, sameEvent, seededRandom } from '@lethe/core';
import { federation, trustedFederation, type Link } from '@lethe/curator/federation';
import { describe, expect, it } from 'vitest';
import { frameOverhead, largestPart } from '../src/frame.js';
import { pointsForAll, refusalOf } from '../src/index.js';
import {
  opening,
  openingRaw,
  publicCoins,
  rawRemotes,
  registry,
  remotes,
  worldOf,
  type World,
} from './support/world.js';

const total = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const options = (world: World) => ({ start: world.start, random: publicCoins() });

/** The same silos in this process, without links. */
async function near(world: World): Promise<Float64Array> {
  const silos = world.silos.map((_, silo) =>
    opening(world, { sealed: world.sealed, silo, place: undefined }, world.stores[silo].ledger),
  );
  return (await drive(world.run, federation({ silos }), options(world))).output;
}

describe('a federated run over links', () => {
  it.each([false, true])(
    'has the output of the same silos at hand, and spends the plan (rounds may be missed: %s)',
    async (gaps) => {
      const world = worldOf({ gaps });
      const here = await near(worldOf());
      const silos = await remotes(
        world,
        world.silos.map((_, i) => world.service(i)),
      );
      const { output } = await drive(world.run, federation({ silos }), options(world));
      expect(output).toStrictEqual(here);
      for (const silo of silos) expect(sameEvent(await silo.end('done'), world.run.plan.event)).toBe(true);
    },
  );

  it('sends sums to a trusted server sealed, and has the output of the same silos at hand', async () => {
    const given = worldOf({ server: 'trusted' });
    const own = given.silos.map((_, silo) =>
      openingRaw(given, { sealed: given.sealed, silo, place: undefined }, given.stores[silo].ledger),
    );
    const here = await drive(given.run, trustedFederation({ silos: own, registry }), options(given));
    for (const mayRestart of [false, true]) {
      const world = worldOf({ server: 'trusted' });
      const seen: string[] = [];
      const dice = seededRandom('restarts');
      const links = world.silos.map((_, i): Link => {
        let service = world.service(i);
        return {
          async request(bytes) {
            if (mayRestart && dice.uniform() < 0.3) service = world.service(i);
            const reply = await service.request(bytes);
            seen.push(Buffer.from(reply).toString('latin1'));
            if (mayRestart && dice.uniform() < 0.3) throw new Error('lost');
            return reply;
          },
        };
      });
      const silos = await rawRemotes(world, links);
      const there = await drive(world.run, trustedFederation({ silos, registry }), options(world));
      expect(there.output).toStrictEqual(here.output);
      // No sum, and no share of the server's randomness, is in what an eavesdropper sees.
      const secrets = [
        ...own.map(({ share }) => share),
        ...own.flatMap((silo) => {
          const sum = silo.place()?.sum;
          return sum == null ? [] : [new Uint8Array(sum.slice(0, 1).buffer)];
        }),
      ];
      expect(secrets.length).toBeGreaterThan(own.length);
      for (const secret of secrets) {
        const text = Buffer.from(secret).toString('latin1');
        expect(seen.some((reply) => reply.includes(text))).toBe(false);
      }
      // The last sum is there for whoever has the key: sealed messages differ from it in nothing else.
      await expect(remotes(world, links)).rejects.toThrow(/reach its silos by remoteRawSilo/u);
    }
    const untrusted = worldOf();
    await expect(
      rawRemotes(
        untrusted,
        untrusted.silos.map((_, i) => untrusted.service(i)),
      ),
    ).rejects.toThrow(/does not trust its server/u);
    const trusting = worldOf({ server: 'trusted' });
    const wrong = trusting.service(0, {
      open: (run) => opening(untrusted, run, trusting.stores[0].ledger),
    });
    expect(refusalOf(await rawRemotes(trusting, [wrong]).catch((error: unknown) => error))).toBe(
      'wrong-optimizer',
    );
  });

  it('takes what a message says when it arrives, whatever its sender makes of the bytes then', async () => {
    const world = worldOf();
    const links = world.silos.map((_, i): Link => {
      const service = world.service(i);
      return {
        request(bytes) {
          const sent = bytes.slice();
          const reply = service.request(sent);
          sent.fill(0);
          return reply;
        },
      };
    });
    const silos = await remotes(world, links);
    const { output } = await drive(world.run, federation({ silos }), options(world));
    expect(output).toStrictEqual(await near(worldOf()));
  });

  it('sends a point once to all silos, and again in the query of one that it did not reach', async () => {
    // Two pieces a point.
    const dimension = largestPart / 8 + 100;
    const size = { silos: 2, rounds: 4, batchSize: 1, dimension };
    const world = worldOf(size);
    const sizes: number[][] = [[], []];
    const services = world.silos.map((_, i) => world.service(i));
    const links = services.map((service, i): Link => ({
      request(bytes) {
        sizes[i].push(bytes.length);
        return service.request(bytes);
      },
    }));
    let published = 0;
    const points = pointsForAll((piece) => {
      published += 1;
      for (const length of [0, 1, piece.length]) services[0].take(new Uint8Array(length).fill(1));
      services[0].take(piece);
      // The other silo misses the first point, and a piece of the third.
      if (published > 2 && published !== 6) services[1].take(piece);
      services[1].take(new Uint8Array(piece.length).fill(1));
    });
    const silos = await remotes(world, links, { points });
    const { output } = await drive(world.run, federation({ silos }), options(world));
    expect(output).toStrictEqual(await near(worldOf(size)));
    expect(published).toBe(8);
    const named = 4 + 2 * 32 + frameOverhead;
    expect(sizes[0].slice(-4)).toStrictEqual([named, named, named, named]);
    const whole = (count: number) => 4 + 8 * count * dimension + (count === 1 ? 2 : 3) * frameOverhead;
    // About the newest point, and the one before, which it has.
    expect(sizes[1].slice(-6)).toStrictEqual([named, whole(1), named, named, whole(2), named]);
    expect(silos[0].traffic.sent - silos[1].traffic.sent).toBe(total(sizes[0]) - total(sizes[1]));
    expect(silos[0].traffic.sent).toBeGreaterThan(4 * 8 * dimension);
  });

  it('sends the point down and one vector up', async () => {
    const dimension = 2000;
    const world = worldOf({ silos: 1, rounds: 8, dimension });
    const sizes: [number, number][] = [];
    const service = world.service(0);
    const spied: Link = {
      async request(bytes) {
        const reply = await service.request(bytes);
        sizes.push([bytes.length, reply.length]);
        return reply;
      },
    };
    const silos = await remotes(world, [spied]);
    await drive(world.run, federation({ silos }), options(world));
    expect(sizes.slice(-8)).toStrictEqual(
      // Answers are on a public grid: 4 bytes a number, and the exponent of the grid.
      Array.from({ length: 8 }, () => [
        4 + 8 * dimension + frameOverhead,
        4 * dimension + 2 + 16 + frameOverhead,
      ]),
    );
  });

  it('goes on from a transcript, with silos that restarted', async () => {
    const whole = worldOf();
    const here = await near(whole);
    for (let stop = 1; stop <= whole.size.rounds + 1; stop++) {
      const world = worldOf();
      const transcript = memoryStore();
      const first = await remotes(
        world,
        world.silos.map((_, i) => world.service(i)),
      );
      let queries = 0;
      await expect(
        drive(world.run, federation({ silos: first }), {
          ...options(world),
          transcript,
          signal: {
            throwIfAborted() {
              if (queries++ === stop) throw new Error('the server stops');
            },
          },
        }),
      ).rejects.toThrow('the server stops');
      const again = await remotes(
        world,
        world.silos.map((_, i) => world.service(i)),
      );
      const { output, resumedAt } = await drive(world.run, federation({ silos: again }), {
        ...options(world),
        transcript,
      });
      expect([output, resumedAt]).toStrictEqual([here, stop]);
    }
  });
});
