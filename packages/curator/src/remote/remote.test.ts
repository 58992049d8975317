import { ask, drive, driveSync, memoryStore, type Answered, type Curator, type Store } from '@lethe/core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  allRecords,
  checkpointed,
  descent,
  everyKind,
  fakeCurator,
  meanAt,
  noiseOf,
  posed,
  randomness,
  start,
  toyPlan,
  toyRun,
  type FakeOptions,
} from '../../../core/test/drive-world.js';
import {
  BudgetExceeded,
  Corrupt,
  IncompatiblePlugins,
  InvalidData,
  InvalidParameter,
  Unsupported,
} from '@lethe/numerics';
import { remoteCurator, type RemoteCurator } from './remote.js';
import { serveCurator } from './serve.js';
import { listen } from './wire.js';

type Channel = InstanceType<typeof MessageChannel>;
const open: Channel[] = [];
afterEach(() => {
  for (const { port1, port2 } of open.splice(0)) {
    port1.close();
    port2.close();
  }
});
const channel = (): Channel => {
  const made = new MessageChannel();
  open.push(made);
  return made;
};
const query = posed(meanAt(start));
const selection = posed(
  ask.select({
    base: toyPlan,
    start,
    batch: allRecords,
    score: { statistic: { of: 'risk' }, noise: noiseOf },
    stopProbability: 0.5,
    cap: 3,
  }),
);

async function across(curator: Curator, onFailure?: (error: unknown) => void): Promise<RemoteCurator> {
  const { port1, port2 } = channel();
  serveCurator(curator, port2, onFailure ? { onFailure } : {});
  return remoteCurator(port1);
}
const remote = (secret: Store, options: FakeOptions = {}): Promise<RemoteCurator> =>
  across(fakeCurator(secret, options));
const answering = (answer: () => unknown): Curator<Answered> => fakeCurator(memoryStore(), { answer });
const throwing = (error: unknown): Curator<Answered> =>
  answering(() => {
    throw error;
  });

describe('a curator at the other end of a port', () => {
  it.each(Object.entries({ descent, everyKind, checkpointed }))(
    'gives %s the same output, ledger and transcript as one at hand',
    async (_, run) => {
      const near = { secret: memoryStore(), transcript: memoryStore() };
      const far = { secret: memoryStore(), transcript: memoryStore() };
      const here = driveSync(run, fakeCurator(near.secret), {
        start,
        random: randomness(),
        transcript: near.transcript,
      });
      expect(
        await drive(run, await remote(far.secret), {
          start,
          random: randomness(),
          transcript: far.transcript,
        }),
      ).toStrictEqual(here);
      expect([far.secret.read(), far.transcript.read()]).toStrictEqual([
        near.secret.read(),
        near.transcript.read(),
      ]);
    },
  );

  it('tells who it is, what it has on record and what was spent', async () => {
    const secret = memoryStore();
    const near = fakeCurator(secret);
    const far = await remote(secret);
    expect({ facts: far.facts, allRecords: far.allRecords, recorded: far.recorded() }).toStrictEqual({
      facts: near.facts,
      allRecords,
      recorded: 0,
    });
    await far.answer(0, query);
    expect(far.recorded()).toBe(1);
    expect(await far.spent()).toStrictEqual(near.spent());
    expect((await remote(secret)).recorded()).toBe(1);
  });

  it('resumes, and refuses a transcript that its ledger does not know', async () => {
    const secret = memoryStore();
    const transcript = memoryStore();
    const whole = driveSync(descent, fakeCurator(secret), { start, random: randomness(), transcript });
    expect(
      await drive(descent, await remote(secret), { start, random: randomness(), transcript }),
    ).toStrictEqual({
      ...whole,
      resumedAt: 8,
    });
    await expect(
      drive(descent, await remote(memoryStore()), { start, random: randomness(), transcript }),
    ).rejects.toThrow(/older than the transcript/u);
    const changed = toyRun(function* (context) {
      context.start[0] += 1;
      return yield* descent.steps(context);
    });
    await expect(
      drive(changed, await remote(secret), { start, random: randomness(), transcript }),
    ).rejects.toBeInstanceOf(Corrupt);
  });

  it('can be handed on to a third side', async () => {
    const here = driveSync(descent, fakeCurator(memoryStore()), { start, random: randomness() });
    expect(
      await drive(descent, await across(await remote(memoryStore())), { start, random: randomness() }),
    ).toStrictEqual(here);
  });

  it('is sent a query as it is when it is asked, and no more of its buffer than it shows', async () => {
    const sent: unknown[] = [];
    const { port1, port2 } = channel();
    const tapped = {
      addEventListener: port1.addEventListener.bind(port1),
      removeEventListener: port1.removeEventListener.bind(port1),
      start: () => port1.start(),
      postMessage(message: unknown, transfer: ArrayBuffer[] = []) {
        sent.push((message as { query?: Uint8Array }).query?.length);
        port1.postMessage(message, transfer);
      },
    };
    serveCurator(
      answering(() => Float64Array.of(7)),
      port2,
    );
    const far = await remoteCurator(tapped);
    const arena = new Float64Array(100_000);
    const at = arena.subarray(5, 8);
    const lent = posed(meanAt(at));
    const asked = far.answer(0, lent);
    at.fill(9);
    const { digest } = await asked;
    expect(digest).toBe(fakeCurator(memoryStore()).answer(0, posed(meanAt(new Float64Array(3)))).digest);
    expect(sent[1]).toBeLessThan(1000);
    expect(at).toHaveLength(3);
  });

  it('moves the arrays of its answers, and keeps its own when an answer shows part of them', async () => {
    const whole = Float64Array.of(1, 2, 3);
    const arena = Float64Array.of(1, 2, 3, 4);
    const point = Float64Array.of(5);
    const shared = new Float64Array(new SharedArrayBuffer(16));
    const answers = [whole, arena.subarray(1, 3), { point, score: 1 }, shared];
    const far = await across(answering(() => answers.shift()));
    const given = [];
    for (let i = 0; i < 4; i++) given.push(await far.answer(i, i === 2 ? selection : query));
    expect(given.map(({ answer }) => answer)).toStrictEqual([
      Float64Array.of(1, 2, 3),
      Float64Array.of(2, 3),
      { point: Float64Array.of(5), score: 1 },
      new Float64Array(2),
    ]);
    expect([whole.length, arena.length, point.length, shared.length]).toStrictEqual([0, 4, 0, 2]);
  });
});

