export * from './account.js';
export * from './describe.js';
export * from './finding.js';
export {
  type Cell,
  defineLaw,
  type Invariant,
  type Law,
  type LawEnv,
  type LawId,
  propertyOf,
  type Tier,
} from './law.js';
export * from './laws-for.js';
export * from './make-subject.js';
export { linesPace, slowProgress, type Pace, type Progress } from './progress.js';
export * from './report.js';
export * from './run.js';
export * from './subject.js';
