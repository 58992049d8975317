import { drive, memoryStore, sameEvent, seededRandom, type Link } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { frameOverhead } from '../src/frame.js';
import { averaged, remotes, worldOf, type World } from './support/world.js';

const options = (world: World) => ({ start: world.start, random: seededRandom('public') });

/** The same silos in this process, without links. */
async function near(world: World): Promise<Float64Array> {
  const curators = world.silos.map((_, i) => world.options(i).open(world.sealed));
  return (await drive(world.run, averaged(curators), options(world))).output;
}

describe('a federated run over links', () => {
  it.each(['untrusted-server', 'trusted-aggregator'] as const)(
    'has the output of the same silos at hand, and spends the plan (%s)',
    async (trust) => {
      const world = worldOf({ trust });
      const here = await near(worldOf({ trust }));
      const silos = await remotes(world, world.silos.map((_, i) => world.service(i)));
      const { output } = await drive(world.run, averaged(silos), options(world));
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
    await drive(world.run, averaged(silos), options(world));
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
        drive(world.run, averaged(first), {
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
      const { output, resumedAt } = await drive(world.run, averaged(again), {
        ...options(world),
        transcript,
      });
      expect([output, resumedAt]).toStrictEqual([here, stop]);
    }
  });
});
