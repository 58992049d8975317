import { domainAt, type LinearMean, type Vector } from '@lethe/core';
import type { LocalSteps } from '@lethe/core/internal';
import { allFinite, InvalidParameter, vectorNorm, type Domain } from '@lethe/numerics';
import { ownerParts } from './by-owner.js';
import type { PublicContext } from './context.js';
import type { DataSet } from './data-set.js';
import { readRowInto } from './each-gradient.js';
import { labelOf } from './label-of.js';
import { rowAt, rowCount, type Rows } from './members.js';
import { partsOf } from './paged-records.js';

/** Passes of one slot at most. */
const mostEpochs = 2 ** 20;

/** Local steps with their domain. */
export interface LocalProcedure extends Pick<LocalSteps, 'epochs' | 'batchSize' | 'stepSize'> {
  readonly domain: Domain;
}

/** What slots count in a mean of their updates: `min(records / fullRecords, 1)`, once each is bounded. */
export interface SlotWeights {
  readonly fullRecords: number;
  /** Scales an update into the ball of the mean. */
  readonly bound: Pick<LinearMean, 'norms' | 'factor'>;
}

/** @throws {InvalidParameter} for numbers that are none; and as the domain does. */
export function localProcedure(
  { registry, dimension }: Pick<PublicContext, 'registry' | 'dimension'>,
  { domain, epochs, batchSize, stepSize }: LocalSteps,
): LocalProcedure {
  for (const [name, value] of Object.entries({ epochs, batchSize }))
    if (!(Number.isSafeInteger(value) && value > 0 && value <= mostEpochs))
      throw new InvalidParameter(
        `${name} of local steps is ${value}; it must be a positive whole number, at most 2^20`,
        { [name]: value },
      );
  if (!(stepSize > 0 && Number.isFinite(stepSize)))
    throw new InvalidParameter(`stepSize of local steps is ${stepSize}; it must be positive and finite`, {
      stepSize,
    });
  return { domain: domainAt(registry, domain, dimension), epochs, batchSize, stepSize };
}

/**
 * Each slot's way from `from` to the end of its own steps. The vector is lent until the next one. It is a
 * function of this slot's records and of public numbers alone; a null slot, or one whose steps leave the
 * finite numbers, gives zero. With weights it is scaled into the ball of the mean, and then by its weight.
 */
export function eachUpdate(
  data: DataSet,
  rows: Rows,
  {
    from,
    procedure,
    weights,
  }: {
    readonly from: Vector;
    readonly procedure: LocalProcedure;
    readonly weights?: SlotWeights | undefined;
  },
  use: (slot: number, update: Vector) => void,
): void {
  const { domain, epochs, batchSize, stepSize } = procedure;
  const { plugin, params } = data.loss;
  const parts = ownerParts(plugin);
  const features = new Float64Array(data.columns);
  const gradient = new Float64Array(data.dimension);
  const point = new Float64Array(data.dimension);
  let slot = 0;
  for (const { data: part, rows: some } of partsOf(data, rows)) {
    for (let i = 0; i < rowCount(some); i++) {
      const row = rowAt(some, i);
      point.set(from);
      let count = 0;
      if (part.nulls?.[row] !== 1) {
        readRowInto(part, row, features);
        const record = { features, ...labelOf(part, row) };
        count = parts?.count(record) ?? 1;
        for (let epoch = 0; epoch < epochs; epoch++)
          for (let first = 0; first < count; first += batchSize) {
            gradient.fill(0);
            if (parts === undefined) plugin.gradientInto(params, gradient, point, record);
            else parts.gradientInto(params, gradient, { at: point, record, first, end: first + batchSize });
            for (let j = 0; j < point.length; j++) point[j] -= stepSize * gradient[j];
            if (allFinite(point) && !domain.unconstrained) domain.projectInto(point, point);
          }
      }
      const isFinite = allFinite(point);
      for (let j = 0; j < point.length; j++) point[j] = isFinite ? point[j] - from[j] : 0;
      if (weights !== undefined) weigh(point, count, weights);
      use(slot++, allFinite(point) ? point : point.fill(0));
    }
  }
}

function weigh(update: Vector, count: number, { fullRecords, bound }: SlotWeights): void {
  const norms = (bound.norms ?? ['l2']).map((norm) => vectorNorm(update, norm));
  const factor = Math.min(count / fullRecords, 1) * bound.factor(...norms);
  for (let j = 0; j < update.length; j++) update[j] *= factor;
}
