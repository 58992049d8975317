import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import {
  allRecords,
  byNoise,
  checkpointed,
  descent,
  everyKind,
  fakeCurator,
  meanAt,
  posed,
  randomness,
  start,
  toyRun,
  type Steps,
} from '../../test/drive-world.js';
import type { Answered, Curator } from './curator.js';
import { BudgetExceeded, Corrupt, IncompatiblePlugins, InvalidParameter, Unsupported } from '@lethe/numerics';
import { openLog } from '../journal/log.js';
import { memoryStore, type Store } from '../journal/store.js';
import { ask, type Program } from '../query/ask.js';
import type { Query } from '../query/query.js';
import { drive, driveOnce, driveSync } from './drive.js';
import type { DriveOptions, Progress } from './options.js';

const options = (more: Partial<DriveOptions> = {}): DriveOptions => ({
  start,
  random: randomness(),
  ...more,
});
const curator = (note?: (what: string) => void): Curator<Answered> =>
  fakeCurator(memoryStore(), note ? { note } : {});
/** The same curator behind promises. */
const distant = (near: Curator<Answered>): Curator<Promise<Answered>> => ({
  ...near,
  answer: async (index, query) => near.answer(index, query),
  replay: async (index, query, digest) => near.replay(index, query, digest),
  spent: async () => near.spent(),
});
const failingAt = (fatal: number, error: Error): Curator<Answered> => {
  const whole = curator();
  return {
    ...whole,
    answer: (index, query) => {
      if (index === fatal) throw error;
      return whole.answer(index, query);
    },
  };
};
const tornPower = new BudgetExceeded('the limit is 1', { limit: 1 });

describe('a plan for another number of records', () => {
  const grown = { ...descent, problem: { ...descent.problem, slots: [101] } };
  it('is refused before anything is asked or written', async () => {
    const asked: string[] = [];
    const transcript = memoryStore();
    const message =
      /planned for slots \[101\], and means of the curator of run 'run-1' are over 100; prepare with problem\.slots \[100\]/;
    expect(() =>
      driveSync(
        grown,
        curator((what) => asked.push(what)),
        options({ transcript }),
      ),
    ).toThrow(InvalidParameter);
    expect(() =>
      driveSync(
        grown,
        curator((what) => asked.push(what)),
        options({ transcript }),
      ),
    ).toThrow(message);
    await expect(
      drive(grown, distant(curator((what) => asked.push(what))), options({ transcript })),
    ).rejects.toThrow(message);
    expect(asked).toStrictEqual([]);
    expect(transcript.read()).toHaveLength(0);
    expect(driveSync(descent, curator(), options({ transcript })).queries).toBe(8);
  });

  it('is no matter where there is no one data set', () => {
    const silos = {
      ...grown,
      problem: {
        ...grown.problem,
        slots: [1, 2],
        trust: { model: 'federated', silos: 2, server: 'trusted' },
      },
    } as const;
    expect(driveSync(silos, curator(), options()).queries).toBe(8);
  });
});

