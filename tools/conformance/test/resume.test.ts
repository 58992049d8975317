import { dpSgd, dpSkgd, noisyClippedAcSa } from '@lethe/algorithms';
import {
  Corrupt,
  driveSync,
  InvalidParameter,
  memoryStore,
  sameEvent,
  seededRandom,
  type DriveOptions,
  type Problem,
  type Run,
  type Store,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type CentralCurator, type Ledger } from '@lethe/curator';
import { squared } from '@lethe/losses';
import { l2BallDomain } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { dimension, records, registry } from './world.js';
import { cheapAccountant, rememberingCalibrator } from './calibrating.js';

/** Noise to a thousandth: what is compared is the same run. */
const calibrate = rememberingCalibrator([cheapAccountant], 1e-3);

const n = 24;
const problem: Problem<typeof squared.capabilities> = {
  adjacency: 'replace-one',
  trust: { model: 'central' },
  dimension,
  slots: [n],
  domain: l2BallDomain({ radius: 5 }),
  loss: squared({}),
  capabilities: squared.capabilities,
  facts: {
    smoothness: { value: 20, scope: 'every-record', provenance: 'declared' },
    diameter: { value: 10, scope: 'every-record', provenance: 'from-domain' },
    'gradientMoment.2': { value: 4, scope: 'population', provenance: 'declared' },
  },
};
const context = {
  problem,
  budget: { epsilon: 2, delta: 1e-5 },
  calibrate,
  random: seededRandom('plan'),
};
const runs: Readonly<Record<string, Run>> = {
  'dp-sgd': dpSgd.prepare({
    registry,
    ...context,
    params: { steps: 4, rate: 0.5, clipNorm: 1, stepSize: 0.1 },
  }),
  'dp-skgd': dpSkgd.prepare({
    registry,
    ...context,
    params: {
      sketch: { name: 'tau-nice', params: { tau: 2 } },
      rounds: 2,
      innerSteps: 3,
      clip: { radius: 1 },
      smoothness: 20,
    },
  }),
  'noisy-clipped-ac-sa': noisyClippedAcSa.prepare({
    registry,
    ...context,
    params: { rounds: 4, clipNorm: 1 },
  }),
};

interface Files {
  readonly ledger: Store;
  readonly transcript: Store;
}

