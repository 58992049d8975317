import type { Loss, RecordDomain } from '@lethe/core';
import { logistic, squared } from '@lethe/losses';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const rangeOfLargeLabels = defineMutant({
  id: 'loss/range-halved-for-labels-above-10',
  title: 'the range is half of what it is where labels may exceed 10',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/facts'],
  within: 1500,
  plant: () =>
    plantedPlugin(squared as Loss, {
      facts(params, domain) {
        const { range, ...facts } = squared.facts(params as never, domain);
        if (range === undefined) return facts;
        const value = (domain.labelBound ?? 0) > 10 ? range.value / 2 : range.value;
        return { ...facts, range: { ...range, value } };
      },
    }),
});

export const curvatureDoubled = defineMutant({
  id: 'loss/second-derivative-doubled',
  title: 'the second derivative is declared twice as large as it is',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/curvature'],
  within: 10,
  plant: () =>
    plantedPlugin(
      logistic as Loss,
      {
        linear: {
          ...logistic.linear,
          curvature: (_params: unknown, margin: number) => 2 / (2 + 2 * Math.cosh(margin)),
        },
      } as Partial<Loss>,
    ),
});

export const labelsCutOff = defineMutant({
  id: 'loss/labels-cut-at-1000-beside-kernel',
  title: 'labels are cut at 1 000 by the loss, and not by the kernel that it brings',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/batch', 'loss/fused'],
  within: 200,
  plant: () => {
    const cut = (label: number): number => Math.min(label, 1000);
    return plantedPlugin(
      squared as Loss,
      {
        linear: {
          ...squared.linear,
          value: (_params: unknown, margin: number, label: number) => 0.5 * (margin - cut(label)) ** 2,
          slope: (_params: unknown, margin: number, label: number) => margin - cut(label),
        },
        value: (_params: unknown, at, { features, label }) =>
          0.5 * (at.reduce((sum, w, j) => sum + w * features[j], 0) - cut(label)) ** 2,
        gradientInto(_params: unknown, out, at, { features, label }) {
          const slope = at.reduce((sum, w, j) => sum + w * features[j], 0) - cut(label);
          features.forEach((x, j) => (out[j] = slope * x));
        },
      } as Partial<Loss>,
    );
  },
});

export const lipschitzOfFewColumns = defineMutant({
  id: 'loss/lipschitz-halved-beyond-20-columns',
  title: 'the Lipschitz constant is half of what it is for records of more than 20 columns',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/facts-elsewhere'],
  within: 1000,
  plant: () => plantedPlugin(logistic as Loss, { facts: halvedWhere(({ columns }) => columns > 20) }),
});

export const lipschitzOfNearIterates = defineMutant({
  id: 'loss/lipschitz-halved-for-iterates-beyond-50',
  title: 'the Lipschitz constant is half of what it is where iterates may be longer than 50',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/facts-elsewhere'],
  within: 1000,
  plant: () =>
    plantedPlugin(logistic as Loss, { facts: halvedWhere(({ iterateNorm = 0 }) => iterateNorm > 50) }),
});

function halvedWhere(isWrong: (domain: RecordDomain) => boolean): Loss['facts'] {
  return (params, domain) => {
    const { lipschitz, ...facts } = logistic.facts(params as never, domain);
    if (lipschitz === undefined) return facts;
    const value = isWrong(domain) ? lipschitz.value / 2 : lipschitz.value;
    return { ...facts, lipschitz: { ...lipschitz, value } };
  };
}
