import { hardnessSubject, type HardnessSubject } from './hardness-subject.js';
import { optimiserSubject, type OptimiserSubject } from './optimiser-subject.js';
import { oracleSubject, type OracleSubject } from './oracle-subject.js';

/** All functions that the claims of Lowy and Razaviyayn 2023 speak of, by name: optimizers, oracles, schedules, bounds and hard instances as shipped, and the paper's own formulas. */
export type LowySubject = OracleSubject & OptimiserSubject & HardnessSubject;

/** What ships. A mutant is this with a function replaced. */
export const lowySubject: LowySubject = Object.freeze({ ...oracleSubject, ...optimiserSubject, ...hardnessSubject });
