export { finiteLawBatchMoment, finiteLawMoments, type FiniteLaw, type FiniteLawMoments, type MomentQuestion } from './finite-law.js';
export { gradientMomentOf, type PopulationMoment, type PopulationQuestion, type RegressionPopulation } from './population-moment.js';
