import type { RandomSource } from '@lethe/core';
import {
  dkwDistance,
  type Evidence,
  type EProcess,
  kolmogorovDistance,
  likelihoodRatio,
  mixture,
  noiseDistribution,
  pool,
} from '../evidence/index.js';
import { fails, holds, type Finding } from '../law/finding.js';
import { quantileOf } from './quantile.js';

/** Noise to compare with its declared distribution. */
export interface WhiteBoxOptions {
  /** One call's noise in units of the scale, of `length` entries. */
  readonly draw: (length: number, randomness: RandomSource) => ArrayLike<number>;
  /** Distribution function of one entry. */
  readonly cdf: (x: number) => number;
  /** Lengths of calls, in turn: 1, and vector lengths, for the ends of vectors. */
  readonly lengths: readonly number[];
  /** Maximum number of entries. */
  readonly draws: number;
  readonly alpha: number;
  readonly random: RandomSource;
}

interface Lane {
  readonly name: string;
  readonly process: EProcess;
}

/** Draws between tests of the evidence. */
const stride = 50;

/**
 * Bets on entries of noise against their declared distribution (scale, shift, shape), for all entries
 * together, for first and last entries and for scalars separately, and compares the empirical distribution
 * function at the end. Half of `alpha` each.
 */
export function whiteBoxNoise({ draw, cdf, lengths, draws, alpha, random }: WhiteBoxOptions): Finding {
  const lane = (name: string): Lane => ({ name, process: noiseDistribution({ cdf }) });
  const [all, first, last, scalar] = [
    lane('all entries'),
    lane('the first entry of each call'),
    lane('the last entry of each call'),
    lane('calls of a single entry'),
  ] as const;
  const cut: Lane = { name: 'truncated tails', process: cutOff(cdf) };
  const lanes = [all, first, last, scalar, cut];
  const pooled = pool(lanes.map(({ process }) => process));
  const seen = new Float64Array(draws);
  let count = 0;
  let looked = 0;
  for (let call = 0; count < draws; call++) {
    const length = lengths[call % lengths.length];
    const noise = draw(length, random.fork(call));
    for (let i = 0; i < noise.length && count < draws; i++) {
      const z = noise[i];
      seen[count++] = z;
      for (const { process } of lanesOf(i, noise.length)) process.push(z);
    }
    if (count - looked < stride && count < draws) continue;
    looked = count;
    if (pooled.rejects(alpha / 2))
      return fails(count, {
        what: whatIsWrong(lanes, seen.subarray(0, count), cdf),
        witness: strongest(lanes).name,
        logE: pooled.peak,
      });
  }
  const distance = kolmogorovDistance(seen.toSorted(), cdf);
  const allowed = dkwDistance(draws, alpha / 2);
  return distance <= allowed
    ? holds(draws)
    : fails(draws, {
        what:
          `the empirical distribution function of ${draws} draws has distance ${distance} from the ` +
          `declared one; ${allowed} is allowed`,
        measured: distance,
        allowed,
        witness: 'largest distance of distribution functions',
      });

  function lanesOf(i: number, length: number): readonly Lane[] {
    if (length === 1) return [all, cut, scalar];
    if (i === 0) return [all, cut, first];
    return i === length - 1 ? [all, cut, last] : [all, cut];
  }
}

/**
 * Bets that the distribution is truncated at some quantiles:
 * the likelihood of the rest is then larger, draw after draw.
 */
function cutOff(cdf: (x: number) => number): EProcess {
  return mixture(
    [1e-2, 4e-3, 2.5e-3].map((tail) => {
      const from = quantileOf(cdf, tail / 2);
      const to = quantileOf(cdf, 1 - tail / 2);
      const gain = -Math.log(cdf(to) - cdf(from));
      return likelihoodRatio((z) => (z > from && z <= to ? gain : -Infinity), { mostGain: gain });
    }),
  );
}

const strongest = (lanes: readonly Lane[]): Lane =>
  lanes.reduce((best, lane) => ((lane.process satisfies Evidence).logE > best.process.logE ? lane : best));

/** The likeliest reason: the dispersion of the draws compared with the declared one. */
function whatIsWrong(lanes: readonly Lane[], seen: Float64Array, cdf: (x: number) => number): string {
  const below = seen.reduce((sum, z) => sum + cdf(z), 0) / seen.length;
  const far = seen.reduce((sum, z) => sum + Math.abs(2 * cdf(z) - 1), 0) / seen.length;
  return (
    `draws do not follow the declared distribution, as ${strongest(lanes).name} show: ` +
    `their mean position in it is ${below.toFixed(3)} (expected 0.5) and their mean distance from its ` +
    `median ${far.toFixed(3)} (expected 0.5; less means too little noise, more too much)`
  );
}