describe('driving', () => {
  it.each(Object.entries({ descent, everyKind, checkpointed }))(
    'gives the same for %s whether it waits or not',
    async (_, run) => {
      const here = driveSync(run, curator(), options());
      expect(await drive(run, curator(), options())).toStrictEqual(here);
      expect(await drive(run, distant(curator()), options())).toStrictEqual(here);
      expect(here.output.every(Number.isFinite)).toBe(true);
    },
  );

  it.each(Object.entries({ descent, everyKind, checkpointed }))(
    'gives the same for %s without the code of transcripts',
    async (_, run) => {
      expect(await driveOnce(run, curator(), options())).toStrictEqual(driveSync(run, curator(), options()));
    },
  );

  it('asks nothing where a transcript is given to what keeps none', async () => {
    const asked: string[] = [];
    const transcript = memoryStore();
    await expect(
      driveOnce(
        descent,
        curator((what) => asked.push(what)),
        options({ transcript }),
      ),
    ).rejects.toThrow(Unsupported);
    expect(asked).toStrictEqual([]);
    expect(transcript.read()).toHaveLength(0);
  });

  it('resumes through promises', async () => {
    const secret = memoryStore();
    const transcript = memoryStore();
    const whole = driveSync(descent, fakeCurator(secret), options({ transcript }));
    expect(await drive(descent, distant(fakeCurator(secret)), options({ transcript }))).toStrictEqual({
      ...whole,
      resumedAt: 8,
    });
  });

  it('copies the start, for steps that work in place', () => {
    const mine = start.slice();
    driveSync(descent, curator(), options({ start: mine }));
    expect(mine).toStrictEqual(start);
  });

  it('draws public coins from the key, whatever was drawn from the source before', () => {
    const random = randomness();
    const whole = driveSync(descent, curator(), options({ random }));
    random.uniform();
    expect(driveSync(descent, curator(), options({ random }))).toStrictEqual(whole);
  });

  it('reports progress, and shows each query when it is posed', () => {
    const secret = memoryStore();
    const transcript = memoryStore();
    const seen: string[] = [];
    const progress: Progress[] = [];
    driveSync(
      everyKind,
      fakeCurator(secret),
      options({ transcript, observe: ({ ask: kind }, index) => seen.push(`${index} ${kind}`) }),
    );
    expect(seen).toStrictEqual(
      [
        'draw',
        'split',
        'mean',
        'open',
        'push',
        'value',
        'minimiser',
        'descend',
        'choose',
        'select',
        'close',
      ].map((kind, i) => `${i} ${kind}`),
    );
    const lines = openLog(transcript, { magic: 'lethe-transcript' }).records;
    const shorter = memoryStore();
    openLog(shorter, { magic: 'lethe-transcript' }).rewrite(lines.slice(0, 4));
    driveSync(
      everyKind,
      fakeCurator(secret),
      options({ transcript: shorter, progress: (now) => progress.push(now) }),
    );
    expect(progress).toStrictEqual(
      Array.from({ length: 11 }, (_, i) => ({ queries: i + 1, replayed: Math.min(i + 1, 3) })),
    );
  });

  it('sends checkpoints to no curator and gives them no number', () => {
    const notes: string[] = [];
    expect(
      driveSync(
        checkpointed,
        curator((what) => notes.push(what)),
        options(),
      ).queries,
    ).toBe(9);
    expect(notes).toStrictEqual(Array.from({ length: 9 }, (_, i) => `answer ${i}`));
  });
});

describe('the order of writing', () => {
  it('is: charge, answer, transcript, optimizer', () => {
    const events: string[] = [];
    const tap = (name: string): Store => {
      const inner = memoryStore();
      return {
        ...inner,
        append(bytes) {
          events.push(name);
          inner.append(bytes);
        },
      };
    };
    const run = toyRun(function* ({ start: w }) {
      for (let t = 0; t < 2; t++) {
        yield* meanAt(w);
        events.push(`optimizer ${t}`);
      }
      return w;
    });
    driveSync(
      run,
      fakeCurator(tap('ledger'), { note: (what) => events.push(what) }),
      options({ transcript: tap('transcript') }),
    );
    expect(events).toStrictEqual([
      'ledger',
      'transcript',
      'ledger',
      'answer 0',
      'transcript',
      'optimizer 0',
      'ledger',
      'answer 1',
      'transcript',
      'optimizer 1',
    ]);
  });

  it('stores the answer as it was given, not as the optimizer left it', () => {
    const transcript = memoryStore();
    driveSync(descent, curator(), options({ transcript }));
    const [, ...lines] = openLog(transcript, { magic: 'lethe-transcript' }).records as [
      unknown,
      ...(readonly [Uint8Array, Float64Array])[],
    ];
    expect(lines.every(([, answer]) => answer.every(Number.isFinite))).toBe(true);
  });
});

describe.each([
  ['driveSync', async (steps: Steps, by: Curator<Answered>) => driveSync(toyRun(steps), by, options())],
  ['drive', (steps: Steps, by: Curator<Answered>) => drive(toyRun(steps), distant(by), options())],
] as const)('a failure of the curator, under %s', (_, go) => {
  it('closes the optimizer: finally runs, catch does not', async () => {
    const events: string[] = [];
    const steps: Steps = function* ({ start: w }) {
      try {
        for (;;) {
          yield* meanAt(w);
          events.push('answered');
        }
      } catch {
        events.push('caught');
        return w;
      } finally {
        events.push('closed');
      }
    };
    await expect(go(steps, failingAt(2, tornPower))).rejects.toBe(tornPower);
    expect(events).toStrictEqual(['answered', 'answered', 'closed']);
  });

  it('is not hidden by a query asked while closing, which nobody answers', async () => {
    const notes: string[] = [];
    const steps: Steps = function* ({ start: w }) {
      try {
        return yield* meanAt(w);
      } finally {
        yield* meanAt(w);
        notes.push('answered');
      }
    };
    await expect(go(steps, failingAt(0, tornPower))).rejects.toSatisfy(
      (error) =>
        error instanceof Unsupported && error.cause === tornPower && error.message.includes('finally'),
    );
    expect(notes).toStrictEqual([]);
  });

  it('is not hidden by an error thrown while closing', async () => {
    const steps: Steps = function* ({ start: w }) {
      try {
        return yield* meanAt(w);
      } finally {
        (() => {
          throw new Error('mine');
        })();
      }
    };
    await expect(go(steps, failingAt(0, tornPower))).rejects.toBe(tornPower);
  });

  it('does not come back from a finally that returns', async () => {
    const steps: Steps = function* ({ start: w }) {
      try {
        return yield* meanAt(w);
      } finally {
        // oxlint-disable-next-line no-unsafe-finally -- the point of the test
        return w;
      }
    };
    await expect(go(steps, failingAt(0, tornPower))).rejects.toBe(tornPower);
  });

  it('leaves errors of the optimizer alone', async () => {
    const mine = new RangeError('mine');
    const steps: Steps = function* ({ start: w }) {
      yield* meanAt(w);
      throw mine;
    };
    await expect(go(steps, curator())).rejects.toBe(mine);
  });
});

