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
 * A δ that differs from all before by a share of about 10⁻¹², so that no answer is remembered.
 * @param {number} delta
 */
const anew = (delta) => delta * (1 + 1e-12 * (asked += 1));
let asked = 0;

/**
 * ε at a δ by one accountant, without caches between queries.
 * @param {string} name
 * @param {string} what
 * @param {{ readonly event: PrivacyEvent, readonly delta: number, readonly by?: { epsilon: import('@lethe/core').Accountant['epsilon'] }, readonly known?: number, readonly time: number, readonly width?: number }} query
 * @returns {Case}
 */
function query(name, what, { event, delta, by = pld, known, time, width }) {
  const ask = () => by.epsilon(event, { adjacency, delta: anew(delta) });
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
/** As many releases from samples, each with a noise multiplier of its own from .7 to 3.7. */
const scales = (/** @type {number} */ count) =>
  composedEvent(Array.from({ length: count }, (_, i) => sgd(0.01, 0.7 + (3 * (i + 0.5)) / count, 1)));
const gaussians = repeatedEvent(gaussian(10), 1000);

/**
 * The noise multiplier for ε = 1 after some steps.
 * @param {string} name
 * @param {{ readonly steps: number, readonly time: number }} goal
 * @returns {Case}
 */
const calibration = (name, { steps, time }) => ({
  ...milliseconds,
  name: `accountants/${name}`,
  what: `h: σ for ε = 1 at δ = 1e-5, q = .01, ${steps} steps; the width is the unused part of ε`,
  known: 1,
  most: { time, width: 1e-4 },
  prepare() {
    const ask = () =>
      calibrator(accountants)({
        make: (sigma) => sgd(0.01, sigma, steps),
        target: { epsilon: 1 / anew(1), delta: anew(1e-5) },
        adjacency,
        direction: 'larger-is-private',
      });
    return { run: timed(ask), answer: () => ({ lower: ask().achieved.upper, upper: 1 }) };
  },
});

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
  calibration('h-calibrate', { steps: 1000, time: 300 }),
  ...[1, 10, 100].map((steps) => calibration(`h-calibrate-${steps}`, { steps, time: 50 })),
  query('i-1000', 'i: 1000 σ from .7 to 3.7, Poisson q = .01, δ = 1e-6', {
    event: scales(1000),
    delta: 1e-6,
    time: 1000,
    width: 5e-3,
  }),
  query('i-10000', 'i: 10 000 such σ', { event: scales(10_000), delta: 1e-6, time: 5000, width: 5e-3 }),
  query('j', 'j: Laplace b = 10⁴, 10⁹ times, δ = 1e-5', {
    event: repeatedEvent(laplace(1e4), 1e9),
    delta: 1e-5,
    time: 1000,
    width: 1e-2,
  }),
];