/** A process in which the run starts, or resumes from the files. */
function proceed(
  run: Run,
  { ledger: store, transcript }: Files,
  options: Partial<DriveOptions> = {},
): { output: Float64Array; ledger: Ledger; curator: CentralCurator } {
  const { features, labels } = records(n);
  const ledger = openLedger({ adjacency: 'replace-one', store });
  const data = attachData({
    features: {
      data: features,
      rows: n,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels,
    loss: squared({}),
    registry,
    ledger,
  });
  const curator = centralCurator({
    data,
    registry,
    run: 'run',
    random: seededRandom('curator'),
    planned: run.plan.event,
  });
  const { output } = driveSync(run, curator, {
    start: new Float64Array(dimension),
    random: seededRandom('public'),
    transcript,
    ...options,
  });
  return { output, ledger, curator };
}

const compacting = { checkpointEvery: 1, compact: true } as const;

interface State {
  readonly ledger: Uint8Array;
  readonly transcript: Uint8Array;
}

/** At night, resume is tested from every state; each state takes a whole run. */
const isEveryByteTried = process.env['LETHE_EFFORT'] === 'full';
const period = 40;
/** Distance between the bytes at which a file is cut or spoilt. */
const stride = isEveryByteTried ? 1 : 29;

/**
 * Whether to resume from an append cut here: along all of the first append, which holds the plan, and of one
 * in 40; else at its end and at one moving position.
 */
function isTried(append: number, at: number, length: number): boolean {
  if (isEveryByteTried || at === length - 1 || at === (7 * append) % length) return true;
  return append % period === 0 && at % stride === 0;
}

interface Crashes {
  readonly whole: ReturnType<typeof proceed>;
  /** States of the two files after a crash, in order: those from which a run is resumed. */
  readonly tried: readonly State[];
  /** The bytes that the run appends one by one. */
  readonly bytes: number;
}

/** A whole run whose files are kept as a crash at some of the bytes that it appends would leave them. */
function crashes(run: Run, options: Partial<DriveOptions> = {}): Crashes {
  const stores = { ledger: memoryStore(), transcript: memoryStore() };
  const now = (): State => ({ ledger: stores.ledger.read(), transcript: stores.transcript.read() });
  const tried: State[] = [now()];
  let bytes = 0;
  const recording = (name: 'ledger' | 'transcript'): Store => {
    const store = stores[name];
    let appends = 0;
    return {
      read: () => store.read(),
      append(appended) {
        for (const [at, byte] of appended.entries()) {
          store.append(Uint8Array.of(byte));
          if (isTried(appends, at, appended.length)) tried.push(now());
        }
        bytes += appended.length;
        appends++;
      },
      truncate(length) {
        store.truncate(length);
        tried.push(now());
      },
      replace(replaced) {
        store.replace(replaced);
        tried.push(now());
      },
    };
  };
  const whole = proceed(run, { ledger: recording('ledger'), transcript: recording('transcript') }, options);
  return { whole, tried, bytes };
}

/** A value that is worked out when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const files = ({ ledger, transcript }: { ledger: Uint8Array; transcript: Uint8Array }): Files => ({
  ledger: memoryStore(ledger),
  transcript: memoryStore(transcript),
});
const same = (a: Float64Array, b: Float64Array): boolean =>
  a.length === b.length && a.every((x, i) => Object.is(x, b[i]));

describe.each(Object.entries(runs))('%s', (_name, run) => {
  const plain = once(() => crashes(run));
  const compacted = once(() => crashes(run, compacting));
  const last = (): State => defined(plain().tried.at(-1));

  test('costs what it planned', () => {
    const { curator } = proceed(run, { ledger: memoryStore(), transcript: memoryStore() });
    expect(sameEvent(curator.spent(), run.plan.event)).toBe(true);
  });

  test.each([
    ['plain', {}, plain],
    ['with checkpoints and compaction', compacting, compacted],
  ] as const)(
    'killed after any written byte (%s), it ends the same and is charged once',
    (_mode, options, recorded) => {
      const { whole, tried, bytes } = recorded();
      for (const state of tried) {
        const resumed = proceed(run, files(state), options);
        expect(same(resumed.output, whole.output)).toBe(true);
        expect(sameEvent(resumed.ledger.total(), run.plan.event)).toBe(true);
      }
      expect(bytes).toBeGreaterThan(1000);
      expect(tried.length).toBeGreaterThan(isEveryByteTried ? bytes : 60);
    },
  );

  test('a truncated ledger with a whole transcript is refused, without double or missing charges', () => {
    const { whole } = plain();
    const { ledger, transcript } = last();
    let refused = 0;
    for (let cut = 0; cut < ledger.length; cut += stride) {
      try {
        const resumed = proceed(run, files({ ledger: ledger.slice(0, cut), transcript }));
        expect(same(resumed.output, whole.output)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(Corrupt);
        refused++;
      }
    }
    expect(refused).toBe(Math.ceil(ledger.length / stride));
  });

  test('a truncated transcript is completed with the same answers, without a charge', () => {
    const { whole } = plain();
    const { ledger, transcript } = last();
    for (let cut = 0; cut <= transcript.length; cut += stride) {
      const resumed = proceed(run, files({ ledger, transcript: transcript.slice(0, cut) }));
      expect(same(resumed.output, whole.output)).toBe(true);
      expect(sameEvent(resumed.ledger.total(), run.plan.event)).toBe(true);
    }
  });

  test('a flipped bit anywhere in either file is refused', () => {
    const state = last();
    for (const name of ['ledger', 'transcript'] as const) {
      for (let at = 0; at < state[name].length; at += stride) {
        const spoilt = state[name].slice();
        spoilt[at] ^= 1 << (at % 8);
        expect(() => proceed(run, files({ ...state, [name]: spoilt }))).toThrow(Corrupt);
      }
    }
  });

  test('another optimizer, start or random source on the same files is refused', () => {
    const { tried } = plain();
    // Beyond the first append, which holds the plan: cut within it, a run has not begun.
    const begun = tried[Math.floor(0.9 * tried.length)];
    expect(() => proceed(run, files(begun), { start: Float64Array.of(1, 0, 0) })).toThrow(Corrupt);
    expect(() => proceed(run, files(begun), { random: seededRandom('others') })).toThrow(Corrupt);
    const other = defined(Object.values(runs).find((candidate) => candidate !== run));
    // Another plan differs from the reservation of the run.
    expect(() => proceed(other, files(begun))).toThrow(InvalidParameter);
    // The same without the transcript.
    expect(() => proceed(other, files({ ...last(), transcript: new Uint8Array(0) }))).toThrow(
      InvalidParameter,
    );
  });
});
