import {
  defineLowerBound,
  InvalidParameter,
  type HardInstance,
  type HardProblem,
  type LowerBound,
  type RiskLowerBound,
  type RandomSource,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runLaws } from '../../law/run.js';
import { subjectsOf } from '../../law/make-subject.js';
import type { Subject } from '../../law/subject.js';
import { loss, standIns } from '../curator/stand-ins/index.js';
import { lowerBoundLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

const params = z.strictObject({
  n: z.int().positive(),
  dimension: z.int().positive(),
  radius: z.number().positive(),
  moment: z.number().positive(),
  momentOrder: z.number().min(2),
});
type Given = z.output<typeof params>;

/** Records are one sign vector, with the opposite sign at bias 1/2: ⟨w, x⟩ is least on the other side. */
function draw({ n, dimension, radius, moment }: Given, random: RandomSource): HardInstance {
  const word = Array.from(
    { length: dimension },
    () => ((random.uniform() < 0.5 ? -1 : 1) * moment) / Math.sqrt(dimension),
  );
  const features = Float64Array.from(
    Array.from({ length: n }, () => (random.uniform() < 0.75 ? 1 : -1)).flatMap((side) =>
      word.map((x) => side * x),
    ),
  );
  const mean = word.map((x) => x / 2);
  const length = moment / 2;
  return {
    features,
    labels: new Float64Array(n),
    rows: n,
    columns: dimension,
    optimum: Float64Array.from(mean, (x) => (-radius * x) / length),
    excessRisk: (w) => radius * length + mean.reduce((sum, x, j) => sum + x * w[j], 0),
  };
}
const value = ({ n, radius, moment }: Given): number => (0.01 * radius * moment) / Math.sqrt(n);
const bound = (bugs: Partial<Omit<RiskLowerBound<typeof params>, 'kind' | 'measure'>> = {}) =>
  defineLowerBound({
    name: 'coin',
    summary: 'A biased coin.',
    source: { id: 'test', item: 'none' },
    params,
    examples: [{ n: 16, dimension: 16, radius: 2, moment: 1, momentOrder: 2 }],
    statement: 'Ω(D r/√n)',
    claims: [
      { property: 'monotone', statement: '' },
      { property: 'instance-moment', statement: '' },
      { property: 'homogeneous', statement: '' },
    ],
    problem: ({ dimension, radius, moment, momentOrder }) => ({
      loss: loss('linear') as never,
      domain: { kind: 'domain', name: 'l2-ball', params: { radius } },
      record: { columns: dimension, featureNorm: moment },
      facts: {
        [`gradientMoment.${momentOrder}`]: { value: moment, scope: 'population', provenance: 'declared' },
      },
    }),
    evaluate: (given) => ({ value: value(given), explicit: true, terms: {} }),
    instance: draw,
    ...bugs,
  }) as unknown as RiskLowerBound;
const valued = (of: (given: Given) => number): LowerBound =>
  bound({ evaluate: (given) => ({ value: of(given), explicit: true, terms: {} }) });
const drawnAs = (change: (drawn: HardInstance) => Partial<HardInstance>): LowerBound =>
  bound({
    instance(given, random) {
      const drawn = draw(given, random);
      return { ...drawn, ...change(drawn) };
    },
  });
const posedAs = (change: (posed: HardProblem) => Partial<HardProblem>): LowerBound =>
  bound({
    problem(given) {
      const posed = defined(bound().problem)(given as never);
      return { ...posed, ...change(posed) };
    },
  });

const failing = async (plugin: LowerBound, only?: string): Promise<Readonly<Record<string, string>>> => {
  const reports = await runLaws(
    lowerBoundLaws,
    subjectsOf(plugin, { registry: standIns() })[0] as Subject<'lowerBound'>,
    lawsAlone(only),
  );
  return Object.fromEntries(
    reports.flatMap(({ law, finding }) =>
      finding.verdict === 'fails' ? [[law, finding.violation.what]] : [],
    ),
  );
};

describe('laws of lower bounds', () => {
  it('hold for a correct one', async () => {
    expect(await failing(bound())).toEqual({});
  });
  it.each<readonly [string, string, LowerBound, RegExp]>([
    ['a NaN value', 'lowerBound/value', valued(() => NaN), /NaN/u],
    [
      'an untyped error',
      'lowerBound/regime',
      valued((given) => {
        if (given.n > 1e6) throw new RangeError('too many');
        return value(given);
      }),
      /RangeError/u,
    ],
    ['growth with n', 'lowerBound/monotone', valued((given) => value(given) * given.n), /grows from/u],
    [
      'a value above the risk of the centre',
      'lowerBound/below-upper-bounds',
      valued((given) => value(given) * 40 * given.n ** 0.6),
      /staying at the centre/u,
    ],
    [
      'a point that is not the optimum',
      'lowerBound/instance',
      drawnAs(({ optimum }) => ({ optimum: optimum.map((x) => 0.9 * x) })),
      /must be 0/u,
    ],
    ['the wrong number of rows', 'lowerBound/instance', drawnAs(({ rows }) => ({ rows: rows - 1 })), /rows/u],
    [
      'records beyond the moment',
      'lowerBound/instance-moment',
      drawnAs(({ features }) => ({ features: features.map((x) => 1.2 * x) })),
      /larger moment/u,
    ],
    [
      'the risk of another population',
      'lowerBound/excess-risk',
      drawnAs(({ excessRisk }) => ({ excessRisk: (w) => excessRisk(w) / 2 })),
      /say otherwise/u,
    ],
    [
      'a value with another power of the moment',
      'lowerBound/homogeneous',
      valued((given) => value(given) * given.moment ** 0.01),
      /moment multiplied by/u,
    ],
    ['instances without a problem', 'lowerBound/problem', bound({ problem: null }), /declares no problem/u],
    [
      'a computed fact',
      'lowerBound/problem',
      posedAs(() => ({ facts: { startGap: { value: 1, scope: 'population', provenance: 'computed' } } })),
      /'startGap' is not a public fact/u,
    ],
    [
      'an invalid domain',
      'lowerBound/problem',
      posedAs(() => ({ domain: { kind: 'domain', name: 'l2-ball', params: { radius: -1 } } })),
      /domain is invalid/u,
    ],
    [
      'decreasing moments',
      'lowerBound/problem',
      posedAs(({ facts }) => ({
        facts: { ...facts, 'gradientMoment.3': { value: 0.5, scope: 'population', provenance: 'declared' } },
      })),
      /order 3 is said to be 0\.5/u,
    ],
    [
      'a smaller moment with the supremum inside',
      'lowerBound/problem',
      posedAs(({ facts }) => ({
        facts: {
          ...facts,
          'uniformGradientMoment.2': { value: 0.5, scope: 'population', provenance: 'declared' },
        },
      })),
      /supremum inside/u,
    ],
    [
      'records beyond their bounds',
      'lowerBound/instance',
      posedAs(({ record }) => ({ record: { ...record, featureNorm: 0.9 } })),
      /none has more than 0\.9/u,
    ],
    [
      'an optimum outside of the domain',
      'lowerBound/instance',
      posedAs(() => ({ domain: { kind: 'domain', name: 'l2-ball', params: { radius: 1 } } })),
      /not in the domain/u,
    ],
  ])('find %s', async (_name, law, plugin, message) => {
    expect((await failing(plugin, law))[law]).toMatch(message);
  });
  it('accept a refusal outside the regime', async () => {
    expect(
      await failing(
        valued((given) => {
          if (given.dimension < 8) throw new InvalidParameter('too few dimensions', {});
          return value(given);
        }),
      ),
    ).toEqual({});
  });
});
