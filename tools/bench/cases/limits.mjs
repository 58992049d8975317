import {
  accountants,
  basicLimit,
  bestLimit,
  bestOf,
  gaussianLimit,
  renyiLimit,
  zcdpLimit,
} from '@lethe/accountants';
import { gaussianEvent, repeatedEvent, sampledEvent, Unsupported } from '@lethe/core';
import { microseconds } from '../case.mjs';
import { timed } from '../measure.mjs';

/** @typedef {import('../case.mjs').Case} Case */
/** @typedef {import('@lethe/core').PrivacyEvent} PrivacyEvent */
/** @typedef {import('@lethe/core').FilterMaker} FilterMaker */

const adjacency = 'add-remove';
const delta = 1e-6;
const runs = 10;
const once = { [adjacency]: 1 };
const sgd = (/** @type {number} */ rate, /** @type {number} */ sigma, /** @type {number} */ steps) =>
  repeatedEvent(sampledEvent({ kind: 'core/poisson', rate }, gaussianEvent(sigma, once)), steps);

/** Runs of which ten have about ε = 1 at δ = 1e-6 by the best accountant, if fixed in advance. */
const tenRuns = [
  { name: 'gaussian', what: 'Gaussian noise, σ = 13.4', run: gaussianEvent(13.4, once) },
  { name: 'dp-sgd', what: 'dp-sgd, q = .01, σ = 1.57, 100 steps', run: sgd(0.01, 1.57, 100) },
  { name: 'dp-sgd-wide', what: 'dp-sgd, q = .1, σ = 7.46, 30 steps', run: sgd(0.1, 7.46, 30) },
  { name: 'dp-sgd-rare', what: 'dp-sgd, q = .001, σ = .79, 1000 steps', run: sgd(0.001, 0.79, 1000) },
  {
    name: 'laplace',
    what: 'Laplace noise, b = 10',
    run: /** @type {PrivacyEvent} */ ({ kind: 'core/laplace', v: 1, scale: 10, sensitivity: once }),
  },
];

/** @param {PrivacyEvent} run @returns {readonly (readonly [string, FilterMaker])[]} */
const rulesFor = (run) => [
  ['best', bestLimit()],
  ['gaussian', gaussianLimit()],
  ['renyi', renyiLimit()],
  ['renyi-usual', renyiLimit({ usual: run })],
  ['zcdp', zcdpLimit()],
  ['basic', basicLimit()],
];

/** ε of ten runs fixed in advance, by the best accountant. @param {PrivacyEvent} run */
const bestOfTen = (run) => bestOf(accountants).epsilon(repeatedEvent(run, runs), { adjacency, delta }).upper;

/** The least ε, to 0.001, of a limit that admits ten runs; Infinity for unsupported runs. @param {FilterMaker} rule @param {PrivacyEvent} run */
function leastLimit(rule, run) {
  const ten = repeatedEvent(run, runs);
  const admits = (/** @type {number} */ epsilon) => {
    try {
      return rule({ epsilon, delta, adjacency }).admits(ten);
    } catch (error) {
      if (error instanceof Unsupported) return false;
      throw error;
    }
  };
  let [low, high] = [0.25, 64];
  if (!admits(high)) return Infinity;
  while (high > low * 1.001) {
    const middle = Math.sqrt(low * high);
    if (admits(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** One check of ten runs against a limit, and the least limit: the width is the loss of the filter. */
/** @type {readonly Case[]} */
export const limitChecks = tenRuns.flatMap(({ name, what, run }) =>
  rulesFor(run).map(([rule, make]) => ({
    ...microseconds,
    name: `limits/${name}/${rule}`,
    what: `ten runs of ${what}, by the rule ${rule}: one check, and the limit it needs`,
    prepare() {
      const least = leastLimit(make, run);
      const ten = repeatedEvent(run, runs);
      if (least === Infinity) return { skipped: 'the filter does not support it, or needs more than ε = 64' };
      const filter = make({ epsilon: least, delta, adjacency });
      return {
        run: timed(() => filter.admits(ten)),
        answer: () => ({ lower: bestOfTen(run), upper: least }),
      };
    },
  })),
);
