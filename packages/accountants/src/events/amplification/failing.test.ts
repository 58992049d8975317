import { describe, expect, it } from 'vitest';
import {
  type Batch,
  draws,
  hockeyStick,
  type Distribution,
  noisySum,
  subsets,
  truncatedDraws,
  uniformSubsets,
} from '../../../test/enumeration.js';
import {
  adjacencies,
  type Adjacency,
  composedEvent,
  repeatedEvent,
  sampledEvent,
  type PrivacyEvent,
  type SamplerSpec,
  type DominatingPair,
} from '@lethe/core';
import { defined, Unsupported } from '@lethe/numerics';
import { withoutFailures } from '../failures.js';
import { resolveEvent } from '../resolve.js';

const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
const unit = 1.2;
const noisy = plain({
  kind: 'core/discrete-laplace',
  v: 1,
  scale: 1 / unit,
  grid: 1,
  sensitivity: { 'add-remove': 1, 'zero-out': 1, 'replace-one': 2 },
});
const failing = (delta: number, event: PrivacyEvent = noisy): PrivacyEvent =>
  plain({ kind: 'core/failing', v: 1, delta, event });
const epsilons = [-3, -1.4, -0.5, -0.05, 0, 0.02, 0.3, 0.7, 1.4, 2.5, 4, 8];
const n = 4;

interface Draw {
  readonly sampler: SamplerSpec;
  readonly batches: (size: number) => readonly Batch[];
}
const poissonBatches =
  (rate: number) =>
  (size: number): readonly Batch[] =>
    subsets(size).map((positions) => ({
      positions,
      probability: rate ** positions.length * (1 - rate) ** (size - positions.length),
    }));
const subset: Draw = {
  sampler: { kind: 'core/fixed-size', n, size: 1, replacement: false },
  batches: (size) => uniformSubsets(size, 1),
};
const drawn: Draw = {
  sampler: { kind: 'core/fixed-size', n, size: 2, replacement: true },
  batches: (size) => draws(size, 2),
};
const poisson: Draw = { sampler: { kind: 'core/poisson', rate: 0.25 }, batches: poissonBatches(0.25) };
const truncated: Draw = {
  sampler: { kind: 'core/truncated-poisson', n, rate: 0.5, most: 1 },
  batches: (size) => truncatedDraws(size, 0.5, 1),
};
/** Probability of the record's being in the batch. */
const chance = new Map<Draw, number>([
  [subset, 1 / 4],
  [drawn, 1 - (3 / 4) ** 2],
  [poisson, 0.25],
  [truncated, (1 - 0.5 ** n) / n],
]);

/**
 * `times` noisy sums of one batch, each of which shows the batch
 * with probability `delta`, of its own coin and whatever the data.
 */
function released(data: readonly number[], { batches }: Draw, delta: number, times: number): Distribution {
  const law = new Map<string, number>();
  const channel = noisySum(unit, 16);
  for (const { positions, probability } of batches(data.length)) {
    const seen = positions.map((i) => data[i]);
    const total = seen.reduce((a, b) => a + b, 0);
    const answer: readonly (readonly [string, number])[] = [
      [`the batch ${seen.toSorted().join()}`, delta],
      ...[...channel(total)].map(([name, mass]) => [name, (1 - delta) * mass] as const),
    ];
    let all: readonly (readonly [string, number])[] = [['', probability]];
    for (let k = 0; k < times; k++)
      all = all.flatMap(([before, mass]) =>
        answer.map(([name, more]) => [`${before}|${name}`, mass * more] as const),
      );
    for (const [name, mass] of all) law.set(name, (law.get(name) ?? 0) + mass);
  }
  return law;
}

/** Neighbours whose one record is 1, and whose others are all alike or not. */
function neighbours(adjacency: Adjacency): readonly (readonly [readonly number[], readonly number[]])[] {
  let without: number[][];
  if (adjacency === 'replace-one') without = [[-1], [0]];
  else if (adjacency === 'zero-out') without = [[0]];
  else without = [[]];
  return [
    [-1, -1, -1],
    [0, 0, 0],
    [1, 0, -1],
    [1, 1, 1],
  ].flatMap((others) =>
    without.flatMap((other) => {
      const [one, two] = [
        [...others, 1],
        [...others, ...other],
      ];
      return [
        [one, two],
        [two, one],
      ] as const;
    }),
  );
}

