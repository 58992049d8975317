import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkpointed,
  descent,
  everyKind,
  failingStore,
  fakeCurator,
  meanAt,
  randomness,
  recordingStore,
  restless,
  start,
  toyRun,
  type Answers,
} from '../../test/drive-world.js';
import { Corrupt } from '@lethe/numerics';
import { openLog } from '../journal/log.js';
import { memoryStore, type Store } from '../journal/store.js';
import type { Run } from '../plugins/run.js';
import type { DriveOptions } from './options.js';
import { driveSync } from './drive.js';

/** By day, of cuts of one kind every so many; at night all of them. */
const strideOf = (byDay: number): number => (process.env['LETHE_EFFORT'] === 'full' ? 1 : byDay);

interface Life {
  readonly output: Float64Array;
  readonly queries: number;
  readonly resumedAt: number;
}
type Policy = Pick<DriveOptions, 'checkpointEvery' | 'compact'>;

const live = (run: Run, secret: Store, transcript: Store, seen?: Answers, policy: Policy = {}): Life =>
  driveSync(run, fakeCurator(secret, seen ? { seen } : {}), {
    start,
    random: randomness(),
    transcript,
    ...policy,
  });

/** A whole life without accidents, with every content the two stores went through. */
function undisturbed(
  run: Run,
  policy: Policy = {},
): {
  readonly life: Life;
  readonly secret: Uint8Array;
  readonly transcript: Uint8Array;
  readonly seen: Answers;
} {
  const secret = memoryStore();
  const transcript = memoryStore();
  const seen: Answers = new Map();
  const life = live(run, secret, transcript, seen, policy);
  return { life, secret: secret.read(), transcript: transcript.read(), seen };
}
const answersIn = (bytes: Uint8Array): number =>
  openLog(memoryStore(bytes), { magic: 'lethe-transcript' }).records.filter((line) => Array.isArray(line))
    .length;
const entriesIn = (bytes: Uint8Array): number =>
  Math.max(0, openLog(memoryStore(bytes), { magic: 'fake-ledger' }).count - 1);
/** Equality of bytes, without a comparison that builds a report of thousands of numbers. */
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
const neverTwice = (seen: Answers): void => {
  for (const digests of seen.values()) expect(digests.size).toBe(1);
};

