import type { GradientTerms, Vector } from '@lethe/core';
import { wasFinite } from '@lethe/core/internal';
import { allFinite, InvalidParameter } from '@lethe/numerics';

/**
 * Checks that a query's vector has the run's dimension and
 * finite entries: public values, so the message may say which.
 */
export function assertVector(what: string, vector: Vector, dimension: number): void {
  if (!(vector instanceof Float64Array))
    throw new InvalidParameter(`${what} must be a Float64Array`, { what });
  if (vector.length !== dimension)
    throw new InvalidParameter(
      `${what} has ${vector.length} entries; a point of this problem has ${dimension}`,
      { what, length: vector.length, dimension },
    );
  if (wasFinite(vector) || allFinite(vector)) return;
  const bad = vector.findIndex((entry) => !Number.isFinite(entry));
  throw new InvalidParameter(
    `${what}[${bad}] is ${vector[bad]}; a query's entries are finite. ` +
      'Has the optimizer diverged? Use smaller steps.',
    { what, index: bad, value: vector[bad] },
  );
}

export function assertTerms({ terms, coordinates }: GradientTerms, dimension: number): void {
  if (terms.length === 0)
    throw new InvalidParameter('a gradient query needs at least one term', { terms: 0 });
  terms.forEach(({ weight, at }, k) => {
    if (!Number.isFinite(weight))
      throw new InvalidParameter(`weight of term ${k} is ${weight}; it must be finite`, { term: k, weight });
    assertVector(`point of term ${k}`, at, dimension);
  });
  if (coordinates === undefined) return;
  const seen = new Set<number>();
  for (const j of coordinates) {
    if (j >= dimension)
      throw new InvalidParameter(
        `coordinate ${j} is out of range; a point of this problem has ${dimension} entries`,
        { coordinate: j, dimension },
      );
    if (seen.has(j))
      throw new InvalidParameter(`coordinate ${j} is asked for twice; list each once`, { coordinate: j });
    seen.add(j);
  }
}
