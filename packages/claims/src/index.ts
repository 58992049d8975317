export { lowyChecks, lowySubject, type LowySubject } from './lowy/index.js';
export { maranjyanChecks, maranjyanSubject, type MaranjyanSubject } from './maranjyan/index.js';
export {
  referenceCurvatures, referenceExperiments, type ReferenceExperiment, type ReferenceExperimentId, type ReferenceMethod,
} from './maranjyan/reference-experiments.js';
export { referenceValues, type ReferenceValue } from './maranjyan/reference-values.js';
