import {
  boundedMeanSensitivity,
  resolvePlugin,
  sensitivityUnder,
  type Mechanism,
  type OpenQuery,
  type PrefixSum,
  type PushQuery,
  type Vector,
} from '@lethe/core';
import type { Setting } from './answer-distributions.js';
import { appliedBound, multiplierOf } from './bounded-canary.js';
import type { AnswerLikelihood, Node } from './membership.js';
import { logDensityOf } from './noise-density.js';

/** Distributions of the increments of one stream, each given those before it. */
export interface FollowedStream {
  /**
   * `ln p` of the next increment given the earlier ones, up to a constant, for both neighbours: without the
   * canary, and with the canary wherever its batches were.
   *
   * @param node - The batch of the increment, in which the place of the canary is known.
   */
  next(query: PushQuery, answer: Vector, node: Node): readonly [AnswerLikelihood, AnswerLikelihood];
}

/**
 * What follows streams that are opened alike, each from its beginning. Increments are `y = x + scale · C⁻¹ z`
 * for the encoder `C` and independent noise `z`, so that `C (y − x)` is the noise itself, row by row.
 */
export function streamsOf(
  { registry, adjacency, facts, dimension, canary, labels, crowd }: Setting,
  { prefixSum, steps, bound, noise, participation, normaliser }: OpenQuery,
): () => FollowedStream {
  const shape = { steps, dimension };
  const sums = resolvePlugin<PrefixSum>(registry, prefixSum);
  const { plugin, params } = resolvePlugin<Mechanism>(registry, noise.mechanism);
  const logDensity = logDensityOf(plugin, params);
  const terms = [{ weight: 1, at: new Float64Array(dimension) }];
  const { radius, bounded } = appliedBound(bound, { terms }, { registry, facts, dimension });
  const scale =
    multiplierOf(plugin, params, noise.target) *
    sensitivityUnder(boundedMeanSensitivity(radius, normaliser), adjacency, 'an increment') *
    sums.plugin.columnNorm(sums.params, shape, participation);
  const logOf = (encoder: readonly number[], residuals: readonly Vector[]): number => {
    let log = 0;
    for (let j = 0; j < dimension; j++) {
      const row = encoder.reduce((sum, entry, s) => sum + entry * residuals[s][j], 0);
      log += logDensity(row / scale);
    }
    return log;
  };
  return followed;

  function followed(): FollowedStream {
    const without: Vector[] = [];
    const present: readonly [Vector[], Vector[]] = [[], []];
    return {
      next({ of, centre }, answer, node) {
        const shareOf = (label: number): Vector => {
          const gradient = canary.gradient(of, label);
          // A record of label 0 is null.
          const about = label === 0 ? undefined : centre;
          return bounded(about === undefined ? gradient : gradient.map((x, j) => x - about[j])).map(
            (x) => x / normaliser,
          );
        };
        const absent = answer.slice();
        for (const label of crowd.among(node, normaliser))
          shareOf(label).forEach((x, j) => {
            absent[j] -= x;
          });
        const row = without.push(absent) - 1;
        const encoder = Array.from({ length: row + 1 }, (_, s) =>
          sums.plugin.encoder(sums.params, shape, row, s),
        );
        const likelihoodOn = (side: 0 | 1): AnswerLikelihood => {
          const share = node.place === -1 ? null : shareOf(labels[side]);
          present[side].push(share === null ? absent : absent.map((x, j) => x - share[j]));
          return [logOf(encoder, without), logOf(encoder, present[side])];
        };
        return [likelihoodOn(0), likelihoodOn(1)];
      },
    };
  }
}
