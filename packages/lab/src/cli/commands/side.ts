import type { Parsed } from '../command.js';
import { sides } from './choices.js';

/** What a target is about. */
export type Side = (typeof sides)[number];

/** What the target is about: `--by`, or the only side that the given target has. */
export const sideOf = ({ string, strings }: Pick<Parsed, 'string' | 'strings'>): Side =>
  sides.find((side) => side === string('by')) ??
  (['advantage', 'detection'] as const).find((side) => strings(side).length > 0) ??
  'epsilon';
