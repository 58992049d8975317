/**
 * Byte addresses inside the first page of every arena's memory, which holds the kernels' scratch and tables.
 * Kernels name them as constants; packages/core reads the same numbers from the generated module.
 */
export const PAGE = 65536;

/**
 * Rows that one kernel call takes at most. Row sums are formed
 * chunk by chunk, so this is part of every result.
 */
export const CHUNK = 1024;

/**
 * Threads share one memory, not these lists: those of thread k lie `k * SHIFT` positions further on, in pages
 * that hold nothing else (4 bytes a position for pointers: page k; 8 bytes for the others: page 2k).
 */
export const SHIFT = 16_384;

export const layout = {
  key: 1024, // u32[8]: key of the keystream
  block: 1056, // u32[16]: one block of output
  hash: 1120, // u64[4]: state of the keyed hash
  rowIndices: 1152, // u32[CHUNK]
  rowPointers: 5248, // u32[CHUNK + 3]
  coefficients: 9360, // f64[CHUNK]: margins, then residuals
  labels: 17552, // f64[CHUNK]
  norms: 25744, // f64[CHUNK]
  gaussianLayers: 33936, // f64[2][256]
  gaussianHeights: 38032, // f64[257]
  exponentialLayers: 40096, // f64[2][256]
  exponentialHeights: 44192, // f64[257]
  batch: 46272, // u8[512]: keystream
  staging: 46784, // u8[16384]: samples or bytes on their way to or from arrays elsewhere
  longKey: 63168, // u8[1120]: key of the sums of long arrays
  longSums: 64288, // u64[16][4]: sums of the blocks in staging
  heldKey: 64800, // u32[8]: key of the keystream in batch
};
