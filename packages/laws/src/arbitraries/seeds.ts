import { seededRandom, type RandomSource } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';

/** Seeds, uniform on 31 bits. They do not shrink: a smaller seed is not a simpler one. */
export const seeds: Arbitrary<number> = fc.noShrink(fc.noBias(fc.integer({ min: 0, max: 0x7fffffff })));

/** Where a source comes from; a seed is printed where the source is not. */
export interface Coins { readonly seed: number; readonly random: () => RandomSource }

/** Seeds with the source each of them starts, anew at every call. */
export const coins: Arbitrary<Coins> = seeds.map((seed) => ({ seed, random: () => seededRandom(seed) }));
