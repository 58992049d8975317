export { erf, erfc, erfcx } from './error-function.js';
export { logBinomial, logBinomialBounds } from './log-binomial.js';
export {
  log1mExp,
  log1mExpBounds,
  logAddExp,
  logSubExp,
  logSubExpBounds,
  logSumExp,
  logSumExpBounds,
} from './log-domain.js';
export { logGamma, logGammaBounds } from './log-gamma.js';
export { normalCdfBounds, logNormalCdfBounds, normalQuantileBounds } from './normal-bounds.js';
export { normalQuantile, normalQuantileOfLog } from './normal-quantile.js';
export { logNormalCdf, normalCdf } from './normal.js';
