import {
  ask as askFor,
  defineLinearLoss,
  defineMechanism,
  seededRandom,
  type Answered,
  type Batch,
  type Curator,
  type Loss,
  type MeanQuery,
  type Mechanism,
  type Query,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { logistic, losses, sparseData } from '@lethe/losses';
import { clippedMean, gaussian, l2Clip, mechanisms } from '@lethe/mechanisms';
import { accumulate, clippedSlope, margins } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';

const [rows, columns] = [300, 9001];
const { features, labels } = sparseData(
  { rows, columns, entries: 8, exponent: 1 },
  seededRandom('long points'),
);
const mean = clippedMean({ clip: l2Clip({ radius: 0.5 }), mechanism: gaussian({}) });
const point = (k: number): Vector => Float64Array.from({ length: columns }, (_, j) => Math.sin(j * k) / 3);

const opened = (
  loss: Loss = logistic as unknown as Loss,
  seed = 'a',
  mechanism: Mechanism = gaussian as unknown as Mechanism,
): Curator<Answered> => {
  const others = mechanisms.filter(({ kind, name }) => kind !== 'mechanism' || name !== mechanism.name);
  const registry = [...others, mechanism, ...losses.filter(({ name }) => name !== loss.name), loss];
  const data = attachData({
    features,
    labels,
    loss: { kind: 'loss', name: loss.name, params: {} },
    registry,
    ledger: openLedger({ adjacency: 'zero-out' }),
  });
  return centralCurator({ data, registry, run: 'r', random: seededRandom(seed), allowUnprotected: true });
};
const ask = (
  curator: Curator<Answered>,
  index: number,
  at: Vector,
  target: { readonly noiseMultiplier: number } | { readonly unprotected: true } = { noiseMultiplier: 1 },
): Answered =>
  curator.answer(index, {
    ask: 'mean',
    of: { terms: [{ weight: 1, at }] },
    batch: curator.allRecords,
    mean,
    target,
  });
/** The query for the mean at `point(1)`, with an array for its answer. */
const asked = (curator: Curator<Answered>, into: Vector): Query => {
  const { value } = askFor
    .mean({ at: point(1), batch: curator.allRecords, mean, target: { noiseMultiplier: 1 }, into })
    .next();
  return value as Query;
};
const vectorOf = ({ answer }: Answered): Vector => answer as Vector;

/** The mean of clipped gradients by plain code. */
function plainMean(at: Vector): Vector {
  const all = { from: 0, to: rows };
  const r = margins(features, at, all, new Float64Array(rows));
  for (let i = 0; i < rows; i++) {
    const norm = Math.hypot(...features.values.subarray(features.rowStarts[i], features.rowStarts[i + 1]));
    r[i] = clippedSlope('logistic', r[i], labels[i], norm, 0.5);
  }
  return accumulate(features, r, all, new Float64Array(columns)).map((sum) => sum / rows);
}

describe('means at long points of sparse rows', () => {
  test('are those of plain code, one after another', () => {
    const curator = opened();
    for (const k of [1, 2, 3]) {
      const answer = vectorOf(ask(curator, k - 1, point(k), { unprotected: true }));
      plainMean(point(k)).forEach((value, j) => expect(Math.abs(answer[j] - value)).toBeLessThan(1e-12));
    }
  });

  test('have the noise that was asked for in every entry, on the public grid', () => {
    const answer = vectorOf(ask(opened(), 0, point(1)));
    const scale = 0.5 / rows;
    const noise = plainMean(point(1)).map((value, j) => (answer[j] - value) / scale);
    expect(Math.abs(noise.reduce((sum, z) => sum + z, 0) / Math.sqrt(columns))).toBeLessThan(5);
    expect(Math.abs(noise.reduce((sum, z) => sum + z * z, 0) / columns - 1)).toBeLessThan(0.08);
    // The grid has 2^16 to 2^17 steps in one scale: about a hundredth of the entries meet another.
    expect(new Set(noise).size).toBeGreaterThan(0.97 * columns);
    expect(answer.every((entry) => Number.isInteger(entry / 2 ** -28))).toBe(true);
  });

  test('are given in memory that is whole and nobody else’s', () => {
    const curator = opened();
    const answers = [1, 2, 2].map((k, index) => vectorOf(ask(curator, index, point(k))));
    const copies = answers.map((answer) => answer.slice());
    const buffers = new Set(answers.map(({ buffer }) => buffer));
    expect(buffers.size).toBe(3);
    for (const { buffer, byteLength } of answers) {
      expect(buffer).toBeInstanceOf(ArrayBuffer);
      expect(buffer.byteLength).toBe(byteLength);
    }
    ask(curator, 3, point(4));
    expect(answers).toEqual(copies);
  });

  test('are written to the array that the optimizer gives, where nothing but the answer ever is', () => {
    const expected = vectorOf(ask(opened(), 0, point(1)));
    const room = new Float64Array(columns).fill(77);
    const seen: boolean[] = [];
    const watched = defineMechanism({
      ...gaussian,
      name: 'gaussian',
      addNoise(params, value, scale, random) {
        seen.push(room.every((entry, j) => entry === 77 || entry === expected[j]));
        gaussian.addNoise(params as never, value, scale, random);
      },
    }) as unknown as Mechanism;
    const curator = opened(undefined, 'a', watched);
    const given = asked(curator, room);
    const told = curator.answer(0, given);
    expect(vectorOf(told).buffer).toBe(room.buffer);
    expect(room).toEqual(expected);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).not.toContain(false);
    expect(told.digest).toBe(ask(opened(), 0, point(1)).digest);
    room.fill(77);
    expect(vectorOf(curator.answer(0, given))).toEqual(expected);
    expect(room).toEqual(expected);
  });

  test.each<readonly [string, object]>([
    ['of another length', new Float64Array(columns + 1)],
    ['that other threads may read', new Float64Array(new SharedArrayBuffer(8 * columns))],
    ['of other numbers', new Float32Array(columns)],
  ])('leave an array alone %s', (_what, room) => {
    const curator = opened();
    const answer = vectorOf(curator.answer(0, asked(curator, room as Vector)));
    expect(answer).toEqual(vectorOf(ask(opened(), 0, point(1))));
    expect((room as Vector).every((entry) => entry === 0)).toBe(true);
  });

  test.each([0, 5000, columns - 1])('are noise alone where the sum is not finite at entry %i', (place) => {
    const summing = (entry: number): Loss =>
      defineLinearLoss({
        ...logistic,
        name: 'summing',
        linear: {
          value: () => 0,
          slope: () => 0,
          fused: () => ({
            clippedSum({ out }) {
              if (entry !== 0) out.fill(1);
              out[place] = entry;
            },
          }),
        },
      }) as unknown as Loss;
    const noise = vectorOf(ask(opened(summing(0)), 0, point(1)));
    for (const entry of [NaN, Infinity]) {
      const curator = opened(summing(entry));
      expect(vectorOf(ask(curator, 0, point(1)))).toEqual(noise);
    }
  });

  test('are told again with the same bits when the reply was lost, whatever became of the first', () => {
    const curator = opened();
    const first = ask(curator, 0, point(1));
    const told = vectorOf(first).slice();
    vectorOf(first).fill(NaN);
    for (let time = 0; time < 2; time++) {
      const again = ask(curator, 0, point(1));
      expect(vectorOf(again)).toEqual(told);
      expect(again.digest).toBe(first.digest);
    }
    // Other queries in between, which are refused, leave other points in the curator's memory.
    expect(() => ask(curator, 0, point(2))).toThrow('asked again');
    expect(() => ask(curator, 0, point(3).slice(1))).toThrow('asked again');
    expect(vectorOf(ask(curator, 0, point(1)))).toEqual(told);
    expect(vectorOf(ask(curator, 1, point(1)))).not.toEqual(told);
  });

  test('depend on the point as it was when the query was asked', () => {
    const at = point(1);
    const curator = opened();
    const answer = vectorOf(ask(curator, 0, at)).slice();
    at.fill(7);
    expect(vectorOf(ask(opened(), 0, point(1)))).toEqual(answer);
    ask(curator, 1, at);
  });

  test('have digests that change with any bit of the point, and with its place', () => {
    const digests = new Set<string>();
    const given = point(1);
    const changed = [
      given,
      ...[0, 127, 128, 4500, columns - 1].map((j) => given.with(j, given[j] + 2 ** -50)),
    ];
    for (const at of [...changed, given.toReversed()]) digests.add(ask(opened(), 0, at).digest);
    expect(digests.size).toBe(7);
    expect(ask(opened(), 0, point(1)).digest).toBe(ask(opened(), 0, point(1)).digest);
    expect(ask(opened(undefined, 'b'), 0, point(1)).digest).not.toBe(ask(opened(), 0, point(1)).digest);
  });

  test.each([NaN, Infinity, -Infinity])(
    'are refused where an entry is %s, also after a good point',
    (bad) => {
      const curator = opened();
      ask(curator, 0, point(1));
      for (const j of [0, 5000, columns - 1])
        expect(() => ask(curator, 1, point(1).with(j, bad))).toThrow(`[${j}] is ${bad}`);
      ask(curator, 1, point(2));
    },
  );

  test('that fail while records are read are not told again as what was summed so far', () => {
    let fails = false;
    const brittle = defineLinearLoss({
      ...logistic,
      name: 'brittle',
      linear: {
        value: () => 0,
        slope: (_params, margin, label) => -label / (1 + Math.exp(label * margin)),
        fused: () => ({
          clippedSum({ out }) {
            out.fill(123);
            if (fails) throw new Error('while it reads records');
          },
        }),
      },
    }) as unknown as Loss;
    const curator = opened(brittle);
    const told = vectorOf(ask(curator, 0, point(1))).slice();
    fails = true;
    expect(() => ask(curator, 1, point(2))).toThrow('a plugin failed');
    fails = false;
    expect(vectorOf(ask(curator, 0, point(1)))).toEqual(told);
  });
});

