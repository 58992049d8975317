export { accumulate } from './accumulate.js';
export { arenaOf, createArena, type Arena } from './arena.js';
export { clippedGradient } from './clipped-gradient.js';
export type { ClippedGradient, ClippedTerms, WeightedPoint } from './clipped-query.js';
export { clippedTerms } from './clipped-terms.js';
export { clippedSlope, type Slope } from './clipped-slope.js';
export { serveWorker, type WorkerAssignment } from './worker.js';
export {
  logisticSum,
  squaredSum,
  type ClippedSum,
  type ClippedTermsSum,
  type FusedCoordinates,
  type FusedSum,
} from './fused-sum.js';
export { multiOutputRows, multiOutputSum, type MultiOutputSum } from './multi-output-sum.js';
export { softmaxResidualInPlace, softmaxSum } from './softmax-sum.js';
export { exponentials } from './exponentials.js';
export { margins } from './margins.js';
export {
  numbersOf,
  precisionOf,
  viewOf,
  type CsrMatrix,
  type Matrix,
  type MatrixView,
  type Numbers,
  type Precision,
  type Rows,
} from './matrix.js';
export { attachWorkers, type WorkerPool, type WorkerPoolOptions } from './worker-pool.js';
export { rowNorms } from './row-norms.js';
export { rowNorm } from './each-element.js';
export {
  coordinateGradient,
  coordinateMargins,
  coordinateSpace,
  type CoordinateGradient,
  type CoordinateSpace,
} from './coordinate-gradient.js';
export { copyByRows, eachBlockOfRows, inArena, isByColumns, matrixMemory, numbersIn } from './layout.js';
export { sparseInArena } from './sparse-rows.js';
export { touchesFew } from './sparse-kernels.js';
export { entryBlocks, type EntryBlocks } from './entry-blocks.js';
export { copyWithRoom, zerosBeside, zerosInArena } from './long-vectors.js';
export { addScaled, divideInPlace, noiseMemory, roundNear, subtractScaled } from './elements.js';
