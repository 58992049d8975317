import { hardnessSubject, type HardnessSubject } from './hardness/subject.js';
import { optimizerSubject, type OptimizerSubject } from './optimizers/subject.js';
import { oracleSubject, type OracleSubject } from './means/subject.js';

/** All functions that the claims of Lowy and Razaviyayn 2023 speak of, by name: optimizers, oracles, schedules, bounds and hard instances as shipped, and the paper's own formulas. */
export type HeavyTailsSubject = OracleSubject & OptimizerSubject & HardnessSubject;

/** What ships. A mutant is this with a function replaced. */
export const heavyTailsSubject: HeavyTailsSubject = Object.freeze({ ...oracleSubject, ...optimizerSubject, ...hardnessSubject });
