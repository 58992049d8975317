import type { Law } from '../../law/law.js';
import { attainedRadius, boundedNorm, radiusLaw } from './bounded-norm.js';
import { factorLaw, leavesInsideAlone, projection } from './factor.js';
import { idempotent, nonExpansive, scaled, scaleEquivariant } from './geometry.js';
import { inPlace, nonFiniteToZero, pure } from './in-place.js';
import { onGrid } from './on-grid.js';
import { biasAttained, biasBound, momentsChecked, varianceAttained, varianceBound } from './moment-bounds.js';

/** Laws of every clip. */
export const clipLaws: readonly Law<'clip'>[] = [
  radiusLaw,
  boundedNorm,
  attainedRadius,
  nonFiniteToZero,
  inPlace,
  pure,
  factorLaw,
  projection,
  leavesInsideAlone,
  onGrid,
  idempotent,
  nonExpansive,
  scaleEquivariant,
  scaled,
  biasBound,
  biasAttained,
  varianceBound,
  varianceAttained,
  momentsChecked,
];
