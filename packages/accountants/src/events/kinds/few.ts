import { Unsupported } from '@lethe/numerics';
import { curveCombiners } from '../combine.js';
import type { Knower } from '../knowledge.js';
import { compoundsBy } from './compound.js';
import { free } from './declared.js';
import { gaussian } from './noise.js';
import { allRecords } from './sampled/all-records.js';
import { poissonCurves } from './sampled/poisson.js';

/*
 * Kinds of events without their pairs, for accountants of a few kinds.
 */

/** Releases one after another, and beside each other on different records. */
export const compositions = { ...compoundsBy(curveCombiners), 'core/free': free } as const;

/** Gaussian noise. */
export const gaussianNoise = { 'core/gaussian': gaussian } as const;

const inPoisson: Knower<'core/sampled'> = ({ kind, sampler, event }, adjacency, nested) => {
  if (sampler.kind !== 'core/poisson')
    throw new Unsupported(
      `a sample by '${sampler.kind}' is none of those that this accountant was made for; rdp knows them all`,
      { kind, sampler: sampler.kind, adjacency, final: true },
    );
  return sampler.rate === 1
    ? allRecords(event, adjacency, nested)
    : poissonCurves(sampler.rate, event, adjacency, nested);
};

/** Poisson samples. */
export const poissonSamples = { 'core/sampled': inPoisson } as const;
