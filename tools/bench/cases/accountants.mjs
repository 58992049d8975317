import { bestOf, accountants, calibrator, pld, rdp, saddlePoint } from '@lethe/accountants';
import { composedEvent, gaussianEvent, repeatedEvent, sampledEvent } from '@lethe/core';
import { milliseconds } from '../case.mjs';
import { timed } from '../measure.mjs';

/** @typedef {import('../case.mjs').Case} Case */
/** @typedef {import('@lethe/core').PrivacyEvent} PrivacyEvent */

const adjacency = 'add-remove';
const once = { [adjacency]: 1 };
const gaussian = (/** @type {number} */ sigma) => gaussianEvent(sigma, once);
const laplace = (/** @type {number} */ scale) =>
  /** @type {PrivacyEvent} */ ({ kind: 'core/laplace', v: 1, scale, sensitivity: once });
const sgd = (/** @type {number} */ rate, /** @type {number} */ sigma, /** @type {number} */ steps) =>
  repeatedEvent(sampledEvent({ kind: 'core/poisson', rate }, gaussian(sigma)), steps);

/**
 * ε at a δ by one accountant, without caches between queries.
 * @param {string} name
 * @param {string} what
 * @param {{ readonly event: PrivacyEvent, readonly delta: number, readonly by?: { epsilon: import('@lethe/core').Accountant['epsilon'] }, readonly known?: number, readonly time: number, readonly width?: number }} query
 * @returns {Case}
 */
function query(name, what, { event, delta, by = pld, known, time, width }) {
  const ask = () => by.epsilon(event, { adjacency, delta });
  return {
    ...milliseconds,
    name: `accountants/${name}`,
    what,
    ...(known === undefined ? {} : { known }),
    most: { time, width: width ?? null },
    prepare: () => ({ run: timed(ask), answer: ask }),
  };
}

const mixed = composedEvent([
  sgd(5e-3, 0.8, 100),
  repeatedEvent(gaussian(8), 200),
  repeatedEvent(laplace(10), 100),
]);
const manyScales = composedEvent(Array.from({ length: 50 }, (_, i) => sgd(0.01, 0.8 + (1.2 * i) / 49, 100)));
const gaussians = repeatedEvent(gaussian(10), 1000);

/** @type {Case} */
const calibration = {
  ...milliseconds,
  name: 'accountants/h-calibrate',
  what: 'h: σ for ε = 1 at δ = 1e-5, q = .01, 1000 steps; the width is the unused part of ε',
  known: 1,
  most: { time: 300, width: 1e-4 },
  prepare() {
    const ask = () =>
      calibrator(accountants)({
        make: (sigma) => sgd(0.01, sigma, 1000),
        target: { epsilon: 1, delta: 1e-5 },
        adjacency,
        direction: 'larger-is-private',
      });
    return { run: timed(ask), answer: () => ({ lower: ask().achieved.upper, upper: 1 }) };
  },
};

// The goals of the project for its accountants.
/** @type {readonly Case[]} */
export const accountantQueries = [
  query('a', 'a: Poisson q = .01, σ = 1, 1000 steps, δ = 1e-5', {
    event: sgd(0.01, 1, 1000),
    delta: 1e-5,
    known: 1.828237,
    time: 20,
    width: 1e-3,
  }),
  query('b', 'b: Poisson q = 256/60000, σ = 1.1, 14 040 steps, δ = 1e-5', {
    event: sgd(256 / 60_000, 1.1, 14_040),
    delta: 1e-5,
    known: 2.379554,
    time: 30,
    width: 1e-3,
  }),
  query('c', 'c: Gaussian σ = 10, 1000 times, δ = 1e-5', {
    event: gaussians,
    delta: 1e-5,
    known: 17.8565868,
    time: 10,
    width: 1e-4,
  }),
  query('c-16', 'c′: the same at δ = 1e-16', {
    event: gaussians,
    delta: 1e-16,
    known: 30.508_629,
    time: 20,
    width: 1e-2,
  }),
  query('c-100', 'c′: the same at δ = 1e-100', {
    event: gaussians,
    delta: 1e-100,
    known: 71.968_651,
    time: 20,
    width: 1e-2,
  }),
  query('d', 'd: Laplace b = 10, 500 times, δ = 1e-5', {
    event: repeatedEvent(laplace(10), 500),
    delta: 1e-5,
    known: 11.19066,
    time: 10,
    width: 1e-3,
  }),
  query('e', 'e: 100 × Poisson(5e-3, σ = .8), 200 × Gaussian σ = 8, 100 × Laplace b = 10, δ = 1e-6', {
    event: mixed,
    delta: 1e-6,
    known: 11.1492,
    time: 60,
    width: 1e-3,
  }),
  query('e2', 'e2: 50 σ from .8 to 2, Poisson q = .01, 100 steps each, δ = 1e-5', {
    event: manyScales,
    delta: 1e-5,
    known: 3.22457,
    time: 150,
    width: 1e-3,
  }),
  query('f', 'f: Poisson q = 1e-3, σ = .8, 10⁶ steps, δ = 1e-6', {
    event: sgd(1e-3, 0.8, 1e6),
    delta: 1e-6,
    known: 10.68235,
    time: 100,
    width: 1e-3,
  }),
  query('f-saddle-point', 'f by the saddle point alone', {
    event: sgd(1e-3, 0.8, 1e6),
    delta: 1e-6,
    by: saddlePoint,
    known: 10.68235,
    time: 100,
  }),
  query('g', 'g: Rényi divergences of exact orders, q = .1, σ = .5, 1000 steps, δ = 1e-5', {
    event: sgd(0.1, 0.5, 1000),
    delta: 1e-5,
    by: rdp,
    time: 20,
  }),
  query('g-best', 'g by the tightest accountant', {
    event: sgd(0.1, 0.5, 1000),
    delta: 1e-5,
    by: bestOf(accountants),
    time: 200,
    width: 1e-2,
  }),
  calibration,
];
