export {
  exactLevel,
  incrementBound,
  incrementRadius,
  printedEpsilon,
  printedLevel,
  type IncrementClip,
  type LossConstants,
} from './constants.js';
export { dpFedAvg } from './dp-fedavg.js';
export { dpMu2Sgd } from './dp-mu2-sgd.js';
export { incrementCentre, incrementTerms, type Mu2State, type WeightedPoint } from './momentum-sum.js';
export { mu2Risk, mu2StepSize, type Mu2Run } from './risk-bounds.js';
export { mu2Sgd } from './mu2-sgd.js';
export { federatedOptimizers } from './optimizers.js';
export { federated } from './paper.js';
export { parallelSgd } from './parallel-sgd.js';
