import { dpSgd } from '@lethe/algorithms';
import {
  adjacencies,
  Corrupt,
  driveSync,
  InvalidParameter,
  memoryStore,
  openLog,
  seededRandom,
  type DriveOptions,
  type Problem,
} from '@lethe/core';
import { centralCurator, openLedger } from '@lethe/curator';
import { decode, encode } from '@lethe/numerics';
import { squared } from '@lethe/losses';
import { l2BallDomain } from '@lethe/mechanisms';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dimension, registry, world } from '../world.js';
import { expectRefused, spoilt, strange, typedOutcome } from './refused.js';
import { cheapAccountant, rememberingCalibrator } from '../calibrating.js';

/** Noise to a thousandth: what is compared is the same run. */
const calibrate = rememberingCalibrator([cheapAccountant], 1e-3);

const problem: Problem = {
  adjacency: 'zero-out',
  trust: { model: 'central' },
  dimension,
  slots: [12],
  domain: l2BallDomain({ radius: 5 }),
  loss: squared({}),
  capabilities: squared.capabilities,
  facts: {},
};
const run = dpSgd.prepare({
  registry,
  problem,
  budget: { epsilon: 2, delta: 1e-5 },
  params: { steps: 3, rate: 0.5, clipNorm: 1, stepSize: 0.1 },
  calibrate,
  random: seededRandom('plan'),
});

/** Both files of a finished run, and its replay. */
function drive(
  ledgerBytes: Uint8Array,
  transcriptBytes: Uint8Array,
  options: Partial<DriveOptions> = {},
): { output: Float64Array; ledger: Uint8Array; transcript: Uint8Array } {
  const store = memoryStore(ledgerBytes);
  const transcript = memoryStore(transcriptBytes);
  const { curator } = world({ store, adjacency: 'zero-out', seed: 'curator' });
  const { output } = driveSync(run, curator, {
    start: new Float64Array(dimension),
    random: seededRandom('public'),
    transcript,
    checkpointEvery: 2,
    ...options,
  });
  return { output, ledger: store.read(), transcript: transcript.read() };
}
const none = new Uint8Array(0);
const whole = drive(none, none);
const lines = (bytes: Uint8Array, magic: string): unknown[] => [
  ...openLog(memoryStore(bytes), { magic }).records,
];
/** An authenticated log of any lines. */
function written(records: readonly unknown[], magic: string): Uint8Array {
  const store = memoryStore();
  const log = openLog(store, { magic });
  for (const record of records) log.append(record);
  return store.read();
}

/** Damage done to bytes. */
const damaged = (bytes: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    fc.tuple(fc.nat(bytes.length - 1), fc.nat(7)).map(([at, bit]) => {
      const copy = bytes.slice();
      copy[at] ^= 1 << bit;
      return copy;
    }),
    fc
      .tuple(fc.nat(bytes.length), fc.nat(bytes.length))
      .map(([a, b]) =>
        Uint8Array.from([...bytes.subarray(0, Math.min(a, b)), ...bytes.subarray(Math.max(a, b))]),
      ),
    fc
      .tuple(fc.nat(bytes.length), fc.uint8Array({ minLength: 1, maxLength: 40 }))
      .map(([at, more]) => Uint8Array.from([...bytes.subarray(0, at), ...more, ...bytes.subarray(at)])),
    fc.uint8Array({ minLength: 1, maxLength: 200 }),
    fc.constant(Uint8Array.from([...bytes, ...bytes])),
    fc.nat(bytes.length).map((size) => Uint8Array.from([...bytes, ...new Uint8Array(size + 1)])),
  );

describe.each(['ledger', 'transcript'] as const)('a damaged %s', (which) => {
  test('is refused without a byte written to either file, or resumes to the same end', () => {
    fc.assert(
      fc.property(damaged(whole[which]), (bytes) => {
        const files = { ...whole, [which]: bytes };
        const outcome = typedOutcome(() => drive(files.ledger, files.transcript));
        if ('value' in outcome) expect([...outcome.value.output]).toEqual([...whole.output]);
        else expect(outcome.error).toBeInstanceOf(Corrupt);
      }),
      { numRuns: 250 },
    );
  });
});

