import {
  dpFedAvg,
  dpMu2Sgd,
  exactLevel,
  incrementBound,
  incrementCentre,
  incrementRadius,
  incrementTerms,
  mu2Risk,
  mu2Sgd,
  noiseOfSums,
  parallelSgd,
  printedEpsilon,
  printedLevel,
} from '@lethe/algorithms';
import { accountants, calibrator, gdp } from '@lethe/accountants';
import { attachData, centralCurator } from '@lethe/curator';
import { federation, publishedEvent, rawSilo, trustedFederation } from '@lethe/curator/federation';
import { logistic, softmax, squared } from '@lethe/losses';
import {
  independentPrefixes,
  liftedWords,
  maskedWords,
  noiseForLevel,
  noiseShare,
  noiseSplit,
  squareRootToeplitz,
  sumParameters,
  survivorRules,
  unmaskedSum,
  wordsOf,
} from '@lethe/mechanisms';
import { box, l2Ball } from '@lethe/numerics';

type Law = readonly number[];

/** `𝔻_α(P‖Q)` on a finite set, for α > 1. */
function renyi(alpha: number, P: Law, Q: Law): number {
  const sum = P.reduce((all, p, i) => (p === 0 ? all : all + (p / Q[i]) ** (alpha - 1) * p), 0);
  return Math.log(sum) / (alpha - 1);
}
/** `P` after a random map with these rows. */
const mapped = (P: Law, rows: readonly Law[]): Law =>
  rows[0].map((_, j) => P.reduce((sum, p, i) => sum + p * rows[i][j], 0));
/** What bounds the divergence of two steps: that of the first, and the largest of the second. */
const composedBound = (first: number, seconds: readonly number[]): number => first + Math.max(...seconds);
/** ε of a Rényi divergence at one order. */
const converted = (alpha: number, divergence: number, delta: number): number =>
  divergence + Math.log(1 / delta) / (alpha - 1);
/** The level of Lemma 1: `α‖Δ‖²/(2σ²)`. */
const gaussianDivergence = (alpha: number, shift: number, deviation: number): number =>
  (alpha * shift ** 2) / (2 * deviation ** 2);
/** `2B`, of Lemma 11. */
const absorbed = (rest: number): number => 2 * rest;

/** The functions and plugins that the claims are about, as shipped, and the paper's own formulas. */
export const federatedSubject = Object.freeze({
  absorbed,
  attachData,
  box,
  calibrate: calibrator(accountants),
  centralCurator,
  composedBound,
  converted,
  dpFedAvg,
  dpMu2Sgd,
  exactLevel,
  federation,
  gaussianDivergence,
  gdp,
  incrementBound,
  incrementCentre,
  incrementRadius,
  incrementTerms,
  independentPrefixes,
  l2Ball,
  liftedWords,
  logistic,
  mapped,
  maskedWords,
  mu2Risk,
  mu2Sgd,
  noiseForLevel,
  noiseOfSums,
  noiseShare,
  noiseSplit,
  parallelSgd,
  printedEpsilon,
  printedLevel,
  publishedEvent,
  rawSilo,
  renyi,
  softmax,
  squared,
  squareRootToeplitz,
  sumParameters,
  survivorRules,
  trustedFederation,
  unmaskedSum,
  wordsOf,
});

/** A subject: shipped functions, or others in their place. */
export type FederatedSubject = typeof federatedSubject;
