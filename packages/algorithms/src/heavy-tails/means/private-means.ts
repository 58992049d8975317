import {
  IncompatiblePlugins,
  InvalidParameter,
  parseOrThrow,
  type Adjacency,
  type TrustModel,
} from '@lethe/core';
import { z } from 'zod';
import { clippedMean, lipschitzMean, medianOfMeans } from './central-means.js';
import type { ChosenMean, PrivateMean } from './private-mean.js';
import { shuffledMedian, shuffledSum } from './shuffled-means.js';

/** Those that clip: their privacy rests on nothing else. */
export const clippingMeans: readonly PrivateMean[] = [
  clippedMean,
  medianOfMeans,
  shuffledSum,
  shuffledMedian,
];

/** Every private mean of this package. */
export const privateMeans: readonly PrivateMean[] = [...clippingMeans, lipschitzMean];

/** A private mean by name. */
export const meanSchema = z.strictObject({
  name: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
});

/**
 * The mean that is named, or the first that fits where none is.
 *
 * @throws {InvalidParameter} for a name that is not there, and parameters it does not take.
 * @throws {IncompatiblePlugins} where it does not fit the model of trust or the adjacency.
 */
export function chosenMean(
  means: readonly PrivateMean[],
  named: z.output<typeof meanSchema> | undefined,
  { trust, adjacency }: { readonly trust: TrustModel; readonly adjacency: Adjacency },
): ChosenMean {
  const fits = (mean: PrivateMean): boolean =>
    mean.trust === trust.model && mean.adjacencies.includes(adjacency);
  const mean = named === undefined ? means.find(fits) : means.find(({ name }) => name === named.name);
  const names = means.map(({ name }) => name);
  const fitting = means.filter(fits).map(({ name }) => name);
  if (mean === undefined && named !== undefined)
    throw new InvalidParameter(`mean is '${named.name}'; it must be one of ${names.join(', ')}`, {
      name: named.name,
      available: names,
    });
  if (mean === undefined || !fits(mean)) {
    throw new IncompatiblePlugins(
      `${mean === undefined ? 'no mean' : `mean '${mean.name}', of the ${mean.trust} model, does not`} fit${mean === undefined ? 's' : ''} the ${trust.model} model under ${adjacency}; ${fitting.length === 0 ? 'none of this method does' : `take ${fitting.join(' or ')}`}`,
      { mean: mean?.name ?? null, trust: trust.model, adjacency, fitting },
    );
  }
  return { mean, params: parseOrThrow(mean.params, named?.params ?? {}, `mean '${mean.name}'`) };
}
