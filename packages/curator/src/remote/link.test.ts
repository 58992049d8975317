import { drive, driveSync, memoryStore, type Answered, type Curator, type Store } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import {
  allRecords,
  checkpointed,
  descent,
  everyKind,
  fakeCurator,
  meanAt,
  posed,
  randomness,
  start,
  type Answers,
} from '../../../core/test/drive-world.js';
import {
  BudgetExceeded,
  Corrupt,
  encode,
  seededRandom,
  Unsupported,
  type RandomSource,
} from '@lethe/numerics';
import { linkedCurator, serveLink, withRetries, type Link } from './link.js';

const query = posed(meanAt(start));

/** A link that loses, repeats and delays requests and replies; late requests arrive between later ones. */
function faulty({ request }: Link, dice: RandomSource): Link {
  const late: Uint8Array[] = [];
  return {
    async request(bytes) {
      if (late.length > 0 && dice.uniform() < 0.5)
        await request(late.splice(dice.integer(late.length), 1)[0]);
      if (dice.uniform() < 0.2) late.push(bytes.slice());
      if (dice.uniform() < 0.2) throw new Error('the request is lost');
      if (dice.uniform() < 0.2) await request(bytes);
      const reply = await request(bytes);
      if (dice.uniform() < 0.2) throw new Error('the reply is lost');
      return reply;
    },
  };
}
const far = (curator: Curator): Promise<Curator<Promise<Answered>>> => linkedCurator(serveLink(curator));

/** Answers its last query again, as curators do, and refuses earlier ones. */
function answersLastAgain(secret: Store, seen: Answers): Curator<Answered> {
  const curator = fakeCurator(secret, { seen });
  return {
    ...curator,
    answer(index, asked) {
      if (index < curator.recorded() - 1) throw new Corrupt('asked again', { index });
      return curator.answer(index, asked);
    },
  };
}

describe('a curator at the other end of a link', () => {
  it.each(Object.entries({ descent, everyKind, checkpointed }))(
    'gives %s the same output, ledger and transcript as one at hand',
    async (_, run) => {
      const near = { secret: memoryStore(), transcript: memoryStore() };
      const away = { secret: memoryStore(), transcript: memoryStore() };
      const options = { start, random: randomness() };
      const here = driveSync(run, fakeCurator(near.secret), { ...options, transcript: near.transcript });
      const there = await drive(run, await far(fakeCurator(away.secret)), {
        ...options,
        transcript: away.transcript,
      });
      expect(there).toStrictEqual(here);
      expect(away.secret.read()).toStrictEqual(near.secret.read());
      expect(away.transcript.read()).toStrictEqual(near.transcript.read());
      expect(
        await drive(run, await far(fakeCurator(away.secret)), { ...options, transcript: away.transcript }),
      ).toMatchObject({ output: here.output });
    },
  );

  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'is asked until it replies, over a link with faults of seed %i',
    async (seed) => {
      const here = driveSync(descent, fakeCurator(memoryStore()), { start, random: randomness() });
      const seen: Answers = new Map();
      const link = faulty(serveLink(answersLastAgain(memoryStore(), seen)), seededRandom(`faults ${seed}`));
      const curator = await linkedCurator(link, { attempts: 200 });
      expect(await drive(descent, curator, { start, random: randomness() })).toStrictEqual(here);
      expect(Math.max(...[...seen.values()].map(({ size }) => size))).toBe(1);
    },
  );

  it('tells who it is, what it has on record and what was spent', async () => {
    const secret = memoryStore();
    const near = fakeCurator(secret);
    const curator = await far(near);
    expect([curator.facts, curator.allRecords, curator.recorded()]).toStrictEqual([
      near.facts,
      allRecords,
      0,
    ]);
    await curator.answer(0, query);
    expect(curator.recorded()).toBe(1);
    expect(await curator.spent()).toStrictEqual(near.spent());
  });

  it('fails as it failed at the other side, and keeps there what could tell of the data', async () => {
    const failures: unknown[] = [];
    const errors = [new BudgetExceeded('spent', { limit: 1 }), new TypeError('record 17 is odd')];
    const failing = fakeCurator(memoryStore(), {
      answer: () => {
        throw errors[failures.length];
      },
    });
    const curator = await linkedCurator(serveLink(failing, { onFailure: (error) => failures.push(error) }));
    await expect(curator.answer(0, query)).rejects.toMatchObject({
      code: 'budget-exceeded',
      message: 'spent',
      details: { limit: 1 },
    });
    const hidden: unknown = await curator.answer(0, query).catch((error: unknown) => error);
    expect(hidden).toBeInstanceOf(Unsupported);
    expect((hidden as Error).message).not.toContain('17');
    expect(failures).toStrictEqual(errors);
  });

  it('replies to bytes that make no sense with a failure', async () => {
    const link = serveLink(fakeCurator(memoryStore()));
    for (const bytes of [
      Uint8Array.of(),
      Uint8Array.of(99),
      encode(null),
      encode({ to: 'dance' }),
      encode(7),
    ])
      await expect(linkedCurator({ request: () => link.request(bytes) })).rejects.toMatchObject({
        code: expect.stringMatching(/corrupt|invalid-parameter/u) as string,
      });
  });

  it('says that nobody replied, after the pauses asked for', async () => {
    const pauses: number[] = [];
    const cause = new Error('no route');
    await expect(
      linkedCurator(
        { request: () => Promise.reject(cause) },
        { attempts: 3, pause: async (failures) => void pauses.push(failures) },
      ),
    ).rejects.toMatchObject({ code: 'unsupported', cause });
    expect(pauses).toStrictEqual([1, 2]);
    await expect(withRetries(async () => 1, { attempts: 0 })).rejects.toThrow('attempts is 0');
    await expect(linkedCurator({} as Link)).rejects.toThrow('which has request');
  });
});
