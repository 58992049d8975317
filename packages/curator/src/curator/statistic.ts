import { boundedMeanSensitivity, type Vector } from '@lethe/core';
import { certifiedFact } from '@lethe/core/internal';
import type { DataSet } from './data-set.js';
import {
  boundedSumSensitivity,
  planGradientStatistic,
  shareBeyond,
  type PlanStatistic,
} from './gradient-statistic.js';
import { eachUpdate, localProcedure } from './local-update.js';
import type { Rows } from './members.js';
import { sumOfLosses } from './record-losses.js';
import { assertVector } from './validate.js';

/**
 * Works out a statistic from public values. Per-record losses are held to the certified range `[0, B]`, null
 * records count with the declared constant 0, so the sensitivities hold for every data set.
 *
 * @throws {Unsupported} when the data set has no `every-record` range.
 */
export const planStatistic: PlanStatistic = (context, statistic, normaliser) => {
  if (statistic.of === 'gradient-norm' || statistic.of === 'gradient-norm-beyond')
    return planGradientStatistic(context, statistic, normaliser);
  if (statistic.of === 'update-norm-beyond') {
    const procedure = localProcedure(context, statistic.local);
    return shareBeyond(statistic.radius, normaliser, (data, rows, from, use) => {
      eachUpdate(data, rows, { from, procedure }, use);
    });
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
};

/**
 * A loss outside the certified range is held to it, and one
 * that is no number counts as 0: nothing about it may be told.
 */
function held(loss: number, range: number): number {
  return Number.isNaN(loss) ? 0 : Math.min(Math.max(loss, 0), range);
}
