import { addWords, type Words } from './words.js';

/** Pseudo-random words of one attempt at a sum; each call makes the same words anew. */
export interface SumMasks {
  /** The mask of one silo alone. */
  own(silo: number): Words;
  /** The mask that two silos have in common, the same in either order. */
  pair(one: number, other: number): Words;
}

/**
 * What a silo sends: its values, its own mask, and the masks that it shares with each other member, added for
 * members after it and subtracted for members before it.
 *
 * @param members - All silos of the attempt, this one among them.
 */
export function maskedWords(
  values: Words,
  {
    silo,
    members,
    masks,
  }: { readonly silo: number; readonly members: readonly number[]; readonly masks: SumMasks },
): Words {
  const masked = values.slice() as Words;
  addWords(masked, masks.own(silo), 1);
  for (const other of members) {
    if (other !== silo) addWords(masked, masks.pair(silo, other), other > silo ? 1 : -1);
  }
  return masked;
}

/**
 * The sum of the survivors' values. Masks that two survivors share cancel; their own are subtracted, and so
 * are those that they share with members who dropped out.
 *
 * @param masked - Of each survivor, in their order; one at least.
 * @param masks - Asked for the survivors' own masks, and for pairs of a member that dropped out and a
 * survivor.
 */
export function unmaskedSum(
  masked: readonly Words[],
  {
    members,
    survivors,
    masks,
  }: { readonly members: readonly number[]; readonly survivors: readonly number[]; readonly masks: SumMasks },
): Words {
  const [first, ...others] = masked;
  const sum = first.slice() as Words;
  for (const one of others) addWords(sum, one, 1);
  const left = new Set(survivors);
  for (const silo of members) {
    if (left.has(silo)) addWords(sum, masks.own(silo), -1);
    else for (const other of survivors) addWords(sum, masks.pair(silo, other), silo > other ? -1 : 1);
  }
  return sum;
}
