import { InvalidParameter, resolvePlugin, type Loss, type Resolved } from '@lethe/core';
import { l2Ball } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import {
  averageRisk,
  empiricalGradientMoment,
  discreteBatchMoment,
  discreteMoments,
  gradientMomentOf,
  losses,
  nonPrivateOptimum,
  squared,
  squaredDistance,
} from './index.js';

const rows = { features: Float64Array.of(1, 2), labels: Float64Array.of(1, -1), rows: 2, columns: 1 };
const w = Float64Array.of(0.5);
const distribution = { points: rows, probabilities: [0.5, 0.5] };
const question = { order: 2, over: { points: [w] } };
const domain = l2Ball({ radius: 1, dimension: 1 });
const users: Readonly<Record<string, (loss: Resolved<Loss>) => unknown>> = {
  averageRisk: (loss) => averageRisk(loss, rows, w),
  empiricalGradientMoment: (loss) => empiricalGradientMoment(loss, rows, question),
  discreteMoments: (loss) => discreteMoments(distribution, loss, question),
  discreteBatchMoment: (loss) => discreteBatchMoment(distribution, loss, { ...question, batch: 2 }),
  gradientMomentOf: (loss) =>
    gradientMomentOf(loss, { features: { law: 'gaussian' } }, { order: 2, distance: 1 }),
  nonPrivateOptimum: (loss) => nonPrivateOptimum(loss, rows, domain),
};

describe.each(Object.entries(users))('%s', (_name, use) => {
  it('takes a plugin with its parameters, and names what it was given otherwise', () => {
    expect(use({ plugin: squared, params: {} })).toEqual(use(resolvePlugin<Loss>(losses, squared({}))));
    const mistakes: readonly (readonly [unknown, RegExp])[] = [
      [squared, /the plugin 'squared' itself; give .*plugin: squared, params/u],
      [squaredDistance, /the plugin 'squared-distance' itself/u],
      [squared({}), /a reference to 'squared'/u],
      [undefined, /no loss/u],
      [null, /no loss/u],
      [{ plugin: squared }, /no plugin of kind loss with its parameters/u],
      [{ plugin: domain, params: {} }, /no plugin of kind loss/u],
    ];
    for (const [mistake, message] of mistakes) {
      const wrong = (): unknown => use(mistake as never);
      expect(wrong).toThrow(InvalidParameter);
      expect(wrong).toThrow(message);
    }
  });
});
