import {
  InvalidParameter,
  iterateDimensionOf,
  labelWidthOf,
  seededRandom,
  Unsupported,
  type Loss,
  type NonPrivateOptimum,
  type OptimumOptions,
  type Resolved,
} from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { assertResolved } from '../assert-resolved.js';
import { assertPoint, assertRows, isDense, plainRows, type GivenRows } from '../labelled-rows.js';
import { descentOptions, foundBy } from './descent.js';
import { minimise } from './minimise.js';
import { objectiveOf } from './objective-of.js';

export type { NonPrivateOptimum, OptimumOptions } from '@lethe/core';

/**
 * The minimiser of the average risk over a domain: **not private**, the baseline of evaluations. Meant for up
 * to a few million rows and some tens of weights, or for sparse rows of any number of weights.
 *
 * A loss that declares an `optimum` finds it in its own way. Of others, convex linear models of one or
 * several outputs that are smooth, if only where all is bounded: by projected (or proximal) Newton steps,
 * about one pass over the data each. Linear models that are smooth and not convex: by the same steps from
 * several points, and then {@link NonPrivateOptimum.certified} says that nothing is certain. Of sparse rows
 * steps are accelerated gradient steps, two passes each.
 *
 * @throws {Unsupported} for other losses, for dense rows with more than 4096 weights, whose second
 * derivatives would not fit, and for regularisers other than a ridge and, over the whole space,
 * ℓ1, unless the loss's own way takes them.
 * @throws {InvalidParameter} when the loss has no parameters
 * with it, shapes disagree or the risk is not finite.
 */
export function nonPrivateOptimum(
  loss: Resolved<Loss>,
  given: GivenRows,
  domain: Domain,
  options: OptimumOptions = {},
): NonPrivateOptimum {
  assertResolved(loss);
  const data = plainRows(given);
  assertRows(data, labelWidthOf(loss));
  const { plugin, params } = loss;
  const d = iterateDimensionOf(loss, data.columns);
  if (domain.dimension !== d)
    throw new InvalidParameter(
      `the domain has dimension ${domain.dimension}, ` +
        `a point of loss '${plugin.name}' on ${data.columns} columns has ${d} entries`,
      { dimension: domain.dimension, columns: data.columns, entries: d },
    );
  if (plugin.optimum !== undefined) return plugin.optimum(params, data, domain, options);
  assertSolvable(plugin);
  if (isDense(data) && d > mostWeights)
    throw new Unsupported(
      `the reference solver takes second derivatives of dense rows for at most ${mostWeights} weights, and ` +
        `there are ${d}`,
      { weights: d, most: mostWeights },
    );
  const { regulariser, starts = normalPoints(d) } = options;
  const { nonNegative = false, convex = false } = plugin.capabilities;
  const objective = objectiveOf(loss, data, domain, regulariser);
  const how = descentOptions(data.rows, domain, options);
  if (convex) return foundBy(minimise(objective, domain, how), nonNegative);
  const places = [
    how.start,
    ...starts.map((point) => {
      assertPoint(point, d);
      return domain.projectInto(new Float64Array(d), point);
    }),
  ];
  const descents = places.map((start) => minimise(objective, domain, { ...how, start }));
  const best = descents.reduce((least, one) => (one.risk < least.risk ? one : least));
  return {
    ...foundBy({ ...best, gap: Infinity }, nonNegative),
    certified: 'stationary',
    passes: descents.reduce((sum, { passes }) => sum + passes, 0),
  };
}

/** Weights of dense rows, at most: a Hessian of 128 MB. */
const mostWeights = 4096;

const normalPoints = (dimension: number): readonly Float64Array[] =>
  [1, 2, 3, 4].map((k) => seededRandom(`starts/${k}`).gaussianInto(new Float64Array(dimension)));

function assertSolvable({ name, linear, multiOutput, capabilities: { smooth } }: Loss): void {
  if ((linear !== null || multiOutput !== null) && (smooth === true || smooth === 'bounded')) return;
  throw new Unsupported(
    `loss '${name}' declares no optimum of its own, and is not ` +
      `${linear === null && multiOutput === null ? 'a linear model' : 'declared smooth'}, ` +
      'which the reference solver needs',
    { loss: name },
  );
}
