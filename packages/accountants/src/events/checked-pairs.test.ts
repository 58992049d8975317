import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { defined, IncompatiblePlugins } from '@lethe/numerics';
import {
  type PrivacyEvent,
  defineEvent,
  type EventKind,
  dominatingPair,
  type DominatingPair,
  type PrivacyLossDistribution,
} from '@lethe/core';
import {
  approximateLossDistribution,
  boundedRangeLossDistribution,
  discreteGaussianLossDistribution,
  discreteLaplaceLossDistribution,
  gaussianLossDistribution,
  gaussianMixtureLossDistribution,
  laplaceLossDistribution,
  presentInPoisson,
  randomizedResponseLossDistribution,
  replacedInPoisson,
  unprotectedLossDistribution,
} from './pairs/loss-distributions.js';
import { resolveEvent } from './resolve.js';

const kind = (pair: NonNullable<EventKind['characterise']['pair']>, name = 'acme/noise'): EventKind =>
  defineEvent({
    name,
    summary: 'noise',
    source: { id: 'acme', item: '1' },
    claims: [],
    version: 1,
    characterise: { pair },
    schema: z.looseObject({ kind: z.literal(name), v: z.literal(1) }),
  }) as unknown as EventKind;
const event: PrivacyEvent = { kind: 'acme/noise', v: 1 };
const composed = {
  kind: 'core/compose',
  v: 1,
  parts: [
    { event, count: 3 },
    { event: { ...event, again: true }, count: 2 },
  ],
} as PrivacyEvent;
const resolved = (pairs: readonly DominatingPair[], of = event): readonly DominatingPair[] =>
  resolveEvent(of, 'pair', { adjacency: 'add-remove', kinds: [kind(() => pairs)] });
const unit = gaussianLossDistribution(1);
const withDistribution = (change: Partial<PrivacyLossDistribution>): readonly DominatingPair[] => [
  dominatingPair('symmetric', { ...unit, ...change }),
];
const withMasses = (change: (p: Float64Array, q: Float64Array) => void): readonly DominatingPair[] =>
  withDistribution({
    massesInto: (p, q, edges) => {
      defined(unit.massesInto)(p, q, edges);
      change(p, q);
    },
  });
const scaled = (values: Float64Array, by: number): void =>
  values.forEach((value, i) => {
    values[i] = value * by;
  });
const withFactors = (factors: DominatingPair['factors']): readonly DominatingPair[] => [
  { direction: 'symmetric', factors, attained: false },
];

