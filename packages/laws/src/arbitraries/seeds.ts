import { seededRandom, type RandomSource } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';

/** Seeds, uniform on 31 bits. They do not shrink: smaller seeds are not simpler. */
export const seeds: Arbitrary<number> = fc.noShrink(fc.noBias(fc.integer({ min: 0, max: 0x7fffffff })));

/** A seed with its random source; printed as the seed. */
export interface SeededSource {
  readonly seed: number;
  /** A source with this seed, at its beginning. */
  readonly random: () => RandomSource;
}

/** Seeds with their random sources, started anew at every call. */
export const randomSources: Arbitrary<SeededSource> = seeds.map((seed) => ({
  seed,
  random: () => seededRandom(seed),
}));