describe.each(Object.entries({ descent, everyKind, checkpointed }))('resuming %s', (name, run) => {
  const whole = undisturbed(run);
  /** Every byte where queries of all kinds are asked. */
  const stride = name === 'everyKind' ? 1 : strideOf(4);

  it('at every byte of the transcript gives the same output and the same bytes', () => {
    const seen: Answers = new Map(whole.seen);
    for (let cut = 0; cut <= whole.transcript.length; cut += stride) {
      const secret = memoryStore(whole.secret);
      const transcript = memoryStore(whole.transcript.subarray(0, cut));
      const known = answersIn(transcript.read());
      const { output, queries, resumedAt } = live(run, secret, transcript, seen);
      expect(output).toStrictEqual(whole.life.output);
      expect({ queries, resumedAt }).toStrictEqual({ queries: whole.life.queries, resumedAt: known });
      expect(same(transcript.read(), whole.transcript) && same(secret.read(), whole.secret)).toBe(true);
    }
    neverTwice(seen);
  });

  it('at every pair of bytes of both files goes on, unless the ledger is older than the transcript', () => {
    const seen: Answers = new Map(whole.seen);
    let refused = 0;
    let resumed = 0;
    for (let s = 0; s <= whole.secret.length; s += 17) {
      for (let t = (s * 7) % 31; t <= whole.transcript.length; t += strideOf(3) * 31) {
        const secret = memoryStore(whole.secret.subarray(0, s));
        const transcript = memoryStore(whole.transcript.subarray(0, t));
        const isOlder = answersIn(transcript.read()) > entriesIn(secret.read());
        if (isOlder) {
          refused++;
          expect(() => live(run, secret, transcript, seen)).toThrow(/ledger is older than the transcript/u);
        } else {
          resumed++;
          expect(live(run, secret, transcript, seen).output).toStrictEqual(whole.life.output);
          expect(same(transcript.read(), whole.transcript) && same(secret.read(), whole.secret)).toBe(true);
        }
      }
    }
    expect(Math.min(refused, resumed)).toBeGreaterThan(50);
    neverTwice(seen);
  });

  it('after any flipped bit of either file is refused, or was not touched by it', () =>
    fc.assert(
      fc.property(fc.boolean(), fc.nat(), fc.nat(), fc.nat(7), (inSecret, where, cut, bit) => {
        const full = inSecret ? whole.secret : whole.transcript;
        const changed = full.slice(0, 1 + (cut % full.length));
        changed[where % changed.length] ^= 1 << bit;
        const seen: Answers = new Map(whole.seen);
        try {
          expect(
            live(
              run,
              memoryStore(inSecret ? changed : whole.secret),
              memoryStore(inSecret ? new Uint8Array(0) : changed),
              seen,
            ).output,
          ).toStrictEqual(whole.life.output);
        } catch (error) {
          expect(error).toBeInstanceOf(Corrupt);
        }
        neverTwice(seen);
      }),
      { numRuns: 400 },
    ));

  it('after a flipped bit in a complete file is always refused', () =>
    fc.assert(
      fc.property(fc.boolean(), fc.nat(), fc.nat(7), (inSecret, where, bit) => {
        const changed = (inSecret ? whole.secret : whole.transcript).slice();
        changed[where % changed.length] ^= 1 << bit;
        expect(() =>
          live(
            run,
            memoryStore(inSecret ? changed : whole.secret),
            memoryStore(inSecret ? whole.transcript : changed),
          ),
        ).toThrow(Corrupt);
      }),
      { numRuns: 300 },
    ));

  it('after any one write that failed part of the way gives the same output', () => {
    for (const victim of ['secret', 'transcript'] as const) {
      for (let fatal = 0; ; fatal++) {
        const stores = {
          secret: failingStore(victim === 'secret' ? fatal : -1, fatal * 3),
          transcript: failingStore(victim === 'transcript' ? fatal : -1, fatal * 3),
        };
        if (fatal > whole.life.queries + 1) break;
        const seen: Answers = new Map();
        try {
          live(run, stores.secret, stores.transcript, seen);
          expect(stores[victim].calls()).toBeLessThanOrEqual(fatal);
        } catch (error) {
          expect(error).toHaveProperty('message', 'power failed');
        }
        expect(answersIn(stores.transcript.read())).toBeLessThanOrEqual(entriesIn(stores.secret.read()));
        expect(live(run, stores.secret, stores.transcript, seen).output).toStrictEqual(whole.life.output);
        neverTwice(seen);
      }
    }
  });

  it('without a transcript asks everything again and pays nothing', () => {
    const secret = memoryStore(whole.secret);
    expect(driveSync(run, fakeCurator(secret), { start, random: randomness() }).output).toStrictEqual(
      whole.life.output,
    );
    expect(secret.read()).toStrictEqual(whole.secret);
  });
});

