import { plainLoops, type Query, type Registry, type Vector } from '@lethe/core';
import { createIntake, pointMemory } from '@lethe/core/internal';
import { InvalidParameter, publicCoins, Unsupported } from '@lethe/numerics';
import { pricingContext } from '../../pricing/public-context.js';
import { handlersOf, publicData } from '../../pricing/run-price.js';
import { dispatch } from '../handlers.js';
import { tokenOf } from '../context.js';
import { agreedRandomness, type AgreedPart, type Agreement } from './agreement.js';
import { pointsOf } from './held-query.js';
import { siloQuery } from './silo-query.js';

/** The queries of an agreed run, in order, as one silo is asked them. */
export interface ExpectedQueries {
  /**
   * Query number `index` of the run about the given points; no call asks for an earlier one than the last.
   *
   * @param points - Where gradients are taken: the newest, and for a difference of gradients the one before.
   * @throws {InvalidParameter} when the run is over, or has another number of points there.
   */
  at(index: number, points: readonly Vector[]): Query;
  /** How many points query number `index` is about. @throws {InvalidParameter} when the run is over. */
  pointsAt(index: number): number;
  /**
   * Whether query number `index` is an increment of a stream. @throws {InvalidParameter} when the run is
   * over.
   */
  isPush(index: number): boolean;
}

/**
 * Runs the steps of the plan on answers of zeros, which decide nothing but the points of later queries: the
 * points are those that are given, and all else is the plan's. The centre of an increment is
 * `(t − 1)(L/2)(x_t − x_(t−1))`, of the smoothness `L` that the problem declares.
 */
export function expectedQueries(
  { plan, start, coins, run: name }: Agreement,
  { run }: AgreedPart,
  silo: number,
  registry: Registry,
): ExpectedQueries {
  const { problem } = run;
  const data = publicData({ problem, registry }, problem.slots[silo]);
  const context = pricingContext(data, false);
  const handlers = handlersOf(problem.trust);
  // Of the plan's own points only the number is read, so that they share one memory.
  const take = createIntake(undefined, pointMemory(new Uint8Array(16)));
  const program = run.steps({
    ...plainLoops(),
    allRecords: tokenOf(data.allRecords),
    random: publicCoins(agreedRandomness(coins)),
    start: Float64Array.from(start),
  });
  let next = program.next();
  let reached = 0;
  const over = (index: number): never => {
    throw new InvalidParameter(
      `query ${index} of run '${name}' was asked, and the agreed plan of '${plan.optimizer}' has ${reached}`,
      { index, queries: reached },
    );
  };
  const smoothness = problem.facts['smoothness']?.value;
  let current: { readonly index: number; readonly query: Query } | undefined;
  const reach = (index: number): Query => {
    if (current?.index === index) return current.query;
    if (index < reached)
      throw new InvalidParameter(`query ${index} is expected no more: the run is at query ${reached}`, {
        index,
      });
    for (;;) {
      if (next.done === true) return over(index);
      const query = siloQuery(take(next.value).query, silo, problem.slots.length);
      const { effect, blank } = dispatch(handlers, context, query, `${name}/${reached}`);
      context.apply(effect);
      next = program.next(blank());
      current = { index: reached, query };
      reached += 1;
      if (current.index === index) return query;
    }
  };
  return {
    at: (index, points) => atPoints(reach(index), points, smoothness),
    pointsAt: (index) => pointsOf(reach(index)).length,
    isPush: (index) => reach(index).ask === 'push',
  };
}

function atPoints(query: Query, points: readonly Vector[], smoothness: number | undefined): Query {
  const most = pointsOf(query).length;
  if (points.length !== most)
    throw new InvalidParameter(
      `the agreed plan asks '${query.ask}' about ${most} points here, and ${points.length} were given`,
      { expected: most, given: points.length },
    );
  if (query.ask === 'localUpdate') return { ...query, from: points[0] };
  if (query.ask !== 'push' && query.ask !== 'mean') return query;
  const of = { ...query.of, terms: query.of.terms.map(({ weight }, k) => ({ weight, at: points[k] })) };
  if (query.ask === 'mean') return { ...query, of };
  const { centre, ...rest } = query;
  if (centre === undefined) return { ...rest, of };
  if (smoothness === undefined || of.terms.length !== 2)
    throw new Unsupported('increments about a centre need the fact smoothness, and two points', {});
  return { ...rest, of, centre: halfStep(-of.terms[1].weight, smoothness / 2, points[0], points[1]) };
}

/**
 * `times · halfSmoothness · (at − before)`: the centre of the ball in which `times` differences of gradients
 * of a convex loss lie, whose gradients are `2 · halfSmoothness`-Lipschitz.
 */
function halfStep(times: number, halfSmoothness: number, at: Vector, before: Vector): Vector {
  const centre = new Float64Array(at.length);
  for (let j = 0; j < at.length; j++) centre[j] = times * halfSmoothness * (at[j] - before[j]);
  return centre;
}