describe('ledgers', () => {
  test('never open with less than the true cost, after any damage', () => {
    const entries = lines(whole.ledger, 'lethe-ledger').length;
    fc.assert(
      fc.property(damaged(whole.ledger), (bytes) => {
        const store = memoryStore(bytes);
        const outcome = typedOutcome(() => openLedger({ adjacency: 'zero-out', store }));
        if ('error' in outcome) {
          expect(outcome.error).toBeInstanceOf(Corrupt);
          expect(store.read()).toEqual(bytes);
          return;
        }
        // Only a complete prefix can open, as after an interrupted
        // write. The longer transcript then refuses it.
        const kept = lines(bytes, 'lethe-ledger').length;
        expect(kept).toBeLessThanOrEqual(entries);
        expect(encode(lines(bytes, 'lethe-ledger'))).toEqual(
          encode(lines(whole.ledger, 'lethe-ledger').slice(0, kept)),
        );
      }),
      { numRuns: 400 },
    );
  });

  test('swapped with the transcript, of another kind, or of another format version are refused', () => {
    expect(expectRefused(() => drive(whole.transcript, none))).toBeInstanceOf(Corrupt);
    expect(expectRefused(() => drive(whole.ledger, whole.ledger))).toBeInstanceOf(Corrupt);
    expect(expectRefused(() => drive(whole.transcript, whole.ledger))).toBeInstanceOf(Corrupt);
    const newer = whole.ledger.slice();
    newer[8] += 1;
    expect(
      expectRefused(() => openLedger({ adjacency: 'zero-out', store: memoryStore(newer) })).message,
    ).toContain('version');
    const [header, ...rest] = lines(whole.ledger, 'lethe-ledger');
    expect(
      expectRefused(() =>
        openLedger({
          adjacency: 'zero-out',
          store: memoryStore(written([{ ...(header as object), v: 3 }, ...rest], 'lethe-ledger')),
        }),
      ),
    ).toBeInstanceOf(Corrupt);
  });

  test('of another or an unknown adjacency are refused', () => {
    for (const adjacency of adjacencies.filter((a) => a !== 'zero-out'))
      expect(expectRefused(() => openLedger({ adjacency, store: memoryStore(whole.ledger) }))).toBeInstanceOf(
        InvalidParameter,
      );
    fc.assert(
      fc.property(
        strange.filter((x) => !adjacencies.includes(x as never)),
        (adjacency) => {
          expectRefused(() =>
            openLedger({ adjacency: adjacency as never, store: memoryStore(whole.ledger) }),
          );
        },
      ),
    );
  });

  test('with authenticated lines that are not ledger lines are refused, or have their cost', () => {
    const all = lines(whole.ledger, 'lethe-ledger');
    fc.assert(
      fc.property(spoilt(all), (records) => {
        // Values that cannot be stored are skipped.
        const bytes = typedOutcome(() =>
          written(Array.isArray(records) ? records : [records], 'lethe-ledger'),
        );
        if ('error' in bytes) return;
        const outcome = typedOutcome(() => {
          const ledger = openLedger({ adjacency: 'zero-out', store: memoryStore(bytes.value) });
          ledger.runs().forEach((name) => ledger.spentBy(name));
          return ledger.total();
        });
        if ('error' in outcome) expect(['corrupt', 'invalid-parameter']).toContain(outcome.error.code);
      }),
      { numRuns: 600 },
    );
    for (const extra of [null, 5, [], {}, { t: 'toString' }, { t: 'note' }, all[0], all[1], all[2]])
      expect(
        expectRefused(() =>
          openLedger({ adjacency: 'zero-out', store: memoryStore(written([...all, extra], 'lethe-ledger')) }),
        ),
      ).toBeInstanceOf(Corrupt);
    expectRefused(() =>
      openLedger({ adjacency: 'zero-out', store: memoryStore(written(all.slice(1), 'lethe-ledger')) }),
    );
  });

  test('an entry out of order is refused before it is written', () => {
    const store = memoryStore();
    const ledger = openLedger({ adjacency: 'zero-out', store });
    ledger.openRun('run', seededRandom('x'));
    const before = store.read();
    for (const index of [1, -1, Number.NaN, 0.5, '0'])
      expectRefused(() => ledger.append({ run: 'run', index: index as number, digest: '', effect: {} }));
    expectRefused(() => ledger.append({ run: 'nobody', index: 0, digest: '', effect: {} }));
    expect(store.read()).toEqual(before);
  });
});

