import { normalCdf } from '@lethe/numerics';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { deltaOf } from './ask.js';
import { gaussian, poisson } from './events.js';

const adjacency = 'add-remove';
/** Rates from a few percent to where doubles of `1 − rate` lose half of their digits, with noise. */
const runs = [
  { rate: 0.03, sigma: 1.7 },
  { rate: 6e-3, sigma: 0.6 },
  { rate: 1.9e-3, sigma: 1.7 },
  { rate: 1.1e-3, sigma: 0.6 },
  { rate: 3e-4, sigma: 1.7 },
  { rate: 2e-5, sigma: 0.6 },
  { rate: 1e-7, sigma: 1.7 },
] as const;
/** Losses of the release itself at which δ of the sample is asked. */
const losses = [0.2, 2];
/** Allowance for rounding, relative: of δ. */
const rounding = 1e-6;

/** δ(ε) of Gaussian noise on a value of sensitivity 1. */
const gaussianDelta = (epsilon: number, sigma: number): number =>
  normalCdf(1 / (2 * sigma) - epsilon * sigma) -
  Math.exp(epsilon) * normalCdf(-1 / (2 * sigma) - epsilon * sigma);

/** A record that is removed is in the sample with probability `q`: `δ(ln(1 + q(e^ε − 1))) = q δ₀(ε)`. */
export const lowRates = defineLaw<'accountant'>({
  id: 'accountant/low-rates',
  kind: 'accountant',
  tier: 'exact',
  source: { id: 'balle-barthe-gaboardi-2018', item: 'Theorem 2' },
  statement:
    'δ of a Poisson sample with Gaussian noise is at least that of removing a record, in closed form, down ' +
    'to a rate of 1e-7',
  power: 'a δ that is too low by 1e-6 of it at one of 14 points; certain',
  check({ plugin }) {
    let samples = 0;
    for (const { rate, sigma } of runs) {
      const event = poisson(rate, gaussian(sigma));
      for (const loss of losses) {
        const epsilon = Math.log1p(rate * Math.expm1(loss));
        const allowed = rate * gaussianDelta(loss, sigma);
        const answer = deltaOf(plugin, event, { adjacency, epsilon });
        if (answer === undefined) continue;
        samples++;
        if (answer.upper >= allowed * (1 - rounding)) continue;
        return fails(samples, {
          what: `at rate ${rate} it says δ(${epsilon}) ≤ ${answer.upper}; removing a record has ${allowed}`,
          measured: answer.upper,
          allowed,
          input: { rate, sigma, epsilon },
        });
      }
    }
    return holds(samples);
  },
});
