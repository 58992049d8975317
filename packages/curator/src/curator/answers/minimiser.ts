import { domainAt, resolvePlugin, type MinimiserQuery, type Solver, type Vector } from '@lethe/core';
import { certifiedFact } from '@lethe/core/internal';
import { InvalidParameter, Unsupported, type Domain, largestNorm, norm2 } from '@lethe/numerics';
import { boundedSum } from '../bounded-sum.js';
import type { PublicContext } from '../context.js';
import type { DataSet } from '../data-set.js';
import type { Handler } from '../handlers.js';
import type { Rows } from '../members.js';
import { sumOfLosses } from '../record-losses.js';
import { unbounded } from '../record-bound.js';
import { finestTolerance, minimiserSensitivity } from '../minimiser-sensitivity.js';
import { planNoise } from '../sensitivity.js';
import { assertVector } from '../validate.js';
import { noised } from './noised.js';

/**
 * Output perturbation, as {@link minimiserSensitivity} says: in ℓ2 on any domain, in ℓ1 on the whole space.
 * The solver's certified distance counts on both neighbours.
 */
export const answerMinimiser: Handler<'minimiser'> = (context, query) => {
  const { lambda, centre, batch: token, tolerance, bound, norm, noise } = query;
  const { dimension, loss } = context;
  assertVector('the centre', centre, dimension);
  for (const [name, value] of Object.entries({ lambda, tolerance })) {
    if (!(value > 0 && Number.isFinite(value)))
      throw new InvalidParameter(`${name} of a minimiser is ${value}; it must be positive and finite`, {
        [name]: value,
      });
  }
  if (!loss.isConvex)
    throw new Unsupported(
      `the sensitivity of a minimiser rests on convexity, which loss '${loss.name}' does not declare`,
      { loss: loss.name },
    );
  const batch = context.batch(token);
  if (batch.size === 'hidden')
    throw new Unsupported(`output perturbation needs a batch of exact size; batch '${batch.id}' hides it`, {
      batch: batch.id,
    });
  const domain = domainAt(context.registry, query.domain, dimension);
  const facts = factsOn(context, domain, bound);
  const lipschitz = certifiedFact(facts, 'lipschitz');
  const smoothness = certifiedFact(facts, 'smoothness');
  if (norm === 1 && domain.unconstrained !== true)
    throw new Unsupported(
      'the ℓ1 sensitivity of a minimiser holds on the whole space only, and the domain is ' +
        `'${domain.name}'; take the domain 'whole-space', or norm 2 with noise calibrated in ℓ2`,
      { domain: domain.name },
    );
  const sparsity = norm === 1 ? certifiedFact(facts, 'sparsity') : dimension;
  const constants = { lambda, lipschitz, smoothness, sparsity, dimension };
  const centreNorm = norm2(centre);
  const reach = centreNorm + lipschitz / lambda;
  const finest = finestTolerance(constants, centreNorm);
  if (!(tolerance >= finest))
    throw new InvalidParameter(
      `tolerance of a minimiser is ${tolerance}; with this centre and lambda doubles resolve ${finest}. ` +
        'Ask for no less, or move the centre closer to the origin.',
      { tolerance, finest },
    );
  const solver = resolvePlugin<Solver>(context.registry, query.solver);
  // The regularised minimiser is within L/λ of the centre's projection, whatever the data.
  const promised = solver.plugin.worstDistance(solver.params, {
    strongConvexity: lambda,
    smoothness: smoothness + lambda,
    startDistance: lipschitz / lambda,
  });
  if (!(promised <= tolerance))
    throw new InvalidParameter(
      `solver '${solver.plugin.name}' promises a distance of ${promised}, ` +
        `the query needs ${tolerance}; give it more iterations, or ask for less`,
      { promised, tolerance },
    );
  const sensitivity = minimiserSensitivity({ ...constants, norm, records: batch.normaliser, tolerance });
  const planned = planNoise(context, noise.mechanism, noise.target, sensitivity, {
    norm: norm === 1 ? 'l1' : 'l2',
    length: dimension,
    integers: false,
    size: reach,
  });
  return {
    effect: { charge: { on: batch.stretch, event: planned.event } },
    blank: () => new Float64Array(dimension),
    release({ data, rows, randomness }) {
      const slots = rows(batch);
      const { point } = solver.plugin.solve(
        solver.params,
        {
          domain,
          start: centre,
          strongConvexity: lambda,
          smoothness: smoothness + lambda,
          valueAndGradientInto: (out, x) => objective(data, slots, query, batch.normaliser, x, out),
        },
        tolerance,
      );
      return noised(point.slice(), planned, randomness);
    },
  };
};

/**
 * Facts on the query's own domain: one that was derived for other iterates does not count, and no other can
 * stand in for the Lipschitz constant, because nothing is clipped here.
 */
function factsOn(
  context: PublicContext,
  domain: Domain,
  bound: MinimiserQuery['bound'],
): PublicContext['facts'] {
  if (bound.fact !== 'lipschitz')
    throw new Unsupported(
      `output perturbation rests on the fact 'lipschitz' and no other; the query names '${bound.fact}'`,
      { fact: bound.fact },
    );
  return context.factsWithin(largestNorm(domain));
}

function objective(
  data: DataSet,
  rows: Rows,
  { lambda, centre }: MinimiserQuery,
  normaliser: number,
  x: Vector,
  out: Vector,
): number {
  const sum = boundedSum(data, rows, { terms: [{ weight: 1, at: x }] }, unbounded);
  let distance = 0;
  for (let j = 0; j < out.length; j++) {
    const step = x[j] - centre[j];
    out[j] = sum[j] / normaliser + lambda * step;
    distance += step * step;
  }
  return sumOfLosses(data, rows, x) / normaliser + (lambda / 2) * distance;
}
