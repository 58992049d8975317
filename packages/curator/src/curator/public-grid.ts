import type { Vector } from '@lethe/core';
import { InvalidParameter, exponentOf, roundNear, scaleByPowerOfTwo } from '@lethe/numerics';

/**
 * Places below the scale of the noise: rounding adds 2⁻³² / 12 of the scale's square to the variance at most.
 */
const placesBelowScale = 16;
/** Places below the size of the value, for doubles have 53: five of them stay below the grid. */
const placesBelowSize = 48;
/** Noise that is smaller than so many steps of the grid is refused. */
const leastSteps = 16;

/**
 * The grid to which a value with real-valued noise is rounded: a
 * power of two far below the noise, from public numbers alone.
 *
 * A step holds at least 2³² of the numbers that any one layer of the samplers draws from, so that the
 * probability of a step is that of real-valued noise within 2⁻³² of itself, but in the tails. Where the value
 * is more than 2³² times the noise the step is coarser, since doubles that large are not fine enough; beyond
 * 2⁴⁴ times they do not hold the noise.
 *
 * @param scale - Of the noise.
 * @param size - Public size of the value: what a batch of as many records as the normaliser says can reach.
 * @throws {InvalidParameter} when doubles of that size do not hold the noise.
 */
export function publicGrid(scale: number, size: number): number {
  const below = exponentOf(scale) - placesBelowScale;
  const least = size > 0 ? exponentOf(size) + 1 - placesBelowSize : below;
  const grid = scaleByPowerOfTwo(1, Math.max(below, least));
  if (scale >= leastSteps * grid) return grid;
  throw new InvalidParameter(
    `noise of scale ${scale} is lost in a value of size ${size}: at that size doubles tell ${grid} ` +
      `apart, and noise is at least ${leastSteps} times that. Ask for more noise, ` +
      'or for less sensitivity by fewer records at once.',
    { scale, size, grid },
  );
}

/** From here on doubles have no fraction. */
const whole = 2 ** 52;

/**
 * Rounds every entry to the nearest multiple of a power of two, in place; halves to the even multiple, and
 * what rounds to zero to positive zero. Rounding a second time changes nothing, and entries that are not
 * finite stay.
 */
export function roundToGrid(value: Vector, grid: number): Vector {
  roundAndCompare(value, grid);
  return value;
}

/** The same. @returns whether all entries are below 2⁵¹ grids in size, and so finite. */
export function roundAndCompare(value: Vector, grid: number): boolean {
  const perUnit = 1 / grid;
  // Numbers between 1 and 2 times 2^52 grids are the grid's multiples: a sum there is rounded to nearest,
  // halves to even. Half of an even number of grids more keeps sums of either sign between them.
  const middle = 1.5 * whole * grid;
  const near = middle < Infinity ? (whole / 2) * grid : 0;
  if (roundNear(value, middle, near)) return true;
  for (let j = 0; j < value.length; j++) {
    const entry = value[j];
    if (Math.abs(entry) < near) continue;
    const steps = Math.abs(entry) * perUnit;
    if (!(steps < whole)) continue;
    // Added to 2^52, a number below it keeps no fraction: it is rounded to nearest, halves to even.
    const rounded = (steps + whole - whole) * grid;
    value[j] = entry < 0 ? 0 - rounded : rounded;
  }
  return false;
}
