import type { Law } from '../../law/law.js';
import { assumptionsLaw } from './assumptions.js';
import { calibrationLaw, leastMultiplierLaw, pureLossDistribution, zcdpLaw } from './calibration.js';
import { cdfLaw, symmetricLaw } from './cdf.js';
import {
  dataIndependenceLaw,
  duplicatesLaw,
  freshRandomnessLaw,
  scaleEquivarianceLaw,
} from './randomness.js';
import { divergenceLaw } from './divergence.js';
import { divisibleLaw } from './divisible.js';
import { everyCoordinateLaw, inPlaceLaw, noAtomsLaw } from './entries.js';
import { eventAtScales } from './event-at-scales.js';
import { eventLaw } from './event.js';
import { everyOctave } from './every-octave.js';
import { everyPosition } from './every-position.js';
import { everyScale } from './every-scale.js';
import { independenceLaw } from './independence.js';
import { latticeLaw } from './lattice.js';
import { longCallsLaw } from './long-calls.js';
import { noiseDistribution } from './noise-distribution.js';
import { everyDirectionLaw } from './every-direction.js';
import { refusalsLaw } from './refusals.js';
import { standardDeviationLaw } from './standard-deviation.js';
import { wholeDivergence } from './whole-divergence.js';
import { wideScalesLaw } from './wide-scales.js';

/** Laws of every mechanism. */
export const mechanismLaws: readonly Law<'mechanism'>[] = [
  cdfLaw,
  symmetricLaw,
  standardDeviationLaw,
  eventLaw,
  eventAtScales,
  assumptionsLaw,
  calibrationLaw,
  pureLossDistribution,
  zcdpLaw,
  leastMultiplierLaw,
  refusalsLaw,
  everyCoordinateLaw,
  inPlaceLaw,
  freshRandomnessLaw,
  duplicatesLaw,
  dataIndependenceLaw,
  scaleEquivarianceLaw,
  latticeLaw,
  wideScalesLaw,
  everyDirectionLaw,
  noiseDistribution,
  independenceLaw,
  noAtomsLaw,
  longCallsLaw,
  divergenceLaw,
  everyScale,
  everyOctave,
  everyPosition,
  wholeDivergence,
  divisibleLaw,
];