describe.each([
  [1, false],
  [1, true],
  [3, false],
  [3, true],
  [4, true],
])('a run with a checkpoint every %i queries, compacting: %s', (checkpointEvery, compact) => {
  const plain = undisturbed(checkpointed);
  const policy = { checkpointEvery, compact };

  it('goes on from whatever an accident at any byte of any write left behind', () => {
    const secret = memoryStore();
    const transcript = recordingStore();
    const asked = live(checkpointed, secret, transcript, undefined, policy);
    expect(asked.output).toStrictEqual(plain.life.output);
    for (const [i, left] of transcript.states.entries()) {
      if (i % strideOf(3) !== 0) continue;
      const again = memoryStore(left);
      const { output, queries } = live(checkpointed, memoryStore(secret.read()), again, undefined, policy);
      expect({ output, queries }).toStrictEqual({ output: plain.life.output, queries: 9 });
      expect(same(again.read(), transcript.read())).toBe(true);
    }
  });

  it('does not ask again what lies before the checkpoint', () => {
    const { secret, transcript } = undisturbed(checkpointed, policy);
    const notes: string[] = [];
    const last = Math.floor(8 / checkpointEvery) * checkpointEvery;
    const { queries, resumedAt } = driveSync(
      checkpointed,
      fakeCurator(memoryStore(secret), { note: (what) => notes.push(what) }),
      { start, random: randomness(), transcript: memoryStore(transcript), ...policy },
    );
    expect(notes).toStrictEqual(Array.from({ length: 9 - last }, (_, i) => `replay ${last + i}`));
    expect({ queries, resumedAt }).toStrictEqual({ queries: 9, resumedAt: 9 });
  });

  it('keeps only what a resume needs when it compacts', () => {
    const { transcript } = undisturbed(checkpointed, policy);
    const last = Math.floor(8 / checkpointEvery) * checkpointEvery;
    const lines = openLog(memoryStore(transcript), { magic: 'lethe-transcript' }).records;
    const snapshots = lines.filter((line) => 'snapshot' in (line as object));
    expect(answersIn(transcript)).toBe(compact ? 9 - last : 9);
    expect(snapshots.map((line) => (line as { snapshot: number }).snapshot)).toStrictEqual(
      compact ? [last] : Array.from({ length: last / checkpointEvery }, (_, i) => (i + 1) * checkpointEvery),
    );
  });

  it('goes on under another policy, and once more after that', () => {
    for (const [before, after] of [
      [policy, {}],
      [policy, { checkpointEvery: 2, compact: !compact }],
      [{}, policy],
    ]) {
      const { secret, transcript } = undisturbed(checkpointed, before);
      for (let cut = 1; cut < transcript.length; cut += strideOf(3) * 5) {
        const left = memoryStore(transcript.subarray(0, cut));
        expect(live(checkpointed, memoryStore(secret), left, undefined, after).output).toStrictEqual(
          plain.life.output,
        );
        expect(live(checkpointed, memoryStore(secret), left)).toStrictEqual({ ...plain.life, resumedAt: 9 });
      }
    }
  });

  it('is refused when the ledger ends before the checkpoint', () => {
    const { secret, transcript } = undisturbed(checkpointed, policy);
    expect(() => live(checkpointed, memoryStore(secret.subarray(0, 120)), memoryStore(transcript))).toThrow(
      /ledger is older than the transcript/u,
    );
  });
});

describe.each([
  [1, false],
  [1, true],
  [2, true],
  [5, false],
  [7, true],
])(
  'loops inside one another, with a checkpoint every %i queries, compacting: %s',
  (checkpointEvery, compact) => {
    it('go on from whatever an accident at a byte of any write left behind, and write the same again', () => {
      const policy = { checkpointEvery, compact };
      const plain = undisturbed(restless);
      const secret = memoryStore();
      const transcript = recordingStore();
      const asked = live(restless, secret, transcript, undefined, policy);
      expect(asked).toStrictEqual(plain.life);
      expect(asked.queries).toBe(24);
      let places = 0;
      for (const [i, left] of transcript.states.entries()) {
        if (i % 19 !== 0) continue;
        const again = memoryStore(left);
        const { output, queries } = live(restless, memoryStore(secret.read()), again, undefined, policy);
        places++;
        expect({ output, queries }).toStrictEqual({ output: asked.output, queries: asked.queries });
        expect(same(again.read(), transcript.read())).toBe(true);
        // Another policy takes it from there.
        if (i % 57 === 0)
          expect(
            live(restless, memoryStore(secret.read()), memoryStore(left), undefined, {
              checkpointEvery: 3,
              compact: !compact,
            }).output,
          ).toStrictEqual(asked.output);
      }
      expect(places).toBeGreaterThan(30);
      expect(answersIn(transcript.read())).toBeLessThanOrEqual(compact ? checkpointEvery + 3 : 24);
    });
  },
);

