export { main } from './cli/main.js';
export {
  experimentSchema,
  type Evaluation,
  type Experiment,
  type MeanErrorExperiment,
  type MeanExperiment,
  type Release,
} from './experiment/schema.js';
export { readExperiment } from './experiment/read.js';
export type * from './experiment/results.js';
export type * from './experiment/mean-error-results.js';
export type * from './experiment/mean-results.js';
export { evaluateMeanErrors } from './mean-errors/evaluate.js';
export { evaluateMeans, type MeanContext } from './means/evaluate.js';
export type { Profile, ProfilePoint } from './profile/profile.js';
export { registry } from './registry.js';
export { renderReport } from './report/render.js';
export { evaluate, type EvaluationContext } from './run/evaluate.js';
export { release, type ReleaseContext } from './run/release.js';
export { terminalProgress, type Progress } from './run/progress.js';
export { threadPool } from './threads/worker-threads.js';