/** What neighbours come to at most. */
function worst(draw: Draw, adjacency: Adjacency, delta: number, times: number): (epsilon: number) => number {
  const known = new Map<string, Distribution>();
  const of = (data: readonly number[]): Distribution => {
    const distribution = known.get(data.toSorted().join()) ?? released(data, draw, delta, times);
    known.set(data.toSorted().join(), distribution);
    return distribution;
  };
  const laws = neighbours(adjacency).map(([p, q]) => [of(p), of(q)] as const);
  return (epsilon) => Math.max(...laws.map(([p, q]) => hockeyStick(p, q, epsilon)));
}

const inside = (delta: number, times: number): PrivacyEvent =>
  times === 1 ? failing(delta) : repeatedEvent(failing(delta), times);
const cases = [subset, drawn, poisson, truncated].flatMap((draw) =>
  adjacencies
    .filter((adjacency) => !(adjacency === 'add-remove' && draw.sampler.kind === 'core/fixed-size'))
    .flatMap((adjacency) =>
      [1, 2].map((times) => ({
        draw,
        adjacency,
        times,
        name:
          `${draw.sampler.kind}${draw === drawn ? ' with replacement' : ''}, ` +
          `${times} inside, under ${adjacency}`,
      })),
    ),
);

/** Of one law, with failures beside it or not. */
function profileOf({ factors }: DominatingPair, epsilon: number): number {
  const [law, ...others] = factors.filter(({ distribution: { support } }) => support.most > 0);
  expect(others).toHaveLength(0);
  const fails = factors
    .filter((factor) => factor !== law)
    .reduce((sum, factor) => sum + factor.distribution.infinite, 0);
  return fails + (1 - fails) * law.distribution.hockeyStick(epsilon).upper;
}

