import { meanShape, seededRandom, type CentralMean } from '@lethe/core';
import type { OracleSubject } from './subject.js';

/** The value that gets noise, for records in slots 0, 1, …. */
export function valueOf(
  mean: Pick<CentralMean, 'begin'>,
  params: Readonly<Record<string, number>>,
  records: readonly ArrayLike<number>[],
): Float64Array {
  const run = mean.begin(
    params,
    meanShape({ dimension: records[0].length, slots: records.length }),
    seededRandom('a claim'),
  );
  records.forEach((record, slot) => {
    run.add(slot, Float64Array.from(record));
  });
  return run.value();
}

/** A record in the ball of the clip. */
export function clipped(
  subject: Pick<OracleSubject, 'l2Clip'>,
  radius: number,
  record: ArrayLike<number>,
): Float64Array {
  const out = Float64Array.from(record);
  subject.l2Clip.clipInPlace({ radius }, out);
  return out;
}
