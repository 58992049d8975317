import { skgd } from '@lethe/algorithms';
import { convergenceSubject, type ConvergenceSubject } from './convergence-subject.js';
import { sketchingSubject, type SketchingSubject } from './sketching-subject.js';

/** Functions of rows 56 to 67, which compare plans with runs: those of the other rows, and SkGD. */
export const runsSubject: RunsSubject = Object.freeze({ ...convergenceSubject, ...sketchingSubject, skgd });

/** See {@link runsSubject}. */
export type RunsSubject = ConvergenceSubject & SketchingSubject & { readonly skgd: typeof skgd };