describe('a checkpoint that another optimizer wrote', () => {
  const loops = (count: number, names: readonly string[], length = 3): Run =>
    toyRun(function* ({ state, rounds, start: begin }) {
      const now = state(Object.fromEntries(names.map((name) => [name, new Float64Array(length)])));
      for (const _ of rounds(count)) {
        const g = yield* meanAt(begin);
        for (const name of names) now[name][0] += g[0];
      }
      return begin;
    });
  const written = (): { readonly secret: Uint8Array; readonly transcript: Uint8Array } =>
    undisturbed(loops(9, ['w']), { checkpointEvery: 4, compact: true });

  it.each([
    [
      'fewer iterations',
      loops(4, ['w']),
      /has 4 iterations of a loop, and the checkpoint is at iteration 9/u,
    ],
    ['states of other names', loops(9, ['v']), /has states named v, and the checkpoint w/u],
    ['vectors of another length', loops(9, ['w'], 2), /has a vector of 2 entries as 'w'/u],
    [
      'no loops',
      toyRun(function* ({ start: begin }) {
        yield* meanAt(begin);
        return begin;
      }),
      /asks for more before its loops/u,
    ],
    [
      'another loop around',
      toyRun(function* (context) {
        for (const _ of context.rounds(9)) yield* loops(9, ['w']).steps(context);
        return context.start;
      }),
      /another number of states|more loops inside/u,
    ],
  ])('is refused: with %s', (_, other, message) => {
    const { secret, transcript } = written();
    expect(() => live(other, memoryStore(secret), memoryStore(transcript))).toThrow(Corrupt);
    expect(() => live(other, memoryStore(secret), memoryStore(transcript))).toThrow(message);
  });

  it.each([[null], [3], [[]], [[{ t: 0 }]], [{ w: [1] }]])(
    'is refused: a state that is no list of iterations, %j',
    (state) => {
      const { secret, transcript } = written();
      const forged = memoryStore();
      const [heading, { snapshot }] = openLog(memoryStore(transcript), { magic: 'lethe-transcript' })
        .records as unknown as readonly [unknown, { readonly snapshot: number }];
      openLog(forged, { magic: 'lethe-transcript' }).rewrite([heading, { snapshot, state }]);
      expect(() => live(loops(9, ['w']), memoryStore(secret), forged)).toThrow(Corrupt);
    },
  );

  it('is refused by name: a transcript of the first format', () => {
    const { secret, transcript } = written();
    const old = memoryStore();
    const [heading, ...rest] = openLog(memoryStore(transcript), { magic: 'lethe-transcript' })
      .records as readonly object[];
    const { format: _, ...first } = heading as { readonly format: number };
    openLog(old, { magic: 'lethe-transcript' }).rewrite([first, ...rest]);
    expect(() => live(loops(9, ['w']), memoryStore(secret), old)).toThrow(
      /of format 1.*finish the run with the version/u,
    );
  });
});

/** The same transcript as releases wrote it whose answers were objects. */
function ofSecondFormat(bytes: Uint8Array): Uint8Array {
  const [heading, ...lines] = openLog(memoryStore(bytes), { magic: 'lethe-transcript' }).records;
  let next = 0;
  const old = lines.map((line) => {
    if (!Array.isArray(line)) {
      next = (line as { readonly snapshot: number }).snapshot;
      return line;
    }
    const [digest, answer] = line as unknown as readonly [Uint8Array, unknown];
    return { index: next++, digest: Buffer.from(digest).toString('hex'), answer };
  });
  const store = memoryStore();
  openLog(store, { magic: 'lethe-transcript' }).rewrite([{ ...(heading as object), format: 2 }, ...old]);
  return store.read();
}

describe.each([
  [{}],
  [{ checkpointEvery: 3, compact: false }],
  [{ checkpointEvery: 3, compact: true }],
] as const)('a transcript of the second format, %j', (policy) => {
  const whole = undisturbed(checkpointed, policy);
  const old = ofSecondFormat(whole.transcript);

  it('goes on from any byte, and is rewritten in the format of today', () => {
    for (let cut = 0; cut <= old.length; cut += 11) {
      const transcript = memoryStore(old.subarray(0, cut));
      const { output, queries } = live(
        checkpointed,
        memoryStore(whole.secret),
        transcript,
        undefined,
        policy,
      );
      expect({ output, queries }).toStrictEqual({ output: whole.life.output, queries: whole.life.queries });
      expect(same(transcript.read(), whole.transcript)).toBe(true);
    }
  });

  it('is left as it was where the ledger is older', () => {
    const transcript = memoryStore(old);
    expect(() => live(checkpointed, memoryStore(whole.secret.subarray(0, 120)), transcript)).toThrow(
      /ledger is older than the transcript/u,
    );
    expect(same(transcript.read(), old)).toBe(true);
  });
});

it('an answer takes 46 bytes beside its numbers', () => {
  const run = (rounds: number): number =>
    undisturbed(
      toyRun(function* ({ start: w }) {
        for (let t = 0; t < rounds; t++) yield* meanAt(w);
        return w;
      }),
    ).transcript.length;
  expect(run(7) - run(6)).toBe(46 + 8 * start.length);
});

