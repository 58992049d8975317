import { describe, expect, it } from 'vitest';
import {
  type Batch,
  draws,
  hockeyStick,
  type Distribution,
  noisySum,
  released,
  renyi,
  subsets,
  truncatedDraws,
  uniformSubsets,
} from '../../../test/enumeration.js';
import {
  type Adjacency,
  gaussianEvent,
  sampledEvent,
  type PrivacyEvent,
  type SamplerSpec,
  type Direction,
} from '@lethe/core';
import { defined, Unsupported } from '@lethe/numerics';
import { resolveEvent } from '../resolve.js';

const unit = 0.7;
const channel = noisySum(unit);
const epsilons = [-3, -1.4, -0.7, -0.3, -0.05, 0, 0.02, 0.1, 0.3, 0.7, 1.1, 1.4, 2.5];
const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
/** A sum of numbers from −1 to 1, on the integers. */
const sum = plain({
  kind: 'core/discrete-laplace',
  v: 1,
  scale: 1 / unit,
  grid: 1,
  sensitivity: { 'add-remove': 1, 'zero-out': 1, 'replace-one': 2 },
});
const alphabet = [-1, 0, 1];

/** Data sets of `n` records, the last of which is `record`. */
const worlds = (n: number, record: number): readonly (readonly number[])[] =>
  Array.from({ length: 3 ** (n - 1) }, (_, code) => [
    ...Array.from({ length: n - 1 }, (__, i) => alphabet[Math.floor(code / 3 ** i) % 3]),
    record,
  ]);

/** Some pairs of neighbours, in the order that the direction is about. */
function neighbours(
  n: number,
  adjacency: Adjacency,
): readonly {
  readonly p: readonly number[];
  readonly q: readonly number[];
  readonly direction: Direction;
}[] {
  const others = adjacency === 'replace-one' ? [-1, 0] : [0];
  return worlds(n, 1).flatMap((present) =>
    others.flatMap((other) => {
      const absent = adjacency === 'add-remove' ? present.slice(0, -1) : [...present.slice(0, -1), other];
      return [
        { p: present, q: absent, direction: 'remove' as const },
        { p: absent, q: present, direction: 'add' as const },
      ];
    }),
  );
}

interface Checked {
  readonly sampler: SamplerSpec;
  readonly batches: (n: number) => readonly Batch[];
  readonly n: number;
  readonly adjacency: Adjacency;
}

/** The least by which the bound is above the truth, over all neighbours, at each ε. */
function excess(
  { sampler, batches, n, adjacency }: Checked,
  reveal?: (batch: Batch) => string,
): { readonly least: number; readonly most: number } {
  const pairs = resolveEvent(sampledEvent(sampler, sum), 'pair', { adjacency });
  const laws = new Map<string, Distribution>();
  const of = (data: readonly number[]): Distribution => {
    const found = laws.get(data.join()) ?? released(data, batches(data.length), channel, reveal);
    laws.set(data.join(), found);
    return found;
  };
  let [least, most] = [Infinity, 0];
  for (const epsilon of epsilons) {
    for (const direction of ['remove', 'add'] as const) {
      const bounds = pairs
        .filter((pair) => pair.direction === direction || pair.direction === 'symmetric')
        .map(({ factors }) => {
          expect(factors.length).toBe(1);
          expect(factors[0].count).toBe(1);
          return factors[0].distribution.hockeyStick(epsilon).upper;
        });
      expect(bounds.length).toBeGreaterThan(0);
      const truths = neighbours(n, adjacency)
        .filter((pair) => pair.direction === direction)
        .map(({ p, q }) => hockeyStick(of(p), of(q), epsilon));
      const above = Math.max(...bounds) - Math.max(...truths);
      least = Math.min(least, above);
      most = Math.max(most, above);
    }
  }
  return { least, most };
}

describe('a subset without replacement', () => {
  const sampler = { kind: 'core/fixed-size', n: 4, size: 2, replacement: false } as const;
  const batches = (n: number): readonly Batch[] => uniformSubsets(n, 2);

  it.each(['replace-one', 'zero-out'] as const)(
    'costs no more than its pair, at every ε, under %s',
    (adjacency) => {
      expect(excess({ sampler, batches, n: 4, adjacency }).least).toBeGreaterThan(-1e-12);
    },
  );

  it('attains it, where all others are alike, as another order of the others would not', () => {
    // Above 0: the record differs from all others by 2; below 0 its replacement does.
    const distribution = resolveEvent(sampledEvent(sampler, sum), 'pair', { adjacency: 'replace-one' })[0]
      .factors[0].distribution;
    const [odd, even] = [
      released([-1, -1, -1, 1], batches(4), channel),
      released([-1, -1, -1, -1], batches(4), channel),
    ];
    for (const epsilon of epsilons) {
      const truth = epsilon >= 0 ? hockeyStick(odd, even, epsilon) : hockeyStick(even, odd, epsilon);
      // The sum of the others is public there, but the noise is the same.
      expect(distribution.hockeyStick(epsilon).upper).toBeGreaterThanOrEqual(truth - 1e-12);
      expect(distribution.hockeyStick(epsilon).upper - truth).toBeLessThan(1e-9);
    }
  });

  it('has Rényi divergences below the bound, at orders between the integers too', () => {
    const bound = resolveEvent(sampledEvent(sampler, sum), 'rdp', { adjacency: 'replace-one' });
    for (const alpha of [1.3, 2, 2.5, 3, 7, 7.7, 20]) {
      for (const { p, q } of neighbours(4, 'replace-one')) {
        expect(
          renyi(released(p, batches(4), channel), released(q, batches(4), channel), alpha),
        ).toBeLessThanOrEqual(bound(alpha) + 1e-12);
      }
    }
  });
});

