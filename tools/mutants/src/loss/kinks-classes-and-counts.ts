import { hinge, poissonRegression, softmax } from '@lethe/losses';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const { linear } = hinge;

export const kinkTooEarly = defineMutant({
  id: 'loss/kink-a-thousandth-too-early',
  title: 'the slope of the hinge is 0 from 0.999 on',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/slope-of-value'],
  within: 1000,
  plant: () =>
    plantedPlugin(hinge, {
      linear: linear && {
        ...linear,
        slope: (_params, margin, label) => (label * margin < 0.999 ? -label : 0),
      },
    }),
});

const scaled = (name: string, by: number) => (facts: ReturnType<typeof softmax.facts>) =>
  Object.fromEntries(
    Object.entries(facts).map(([key, fact]) => [
      key,
      key === name ? { ...fact, value: fact.value * by } : fact,
    ]),
  );

export const smoothnessWithoutTies = defineMutant({
  id: 'loss/smoothness-of-three-classes-a-tenth-less',
  title: 'the smoothness of three classes is that where all three tie, and not where two do',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/facts-elsewhere'],
  within: 2000,
  plant: () =>
    plantedPlugin(softmax, {
      facts: (params, domain) => scaled('smoothness', 0.9)(softmax.facts(params, domain)),
    }),
});

export const slopeOfLargeCounts = defineMutant({
  id: 'loss/slope-of-large-counts',
  title: 'the slope of a large count is bounded at the largest margin, where it is least',
  kind: 'loss',
  source: 'generic: the sign of an exponent',
  killedBy: ['loss/facts-elsewhere'],
  within: 2000,
  plant: () =>
    plantedPlugin(poissonRegression, {
      facts(params, domain) {
        const { featureNorm = 1, iterateNorm = 1, labelBound = 0 } = domain;
        const margin = featureNorm * iterateNorm;
        const facts = poissonRegression.facts(params, domain);
        const bound = featureNorm * Math.max(Math.exp(margin), labelBound - Math.exp(margin));
        const { lipschitz } = facts;
        return lipschitz === undefined ? facts : { ...facts, lipschitz: { ...lipschitz, value: bound } };
      },
    }),
});
