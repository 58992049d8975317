import type { Law } from '../../law/law.js';
import { certifiedDistance, deterministic, feasible, publicEffort, worstDistance } from './laws.js';
import { typedErrors } from './typed-errors.js';

/** Laws of every solver. */
export const solverLaws: readonly Law<'solver'>[] = [
  certifiedDistance,
  worstDistance,
  feasible,
  publicEffort,
  deterministic,
  typedErrors,
];
