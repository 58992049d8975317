export { bisectBracket, bisectDown, type BisectOptions, bisectUp, type Bracket } from './bisect.js';
export type { Bounds } from './bounds.js';
export type { RealFunction } from './bracket.js';
export { findRoot, type Root } from './find-root.js';
export { integrate, type IntegrateOptions, type Integral } from './integrate.js';
export { type Minimum, type MinimizeOptions, minimizeUnimodal } from './minimize-unimodal.js';
export { neumaierSum } from './neumaier-sum.js';
