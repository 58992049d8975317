import { boundedMeanSensitivity, type Sensitivity, type Statistic, type Vector } from '@lethe/core';
import { certifiedFact } from '@lethe/core/internal';
import { norm2, InvalidParameter, Unsupported, divideUp } from '@lethe/numerics';
import { boundedSum } from './bounded-sum.js';
import type { PublicContext } from './context.js';
import type { DataSet } from './data-set.js';
import { eachGradient } from './each-gradient.js';
import type { Rows } from './members.js';
import { sumOfLosses } from './record-losses.js';
import { eachUpdate, localProcedure } from './local-update.js';
import { oneGradient, recordBound } from './record-bound.js';
import { assertVector } from './validate.js';

/** A scalar of a batch whose sensitivity follows from facts. */
export interface PlannedStatistic {
  readonly sensitivity: Sensitivity;
  valueAt(data: DataSet, rows: Rows, point: Vector): number;
}

/**
 * Works out a statistic from public values. Per-record losses are held to the certified range `[0, B]`, null
 * records count with the declared constant 0, so the sensitivities hold for every data set.
 *
 * @throws {Unsupported} when the data set has no `every-record` range.
 */
export function planStatistic(
  context: PublicContext,
  statistic: Statistic,
  normaliser: number,
): PlannedStatistic {
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
  if (statistic.of === 'gradient-norm-beyond' || statistic.of === 'update-norm-beyond') {
    const { radius } = statistic;
    const procedure = statistic.of === 'update-norm-beyond' ? localProcedure(context, statistic.local) : null;
    if (!(radius >= 0 && Number.isFinite(radius)))
      throw new InvalidParameter(
        `the radius of a share of norms is ${radius}; it must be finite and at least 0`,
        { radius },
      );
    return {
      sensitivity: boundedSumSensitivity(1, normaliser),
      valueAt(data, rows, at) {
        let beyond = 0;
        const count = (_slot: number, vector: Vector): void => {
          beyond += Number(norm2(vector) > radius);
        };
        if (procedure === null) eachGradient(data, rows, { terms: [{ weight: 1, at }] }, count);
        else eachUpdate(data, rows, { from: at, procedure }, count);
        return beyond / normaliser;
      },
    };
  }
  const range = certifiedFact(context.facts, 'range');
  const losses = (data: DataSet, rows: Rows, at: Vector): number =>
    sumOfLosses(data, rows, at, (loss) => held(loss, range));
  if (statistic.of === 'risk') {
    return {
      sensitivity: boundedSumSensitivity(range, normaliser),
      valueAt: (...where) => losses(...where) / normaliser,
    };
  }
  const { reference } = statistic;
  assertVector('the reference point', reference, context.dimension);
  return {
    sensitivity: boundedMeanSensitivity(range, normaliser),
    valueAt: (data, rows, at) => (losses(data, rows, at) - losses(data, rows, reference)) / normaliser,
  };
}

/**
 * Of `(1/normaliser) Σ` of numbers from 0 to `range`, null records counting 0: a record moves it as far when
 * it is replaced as when it is not there.
 */
function boundedSumSensitivity(range: number, normaliser: number): Sensitivity {
  const one = divideUp(range, normaliser);
  return { 'replace-one': one, 'add-remove': one, 'zero-out': one };
}

/**
 * A loss outside the certified range is held to it, and one
 * that is no number counts as 0: nothing about it may be told.
 */
function held(loss: number, range: number): number {
  return Number.isNaN(loss) ? 0 : Math.min(Math.max(loss, 0), range);
}