describe('refused pairs of a plugin', () => {
  test.each<readonly [string, readonly DominatingPair[], RegExp]>([
    ['none', [], /no dominating pairs; both 'remove' and 'add'/u],
    ['no list', undefined as never, /must be a list/u],
    ['one direction', [dominatingPair('remove', unit)], /for 'remove' only/u],
    ['an unknown direction', [dominatingPair('both' as never, unit)], /for 'both'/u],
    ['no direction', [dominatingPair(undefined as never, unit)], /for 'undefined'/u],
    [
      'a value of attained that is not boolean',
      [dominatingPair('symmetric', unit, undefined)].map((pair) => ({
        ...pair,
        attained: 'perhaps' as never,
      })),
      /'attained'/u,
    ],
    ['no factors', withFactors([]), /no factors/u],
    [
      'a witness without factors',
      withFactors([{ distribution: unit, count: 1 }]).map((pair) => ({ ...pair, witness: [] })),
      /no factors/u,
    ],
    ...[0, -1, 0.5, NaN, Infinity].map(
      (count) =>
        [
          `a distribution with count ${count}`,
          withFactors([{ distribution: unit, count }]),
          /whole number/u,
        ] as const,
    ),
    ...[NaN, -0.1, 1.1].map(
      (infinite) => [`an infinite mass of ${infinite}`, withDistribution({ infinite }), /infinite/u] as const,
    ),
    ['a reversed support', withDistribution({ support: { least: 5, most: -5 } }), /between 5 and -5/u],
    [
      'a support of NaN',
      withDistribution({ infinite: 1, support: { least: NaN, most: 1 } }),
      /between NaN and 1/u,
    ],
    [
      'a support too small',
      withDistribution({ support: { least: -1, most: 1 } }),
      /losses lie between -1 and 1/u,
    ],
    ...[NaN, 1, -1].map((grain) => [`a grain of ${grain}`, withDistribution({ grain }), /grain/u] as const),
    [
      'a profile of NaN',
      withDistribution({ hockeyStick: () => ({ lower: NaN, upper: NaN }) }),
      /in \[NaN, NaN\]/u,
    ],
    [
      'a profile with an upper bound of NaN',
      withDistribution({ hockeyStick: () => ({ lower: 0, upper: NaN }) }),
      /in \[0, NaN\]/u,
    ],
    [
      'reversed bounds',
      withDistribution({ hockeyStick: () => ({ lower: 0.9, upper: 0.8 }) }),
      /in \[0.9, 0.8\]/u,
    ],
    [
      'a profile above 1',
      withDistribution({ hockeyStick: () => ({ lower: 0, upper: 1.1 }) }),
      /in \[0, 1.1\]/u,
    ],
    [
      'a profile of zeros',
      [
        dominatingPair('symmetric', {
          infinite: 0,
          support: { least: -1, most: 1 },
          hockeyStick: () => ({ lower: 0, upper: 0 }),
        }),
      ],
      /all outcomes together/u,
    ],
    [
      'a profile that grows',
      withDistribution({
        hockeyStick: (epsilon) => {
          const upperOf = () => {
            if (epsilon < 0) return 1;
            return epsilon < 1 ? 0.4 : 0.5;
          };
          return { lower: epsilon < 1 ? 0 : 0.5, upper: upperOf() };
        },
      }),
      /must not grow/u,
    ],
    ['masses of NaN', withMasses((p) => p.fill(NaN)), /under P .*must be written/u],
    ['masses of NaN under Q', withMasses((_, q) => q.fill(NaN)), /under Q .*must be written/u],
    [
      'masses of zero',
      withMasses((p, q) => {
        p.fill(0);
        q.fill(0);
      }),
      /add up to 1/u,
    ],
    ['masses that are not written', withDistribution({ massesInto: () => undefined }), /must be written/u],
    [
      'masses added to the previous content',
      withDistribution({
        massesInto: (p, q, edges) => {
          const before = [...p];
          defined(unit.massesInto)(p, q, edges);
          before.forEach((mass, i) => {
            p[i] += mass;
          });
        },
      }),
      /must be written/u,
    ],
    ['half of P', withMasses((p) => scaled(p, 0.5)), /add up to 1/u],
    ['half of Q', withMasses((_, q) => scaled(q, 0.5)), /ratio|agree/u],
    ['twice Q', withMasses((_, q) => scaled(q, 2)), /at most 1/u],
    [
      'a negative mass',
      withMasses((p) => {
        if (p.length > 1) p[0] = -1e-3;
      }),
      /be at least 0/u,
    ],
    [
      'one cell too small',
      withMasses((p) => {
        if (p.length > 1) {
          const at = p.indexOf(Math.max(...p));
          p[at] *= 0.8;
        }
      }),
      /add up to 1/u,
    ],
    ['P for Q', withMasses((p, q) => q.set(p)), /ratio|agree/u],
    [
      'masses of a smaller Gaussian',
      withDistribution({ massesInto: defined(gaussianLossDistribution(0.9).massesInto) }),
      /agree/u,
    ],
    [
      'the profile of a smaller Gaussian',
      withDistribution({ hockeyStick: (epsilon) => gaussianLossDistribution(0.9).hockeyStick(epsilon) }),
      /agree/u,
    ],
    [
      'cells shifted by one',
      withMasses((p, q) => {
        p.copyWithin(1, 0);
        q.copyWithin(1, 0);
      }),
      /./u,
    ],
  ])('%s', (_, pairs, message) => {
    for (const of of [event, composed]) {
      expect(() => resolved(pairs, of)).toThrow(IncompatiblePlugins);
      expect(() => resolved(pairs, of)).toThrow(message);
      expect(() => resolved(pairs, of)).toThrow(/'acme\/noise' gave/u);
    }
  });

  it('are refused when only a later answer is wrong', () => {
    const [pair] = resolved(
      withDistribution({
        hockeyStick: (epsilon) => (epsilon === 2 ? { lower: 0, upper: NaN } : unit.hockeyStick(epsilon)),
        massesInto: (p, q, edges) => {
          defined(unit.massesInto)(p, q, edges);
          if (edges[0] === 0.25) p[0] = NaN;
          if (edges[1] === 0.25) p.fill(0);
        },
      }),
    );
    const { distribution } = pair.factors[0];
    const [p, q] = [new Float64Array(2), new Float64Array(2)];
    expect(distribution.hockeyStick(1)).toEqual(unit.hockeyStick(1));
    expect(() => distribution.hockeyStick(2)).toThrow(IncompatiblePlugins);
    expect(() => defined(distribution.massesInto)(p, q, Float64Array.of(0.25, 1, 2))).toThrow(
      /must be written/u,
    );
    expect(() => defined(distribution.massesInto)(p, q, Float64Array.of(-Infinity, 0.25, Infinity))).toThrow(
      /add up to 1/u,
    );
  });
});