describe('what cannot be a conversation', () => {
  const wrong: readonly [string, Program<unknown>, readonly unknown[]][] = [
    [
      'mean',
      meanAt(start),
      [null, 1, 'x', [1], Uint32Array.of(1), Float64Array.of(1, NaN), Float64Array.of(Infinity), undefined],
    ],
    [
      'value',
      ask.value({
        statistic: { of: 'risk' },
        at: start,
        batch: allRecords,
        noise: { mechanism: { kind: 'mechanism', name: 'x', params: {} }, target: { rho: 1 } },
      }),
      [null, NaN, Infinity, '1', Float64Array.of(1)],
    ],
    ['close', ask.close(allRecords), [undefined, 0, allRecords]],
    [
      'draw',
      ask.draw({ sampler: { kind: 'sampler', name: 'x', params: {} }, from: allRecords }),
      [
        null,
        {},
        { ...allRecords, id: 1 },
        { ...allRecords, normaliser: NaN },
        { ...allRecords, size: 'huge' },
        { ...allRecords, scope: undefined },
        [allRecords],
      ],
    ],
    [
      'split',
      ask.split({ of: allRecords, order: 'stored', parts: { by: 'size', sizes: [1, 2] } }),
      [allRecords, [allRecords], [allRecords, allRecords, allRecords], [allRecords, null]],
    ],
  ];
  it.each(wrong)(
    'is refused: answers to %s of another type, before they are stored',
    (_, asking, answers) => {
      const query = posed(asking);
      const run = toyRun(function* ({ start: w }) {
        yield query;
        return w;
      });
      for (const answer of answers) {
        const transcript = memoryStore();
        expect(() =>
          driveSync(run, fakeCurator(memoryStore(), { answer: () => answer }), options({ transcript })),
        ).toThrow(IncompatiblePlugins);
        expect(openLog(transcript, { magic: 'lethe-transcript' }).count).toBe(1);
      }
    },
  );

  it('is refused: a curator that answers with promises where nobody waits', () => {
    expect(() => driveSync(descent, distant(curator()) as unknown as Curator<Answered>, options())).toThrow(
      IncompatiblePlugins,
    );
  });

  it.each([[{ ask: 'gradient' }], [3], [undefined], [null], [[]]])(
    'is refused before any data are touched: asking %j',
    (query) => {
      const notes: string[] = [];
      const run = toyRun(function* ({ start: w }) {
        yield query as unknown as Query;
        return w;
      });
      expect(() =>
        driveSync(
          run,
          curator((what) => notes.push(what)),
          options(),
        ),
      ).toThrow(IncompatiblePlugins);
      expect(notes).toStrictEqual([]);
    },
  );

  it.each([Number.NaN, Infinity, -Infinity])('is refused: an optimizer that has diverged to %s', (value) => {
    expect(() =>
      driveSync(
        toyRun(function* ({ start: w }) {
          yield* meanAt(w);
          return Float64Array.of(0, value);
        }),
        curator(),
        options(),
      ),
    ).toThrow(/entry 1 is .*diverged/);
  });

  it('is refused: an optimizer that ends without a point', () => {
    expect(() =>
      driveSync(
        toyRun(function* () {
          yield* meanAt(start);
          return [1];
        } as unknown as Steps),
        curator(),
        options(),
      ),
    ).toThrow(/must return the point/u);
  });

  it.each([
    [{ start: [1] as unknown as Float64Array }],
    [{ start: Float64Array.of(0, NaN) }],
    [{ start: Float64Array.of(-Infinity) }],
    [{ checkpointEvery: 0 }],
    [{ checkpointEvery: NaN }],
    [{ checkpointEvery: -1 }],
  ])('is refused with nothing written: %j', (bad) => {
    const transcript = memoryStore();
    expect(() => driveSync(descent, curator(), options({ transcript, ...bad }))).toThrow(InvalidParameter);
    expect(transcript.read()).toHaveLength(0);
  });

  it('is refused: a query asked twice at another place than the ledger has it', () => {
    const secret = memoryStore();
    driveSync(descent, fakeCurator(secret), options());
    const other = toyRun(function* ({ start: w }) {
      yield* ask.mean({ at: w, batch: allRecords, ...byNoise });
      yield* meanAt(w);
      return w;
    });
    expect(() => driveSync(other, fakeCurator(secret), options())).toThrow(Corrupt);
  });
});

