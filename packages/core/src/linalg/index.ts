export { accumulate } from './accumulate.js';
export { arenaOf, createArena, type Arena } from './arena.js';
export { clippedGradient, type ClippedGradient } from './clipped-gradient.js';
export { clippedSlope, type Slope } from './clipped-slope.js';
export { exponentials } from './exponentials.js';
export { margins } from './margins.js';
export { viewOf, type CsrMatrix, type Matrix, type MatrixView, type Rows } from './matrix.js';
export { rowNorms } from './row-norms.js';
