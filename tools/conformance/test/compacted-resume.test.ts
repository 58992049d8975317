import { dpSgd } from '@lethe/algorithms';
import {
  Corrupt,
  driveSync,
  memoryStore,
  openLog,
  sameEvent,
  seededRandom,
  type Problem,
  type Run,
  type Store,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type CentralCurator } from '@lethe/curator';
import { squared } from '@lethe/losses';
import { l2BallDomain } from '@lethe/mechanisms';
import fc from 'fast-check';
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
  facts: {},
};
/** A run long enough for several compactions of its ledger. */
const runOf = (stepSize: number): Run =>
  dpSgd.prepare({
    registry,
    problem,
    budget: { epsilon: 2, delta: 1e-5 },
    calibrate,
    random: seededRandom('plan'),
    params: { steps: 1500, rate: 0.25, clipNorm: 1, stepSize },
  });
const run = runOf(0.1);

interface Files {
  readonly ledger: Uint8Array;
  readonly transcript: Uint8Array;
}
interface Done {
  readonly output: Float64Array;
  readonly curator: CentralCurator;
}

function proceed(ledgerStore: Store, transcript: Store, asked = run): Done {
  const { features, labels } = records(n);
  const ledger = openLedger({ adjacency: 'replace-one', store: ledgerStore });
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
  const curator = centralCurator({ data, registry, run: 'run', random: seededRandom('curator') });
  const { output } = driveSync(asked, curator, {
    start: new Float64Array(dimension),
    random: seededRandom('public'),
    transcript,
    checkpointEvery: 60,
    compact: false,
  });
  return { output, curator };
}

/** States after a crash between two writes: around every compaction, and sometimes between. */
function crashes(): {
  readonly whole: Done;
  readonly states: readonly Files[];
  readonly compactions: number;
} {
  const stores = { ledger: memoryStore(), transcript: memoryStore() };
  const now = (): Files => ({ ledger: stores.ledger.read(), transcript: stores.transcript.read() });
  const states: Files[] = [];
  let writes = 0;
  let since = Infinity;
  let compactions = 0;
  const watched = (store: Store): Store => ({
    ...store,
    append(bytes) {
      store.append(bytes);
      if (++since <= 4 || ++writes % 307 === 0) states.push(now());
    },
    replace(bytes) {
      states.push(now());
      store.replace(bytes);
      states.push(now());
      since = 0;
      compactions++;
    },
  });
  return {
    whole: proceed(watched(stores.ledger), watched(stores.transcript)),
    states: [...states, now()],
    compactions,
  };
}

describe('a run whose ledger is compacted while it runs', () => {
  const { whole, states, compactions } = crashes();
  const last = states[states.length - 1];
  const expectSame = ({ output, curator }: Done): void => {
    expect([...output]).toEqual([...whole.output]);
    expect(sameEvent(curator.spent(), whole.curator.spent())).toBe(true);
  };

  test('costs as planned, and is compacted more than once', () => {
    expect(compactions).toBeGreaterThan(1);
    expect(sameEvent(whole.curator.spent(), run.plan.event)).toBe(true);
  });

  test('resumes from every state around a compaction with equal bits, with and without a transcript', () => {
    for (const { ledger, transcript } of states) {
      expectSame(proceed(memoryStore(ledger), memoryStore(transcript)));
      expectSame(proceed(memoryStore(ledger), memoryStore()));
    }
  });

  test('refuses another query at a recorded index, also in compacted steps', () => {
    const other = runOf(0.2);
    for (const { ledger } of states.filter((_, k) => k % 5 === 0)) {
      const store = memoryStore(ledger);
      expect(() => proceed(store, memoryStore(), other)).toThrow(/is not the one on record/u);
    }
  });

  test('a damaged ledger is Corrupt, or resumes with the same bits', () => {
    let corrupt = 0;
    let same = 0;
    const damage = fc.tuple(
      fc.nat(last.ledger.length - 1),
      fc.nat(7),
      fc.constantFrom('bit', 'cut', 'delete', 'zero'),
    );
    fc.assert(
      fc.property(damage, ([at, bit, how]) => {
        const bytes = last.ledger.slice();
        const end = Math.min(bytes.length, at + 1 + bit);
        if (how === 'bit') bytes[at] ^= 1 << bit;
        let damaged: Uint8Array<ArrayBuffer>;
        if (how === 'cut') damaged = bytes.subarray(0, at);
        else if (how === 'delete')
          damaged = Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(end)]);
        else if (how === 'zero') damaged = bytes.fill(0, at, end);
        else damaged = bytes;
        if (Buffer.compare(damaged, last.ledger) === 0) return;
        try {
          expectSame(proceed(memoryStore(damaged), memoryStore(last.transcript)));
          same++;
        } catch (error) {
          expect(error).toBeInstanceOf(Corrupt);
          corrupt++;
        }
      }),
      { numRuns: 300 },
    );
    expect(corrupt).toBeGreaterThan(200);
    expect(same).toBeLessThan(50);
  });

  test('stores 16 bytes for each compacted query', () => {
    const lines = openLog(memoryStore(last.ledger), { magic: 'lethe-ledger' }).records as readonly {
      readonly t: string;
      readonly digests?: Uint8Array;
    }[];
    const bytes = lines.reduce((sum, { digests }) => sum + (digests?.length ?? 0), 0);
    expect(bytes).toBeGreaterThan(16 * 700);
    expect(lines.length).toBeLessThan(1500 - 700);
  });
});
