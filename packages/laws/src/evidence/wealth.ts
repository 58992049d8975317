import { InvalidParameter } from '@lethe/core';
import type { EProcess, Process } from './e-process.js';
import { noteJudged } from './judged.js';

/**
 * The process that multiplies its wealth by `e^logFactor(observation)`. It is an e-process for the hypotheses
 * under which that factor, given the past, has mean at most 1; `logFactor` may depend on the past. A factor
 * of 0 ruins it permanently, an infinite one rejects.
 *
 * @param reach - `reach` after a number of observations. @defaultValue infinite from the first on
 */
export function wealth<Observation extends readonly unknown[]>(
  logFactor: (...observation: Observation) => number,
  reach: (samples: number) => number = (samples) => (samples === 0 ? 0 : Infinity),
): Process<Observation> {
  let logE = 0;
  let peak = 0;
  let samples = 0;
  const process: Process<Observation> = {
    push(...observation) {
      const gain = logFactor(...observation);
      if (gain !== gain)
        throw new InvalidParameter(
          'the evidence of an observation is NaN; give numbers at which ' +
            'the likelihoods or payoffs are defined',
          { observation },
        );
      samples++;
      logE = gain === -Infinity || logE === -Infinity ? -Infinity : logE + gain;
      if (logE > peak) peak = logE;
    },
    get logE() {
      return logE;
    },
    get peak() {
      return peak;
    },
    get samples() {
      return samples;
    },
    get reach() {
      return reach(samples);
    },
    rejects: (alpha) => noteJudged(process, alpha, peak >= logThreshold(alpha)),
  };
  return process;
}

/**
 * The same wealth, fed with observations of another type:
 * `read` computes the number for `process`, or throws.
 */
export function fedBy<Observation extends readonly unknown[]>(
  process: EProcess,
  read: (...observation: Observation) => number,
): Process<Observation> {
  return {
    push: (...observation) => process.push(read(...observation)),
    get logE() {
      return process.logE;
    },
    get peak() {
      return process.peak;
    },
    get samples() {
      return process.samples;
    },
    get reach() {
      return process.reach;
    },
    rejects: (alpha) => process.rejects(alpha),
  };
}

/**
 * `ln(1/alpha)`: the log-wealth at which level `alpha` rejects.
 *
 * @throws {InvalidParameter} unless `0 < alpha < 1`.
 */
export function logThreshold(alpha: number): number {
  if (!(alpha > 0 && alpha < 1))
    throw new InvalidParameter(`the level is ${alpha}; give a false-alarm probability above 0 and below 1`, {
      alpha,
    });
  return -Math.log(alpha);
}
