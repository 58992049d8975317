import { seededRandom, type RandomSource } from '@lethe/core';
import type { Process } from '../src/evidence/e-process.js';

/** A process with the draws for it: a new pair for each replicate. */
export interface Trial<Observation extends readonly unknown[]> {
  readonly make: () => Process<Observation>;
  readonly draw: (random: RandomSource) => () => Observation;
}

/** Numbers one at a time, drawn in blocks. */
function stream(fill: (block: Float64Array) => unknown, size = 256): () => number {
  const block = new Float64Array(size);
  let next = size;
  return () => {
    if (next === size) {
      fill(block);
      next = 0;
    }
    return block[next++];
  };
}
export const gaussians = (random: RandomSource): (() => number) =>
  stream((block) => random.gaussianInto(block));
export const laplaces = (random: RandomSource): (() => number) =>
  stream((block) => random.laplaceInto(block));

/** Number of replicates among `count` in which the process rejects at `alpha` within `steps` observations. */
export function rejections<Observation extends readonly unknown[]>(
  name: string,
  { make, draw }: Trial<Observation>,
  { count, steps, alpha }: { readonly count: number; readonly steps: number; readonly alpha: number },
): number {
  let rejected = 0;
  for (let replicate = 0; replicate < count; replicate++) {
    const next = draw(seededRandom(name).fork(replicate));
    const process = make();
    for (let step = 0; step < steps; step++) process.push(...next());
    if (process.rejects(alpha)) rejected++;
  }
  return rejected;
}

/**
 * Observations until rejection in each replicate, in increasing
 * order; `Infinity` without a rejection within `steps`.
 */
export function samplesToReject<Observation extends readonly unknown[]>(
  name: string,
  { make, draw }: Trial<Observation>,
  { count, steps, alpha }: { readonly count: number; readonly steps: number; readonly alpha: number },
): readonly number[] {
  return Array.from({ length: count }, (_, replicate) => {
    const next = draw(seededRandom(name).fork(replicate));
    const process = make();
    for (let step = 1; step <= steps; step++) {
      process.push(...next());
      if (process.rejects(alpha)) return step;
    }
    return Infinity;
  }).toSorted((a, b) => a - b);
}

/** Mean of `read` over all sequences of `length` outcomes, weighted by their probabilities: no sampling. */
export function exactMean<Observation extends readonly unknown[]>(
  make: () => Process<Observation>,
  outcomes: readonly (readonly [probability: number, observation: Readonly<Observation>])[],
  length: number,
  read: (process: Process<Observation>) => number = ({ logE }) => Math.exp(logE),
): number {
  let mean = 0;
  for (let code = 0; code < outcomes.length ** length; code++) {
    const process = make();
    let weight = 1;
    for (let step = 0, rest = code; step < length; step++, rest = Math.floor(rest / outcomes.length)) {
      const [probability, observation] = outcomes[rest % outcomes.length];
      weight *= probability;
      process.push(...(observation as Observation));
    }
    mean += weight * read(process);
  }
  return mean;
}
