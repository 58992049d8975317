import { defineSampler, InvalidParameter, seededRandom, type Sampler, type SamplerSpec } from '@lethe/core';
import { defined, sampleWithoutReplacement } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { planChecks, runLaws, subjectsOf, type Finding, type Subject } from '../../law/index.js';
import { frequencies } from './frequencies.js';
import { samplerLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

type Bug = Partial<Omit<Sampler, 'kind'>>;

/** A uniform subset of size 2. */
const pair = {
  name: 'pair',
  summary: 'Two slots.',
  source: { id: 'test', item: 'definition' },
  params: z.strictObject({}),
  claims: [],
  size: 'exact' as const,
  amplification: (_params: unknown, slots: number) => {
    const sampler: SamplerSpec = { kind: 'core/fixed-size', n: slots, size: 2, replacement: false };
    return {
      'replace-one': { sampler, inner: 'replace-one' as const },
      'zero-out': { sampler, inner: 'replace-one' as const },
    };
  },
  normaliser: () => 2,
  draw: (_params: unknown, slots: number, random: Parameters<Sampler['draw']>[2]) => {
    if (slots < 2) throw new InvalidParameter('too few slots');
    return sampleWithoutReplacement(random, slots, 2).toSorted();
  },
};
/** Independent inclusion of each slot. */
const independentDraws = (rate: number): Bug => ({
  size: 'hidden',
  amplification: () => {
    const sampler: SamplerSpec = { kind: 'core/poisson', rate };
    return {
      'replace-one': { sampler, inner: 'replace-one' },
      'add-remove': { sampler, inner: 'add-remove' },
      'zero-out': { sampler, inner: 'zero-out' },
    };
  },
  normaliser: (_params, slots) => rate * slots,
  draw: (_params, slots, random) =>
    Uint32Array.from({ length: slots }, (_, i) => i).filter(() => random.uniform() <= rate),
});

/** Two draws from all slots with replacement. */
const twice: Bug = {
  amplification: (_params, slots) => {
    const sampler: SamplerSpec = { kind: 'core/fixed-size', n: slots, size: 2, replacement: true };
    return {
      'replace-one': { sampler, inner: 'replace-one' },
      'zero-out': { sampler, inner: 'replace-one' },
    };
  },
  draw: (_params, slots, random) => {
    if (slots < 2) throw new InvalidParameter('too few slots');
    return Uint32Array.of(random.integer(slots), random.integer(slots)).toSorted();
  },
};

/** Refuses a number of slots that is not an integer, before any other test. */
const refusing = (sampler: Bug): Bug => {
  const valid = (slots: number, whole = true): void => {
    if (!(slots >= 0 && (!whole || Number.isSafeInteger(slots))))
      throw new InvalidParameter('no such number of slots');
  };
  const { partition } = sampler;
  return {
    ...sampler,
    draw: (params, slots, random) => {
      valid(slots);
      return defined(sampler.draw)(params, slots, random);
    },
    normaliser: (params, slots) => {
      valid(slots, false);
      return defined(sampler.normaliser)(params, slots);
    },
    ...(partition && {
      partition: {
        ...partition,
        draw: (params: never, slots: number, random: never) => {
          valid(slots);
          return partition.draw(params, slots, random);
        },
      },
    }),
  };
};

const subjectOf = (bug: Bug): Subject<'sampler'> =>
  subjectsOf(defineSampler(refusing({ ...pair, ...bug } as Bug) as never))[0] as Subject<'sampler'>;
async function broken(bug: Bug, only?: string): Promise<ReadonlyMap<string, string>> {
  const reports = await runLaws(samplerLaws, subjectOf(bug), lawsAlone(only));
  return new Map(
    reports.flatMap(({ law, finding }) =>
      finding.verdict === 'fails' ? [[law, finding.violation.what]] : [],
    ),
  );
}

describe('laws of samplers', () => {
  it.each([
    ['a uniform pair', {}],
    ['independent inclusion', independentDraws(0.3)],
    ['rare inclusion', independentDraws(0.01)],
    ['inclusion of all records', independentDraws(1)],
    ['sampling with replacement', twice],
  ])('hold for %s', async (_name, bug) => {
    expect(await broken(bug)).toEqual(new Map());
  });

  const bugs: readonly (readonly [string, Bug, string, RegExp])[] = [
    [
      'descending positions',
      { draw: (params, slots, random) => pair.draw(params, slots, random).toReversed() },
      'sampler/positions',
      /ascend/u,
    ],
    [
      'a batch that is sometimes larger',
      {
        draw: (_params, slots, random) =>
          sampleWithoutReplacement(random, Math.max(3, slots), random.integer(20) === 0 ? 3 : 2).toSorted(),
      },
      'sampler/size',
      /positions; the size is public/u,
    ],
    [
      'a size that is not an integer',
      { normaliser: (_params, slots) => slots / 3 },
      'sampler/amplification',
      /whole where the size is exact/u,
    ],
    [
      'inner events under zero-out',
      {
        amplification: (params, slots) => ({
          ...pair.amplification(params, slots),
          'zero-out': { sampler: null, inner: 'add-remove' },
        }),
      },
      'sampler/amplification',
      /must be private under zero-out/u,
    ],
    ['undeclared repeats', { draw: defined(twice.draw) }, 'sampler/positions', /none twice/u],
    [
      'replacement declared for draws without',
      { amplification: defined(twice.amplification) },
      'sampler/subsets',
      /says/u,
    ],
    [
      'replacement declared under one adjacency of two',
      {
        ...twice,
        amplification: (params, slots) => ({
          ...defined(twice.amplification)(params, slots),
          'zero-out': pair.amplification(params, slots)['zero-out'],
        }),
      },
      'sampler/positions',
      /none twice/u,
    ],
    [
      'the first slot drawn twice whenever it is drawn',
      {
        ...twice,
        draw: (params, slots, random) => {
          const draw = defined(twice.draw)(params, slots, random);
          return draw[0] === 0 ? draw.fill(0) : draw;
        },
      },
      'sampler/marginals',
      /do not have the declared distribution/u,
    ],
    [
      'random allocation declared for a draw',
      {
        amplification: () => ({
          'replace-one': { sampler: { kind: 'core/random-allocation', steps: 2 }, inner: 'replace-one' },
        }),
      },
      'sampler/amplification',
      /distribution of a partition/u,
    ],
    [
      'an invalid sampler',
      {
        amplification: () => ({
          'replace-one': { sampler: { kind: 'core/poisson', rate: 2 }, inner: 'replace-one' },
        }),
      },
      'sampler/amplification',
      /no accountant knows/u,
    ],
    [
      'add-remove with a fixed size',
      { amplification: () => ({ 'add-remove': { sampler: null, inner: 'add-remove' } }) },
      'sampler/removal',
      /once record 0 is gone/u,
    ],
    [
      'adjacent slots that are always drawn together',
      {
        draw: (_params, slots, random) => {
          const first = random.integer(slots - 1);
          return Uint32Array.of(first, first + 1);
        },
      },
      'sampler/subsets',
      /says/u,
    ],
    [
      'its own random source',
      { draw: (params, slots) => pair.draw(params, slots, seededRandom(String((calls += 1)))) },
      'sampler/coins',
      /and later/u,
    ],
    [
      'a hidden size with another mean',
      {
        ...independentDraws(0.3),
        amplification: () => ({ 'add-remove': { sampler: null, inner: 'add-remove' } }),
        normaliser: (_params, slots) => slots / 2,
      },
      'sampler/normaliser',
      /smaller on average/u,
    ],
    [
      'a rate that is a little too high',
      { ...independentDraws(0.5), draw: defined(independentDraws(0.55).draw) },
      'sampler/marginals',
      /the declared sampler says/u,
    ],
    [
      'a draw that throws',
      {
        draw: () => {
          throw new TypeError('undefined is not a function');
        },
      },
      'sampler/marginals',
      /TypeError/u,
    ],
    [
      'refusals that depend on randomness',
      {
        draw: (params, slots, random) => {
          if (random.integer(3) === 0) throw new InvalidParameter('unlucky');
          return pair.draw(params, slots, random);
        },
      },
      'sampler/positions',
      /refuses with others/u,
    ],
  ];
  let calls = 0;
  it.each(bugs)('find %s', async (_name, bug, law, words) => {
    expect((await broken(bug, law)).get(law)).toMatch(words);
  });

  it('are skipped where they do not apply', () => {
    const checks = planChecks(samplerLaws, subjectOf(independentDraws(0.3)));
    expect(checks.find(({ law }) => law.id === 'sampler/size')?.skipped).toMatch(/hidden/u);
    expect(checks.find(({ law }) => law.id === 'sampler/removal')?.skipped).toMatch(
      /declares an amplification/u,
    );
  });
});

describe('laws of partitions', () => {
  type Partitioning = NonNullable<Sampler['partition']>;
  const notAmplified = {
    'replace-one': { sampler: null, inner: 'replace-one' },
    'zero-out': { sampler: null, inner: 'zero-out' },
  } as const;
  const shuffled: Partitioning = {
    normalisers: (_params, slots) => {
      if (slots < 2) throw new InvalidParameter('too few slots');
      return Array.from({ length: Math.floor(slots / 2) }, () => 2);
    },
    amplification: () => notAmplified,
    draw(params, slots, random) {
      const order = sampleWithoutReplacement(random, slots, slots);
      return shuffled.normalisers(params, slots).map((_size, k) => order.slice(2 * k, 2 * k + 2).toSorted());
    },
  };
  const claims = [{ property: 'partition-distribution', statement: 'shuffled' }];
  const epochs: Bug = { partition: shuffled, claims };
  const allocate =
    (pick: (random: Parameters<Sampler['draw']>[2], slot: number) => number): Partitioning['draw'] =>
    (_params, slots, random) => {
      const places = Array.from({ length: slots }, (_, slot) => pick(random, slot));
      return [0, 1, 2].map((step) => Uint32Array.from(places.keys()).filter((slot) => places[slot] === step));
    };
  const under = (inner: 'replace-one' | 'add-remove' | 'zero-out') =>
    ({ sampler: { kind: 'core/random-allocation', steps: 3 }, inner }) as const;
  const allocation: Bug = {
    ...independentDraws(1 / 3),
    partition: {
      normalisers: (_params, slots) => [slots / 3, slots / 3, slots / 3],
      amplification: () => ({
        'replace-one': under('replace-one'),
        'add-remove': under('add-remove'),
        'zero-out': under('zero-out'),
      }),
      draw: allocate((random) => random.integer(3)),
    },
  };

  it.each([
    ['an epoch', epochs],
    ['an epoch without a claim', { partition: shuffled }],
    ['an allocation', allocation],
  ])('hold for %s', async (_name, bug) => {
    expect(await broken(bug)).toEqual(new Map());
  });

  const epochWith = (partition: Partial<Partitioning>): Bug => ({
    partition: { ...shuffled, ...partition },
    claims,
  });
  const allocationWith = (partition: Partial<Partitioning>): Bug => ({
    ...allocation,
    partition: { ...defined(allocation.partition), ...partition },
  });
  let partitions = 0;
  it.each<readonly [string, Bug, string, RegExp]>([
    [
      'a record in two batches',
      epochWith({
        draw: (params, slots, random) =>
          shuffled.draw(params, slots, random).map((batch, k, all) => (k === 1 ? all[0].slice() : batch)),
      }),
      'sampler/partition',
      /the accountant charges one of them only/u,
    ],
    [
      'one batch fewer than normalisers',
      epochWith({ draw: (params, slots, random) => shuffled.draw(params, slots, random).slice(1) }),
      'sampler/partition',
      /there is one for each/u,
    ],
    [
      'batches of other sizes',
      epochWith({ normalisers: (params, slots) => shuffled.normalisers(params, slots).map(() => 1) }),
      'sampler/partition',
      /size is public/u,
    ],
    [
      'its own random source',
      epochWith({
        draw: (params, slots) => shuffled.draw(params, slots, seededRandom(String((partitions += 1)))),
      }),
      'sampler/partition-coins',
      /differ/u,
    ],
    [
      'an epoch that is amplified like a draw',
      epochWith({ amplification: pair.amplification }),
      'sampler/partition-amplification',
      /distribution of one draw/u,
    ],
    [
      'an epoch declared as an allocation',
      epochWith({
        amplification: (_params, slots) => ({
          'replace-one': {
            sampler: { kind: 'core/random-allocation', steps: Math.floor(slots / 2) },
            inner: 'replace-one',
          },
        }),
      }),
      'sampler/partition-amplification',
      /are random and secret/u,
    ],
    [
      'an allocation to more steps',
      allocationWith({
        amplification: () => ({
          'add-remove': { sampler: { kind: 'core/random-allocation', steps: 4 }, inner: 'add-remove' },
        }),
      }),
      'sampler/partition-amplification',
      /has 3 batches/u,
    ],
    [
      'inner events that do not cover a removal',
      allocationWith({ amplification: () => ({ 'add-remove': under('zero-out') }) }),
      'sampler/partition-amplification',
      /must be private under add-remove/u,
    ],
    [
      'an epoch under add-remove',
      epochWith({ amplification: () => ({ 'add-remove': { sampler: null, inner: 'add-remove' } }) }),
      'sampler/partition-removal',
      /once record 0 is gone/u,
    ],
    [
      'a remainder that is always the last slot',
      epochWith({ draw: (params, slots, random) => shuffled.draw(params, slots - (slots % 2), random) }),
      'sampler/partition-distribution',
      /uniformly random order/u,
    ],
    [
      'stored order',
      epochWith({
        draw: (params, slots) =>
          shuffled.normalisers(params, slots).map((_size, k) => Uint32Array.of(2 * k, 2 * k + 1)),
      }),
      'sampler/partition-frequencies',
      /uniformly random order/u,
    ],
    [
      'an allocation that fills up the batches',
      allocationWith({
        draw: (params, slots, random) => {
          const order = sampleWithoutReplacement(random, slots, slots);
          return defined(allocation.partition)
            .draw(params, slots, random)
            .map((_batch, k) =>
              order.slice(Math.floor((k * slots) / 3), Math.floor(((k + 1) * slots) / 3)).toSorted(),
            );
        },
      }),
      'sampler/partition-frequencies',
      /do not have the declared distribution/u,
    ],
    [
      'an allocation that favours the first batch',
      allocationWith({ draw: allocate((random) => Math.min(2, Math.floor(random.integer(10) / 4))) }),
      'sampler/partition-distribution',
      /independent uniform choice/u,
    ],
    [
      'wrong expected sizes',
      {
        ...allocationWith({
          amplification: () => notAmplified,
          normalisers: (_params, slots) => [slots / 2, slots / 3, slots / 6],
        }),
      },
      'sampler/partition-normalisers',
      /mean sizes/u,
    ],
  ])('find %s', async (_name, bug, law, words) => {
    expect((await broken(bug, law)).get(law)).toMatch(words);
  });

  it('are skipped for a sampler without partition', () => {
    expect(
      planChecks(samplerLaws, subjectOf({})).find(({ law }) => law.id === 'sampler/partition')?.skipped,
    ).toMatch(/has no partition/u);
  });
});

describe('disjoint', () => {
  const parts = (overlap: number) =>
    defineSampler({
      ...pair,
      params: z.strictObject({ parts: z.int(), part: z.int() }),
      claims: [{ property: 'disjoint', statement: 'they are' }],
      examples: [{ parts: 2, part: 0 }],
      amplification: () => ({}),
      normaliser: ({ parts: count }: { readonly parts: number }, slots: number) => Math.floor(slots / count),
      draw: ({ parts: count, part }: { readonly parts: number; readonly part: number }, slots: number) =>
        Uint32Array.from(
          { length: Math.floor(slots / count) },
          (_, i) => Math.max(0, part * Math.floor(slots / count) - overlap) + i,
        ),
    });
  const found = async (overlap: number): Promise<Finding> =>
    (
      await runLaws(samplerLaws, subjectsOf(parts(overlap))[0] as Subject<'sampler'>, {
        only: ['sampler/disjoint'],
      })
    )[0].finding;

  it('holds for parts without a common position, and finds one', async () => {
    expect((await found(0)).verdict).toBe('holds');
    expect(await found(1)).toMatchObject({
      verdict: 'fails',
      violation: { what: expect.stringMatching(/is in part 1 and in an earlier one/u) as string },
    });
  });
});

describe('frequencies', () => {
  it('keep their false-alarm rate, and detect a category with twice the declared probability', () => {
    const random = seededRandom('frequencies');
    const rejects = (draw: () => number): boolean => {
      const process = frequencies([0.1, 0.2, 0.7]);
      for (let i = 0; i < 400; i++) process.push(draw());
      return process.rejects(0.01);
    };
    const of = (a: number, b: number) => () => {
      const u = random.uniform();
      if (u < a) return 0;
      return u < a + b ? 1 : 2;
    };
    let alarms = 0;
    for (let k = 0; k < 1000; k++) alarms += Number(rejects(of(0.1, 0.2)));
    // 35 or more of 1000 have probability below 1e-9 at 0.01.
    expect(alarms).toBeLessThan(35);
    expect(rejects(of(0.2, 0.2))).toBe(true);
    expect(frequencies([0, 1]).rejects(0.01)).toBe(false);
    const impossible = frequencies([0, 1]);
    impossible.push(0);
    expect(impossible.rejects(1e-300)).toBe(true);
  });
});
