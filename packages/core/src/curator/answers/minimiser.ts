import {
  InvalidParameter,
  Unsupported,
  type Domain,
  norm2,
  addUp,
  divideUp,
  multiplyDown,
  multiplyUp,
  nextUp,
} from '@lethe/numerics';
import { domainAt } from '../../plugins/domain.js';
import { resolvePlugin } from '../../plugins/registry.js';
import type { Solver } from '../../plugins/solver.js';
import type { MinimiserQuery, Vector } from '../../query/query.js';
import { boundedSum } from '../bounded-sum.js';
import type { PublicContext } from '../context.js';
import type { DataSet } from '../data-set.js';
import type { Handler } from '../handlers.js';
import type { Rows } from '../members.js';
import { recordLosses, total } from '../record-losses.js';
import { certifiedFact, unbounded } from '../record-bound.js';
import { planNoise } from '../sensitivity.js';
import { assertVector } from '../validate.js';
import { noised } from './noised.js';

/**
 * Output perturbation. The minimiser of an average of L-Lipschitz convex losses plus `(λ/2)‖x − centre‖²`
 * moves by at most `2L/(λn)` when one record is replaced and `L/(λn)` when it becomes null; the solver's
 * certified distance counts twice.
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
  if (norm !== 2)
    throw new Unsupported(
      'output perturbation in the ℓ1 norm is not available yet; use norm 2 with Gaussian noise',
      { norm },
    );
  if (loss.plugin.capabilities.convex !== true)
    throw new Unsupported(
      `the sensitivity of a minimiser rests on convexity, which loss '${loss.plugin.name}' does not declare`,
      { loss: loss.plugin.name },
    );
  const batch = context.batch(token);
  if (batch.size === 'hidden')
    throw new Unsupported(`output perturbation needs a batch of exact size; batch '${batch.id}' hides it`, {
      batch: batch.id,
    });
  const domain = domainAt(context.registry, query.domain, dimension);
  const { lipschitz, smoothness } = constantsOn(context, domain, bound);
  const reach = norm2(centre) + lipschitz / lambda;
  // Below it rounding, not the solver, decides the point, and a far centre could magnify one record.
  const finest = 2 ** -44 * Math.sqrt(dimension) * reach * (1 + smoothness / lambda);
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
  const one = divideUp(lipschitz, multiplyDown(lambda, batch.normaliser));
  const error = multiplyUp(2, tolerance);
  const sensitivity = {
    'replace-one': addUp(2 * one, error),
    'add-remove': addUp(one, error),
    'zero-out': addUp(one, error),
  };
  const planned = planNoise(context, noise.mechanism, noise.target, sensitivity, {
    norm: 'l2',
    length: dimension,
    integers: false,
    size: reach,
  });
  return {
    effect: { charge: { on: batch.stretch, event: planned.event } },
    blank: () => new Float64Array(dimension),
    release({ data, rows, coins }) {
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
      return noised(point.slice(), planned, coins);
    },
  };
};

/**
 * Lipschitz and smoothness constants on the query's own domain: a fact that was derived for other iterates
 * does not count, and no other fact can stand in for the Lipschitz constant, because nothing is clipped here.
 */
function constantsOn(
  { loss, domain: declared, columns }: PublicContext,
  domain: Domain,
  bound: MinimiserQuery['bound'],
): { readonly lipschitz: number; readonly smoothness: number } {
  if (bound.fact !== 'lipschitz')
    throw new Unsupported(
      `output perturbation rests on the fact 'lipschitz' and no other; the query names '${bound.fact}'`,
      { fact: bound.fact },
    );
  const iterateNorm = norm2(domain.centre) + domain.diameter;
  const { iterateNorm: _, ...record } = declared;
  const facts = loss.plugin.facts(loss.params, {
    ...record,
    columns,
    ...(Number.isFinite(iterateNorm) ? { iterateNorm: nextUp(iterateNorm) } : {}),
  });
  return { lipschitz: certifiedFact(facts, 'lipschitz'), smoothness: certifiedFact(facts, 'smoothness') };
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
  return total(recordLosses(data, rows, x)) / normaliser + (lambda / 2) * distance;
}
