import { ask, InvalidParameter, resolvePlugin, type Ref, type Sketch } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { expectedSketchedMatrix, largestEigenvalueUp } from '@lethe/mechanisms';
import * as z from 'zod';
import { coordinateConstraintsOf, type CoordinateConstraints } from './coordinate-constraints.js';
import { plannedSketch, type PlannedSketch, forkedDraws } from './planned-sketch.js';
import { along } from './mean-along.js';
import { gaussianMean } from '../common/problem-facts.js';
import { descentSchema, sketchSchema } from './descent-schema.js';

/** As good as no bound: without noise none is needed, and a query has one. */
const release = { mean: gaussianMean(1e150), target: { unprotected: true } } as const;

const params = z.strictObject({
  sketch: sketchSchema
    .default({ name: 'full', params: {}, importance: false })
    .describe('Which coordinates a step moves.'),
  steps: z.int().positive(),
  smoothness: descentSchema.smoothness,
  matrix: z
    .array(z.array(z.number()).min(1))
    .min(1)
    .optional()
    .describe('Λ, a smoothness matrix of the average loss, by rows; instead of smoothness.'),
});

/**
 * Sketched gradient descent, the ancestor without privacy: steps `θ ← θ − γ C ∇f(θ)` of one size
 * `γ = 1/λ_max(Λ ∘ (P̂_ij/(p_i p_j)))` for a smoothness matrix `Λ`, by default `Diag(M)` with `M` as in
 * {@link dpSkgd}. Every step lowers the risk on average, by `γ‖∇f‖²/2` at least.
 *
 * Its gradients are released as they are: it runs only on a curator that allows that, and its event is no
 * privacy at all. It is not among `optimizers`.
 *
 * @see Safaryan, Hanzely and Richtárik 2021; the step size follows from the descent inequality.
 */
export const skgd = defineOptimizer({
  name: 'skgd',
  summary: 'Sketched gradient descent without noise or privacy, for comparison.',
  source: { id: 'safaryan-2021', item: 'SkGD' },
  params,
  examples: [{ steps: 8, sketch: { name: 'tau-nice', params: { tau: 2 } } }],
  claims: [{ property: 'gradients', statement: 'steps · n, each along the drawn coordinates only' }],
  needs: { smooth: true },
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  regularisers: 'ridge',
  plan({ problem, registry, domain, regulariser, params: { sketch: choice, steps, smoothness, matrix } }) {
    const land = coordinateConstraintsOf({ domain, regulariser });
    const diagonal = matrix?.map((row, j) => row[j] ?? Number.NaN);
    const sketch = plannedSketch(registry, choice, { smoothness: diagonal ?? smoothness }, problem, land);
    return {
      steps,
      sketch: {
        kind: 'sketch' as const,
        name: sketch.plugin.name,
        params: sketch.params as Readonly<Record<string, unknown>>,
      },
      stepSize:
        1 /
        (matrix === undefined
          ? sketch.smoothness.reduce((most, M, j) => Math.max(most, M / sketch.marginals[j]), 0)
          : largestBy(sketch, matrix, land)),
      utility: null,
    };
  },
  *steps({ plan, problem, registry, domain, regulariser, start, allRecords, random, ...loops }) {
    const { plugin, params: sketchParams } = resolvePlugin<Sketch>(registry, plan.sketch as Ref<'sketch'>);
    const land = coordinateConstraintsOf({ domain, regulariser });
    const d = problem.dimension;
    const marginals = plugin.marginals(sketchParams, d);
    const drawn = forkedDraws(
      random.fork('sketch'),
      (randomness) => plugin.draw(sketchParams, d, randomness).coordinates,
    );
    const { theta } = loops.state({ theta: land.enter(start) });
    for (const step of loops.rounds(plan.steps)) {
      const coordinates = drawn(step - 1);
      const gradient = yield* ask.mean({
        at: theta,
        ...along(coordinates, d),
        batch: allRecords,
        ...release,
      });
      land.addSlope(gradient, theta, coordinates);
      for (let i = 0; i < coordinates.length; i++) {
        const j = coordinates[i];
        const moved = theta[j] - (plan.stepSize / marginals[j]) * gradient[i];
        theta[j] = land.shrink?.(j, moved, plan.stepSize) ?? moved;
      }
      land.project?.(theta);
    }
    return theta;
  },
});

function largestBy(
  { plugin, params: sketchParams }: PlannedSketch,
  matrix: readonly (readonly number[])[],
  { ridge }: CoordinateConstraints,
): number {
  const d = matrix.length;
  if (matrix.some(({ length }) => length !== d))
    throw new InvalidParameter(`the matrix has ${d} rows and not as many columns; give a square one`, {
      rows: d,
    });
  const whole = Float64Array.from(
    { length: d * d },
    (_, at) => matrix[Math.floor(at / d)][at % d] + (at % (d + 1) === 0 ? (ridge?.[at % d] ?? 0) : 0),
  );
  return largestEigenvalueUp(expectedSketchedMatrix(plugin, sketchParams, whole));
}
