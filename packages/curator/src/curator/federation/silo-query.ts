import type { Batch, Query } from '@lethe/core';
import { InvalidParameter } from '@lethe/numerics';

/**
 * What one silo of a federation is asked when the federation is asked `query`: numbers that differ from silo
 * to silo are its own, and batches go by their names alone, since each silo knows its own sizes.
 *
 * @throws {InvalidParameter} for a list that is not as long as there are silos.
 */
export function siloQuery(query: Query, silo: number, silos: number): Query {
  switch (query.ask) {
    case 'open':
      return ownStream(query, silo, silos);
    case 'mean':
    case 'localUpdate':
    case 'push':
    case 'value':
    case 'close':
      return silos === 1 ? query : { ...query, batch: named(query.batch) };
    case 'split':
      return silos === 1 ? query : { ...query, of: named(query.of) };
    case 'draw':
      return silos === 1 ? query : { ...query, from: named(query.from) };
    default:
      return query;
  }
}

/** A token without the number of records, which differs from silo to silo. */
const named = ({ id, size, scope }: Batch): Batch => ({ id, normaliser: 1, size, scope }) as Batch;

function ownStream(query: Query & { readonly ask: 'open' }, silo: number, silos: number): Query {
  const { normalisers, noiseFactors, ...rest } = query;
  assertOneEach('normalisers', normalisers, silos);
  assertOneEach('noiseFactors', noiseFactors, silos);
  return {
    ...rest,
    ...(normalisers === undefined ? {} : { normaliser: normalisers[silo] }),
    ...(noiseFactors === undefined ? {} : { noiseFactors: [noiseFactors[silo]] }),
  };
}

function assertOneEach(what: string, given: readonly number[] | undefined, silos: number): void {
  if (given === undefined || given.length === silos) return;
  throw new InvalidParameter(
    `a stream was opened with ${given.length} ${what}, and the federation has ${silos} silos; ` +
      'give one for each',
    { [what]: given.length, silos },
  );
}

/** Whether silos are asked different things. */
export const differsBySilo = (query: Query): boolean =>
  query.ask === 'open' && (query.normalisers !== undefined || query.noiseFactors !== undefined);