describe('a compacting rewrite that fails', () => {
  it('leaves the answers as they were', () => {
    const whole = undisturbed(checkpointed);
    let failures = 0;
    for (let fatal = 0; fatal < 14; fatal++) {
      const secret = memoryStore();
      const transcript = failingStore(fatal, 0);
      try {
        live(checkpointed, secret, transcript, undefined, { checkpointEvery: 2, compact: true });
      } catch {
        failures++;
      }
      expect(live(checkpointed, secret, memoryStore(transcript.read())).output).toStrictEqual(
        whole.life.output,
      );
    }
    expect(failures).toBeGreaterThan(12);
  });
});

describe('a transcript of something else', () => {
  const whole = undisturbed(descent);
  const resume =
    (changes: Partial<Run>, options: Partial<DriveOptions> = {}, run = 'run-1') =>
    (): unknown =>
      driveSync({ ...descent, ...changes }, fakeCurator(memoryStore(whole.secret), { run }), {
        start,
        random: randomness(),
        transcript: memoryStore(whole.transcript),
        ...options,
      });

  it.each([
    ['optimizer', resume({ name: 'other' }), ['optimizer']],
    ['run', resume({}, {}, 'run-2'), ['run']],
    ['plan', resume({ plan: { ...descent.plan, gradients: 2 } }), ['plan']],
    ['problem', resume({ problem: { ...descent.problem, dimension: 4 } }), ['problem']],
    ['public coins', resume({}, { random: randomness().fork('other') }), ['random']],
    [
      'start, by one unit in the last place',
      resume({}, { start: Float64Array.of(1, -2, 0.5 + Number.EPSILON) }),
      ['start'],
    ],
    [
      'plan and start',
      resume({ plan: { ...descent.plan, gradients: 2 } }, { start: new Float64Array(3) }),
      ['plan', 'start'],
    ],
  ])('is refused: another %s', (_, run, differs) => {
    expect(run).toThrow(Corrupt);
    expect(run).toThrow(expect.objectContaining({ details: { differs } }));
  });

  it('is refused: an optimizer that asks something else', () => {
    const changed = toyRun(function* (context) {
      context.start[0] += 1e-9;
      return yield* descent.steps(context);
    });
    expect(() => live(changed, memoryStore(whole.secret), memoryStore(whole.transcript))).toThrow(
      /not the one on record/u,
    );
    expect(() => live(changed, memoryStore(whole.secret), memoryStore())).toThrow(/not the one on record/u);
  });

  it('is refused under another key, and without one', () => {
    const transcript = memoryStore();
    const transcriptKey = Uint8Array.from({ length: 16 }, (_, i) => i);
    const open = (key: Uint8Array | undefined) => (): unknown =>
      driveSync(descent, fakeCurator(memoryStore(whole.secret)), {
        start,
        random: randomness(),
        transcript,
        ...(key ? { transcriptKey: key } : {}),
      });
    expect(open(transcriptKey)()).toHaveProperty('output', whole.life.output);
    expect(open(new Uint8Array(16).fill(9))).toThrow(Corrupt);
    expect(open(undefined)).toThrow(Corrupt);
    expect(open(transcriptKey)()).toHaveProperty('resumedAt', 8);
  });

  it.each([
    ['no heading', () => [{ index: 0, digest: '', answer: 1 }]],
    ['only a number', () => [3]],
    ['a gap', (lines: readonly unknown[]) => [lines[0], lines[1], lines[3]]],
    ['a repetition', (lines: readonly unknown[]) => [lines[0], lines[1], lines[1]]],
    [
      'a checkpoint ahead of its answers',
      (lines: readonly unknown[]) => [lines[0], lines[1], { snapshot: 4, state: 1 }],
    ],
    ['a line of another kind', (lines: readonly unknown[]) => [lines[0], { told: 0 }]],
    ['a line that is null', (lines: readonly unknown[]) => [lines[0], null]],
    [
      'an answer of another type',
      (lines: readonly unknown[]) => [lines[0], { ...(lines[1] as object), answer: 'yes' }],
    ],
    [
      'a digest of another query',
      (lines: readonly unknown[]) => [lines[0], { ...(lines[1] as object), digest: '00' }],
    ],
  ])('is refused, authentic or not: %s', (_, change) => {
    const forged = memoryStore();
    openLog(forged, { magic: 'lethe-transcript' }).rewrite(
      change(openLog(memoryStore(whole.transcript), { magic: 'lethe-transcript' }).records),
    );
    expect(() => live(descent, memoryStore(whole.secret), forged)).toThrow(Corrupt);
  });
});