describe('transcripts', () => {
  const all = lines(whole.transcript, 'lethe-transcript') as Readonly<Record<string, unknown>>[];

  test('with authenticated lines of another run are refused without cost, or resume to the same end', () => {
    // The transcript's key protects against forged states of the right form; here the states are unchanged.
    const spoiltLines = spoilt(
      all.map((line) => Object.fromEntries(Object.entries(line).filter(([name]) => name !== 'state'))),
    ).map((records) =>
      Array.isArray(records)
        ? records.map((line: unknown, i) =>
            all[i]?.['state'] === undefined || typeof line !== 'object'
              ? line
              : { ...line, state: all[i]['state'] },
          )
        : [records],
    );
    fc.assert(
      fc.property(spoiltLines, (records) => {
        const bytes = typedOutcome(() => written(records, 'lethe-transcript'));
        if ('error' in bytes) return;
        const outcome = typedOutcome(() => drive(whole.ledger, bytes.value));
        if ('value' in outcome) expect(outcome.value.ledger).toEqual(whole.ledger);
      }),
      { numRuns: 200 },
    );
  });

  test('with a checkpoint that the optimizer did not write are refused', () => {
    const at = all.findLastIndex((line) => line['state'] !== undefined);
    for (const state of [
      0,
      'x',
      true,
      [],
      {},
      { step: 1 },
      new Float64Array(3),
      { step: 1, iterate: 5, mean: 5 },
      { step: 1, iterate: [0, 0, 0], mean: [0, 0, 0] },
      { step: 1, iterate: new Float64Array(2), mean: new Float64Array(3) },
    ]) {
      expectRefused(() =>
        drive(whole.ledger, written(all.with(at, { ...all[at], state }), 'lethe-transcript')),
      );
    }
  });
});

test('bytes that are not an encoded value are refused, and decoding inverts encoding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const outcome = typedOutcome(() => decode(bytes));
      if ('error' in outcome) expect(outcome.error).toBeInstanceOf(Corrupt);
      else expect(encode(outcome.value)).toEqual(bytes);
    }),
    { numRuns: 2000 },
  );
});

test('options of a driver of any wrong type are refused before a query is sent', () => {
  const options: readonly (readonly [keyof DriveOptions, unknown])[] = [
    ...[null, undefined, [0, 0, 0], 'start', new Float32Array(3), new Float64Array(3).fill(Number.NaN)].map(
      (start) => ['start', start] as const,
    ),
    ...[0, -1, Number.NaN, 'often', {}, null].map((every) => ['checkpointEvery', every] as const),
    ...[new Uint8Array(0), new Uint8Array(15), new Uint8Array(17)].map(
      (key) => ['transcriptKey', key] as const,
    ),
  ];
  for (const [name, value] of options) {
    const here = world({ adjacency: 'zero-out' });
    expectRefused(() =>
      driveSync(run, here.curator, {
        start: new Float64Array(dimension),
        random: seededRandom('public'),
        transcript: memoryStore(),
        [name]: value,
      } as DriveOptions),
    );
    expect(here.curator.recorded()).toBe(0);
  }
  const here = world({ adjacency: 'zero-out' });
  expectRefused(() =>
    driveSync(run, here.curator, { start: new Float64Array(dimension + 1), random: seededRandom('public') }),
  );
  expect(here.ledger.total().kind).toBe('core/free');
  expectRefused(() =>
    centralCurator({ data: here.data, registry, run: 'other', random: seededRandom('c'), publicSlots: 3 }),
  );
});
