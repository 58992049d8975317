import type { Law } from '../../law/law.js';
import { diameter, diameterAttained, reach } from './diameter.js';
import { convex, idempotent, tolerance } from './members.js';
import { nearestInMaxNorm } from './max-norm.js';
import { coordinate, inPlace, nearest, nonExpansive, refuses } from './projection.js';

/** Laws of every domain. */
export const domainLaws: readonly Law<'domain'>[] = [
  idempotent,
  tolerance,
  convex,
  nearest,
  nearestInMaxNorm,
  nonExpansive,
  coordinate,
  inPlace,
  refuses,
  diameter,
  reach,
  diameterAttained,
];
