import {
  boundedMeanSensitivity,
  resolvePlugin,
  sensitivityUnder,
  type Mechanism,
  type ValueQuery,
} from '@lethe/core';
import { normOf } from '../engines/norms.js';
import { additiveDistribution, type AnswerDistribution } from './answer-distribution.js';
import type { Setting } from './answer-distributions.js';
import { appliedBound, multiplierOf } from './bounded-canary.js';
import { logDensityOf } from './noise-density.js';

/** The distribution of a noisy scalar, if all other records are zero. */
export function valueLaw(
  { registry, adjacency, dimension, facts, canary, labels }: Setting,
  { statistic, at, batch: { normaliser }, noise }: ValueQuery,
): AnswerDistribution {
  const of = { terms: [{ weight: 1, at }] };
  const range = facts['range']?.value ?? 0;
  const { radius, bounded } =
    statistic.of === 'gradient-norm'
      ? appliedBound(statistic.bound, of, { registry, facts, dimension })
      : { radius: statistic.of === 'gradient-norm-beyond' ? 1 : range, bounded: null };
  const whole =
    statistic.of === 'gradient-norm' || statistic.of === 'risk-difference'
      ? boundedMeanSensitivity(radius, normaliser)
      : {
          'replace-one': radius / normaliser,
          'add-remove': radius / normaliser,
          'zero-out': radius / normaliser,
        };
  const move = (label: number): number => {
    if (label === 0 || statistic.of === 'risk-difference') return 0;
    if (statistic.of === 'risk') return label > 0 ? range : 0;
    return bounded === null
      ? Number(normOf('l2', canary.gradient(of, label)) > (statistic as { readonly radius: number }).radius)
      : normOf('l2', bounded(canary.gradient(of, label)));
  };
  const { plugin, params } = resolvePlugin<Mechanism>(registry, noise.mechanism);
  const moves = [
    Float64Array.of(move(labels[0]) / normaliser),
    Float64Array.of(move(labels[1]) / normaliser),
  ] as const;
  return additiveDistribution({
    base: new Float64Array(1),
    moves,
    scale: multiplierOf(plugin, params, noise.target) * sensitivityUnder(whole, adjacency, 'a statistic'),
    logDensity: logDensityOf(plugin, params),
  });
}
