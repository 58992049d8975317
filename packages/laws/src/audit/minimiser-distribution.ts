import {
  domainAt,
  resolvePlugin,
  sensitivityUnder,
  type Mechanism,
  type MinimiserQuery,
  type Vector,
} from '@lethe/core';
import { minimiserSensitivity } from '@lethe/curator';
import { additiveDistribution, type AnswerDistribution } from './answer-distribution.js';
import type { Setting } from './answer-distributions.js';
import { multiplierOf } from './bounded-canary.js';
import { logDensityOf } from './noise-density.js';

/**
 * The distribution of a noisy minimiser, if the canary is a linear loss within its facts and all other
 * records are zero: the minimiser is then a projection of the centre shifted against the canary's gradient.
 */
export function minimiserLaw(
  { registry, adjacency, dimension, facts, canary, labels }: Setting,
  { lambda, centre, domain: ref, batch: { normaliser }, tolerance, noise, norm }: MinimiserQuery,
): AnswerDistribution {
  const domain = domainAt(registry, ref, dimension);
  const minimiser = (label: number): Vector => {
    const gradient = canary.gradient({ terms: [{ weight: 1, at: centre }] }, label);
    const moved = centre.map((x, j) => x - gradient[j] / (normaliser * lambda));
    return domain.projectInto(new Float64Array(dimension), moved);
  };
  const base = minimiser(0);
  const move = (side: 0 | 1): Vector => minimiser(labels[side]).map((x, j) => x - base[j]);
  const moves = [move(0), move(1)] as const;
  const valueOf = (name: string): number => facts[name]?.value ?? 0;
  const sensitivity = minimiserSensitivity({
    lambda,
    lipschitz: valueOf('lipschitz'),
    smoothness: valueOf('smoothness'),
    sparsity: valueOf('sparsity'),
    dimension,
    norm,
    records: normaliser,
    tolerance,
  });
  const { plugin, params } = resolvePlugin<Mechanism>(registry, noise.mechanism);
  const scale =
    multiplierOf(plugin, params, noise.target) * sensitivityUnder(sensitivity, adjacency, 'a minimiser');
  return additiveDistribution({ base, moves, scale, logDensity: logDensityOf(plugin, params) });
}
