export type { Certificate } from './certificate.js';
export { evaluateModel, type Evaluation, type EvaluationOptions } from './evaluation.js';
export { metricsOf, type CalibrationBin, type Metrics, type Scored } from './metrics.js';
export { modelFrom, type Model, type ModelFile } from './model.js';
export { publicOrder } from './public-order.js';
export { readingOf, type Reading } from './reading.js';
export { trainingOf } from './run-names.js';
export { schemaOfDesign } from './schema-of-design.js';
export {
  parseSchema,
  trainingSchema,
  type ColumnSchema,
  type LabelSchema,
  type ParsedSchema,
  type TrainingSchema,
} from './schema.js';
export type { Noise } from './private-metrics.js';
export type { Split } from './split.js';
export type { Cell, Data, Row } from './table-of.js';
export type { Task } from './task.js';
export {
  assertSettings,
  prepareTraining,
  train,
  type NamedPlugin,
  type RunOptions,
  type Training,
  type TrainingBudget,
  type TrainingMethod,
  type TrainingOptions,
} from './training.js';
export { mostNoise, type TrainingPlan } from './training-plan.js';
export { usualDelta } from './usual-method.js';
