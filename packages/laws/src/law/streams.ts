import { seededRandom, type RandomSource } from '@lethe/core';

/** Names one check: what is drawn for it depends on nothing else, whatever the order or the machine. */
export interface CheckName { readonly seed: string; readonly law: string; readonly subject: string; readonly cell: string }

/** Root of all randomness of one check. */
export const streamOf = ({ seed, law, subject, cell }: CheckName): RandomSource =>
  seededRandom(`lethe/laws/${JSON.stringify([seed, law, subject, cell])}`);