describe('accepted pairs of a plugin', () => {
  it.each<readonly [string, PrivacyLossDistribution]>([
    ...[1e-9, 0.01, 1, 5, 40, 1e4].flatMap(
      (size) =>
        [
          [`gaussian ${size}`, gaussianLossDistribution(size)],
          [`laplace ${size}`, laplaceLossDistribution(size)],
          [`range ${size}`, boundedRangeLossDistribution(size)],
          [`approximate ${size}`, approximateLossDistribution(size, 0.1)],
          [`replaced ${size}`, replacedInPoisson(0.3, size)],
        ] as const,
    ),
    ...(['remove', 'add'] as const).flatMap((way) =>
      [0.001, 0.4].flatMap(
        (rate) =>
          [
            [`${way}, sampled at ${rate}`, presentInPoisson(gaussianLossDistribution(2), rate, way)],
            [
              `${way}, a sampled response at ${rate}`,
              presentInPoisson(randomizedResponseLossDistribution(0.2, 3), rate, way),
            ],
          ] as const,
      ),
    ),
    ['discrete gaussian', discreteGaussianLossDistribution(3, 2)],
    ['discrete laplace', discreteLaplaceLossDistribution(0.25, 4)],
    ['mixture', gaussianMixtureLossDistribution([0, 1, 3], [0.5, 0.3, 0.2], 'add')],
    ['everything', unprotectedLossDistribution],
    [
      'infinite loss only, with an empty support',
      { ...unprotectedLossDistribution, support: { least: Infinity, most: -Infinity } },
    ],
    [
      'no masses',
      { infinite: 0, support: unit.support, hockeyStick: (epsilon) => unit.hockeyStick(epsilon) },
    ],
    [
      'an upper bound above 1 by rounding',
      {
        ...unit,
        hockeyStick: (epsilon) =>
          epsilon < -9 ? { lower: 1, upper: 1 + 2 ** -50 } : unit.hockeyStick(epsilon),
      },
    ],
  ])('%s', (_, distribution) => {
    const [pair] = resolved([dominatingPair('symmetric', distribution, true)]);
    const { distribution: guarded, count } = pair.factors[0];
    expect(pair).toMatchObject({ direction: 'symmetric', attained: true });
    expect([count, guarded.infinite, guarded.grain, guarded.massesInto === undefined]).toEqual([
      1,
      distribution.infinite,
      distribution.grain,
      distribution.massesInto === undefined,
    ]);
    for (const epsilon of [-2, 0, 0.7])
      expect(guarded.hockeyStick(epsilon)).toEqual(distribution.hockeyStick(epsilon));
    expect(guarded.hockeyStick(-10).upper).toBeLessThanOrEqual(1);
    if (distribution.massesInto === undefined) return;
    const edges = Float64Array.of(-Infinity, -1, 0, 0.5, Infinity);
    const [p, q, expected, against] = [0, 1, 2, 3].map(() => new Float64Array(4)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    defined(guarded.massesInto)(p, q, edges);
    distribution.massesInto(expected, against, edges);
    expect([p, q]).toEqual([expected, against]);
  });

  it('become one factor with a count when a composition repeats one distribution', () => {
    const [pair] = resolved([dominatingPair('symmetric', unit, true)], composed);
    expect(pair).toMatchObject({ direction: 'symmetric', attained: true, factors: [{ count: 5 }] });
    expect(pair.factors).toHaveLength(1);
    const [both] = resolved(
      [
        {
          direction: 'symmetric',
          factors: [
            { distribution: unit, count: 2 },
            { distribution: laplaceLossDistribution(1), count: 1 },
          ],
          attained: false,
        },
      ],
      composed,
    );
    expect(both.factors.map(({ count }) => count)).toEqual([10, 5]);
  });

  it('may be the unchanged pairs of another event, also an empty product', () => {
    const plugin = kind(
      (outer, adjacency, resolve) =>
        resolve((outer as unknown as { readonly inner: PrivacyEvent }).inner, 'pair', adjacency),
      'acme/outer',
    );
    const around = (inner: PrivacyEvent): readonly DominatingPair[] =>
      resolveEvent({ kind: 'acme/outer', v: 1, inner } as PrivacyEvent, 'pair', {
        adjacency: 'add-remove',
        kinds: [plugin, kind(() => [dominatingPair('symmetric', unit)])],
      });
    expect(around({ kind: 'core/free', v: 1 })[0].factors).toEqual([]);
    expect(around(event)[0].factors[0].distribution).toBe(
      resolved([dominatingPair('symmetric', unit)])[0].factors[0].distribution,
    );
  });
});
