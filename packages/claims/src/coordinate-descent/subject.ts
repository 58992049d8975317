import { convergenceSubject, type ConvergenceSubject } from './convergence-subject.js';
import { sketchingSubject, type SketchingSubject } from './sketching-subject.js';

/**
 * Functions of all claims of Maranjyan, Sadiev and Richtárik 2024, by name: optimizers, calibrations, bounds,
 * rates, formulas.
 */
export type CoordinateDescentSubject = SketchingSubject & ConvergenceSubject;

/** The shipped functions. A mutant replaces one of them. */
export const coordinateDescentSubject: CoordinateDescentSubject = Object.freeze({
  ...convergenceSubject,
  ...sketchingSubject,
});
