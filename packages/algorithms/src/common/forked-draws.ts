import type { RandomSource } from '@lethe/core';

/** Draws from one source before the next is forked: a resumed run repeats fewer than these. */
const stretch = 64;

/**
 * What `draw` gives for step `0, 1, 2, …`, whichever step is asked for first: sources are forked for
 * stretches of steps, so that a run resumed late need not repeat the draws of its beginning. Asked in order,
 * every step costs one draw.
 */
export function forkedDraws<T>(random: RandomSource, draw: (source: RandomSource) => T): (step: number) => T {
  let source = random;
  let next = -1;
  return (step) => {
    const begin = step - (step % stretch);
    if (step !== next || step === begin) {
      source = random.fork(begin / stretch);
      for (let k = begin; k < step; k++) draw(source);
    }
    next = step + 1;
    return draw(source);
  };
}