describe('means at long points of so few sparse rows that their sum is made block by block', () => {
  const few = 40;
  const two = [
    { weight: 2, at: point(1) },
    { weight: -0.5, at: point(2) },
  ];
  /** The mean over the first rows; query 0 asks for these. */
  const fewOf = (loss?: Loss) => {
    const curator = opened(loss);
    const parts = { by: 'size', sizes: [few] } as const;
    const { answer } = curator.answer(0, { ask: 'split', of: curator.allRecords, order: 'stored', parts });
    const [batch] = answer as readonly Batch[];
    return (index: number, terms: MeanQuery['of']['terms'], target: MeanQuery['target']): Vector =>
      vectorOf(curator.answer(index, { ask: 'mean', of: { terms }, batch, mean, target }));
  };
  const slope = (margin: number, label: number): number => -label / (1 + Math.exp(label * margin));

  test('are those of plain code, for one point and for several, one after another', () => {
    const meanOf = fewOf();
    const rowsOf = { from: 0, to: few };
    for (const [index, terms] of [two, two.slice(0, 1), two].entries()) {
      const r = new Float64Array(few);
      for (const { weight, at } of terms)
        margins(features, at, rowsOf, new Float64Array(few)).forEach((margin, i) => {
          r[i] += weight * slope(margin, labels[i]);
        });
      for (let i = 0; i < few; i++) {
        const values = features.values.subarray(features.rowStarts[i], features.rowStarts[i + 1]);
        r[i] *= Math.min(1, 0.5 / (Math.abs(r[i]) * Math.hypot(...values)));
      }
      const expected = accumulate(features, r, rowsOf, new Float64Array(columns)).map((sum) => sum / few);
      const answer = meanOf(index + 1, terms, { unprotected: true });
      expected.forEach((value, j) => expect(Math.abs(answer[j] - value)).toBeLessThan(1e-12));
      expect(answer.some((value) => value !== 0)).toBe(true);
    }
  });

  test('count a record whose slope is not a number as zero, and are told again after one that failed', () => {
    let given = 0;
    let bad: () => number = () => 0;
    const brittle = defineLinearLoss({
      ...logistic,
      name: 'brittle',
      linear: { value: () => 0, slope: () => (given++ % few === 3 ? bad() : 0) },
    }) as unknown as Loss;
    const meanOf = fewOf(brittle);
    const noise = { noiseMultiplier: 1 };
    const without = meanOf(1, two.slice(0, 1), noise).slice();
    bad = () => NaN;
    given = 0;
    expect(fewOf(brittle)(1, two.slice(0, 1), noise)).toEqual(without);
    bad = () => {
      throw new Error('while it reads records');
    };
    given = 0;
    expect(() => meanOf(2, two, noise)).toThrow('a plugin failed');
    bad = () => 0;
    given = 0;
    expect(meanOf(1, two.slice(0, 1), noise)).toEqual(without);
  });
});
