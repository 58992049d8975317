import { seededRandom, type RandomSource } from '@lethe/core';

/** Name of one check, which determines its randomness: independent of order and machine. */
export interface CheckName {
  readonly seed: string;
  readonly law: string;
  readonly subject: string;
  readonly cell: string;
}

/** Root of all randomness of one check. */
export const streamOf = ({ seed, law, subject, cell }: CheckName): RandomSource =>
  seededRandom(`lethe/laws/${JSON.stringify([seed, law, subject, cell])}`);
