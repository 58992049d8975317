import { drive, federation, memoryStore, sameEvent, type Link } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { frameOverhead } from '../src/frame.js';
import { opening, publicCoins, remotes, worldOf, type World } from './support/world.js';

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
      const silos = await remotes(world, world.silos.map((_, i) => world.service(i)));
      const { output } = await drive(world.run, federation({ silos }), options(world));
      expect(output).toStrictEqual(here);
      for (const silo of silos) expect(sameEvent(await silo.end('done'), world.run.plan.event)).toBe(true);
    },
  );

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
      Array.from({ length: 8 }, () => [8 * dimension + frameOverhead, 8 * dimension + 16 + frameOverhead]),
    );
  });

  it('goes on from a transcript, with silos that restarted', async () => {
    const whole = worldOf();
    const here = await near(whole);
    for (let stop = 1; stop <= whole.size.rounds + 1; stop++) {
      const world = worldOf();
      const transcript = memoryStore();
      const first = await remotes(world, world.silos.map((_, i) => world.service(i)));
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
      const again = await remotes(world, world.silos.map((_, i) => world.service(i)));
      const { output, resumedAt } = await drive(world.run, federation({ silos: again }), {
        ...options(world),
        transcript,
      });
      expect([output, resumedAt]).toStrictEqual([here, stop]);
    }
  });
});