describe('what fails inside a sample', () => {
  it.each(cases)(
    'fails as rarely as the record is drawn, and no more rarely: $name',
    ({ draw, adjacency, times }) => {
      const delta = 0.1;
      const event = sampledEvent(draw.sampler, inside(delta, times));
      const truth = worst(draw, adjacency, delta, times);
      const { event: sound, delta: fails } = withoutFailures(event, adjacency);
      const bounds = [
        resolveEvent(event, 'pair', { adjacency }),
        resolveEvent(sound, 'pair', { adjacency }),
      ].map((pairs) => pairs.filter(({ factors }) => factors.length > 0));
      for (const epsilon of epsilons) {
        const profile = (at: number): number =>
          Math.max(...bounds[at].map((pair) => profileOf(pair, epsilon)));
        expect(profile(0)).toBeGreaterThanOrEqual(truth(epsilon) - 1e-9);
        expect(fails + profile(1)).toBeGreaterThanOrEqual(truth(epsilon) - 1e-9);
      }
      // Beyond the losses of the noise only failures are left: of two releases either may fail.
      const shown = defined(chance.get(draw)) * (1 - (1 - delta) ** times);
      expect(truth(30)).toBeCloseTo(shown, 9);
      expect(fails).toBeGreaterThanOrEqual(shown - 1e-12);
      expect(fails).toBeLessThan(defined(chance.get(draw)) * delta * times * 1.4);
    },
  );

  it('has exactly the pair of a subset when all other records are equal', () => {
    const event = sampledEvent(subset.sampler, failing(0.1));
    const [pair] = resolveEvent(event, 'pair', { adjacency: 'replace-one' });
    expect(pair.factors).toHaveLength(1);
    const [odd, even] = [
      released([-1, -1, -1, 1], subset, 0.1, 1),
      released([-1, -1, -1, -1], subset, 0.1, 1),
    ];
    for (const epsilon of epsilons.filter((one) => one >= 0)) {
      const { upper } = pair.factors[0].distribution.hockeyStick(epsilon);
      expect(upper).toBeGreaterThanOrEqual(hockeyStick(odd, even, epsilon) - 1e-9);
      expect(upper - hockeyStick(odd, even, epsilon)).toBeLessThan(1e-6);
    }
  });

  it('is refused where only (ε, δ) is stated and two presences may fail apart', () => {
    const stated = plain({ kind: 'core/approximate', v: 1, epsilon: 1, delta: 0.1 });
    const refused: readonly (readonly [Draw, Adjacency])[] = [
      [drawn, 'replace-one'],
      [drawn, 'zero-out'],
      [poisson, 'replace-one'],
      [truncated, 'replace-one'],
      [truncated, 'add-remove'],
    ];
    for (const [{ sampler }, adjacency] of refused) {
      for (const event of [stated, composedEvent([failing(0.1), stated])])
        expect(() => withoutFailures(sampledEvent(sampler, event), adjacency)).toThrow(Unsupported);
    }
    for (const [{ sampler }, adjacency] of [
      [subset, 'replace-one'],
      [subset, 'zero-out'],
      [poisson, 'add-remove'],
      [truncated, 'zero-out'],
    ] as const) {
      expect(withoutFailures(sampledEvent(sampler, stated), adjacency).delta).toBeCloseTo(0.025, 12);
    }
  });

  it('of a partition into batches fails at most once: never less than by enumeration of a run', () => {
    const event = sampledEvent({ kind: 'core/random-allocation', steps: 3 }, failing(0.1));
    const [p, q] = [partitioned(1), partitioned(0)];
    expect(hockeyStick(p, q, 30)).toBeCloseTo(0.1, 4);
    for (const adjacency of ['zero-out', 'add-remove'] as const) {
      const pairs = resolveEvent(event, 'pair', { adjacency });
      const { event: sound, delta } = withoutFailures(event, adjacency);
      expect(delta).toBe(0.1);
      const rest = resolveEvent(sound, 'pair', { adjacency });
      for (const epsilon of epsilons) {
        for (const [direction, truth] of [
          ['remove', hockeyStick(p, q, epsilon)],
          ['add', hockeyStick(q, p, epsilon)],
        ] as const) {
          const upper = (of: typeof pairs): number =>
            defined(of.find((pair) => pair.direction === direction)).factors[0].distribution.hockeyStick(
              epsilon,
            ).upper;
          expect(upper(pairs)).toBeGreaterThanOrEqual(truth - 1e-9);
          expect(0.1 + 0.9 * upper(rest)).toBeGreaterThanOrEqual(truth - 1e-9);
        }
      }
    }
  });

  it('costs as without failures, plus the failures of the batches with the record', () => {
    const gaussian = plain({
      kind: 'core/gaussian',
      v: 1,
      sigma: 30,
      sensitivity: { 'replace-one': 1, 'zero-out': 0.5 },
    });
    const level = (size: number): PrivacyEvent =>
      sampledEvent(
        { kind: 'core/fixed-size', n: 2048, size, replacement: false },
        repeatedEvent(failing(1e-9, gaussian), 2),
      );
    const levels = composedEvent(
      Array.from({ length: 10 }, (_, k) => repeatedEvent(level(2 ** (k + 1)), Math.max(1, 256 >> k))),
    );
    const expected = Array.from(
      { length: 10 },
      (_, k) => Math.max(1, 256 >> k) * 2e-9 * (2 ** (k + 1) / 2048),
    ).reduce((a, b) => a + b, 0);
    expect(withoutFailures(levels, 'replace-one').delta).toBeCloseTo(expected, 18);
    expect(expected).toBeLessThan(6e-9);
    expect(
      resolveEvent(level(16), 'pair', { adjacency: 'replace-one' })[0].factors.map(
        ({ distribution }) => distribution.infinite,
      )[0],
    ).toBeCloseTo(2e-9 * (16 / 2048), 20);
  });
});

/**
 * Three steps of a deal: a record of size `with` is in one of them, and each step fails by a coin of its own.
 */
function partitioned(value: number): Distribution {
  const law = new Map<string, number>();
  const channel = noisySum(unit, 8);
  for (const place of [0, 1, 2]) {
    let all: readonly (readonly [string, number])[] = [['', 1 / 3]];
    for (const step of [0, 1, 2]) {
      const inIt = step === place ? value : 0;
      const answer = [
        [`shown ${inIt}`, 0.1] as const,
        ...[...channel(inIt)].map(([name, mass]) => [name, 0.9 * mass] as const),
      ];
      all = all.flatMap(([before, mass]) =>
        answer.map(([name, more]) => [`${before}|${name}`, mass * more] as const),
      );
    }
    for (const [name, mass] of all) law.set(name, (law.get(name) ?? 0) + mass);
  }
  return law;
}
