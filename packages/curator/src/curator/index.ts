export {
  batchAnswers,
  choiceAnswers,
  descentAnswers,
  gradientValueAnswers,
  limitAnswers,
  localUpdateAnswers,
  meanAnswers,
  minimiserAnswers,
  streamAnswers,
  valueAnswers,
  wholeMeanAnswers,
} from './answer-parts.js';
export { centralCuratorOf } from './central-of.js';
export type { Answers } from './handlers.js';
export {
  centralCurator,
  selectionAnswers,
  type CentralCurator,
  type CentralCuratorOptions,
} from './central.js';
export { shuffleCurator, type ShuffleCuratorOptions } from './shuffle.js';
export { latticeSize, stepsWithin } from './candidates.js';
export type { DataInput, StoredInput } from './data-input.js';
export { attachData, attachDense, type DataSet } from './data-set.js';
export { attachStored } from './attach-stored.js';
export type { OutsidePolicy } from './enforce-domain.js';
export { sampledStream, streamSampler, type StreamSampler } from './sampled-stream.js';
export { assertSampled, exaggerationFor, verificationThreshold } from './verification.js';
export { descentSensitivity, type DescentSteps, type ReleasedDescent } from './descent-sensitivity.js';
export {
  finestTolerance,
  minimiserSensitivity,
  type MinimiserConstants,
  type ReleasedMinimiser,
} from './minimiser-sensitivity.js';
