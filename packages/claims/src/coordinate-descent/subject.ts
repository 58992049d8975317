import { convergenceSubject, type ConvergenceSubject } from './convergence-subject.js';
import { sketchingSubject, type SketchingSubject } from './sketching-subject.js';

/** All functions that the claims of Maranjyan, Sadiev and Richtárik 2024 speak of, by name: optimizers, calibrations, bounds and rates as shipped, and the paper's own formulas. */
export type CoordinateDescentSubject = SketchingSubject & ConvergenceSubject;

/** What ships. A mutant is this with a function replaced. */
export const coordinateDescentSubject: CoordinateDescentSubject = Object.freeze({ ...convergenceSubject, ...sketchingSubject });
