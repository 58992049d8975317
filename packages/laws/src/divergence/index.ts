export { calibrateByProfile } from './calibrate-by-profile.js';
export { approximateCurve, pureCurve, renyiCurve } from './claimed-curves.js';
export { claimedProfile, type ClaimedProfile, claimedRenyi } from './claimed-profile.js';
export { type Densities, hockeyStickOf, type Quadrature, renyiOf } from './density-divergence.js';
export { gaussianCurve, gaussianCurveEpsilon } from './gaussian-curve.js';
export { gaussLegendre, type Rule } from './gauss-legendre.js';
export { type Distribution, shiftDivergence, type Witnessed } from './half-line.js';
export { pairProfile } from './pair-profile.js';
export { type TrueProfile, trueDelta, trueProfile, trueRenyi } from './truth.js';