describe('failures', () => {
  it.each([
    new BudgetExceeded('spent', { spent: { kind: 'core/free', v: 1 }, limit: 1 }),
    new Corrupt('damaged', { byte: 3 }),
    new Unsupported('not here'),
    new InvalidParameter('bad', { issues: [{ path: ['a'] }] }),
    new IncompatiblePlugins('no fit'),
  ])('cross with their type, message and details: $code', async (error) => {
    const near: unknown[] = [];
    const failure: unknown = await (
      await across(throwing(error), (one) => near.push(one))
    )
      .answer(0, query)
      .catch((caught: unknown) => caught);
    expect(failure).toBeInstanceOf(error.constructor);
    expect(failure).toMatchObject({ code: error.code, message: error.message, details: error.details });
    expect(near).toStrictEqual([error]);
  });

  it.each([
    new InvalidData('row 17 holds NaN', { row: 17 }),
    new TypeError('record 17 is odd'),
    'row 17',
    undefined,
  ])('that could tell of the data stay with their owner: %s', async (error) => {
    const near: unknown[] = [];
    const failure: unknown = await (
      await across(throwing(error), (one) => near.push(one))
    )
      .answer(0, query)
      .catch((caught: unknown) => caught);
    expect(failure).toBeInstanceOf(Unsupported);
    expect(
      JSON.stringify([(failure as Unsupported).message, (failure as Unsupported).details]),
    ).not.toContain('17');
    expect(near).toStrictEqual([error]);
  });

  it('do not stop the service, even when their details are not plain', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    let calls = 0;
    const far = await across(
      answering(() => {
        if (calls++ === 0) throw new Unsupported('odd', cyclic);
        return Float64Array.of(1);
      }),
    );
    await expect(far.answer(0, query)).rejects.toThrow('odd');
    await expect(far.answer(0, query)).resolves.toHaveProperty('answer', Float64Array.of(1));
  });

  it('of an answer that cannot be sent are failures like others', async () => {
    await expect((await across(answering(() => () => 0))).answer(0, query)).rejects.toBeInstanceOf(
      Unsupported,
    );
  });

  it('close the optimizer without telling it', async () => {
    const events: string[] = [];
    const run = toyRun(function* ({ start: w }) {
      try {
        return yield* meanAt(w);
      } catch {
        events.push('caught');
        return w;
      } finally {
        events.push('closed');
      }
    });
    await expect(
      drive(run, await across(throwing(new BudgetExceeded('spent'))), { start, random: randomness() }),
    ).rejects.toBeInstanceOf(BudgetExceeded);
    expect(events).toStrictEqual(['closed']);
  });

  it('of the other side end what is waited for', async () => {
    const { port1, port2 } = channel();
    const stop = serveCurator(fakeCurator(memoryStore()), port2);
    const far = await remoteCurator(port1);
    const gone = new Error('worker exited');
    stop();
    const waiting = far.answer(0, query);
    far.disconnect(gone);
    await expect(waiting).rejects.toHaveProperty('cause', gone);
    await expect(far.answer(0, query)).rejects.toBeInstanceOf(Unsupported);
  });

  it('come back for calls that make no sense, and nothing for what is no call', async () => {
    const { port1, port2 } = channel();
    const replies: { call: number; failed: { code: string } }[] = [];
    serveCurator(fakeCurator(memoryStore()), port2);
    const done = new Promise<void>((resolve) => {
      listen<(typeof replies)[number]>(port1, (data) => {
        replies.push(data);
        if (data.call === 9) resolve();
      });
    });
    for (const message of [
      null,
      3,
      'x',
      {},
      { call: 'x' },
      { call: 1, to: 'dance' },
      { call: 2, to: 'answer', index: 0, query: Uint8Array.of(99) },
      { call: 9, to: 'replay', index: 0, query: Uint8Array.of(0), digest: '' },
    ])
      port1.postMessage(message);
    await done;
    expect(replies.map(({ call, failed }) => [call, failed.code])).toStrictEqual([
      [1, 'invalid-parameter'],
      [2, 'corrupt'],
      [9, 'corrupt'],
    ]);
  });
});
