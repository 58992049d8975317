export {
  discreteBatchMoment,
  discreteMoments,
  type DiscreteDistribution,
  type DiscreteMoments,
  type MomentQuestion,
} from './discrete-distribution.js';
export {
  gradientMomentOf,
  type PopulationMoment,
  type PopulationQuestion,
  type RegressionPopulation,
} from './population-moment.js';