describe('stopping', () => {
  const reason = new Error('enough');
  const stopAfter = (checks: number): { throwIfAborted(): void } => ({
    throwIfAborted: () => {
      if (checks-- === 0) throw reason;
    },
  });

  it('happens before a query is sent, closes the optimizer, and can be resumed', () => {
    const whole = driveSync(descent, curator(), options());
    for (let after = 0; after < 8; after++) {
      const secret = memoryStore();
      const transcript = memoryStore();
      const notes: string[] = [];
      const closed = vi.fn<() => void>();
      const steps: Steps = function* (context) {
        try {
          return yield* descent.steps(context);
        } finally {
          closed();
        }
      };
      expect(() =>
        driveSync(
          { ...descent, steps },
          fakeCurator(secret, { note: (what) => notes.push(what) }),
          options({ transcript, signal: stopAfter(after) }),
        ),
      ).toThrow(reason);
      expect(notes).toHaveLength(after);
      expect(closed).toHaveBeenCalledOnce();
      expect(driveSync(descent, fakeCurator(secret), options({ transcript }))).toStrictEqual({
        ...whole,
        resumedAt: after,
      });
    }
  });

  it('happens after a pause, and before the query it preceded', async () => {
    const controller = new AbortController();
    const notes: string[] = [];
    let pauses = 0;
    const pause = async (): Promise<void> => {
      if (++pauses === 3) controller.abort(reason);
    };
    await expect(
      drive(
        descent,
        curator((what) => notes.push(what)),
        { ...options(), signal: controller.signal, pause },
      ),
    ).rejects.toBe(reason);
    expect(notes).toStrictEqual(['answer 0', 'answer 1']);
  });

  it('keeps the answer that was under way', async () => {
    const controller = new AbortController();
    const secret = memoryStore();
    const transcript = memoryStore();
    const near = fakeCurator(secret);
    const slow: Curator<Promise<Answered>> = {
      ...distant(near),
      answer: async (index, query) => {
        if (index === 2) controller.abort(reason);
        return near.answer(index, query);
      },
    };
    await expect(drive(descent, slow, options({ transcript, signal: controller.signal }))).rejects.toBe(
      reason,
    );
    expect(driveSync(descent, fakeCurator(secret), options({ transcript })).resumedAt).toBe(3);
  });

  it('can come from a timer when there are pauses, which let the event loop breathe', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 0);
    let queries = 0;
    const endless = toyRun(function* ({ start: w }) {
      for (;;) {
        queries++;
        yield* meanAt(w);
      }
    });
    const pause = (): Promise<void> | undefined =>
      queries % 16 === 0
        ? new Promise((resolve) => {
            setImmediate(resolve);
          })
        : undefined;
    await expect(drive(endless, curator(), { ...options(), signal: controller.signal, pause })).rejects.toBe(
      reason,
    );
  });

  it('ends the run when a pause, an observer or a progress report fails', async () => {
    const closed = vi.fn<() => void>();
    const steps: Steps = function* (context) {
      try {
        return yield* descent.steps(context);
      } finally {
        closed();
      }
    };
    const fail = (): never => {
      throw reason;
    };
    await expect(drive({ ...descent, steps }, curator(), { ...options(), pause: fail })).rejects.toBe(reason);
    await expect(drive({ ...descent, steps }, curator(), options({ observe: fail }))).rejects.toBe(reason);
    await expect(drive({ ...descent, steps }, curator(), options({ progress: fail }))).rejects.toBe(reason);
    expect(closed).toHaveBeenCalledTimes(3);
  });
});

it('a curator that may be anywhere cannot be driven without waiting', () => {
  expectTypeOf<Curator<Promise<Answered>>>().not.toExtend<Parameters<typeof driveSync>[1]>();
  expectTypeOf<Curator<Promise<Answered>>>().toExtend<Parameters<typeof drive>[1]>();
  expectTypeOf<Curator<Answered>>().toExtend<Parameters<typeof drive>[1]>();
});
