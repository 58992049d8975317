import type { Law } from '../../law/law.js';
import { declared, separable } from './declared.js';
import { convex, firmlyNonExpansive, inPlace, optimal, refuses } from './proximal.js';

/** Laws of every regulariser. */
export const regulariserLaws: readonly Law<'regulariser'>[] = [
  optimal,
  firmlyNonExpansive,
  convex,
  separable,
  declared,
  inPlace,
  refuses,
];
