import {
  IncompatiblePlugins,
  sameEvent,
  Unsupported,
  type MeanQuery,
  type Optimizer,
  type Run,
} from '@lethe/core';
import {
  automaticClip,
  certifiedMean,
  clippedMean,
  gaussian,
  l1Clip,
  l2Clip,
  laplace,
  latticeMean,
  mechanisms,
  shuffledMean,
  shuffledVectorSum,
} from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { carriedOut, context, problem } from '../../test/support/logistic.js';
import { dpCd } from './dp-cd.js';
import { dpSkgd } from './dp-skgd.js';
import { noisyGradientDescent } from './noisy-gradient-descent.js';

const clippedBy = (clip: ReturnType<typeof l2Clip>) => clippedMean({ clip, mechanism: gaussian({}) });
const certified = certifiedMean({ mechanism: gaussian({}) });
const sketch = { name: 'tau-nice', params: { tau: 2 } };

describe.each([
  ['dp-skgd', dpSkgd, { innerSteps: 12, sketch }],
  ['dp-cd', dpCd, { innerSteps: 12 }],
  ['noisy-gradient-descent', noisyGradientDescent, { innerSteps: 4 }],
])('%s with a mean by reference', (_name, plugin, usual) => {
  const prepare = (params: object, given: Parameters<typeof problem>[0] = {}): Run =>
    (plugin as unknown as Optimizer).prepare({
      registry: mechanisms,
      ...context,
      problem: problem(given),
      params: { ...usual, ...params },
    });

  it.each([
    ['clipped', { mean: clippedBy(l2Clip({ radius: 3 })) }, { clip: { radius: 3 } }],
    ['certified', { mean: certified }, {}],
  ])('is the same run as in its short form: %s', (_mean, named, short) => {
    const [long, brief] = [prepare(named), prepare(short)];
    expect(long.plan).toEqual(brief.plan);
    const [one, other] = [carriedOut(long), carriedOut(brief)];
    expect(one).toEqual(other);
    expect(sameEvent(one.spent, long.plan.event)).toBe(true);
  });

  it('refuses means whose noise along coordinates it cannot plan, with the reason', () => {
    const refused = (mean: object) => () => prepare({ mean });
    for (const [mean, why] of [
      [latticeMean({ radius: 1, spacing: 2 ** -10 }), /adds noise of 'discrete-gaussian'/u],
      [clippedMean({ clip: l1Clip({ radius: 1 }), mechanism: laplace({}) }), /adds noise of 'laplace'/u],
      [clippedBy(automaticClip({ radius: 1, stability: 0.1 })), /states none/u],
      [certifiedMean({ mechanism: gaussian({}), fact: 'smoothness' }), /another fact than 'lipschitz'/u],
      [shuffledMean({ randomiser: shuffledVectorSum({ radius: 1, levels: 4 }) }), /of the shuffle model/u],
    ] as const) {
      expect(refused(mean)).toThrow(why);
      expect(refused(mean)).toThrow(IncompatiblePlugins);
    }
    expect(() => prepare({ mean: certified, clip: { radius: 1 } })).toThrow(/at most one of clip, mean/u);
    const { lipschitz: _, ...facts } = problem().facts;
    expect(() =>
      (plugin as unknown as Optimizer).prepare({
        registry: mechanisms,
        ...context,
        problem: { ...problem(), facts },
        params: { ...usual, mean: certified },
      }),
    ).toThrow(Unsupported);
  });
});

it('scales a mean along drawn coordinates in proportion to the root of their smoothness', () => {
  const smoothness = [1, 2, 4, 9];
  const run = dpSkgd.prepare({
    registry: mechanisms,
    ...context,
    problem: problem(),
    params: { innerSteps: 20, sketch, smoothness, mean: clippedBy(l2Clip({ radius: 4 })) },
  });
  const asked = carriedOut(run).queries.filter((query): query is MeanQuery => query.ask === 'mean');
  expect(asked).toHaveLength(20);
  for (const { of, mean } of asked) {
    const share = Array.from(of.coordinates ?? [], (j) => smoothness[j] / 16).reduce((sum, x) => sum + x, 0);
    expect(mean).toMatchObject({
      params: { clip: { params: { radius: expect.closeTo(4 * Math.sqrt(share), 12) } } },
    });
  }
});
