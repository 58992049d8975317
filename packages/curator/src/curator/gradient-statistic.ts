import { boundedMeanSensitivity, type Sensitivity, type Statistic, type Vector } from '@lethe/core';
import { divideUp, InvalidParameter, norm2, Unsupported } from '@lethe/numerics';
import { boundedSum } from './bounded-sum.js';
import type { PublicContext } from './context.js';
import type { DataSet } from './data-set.js';
import { eachGradient } from './each-gradient.js';
import { beyondPart } from './handlers.js';
import type { Rows } from './members.js';
import { oneGradient, recordBound } from './record-bound.js';

/** A scalar of a batch whose sensitivity follows from facts. */
export interface PlannedStatistic {
  readonly sensitivity: Sensitivity;
  valueAt(data: DataSet, rows: Rows, point: Vector): number;
}

/** Works out a statistic from public values. */
export type PlanStatistic = (
  context: PublicContext,
  statistic: Statistic,
  normaliser: number,
) => PlannedStatistic;

/**
 * Works out a statistic of gradients.
 *
 * @throws {Unsupported} for other statistics, and a norm of gradients that are bounded in `linf`.
 */
export const planGradientStatistic: PlanStatistic = (context, statistic, normaliser) => {
  if (statistic.of === 'gradient-norm') {
    const bound = recordBound(oneGradient(context), statistic.bound);
    if (bound.norm === 'linf')
      throw new Unsupported(
        'a gradient norm needs records bounded in l2 or l1; a bound in linf does not bound it',
        { norm: bound.norm },
      );
    return {
      sensitivity: boundedMeanSensitivity(bound.radius, normaliser),
      valueAt: (data, rows, at) =>
        norm2(boundedSum(data, rows, { terms: [{ weight: 1, at }] }, bound)) / normaliser,
    };
  }
  if (statistic.of === 'gradient-norm-beyond')
    return shareBeyond(statistic.radius, normaliser, (data, rows, at, use) => {
      eachGradient(data, rows, { terms: [{ weight: 1, at }] }, use);
    });
  throw beyondPart(
    `the value '${statistic.of}'`,
    { whole: 'valueAnswers', narrow: 'gradientValueAnswers' },
    { of: statistic.of },
  );
};

/**
 * The share of records whose vectors have norms beyond a radius.
 *
 * @param each - Makes the vectors of the records at a point.
 */
export function shareBeyond(
  radius: number,
  normaliser: number,
  each: (data: DataSet, rows: Rows, at: Vector, use: (slot: number, vector: Vector) => void) => void,
): PlannedStatistic {
  if (!(radius >= 0 && Number.isFinite(radius)))
    throw new InvalidParameter(
      `the radius of a share of norms is ${radius}; it must be finite and at least 0`,
      { radius },
    );
  return {
    sensitivity: boundedSumSensitivity(1, normaliser),
    valueAt(data, rows, at) {
      let beyond = 0;
      each(data, rows, at, (_slot, vector) => {
        beyond += Number(norm2(vector) > radius);
      });
      return beyond / normaliser;
    },
  };
}

/**
 * Of `(1/normaliser) Σ` of numbers from 0 to `range`, null records counting 0: a record moves it as far when
 * it is replaced as when it is not there.
 */
export function boundedSumSensitivity(range: number, normaliser: number): Sensitivity {
  const one = divideUp(range, normaliser);
  return { 'replace-one': one, 'add-remove': one, 'zero-out': one };
}
