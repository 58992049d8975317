import { ask, resolvePlugin, type Drawn, type Ref, type Sketch } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import * as z from 'zod';
import { sketchedDescent } from './descent.js';
import { coordinateConstraintsOf } from './coordinate-constraints.js';
import { releaseAlong, along } from './mean-along.js';
import { descentSchema, oneMean, sketchSchema } from './descent-schema.js';
import { declared, sketchedPlan } from './sketched-plan.js';
import { checkedDraw, forkedDraws } from './planned-sketch.js';

/**
 * Differentially private sketched gradient descent. A step draws a set of coordinates from public coins and
 * moves each by `1/M_j` of its noisy derivative, over all records; a round ends in the average of its
 * iterates. With single coordinates drawn uniformly it is private coordinate descent, with all of them at
 * once preconditioned gradient descent.
 *
 * Noise is proportional to the Lipschitz constant of the loss along the drawn coordinates, which the curator
 * computes from what its data set certifies; or to the radius of `clip`. Either way every step costs the same
 * Gaussian, and the run `K·T` of them. `mean` names the private mean by reference: one with Gaussian noise
 * that scales records down to a radius, by which the noise along any coordinates is planned. A draw of no
 * coordinates changes nothing and is charged like any other.
 *
 * Facts read besides `lipschitz` and `coordinateLipschitz.j` (every record): `coordinateSmoothness.j`, or
 * `smoothness`; `startDistance` or `startDistance.j`, `startGap`, `strongConvexity`, upper bounds (the last
 * one: a lower bound) by which rounds and steps are planned and the risk is bounded. A ridge is part of the
 * risk: its gradient is added without noise, its strength to `M` and to the strong convexity. An ℓ1 penalty
 * is applied by its proximal map, and domains other than the whole space by projection after each step
 * (O(dimension) unless it is a box). `plan.utility` bounds the expected excess empirical risk, regulariser
 * included: `R²/(2K) + (N + N′)/2` after one round, or its recursion over rounds. It is `null` for an ℓ1
 * penalty, another domain, a clip below the Lipschitz constants, under add-remove (where means are divided by
 * a guess), and where facts are missing: `plan.uncovered` says which of these. Its source says so where it
 * rests on numbers given for `smoothness` that no facts bear out.
 *
 * A sketch is trusted code: it runs with the optimizer's public coins, what it draws is public, and it must
 * not read records, by any way around its arguments. Its marginals are checked when a run is planned, its
 * draws at every step.
 */
export const dpSkgd = defineOptimizer({
  name: 'dp-skgd',
  summary:
    'Gradient descent with noise along random sets of coordinates, with a step size for each coordinate.',
  source: { id: 'maranjyan-2024', item: 'Algorithm 1, Theorems 4.1 and 4.2' },
  params: z
    .strictObject({
      sketch: sketchSchema
        .default({ name: 'full', params: {}, importance: false })
        .describe('Which coordinates a step moves.'),
      ...descentSchema,
    })
    .superRefine(oneMean),
  examples: [
    { sketch: { name: 'block', params: { blocks: 2 } }, rounds: 2, innerSteps: 5, smoothness: 4 },
    {
      sketch: { name: 'independent-coordinates', params: { probabilities: 0.4 } },
      innerSteps: 8,
      smoothness: 8,
      clip: { radius: 1 },
    },
    { sketch: { name: 'single-coordinate', importance: true }, innerSteps: 12, smoothness: 2 },
  ],
  claims: [
    {
      property: 'event',
      statement: 'K·T Gaussians of the planned multiplier, whatever coordinates are drawn',
    },
    { property: 'gradients', statement: 'K·T·n, each along the drawn coordinates only' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  ...declared,
  plan: ({ params: { sketch, ...params }, ...context }) =>
    sketchedPlan('dp-skgd', sketch, { ...context, params }),
  *steps({ plan, problem, registry, domain, regulariser, start, allRecords, random, ...loops }) {
    const { plugin, params } = resolvePlugin<Sketch>(registry, plan.sketch as Ref<'sketch'>);
    const land = coordinateConstraintsOf({ domain, regulariser });
    const d = problem.dimension;
    const releaseOf = releaseAlong(plan, registry);
    const drawn = forkedDraws(random.fork('sketch'), (randomness): Drawn =>
      checkedDraw(plugin.name, plugin.draw(params, d, randomness), d),
    );
    let block: number | undefined;
    return yield* sketchedDescent({
      ...plan,
      ...(land.shrink === undefined ? {} : { shrink: land.shrink }),
      ...(land.project === undefined ? {} : { project: land.project }),
      ...(land.confine === undefined ? {} : { confine: land.confine }),
      start: land.enter(start),
      loops,
      stepSizes: Float64Array.from(plan.smoothness, (M) => 1 / M),
      draw(step) {
        const { coordinates, block: part } = drawn(step);
        block = part;
        return coordinates;
      },
      *gradient(at, coordinates) {
        const answer = yield* ask.mean({
          at,
          ...along(coordinates, d),
          batch: allRecords,
          ...releaseOf(coordinates, block),
        });
        land.addSlope(answer, at, coordinates);
        return answer;
      },
    });
  },
});