it('a batch of fixed size is refused where a null record may be anywhere', () => {
  const event = gaussianEvent(1, { 'replace-one': 1 });
  for (const replacement of [false, true]) {
    const sampled = sampledEvent({ kind: 'core/fixed-size', n: 10, size: 5, replacement }, event);
    for (const want of ['pair', 'rdp', 'gdp'] as const)
      expect(() => resolveEvent(sampled, want, { adjacency: 'zero-out' })).toThrow(Unsupported);
    const pairs = resolveEvent(sampled, 'pair', { adjacency: 'replace-one' });
    expect(pairs).toHaveLength(2);
  }
});

describe('draws with replacement', () => {
  const sampler = { kind: 'core/fixed-size', n: 3, size: 3, replacement: true } as const;
  const batches = (n: number): readonly Batch[] => draws(n, 3);

  it.each(['replace-one', 'zero-out'] as const)(
    'cost no more than their pair, at every ε, under %s',
    (adjacency) => {
      expect(excess({ sampler, batches, n: 3, adjacency }).least).toBeGreaterThan(-1e-12);
    },
  );

  it('cost no more than their ε', () => {
    for (const n of [2, 3, 4]) {
      const { pure, laws } = {
        pure: resolveEvent(sampledEvent({ ...sampler, n, size: 3 }, sum), 'pure', {
          adjacency: 'replace-one',
        }),
        laws: neighbours(n, 'replace-one'),
      };
      const worst = Math.max(
        ...laws.map(({ p, q }) => {
          const [a, b] = [released(p, draws(n, 3), channel), released(q, draws(n, 3), channel)];
          return Math.max(...[...a].map(([name, mass]) => Math.log(mass / defined(b.get(name)))));
        }),
      );
      expect(worst).toBeLessThanOrEqual(pure + 1e-12);
      expect(pure).toBeLessThan(6 * unit);
    }
  });
});

describe('a truncated Poisson sample', () => {
  const shapes = [
    { n: 4, rate: 0.5, most: 2 },
    { n: 4, rate: 0.2, most: 1 },
    { n: 3, rate: 0.9, most: 1 },
    { n: 4, rate: 0.7, most: 3 },
    { n: 3, rate: 1, most: 2 },
  ] as const;
  const cases = shapes.flatMap((shape) =>
    (['zero-out', 'replace-one', 'add-remove'] as const).map((adjacency) => ({ ...shape, adjacency })),
  );

  it.each(cases)(
    'costs no more than its pair: $most of $n at rate $rate, under $adjacency',
    ({ n, rate, most, adjacency }) => {
      expect(
        excess({
          sampler: { kind: 'core/truncated-poisson', n, rate, most },
          batches: (of) => truncatedDraws(of, rate, most),
          n,
          adjacency,
        }).least,
      ).toBeGreaterThan(-1e-12);
    },
  );

  it.each(shapes)(
    'attains it when the others are seen under zero-out: $most of $n at rate $rate',
    ({ n, rate, most }) => {
      const { least, most: largest } = excess(
        {
          sampler: { kind: 'core/truncated-poisson', n, rate, most },
          batches: (of) => truncatedDraws(of, rate, most),
          n,
          adjacency: 'zero-out',
        },
        ({ positions }) => positions.filter((i) => i < n - 1).join(),
      );
      expect(least).toBeGreaterThan(-1e-12);
      expect(largest).toBeLessThan(1e-9);
    },
  );

  it('attains it under add-remove when the other records are known and few are truncated', () => {
    for (const { n, rate, most } of [
      { n: 4, rate: 0.5, most: 2 },
      { n: 4, rate: 0.2, most: 1 },
    ]) {
      const { least, most: largest } = excess(
        {
          sampler: { kind: 'core/truncated-poisson', n, rate, most },
          batches: (of) => truncatedDraws(of, rate, most),
          n,
          adjacency: 'add-remove',
        },
        ({ positions }) => positions.filter((i) => i < n - 1).join(),
      );
      expect(least).toBeGreaterThan(-1e-12);
      expect(largest).toBeLessThan(1e-9);
    }
  });

  it('costs no more than its ε and its Rényi divergences', () => {
    for (const { n, rate, most, adjacency } of cases) {
      const event = sampledEvent({ kind: 'core/truncated-poisson', n, rate, most }, sum);
      const pure = resolveEvent(event, 'pure', { adjacency });
      const rdp = resolveEvent(event, 'rdp', { adjacency });
      for (const { p, q } of neighbours(n, adjacency).slice(0, 12)) {
        const [a, b] = [
          released(p, truncatedDraws(p.length, rate, most), channel),
          released(q, truncatedDraws(q.length, rate, most), channel),
        ];
        expect(
          Math.max(...[...a].map(([name, mass]) => Math.log(mass / defined(b.get(name))))),
        ).toBeLessThanOrEqual(pure + 1e-12);
        for (const alpha of [1.5, 2, 8]) expect(renyi(a, b, alpha)).toBeLessThanOrEqual(rdp(alpha) + 1e-12);
      }
    }
  });

  it('equals a Poisson sample when no truncation is possible', () => {
    const [whole, cut] = [
      { kind: 'core/poisson', rate: 0.3 } as const,
      { kind: 'core/truncated-poisson', n: 5, rate: 0.3, most: 5 } as const,
    ];
    expect(resolveEvent(sampledEvent(cut, sum), 'pure', { adjacency: 'add-remove' })).toBe(
      resolveEvent(sampledEvent(whole, sum), 'pure', { adjacency: 'add-remove' }),
    );
    expect(subsets(3)).toHaveLength(8);
  });
});
