import { exponential, mechanisms, permuteAndFlip } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const farBehindDropped = defineMutant({
  id: 'selector/candidates-far-behind-never-chosen',
  title: 'probabilities below a billionth of the largest are cut off',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/event'],
  within: 100,
  plant: () =>
    plantedPlugin(exponential, {
      probabilities(params, utilities, epsilon) {
        const all = defined(exponential.probabilities(params, utilities, epsilon));
        const most = all.reduce((a, b) => Math.max(a, b));
        const kept = all.map((p) => (p < 1e-9 * most ? 0 : p));
        const sum = kept.reduce((a, b) => a + b);
        return kept.map((p) => p / sum);
      },
    }),
});

export const moreAtLargeEpsilon = defineMutant({
  id: 'selector/epsilon-doubled-above-8',
  title: 'chooses at twice the ε above 8, and declares no probabilities',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/many'],
  within: 4000,
  plant: () =>
    plantedPlugin(
      permuteAndFlip,
      {
        probabilities: () => null,
        choose: (params, utilities, epsilon, random) =>
          permuteAndFlip.choose(params, utilities, epsilon > 8 ? 2 * epsilon : epsilon, random),
      },
      undefined,
      mechanisms,
    ),
});
