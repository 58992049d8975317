import type { Law } from '../../law/law.js';
import { monotone, regime, value } from './evaluate.js';
import { excessRisk, instance, instanceMoment } from './instance.js';
import { belowUpperBounds } from './upper-bounds.js';

/** Laws of every lower bound. */
export const lowerBoundLaws: readonly Law<'lowerBound'>[] = [value, regime, monotone, belowUpperBounds, instance, instanceMoment, excessRisk];
