export { heavyTailsChecks, heavyTailsSubject, type HeavyTailsSubject } from './heavy-tails/index.js';
export {
  coordinateDescentChecks,
  coordinateDescentSubject,
  type CoordinateDescentSubject,
} from './coordinate-descent/index.js';
export {
  referenceCurvatures,
  referenceExperiments,
  type ReferenceExperiment,
  type ReferenceExperimentId,
  type ReferenceMethod,
} from './coordinate-descent/reference-experiments.js';
export { referenceValues, type ReferenceValue } from './coordinate-descent/reference-values.js';
export {
  sparseGradientsChecks,
  sparseGradientsSubject,
  type SparseGradientsSubject,
} from './sparse-gradients/index.js';
export {
  recursiveGradientsChecks,
  recursiveGradientsSubject,
  sampledStreamChecks,
  sampledStreamsSubject,
  type RecursiveGradientsSubject,
  type SampledStreamsSubject,
} from './recursive-gradients/index.js';
