/**
 * How kernels read the numbers of dense rows. Rows of 32 bits are widened as they are loaded: all arithmetic
 * is that of 64 bits, in the same order, so that equal numbers of either precision give the same bits.
 *
 * @typedef {object} Precision
 * @property {string} suffix of the names of kernels
 * @property {number} shift log2 of the bytes of a number
 * @property {(at: string, pair?: number) => string} two the numbers 2 · pair and 2 · pair + 1 from address `at` on
 * @property {(at: string) => string} one the number at an address
 * @property {(first: string, second: string) => string} apart the numbers at two addresses
 */

/** @type {Precision} */
const double = {
  suffix: '',
  shift: 3,
  two: (at, pair = 0) => `(v128.load offset=${16 * pair} ${at})`,
  one: (at) => `(f64.load ${at})`,
  apart: (first, second) => `(v128.load64_lane 1 ${second} (v128.load64_zero ${first}))`,
};

/** @type {Precision} */
const single = {
  suffix: '32',
  shift: 2,
  two: (at, pair = 0) => `(f64x2.promote_low_f32x4 (v128.load64_zero offset=${8 * pair} ${at}))`,
  one: (at) => `(f64.promote_f32 (f32.load ${at}))`,
  apart: (first, second) =>
    `(f64x2.promote_low_f32x4 (v128.load32_lane 1 ${second} (v128.load32_zero ${first})))`,
};

/** A kernel for each precision of rows, below each other. */
export const inBothPrecisions = (kernel) => [double, single].map(kernel).join('\n');
