import { InvalidParameter, sameEvent, Unsupported, type DescendQuery, type PublicPlan } from '@lethe/core';
import { l2BallDomain, mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { carriedOut, context, dimension, problem } from '../../test/support/logistic.js';
import { snowballSgd } from './snowball-sgd.js';

type Params = Parameters<typeof snowballSgd.prepare>[0]['params'];
type Planned = PublicPlan & { readonly alike: DescendQuery['steps']; readonly records: number };
const prepare = (params: Params, given: Parameters<typeof problem>[0] = {}) =>
  snowballSgd.prepare({
    registry: mechanisms,
    ...context,
    problem: problem({ domain: l2BallDomain({ radius: 1 }), ...given }),
    params,
  });
const factOf = (name: string): number => problem().facts[name]?.value ?? Number.NaN;
const stepsOf = ({ alike }: Planned) =>
  alike.flatMap(({ count, ...one }) => Array.from({ length: count }, () => one));

describe('snowballSgd', () => {
  it.each(['replace-one', 'zero-out'] as const)(
    'has the batches of the listing under %s, and the most steps that the records suffice for',
    (adjacency) => {
      const plan = prepare({ noiseMultiplier: 1.5 }, { adjacency }).plan as Planned;
      const needed = (adjacency === 'replace-one' ? 2 : 1) * 1.5 * Math.sqrt(dimension);
      const sizes = (steps: number): number[] =>
        Array.from({ length: steps }, (_, t) => Math.ceil(needed / Math.sqrt(steps - t)));
      const steps = stepsOf(plan);
      expect(steps.map(({ batchSize }) => batchSize)).toEqual(sizes(steps.length));
      const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
      expect(plan.records).toBe(sum(sizes(steps.length)));
      expect(plan.records).toBeLessThanOrEqual(40);
      expect(sum(sizes(steps.length + 1))).toBeGreaterThan(40);
    },
  );

  it('keeps the noise of each gradient at L/√d, of the sizes that it halves too', () => {
    for (const sizes of ['even', 'halving'] as const) {
      const steps = stepsOf(
        prepare({ noiseMultiplier: 1, sizes, stepSize: 0.1 }, { slots: [4000] }).plan as Planned,
      );
      let squares = 0;
      for (const { stepSize, batchSize } of steps.toReversed()) {
        squares += stepSize ** 2;
        expect((2 * stepSize) / (batchSize * Math.sqrt(squares))).toBeLessThanOrEqual(
          (1 + 1e-12) / Math.sqrt(dimension),
        );
      }
      const distinct = new Set(steps.map(({ stepSize }) => stepSize / 0.1));
      if (sizes === 'even') expect([...distinct]).toEqual([1]);
      else expect([...distinct].slice(0, 4)).toEqual([1, 0.5, 0.25, 0.125]);
    }
  });

  it('costs one release, asks one hidden pass, and reads each record once', () => {
    const run = prepare({});
    const { spent, queries } = carriedOut(run);
    expect(sameEvent(spent, run.plan.event)).toBe(true);
    expect(queries.map(({ ask }) => ask)).toEqual(['split', 'descend']);
    const [, descend] = queries as readonly [unknown, DescendQuery];
    expect(descend).toMatchObject({ release: 'last', noiseOn: 'steps' });
    expect(run.plan.gradients).toBe((run.plan as Planned).records);
  });

  it('has the bound of even steps, and none of halved ones', () => {
    const plan = prepare({ noiseMultiplier: 1, stepSize: 0.1 }, { slots: [4000] }).plan as Planned;
    const steps = stepsOf(plan);
    const L = factOf('lipschitz');
    const last = steps.at(-1)?.batchSize ?? Number.NaN;
    const worst = Math.max(
      ...steps.map(({ batchSize }, t) => (2 * L) / (batchSize * Math.sqrt(steps.length - t))),
    );
    expect(worst).toBeGreaterThanOrEqual((2 * L) / last);
    const squared = L ** 2 + dimension * worst ** 2;
    let harmonic = 0;
    for (let k = 1; k <= steps.length; k++) harmonic += 1 / k;
    const bound = 4 / (0.2 * (steps.length + 1)) + 0.05 * squared * (1 + harmonic);
    expect((plan.utility?.bound ?? Number.NaN) / bound).toBeCloseTo(1, 3);
    expect(prepare({ noiseMultiplier: 1, sizes: 'halving' }).plan).toMatchObject({ utility: null });
  });

  it('takes all records in one step where they do not suffice', () => {
    const plan = prepare({ noiseMultiplier: 100 }).plan as Planned;
    expect(stepsOf(plan).map(({ batchSize }) => batchSize)).toEqual([40]);
  });

  it('refuses long steps, and stays in a ball around its start where the domain is unbounded', () => {
    const stepSize = (2 / factOf('smoothness')) * 1.001;
    expect(() => prepare({ stepSize, noiseMultiplier: 1 })).toThrow(InvalidParameter);
    const domain = wholeSpaceDomain({});
    expect(() => prepare({}, { domain })).toThrow(Unsupported);
    const run = prepare({}, { domain, facts: { startDistance: 0.25 } });
    const { spent, queries } = carriedOut(run);
    expect(sameEvent(spent, run.plan.event)).toBe(true);
    expect((queries[1] as DescendQuery).domain).toMatchObject({
      name: 'intersection',
      params: { ball: { radius: 0.25, centre: [0.5, 0.5, 0.5, 0.5] } },
    });
  });
});
