import { runsSubject, type RunsSubject } from './runs-subject.js';

/**
 * Functions of all claims of Maranjyan, Sadiev and Richtárik 2024, by name: optimizers, calibrations, bounds,
 * rates, formulas.
 */
export type CoordinateDescentSubject = RunsSubject;

/** The shipped functions. A mutant replaces one of them. */
export const coordinateDescentSubject: CoordinateDescentSubject = runsSubject;
