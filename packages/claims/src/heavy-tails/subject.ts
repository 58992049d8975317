import { hardnessSubject, type HardnessSubject } from './hardness/subject.js';
import { optimizerSubject, type OptimizerSubject } from './optimizers/subject.js';
import { oracleSubject, type OracleSubject } from './means/subject.js';
import { runsSubject, type RunsSubject } from './runs/subject.js';

/**
 * Functions of all claims of Lowy and Razaviyayn 2023, by name: optimizers, oracles, schedules, bounds, hard
 * instances, formulas.
 */
export type HeavyTailsSubject = OracleSubject & OptimizerSubject & HardnessSubject & RunsSubject;

/** The shipped functions. A mutant replaces one of them. */
export const heavyTailsSubject: HeavyTailsSubject = Object.freeze({
  ...oracleSubject,
  ...optimizerSubject,
  ...hardnessSubject,
  ...runsSubject,
});
