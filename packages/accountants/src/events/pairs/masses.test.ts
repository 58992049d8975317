import { describe, expect, it } from 'vitest';
import {
  gaussianLossDistribution,
  gaussianMixtureLossDistribution,
  presentInPoisson,
  replacedInPoisson,
} from './loss-distributions.js';
import { masses } from './pairs.reference.js';

/** What is left of the digits of a cell when its edges move by a few 2^-53 of the loss. */
const within = 1e-11;

const expectCell = (
  distribution: Parameters<typeof masses>[0],
  [a, b]: readonly [number, number],
  [p, q]: readonly [number, number],
): void => {
  // Alone, and between neighbours that share its edges.
  for (const [edges, cell] of [
    [[a, b], 0],
    [[-Infinity, a - 0.5, a, b, b + 1, Infinity], 2],
  ] as const) {
    const found = masses(distribution, edges);
    expect(Math.abs(found.p[cell] / p - 1)).toBeLessThan(within);
    expect(Math.abs(found.q[cell] / q - 1)).toBeLessThan(within);
  }
};

/** Computed with 120 digits. */
describe('probabilities of cells', () => {
  it.each([
    [0.01, 1, 'remove', 0.5, 0.51, 2.6216152691820504e-7, 1.582326335628852e-7],
    [0.01, 1, 'remove', 30, 30.25, 3.090849224403314e-257, 2.810164169054211e-270],
    [0.01, 1, 'remove', -0.01, -0.009, 0.0385885795974682, 0.03894943764470269],
    [0.01, 1, 'add', -20, -19.9, 2.4671287534462344e-138, 1.117542502264001e-129],
    [0.3, 0.1, 'remove', 1, 1.01, 2.519740224720347e-81, 9.241299775056196e-82],
    [1e-6, 2, 'add', -0.5, -0.25, 1.616093229746379e-13, 2.2046269641402858e-13],
    [0.95, 3, 'add', 2.5, 2.75, 0.10770774083356734, 0.007718397689769638],
    [0.5, 20, 'remove', 300, 310, 1.1188014222793396e-7, 1.2826345074405184e-138],
  ] as const)('a sampled Gaussian: rate %d, μ %d, %s, [%d, %d)', (rate, mu, direction, a, b, p, q) => {
    expectCell(presentInPoisson(gaussianLossDistribution(mu), rate, direction), [a, b], [p, q]);
    expectCell(gaussianMixtureLossDistribution([mu, 0], [rate, 1 - rate], direction), [a, b], [p, q]);
  });

  it.each([
    [0.1, 1, 0.25, 0.26, 0.00587045170218904, 0.004549423698004492],
    [0.1, 1, -8, -7.9, 9.131293890812538e-27, 2.5678082003915297e-23],
    [1e-3, 25, 40, 41, 6.170981450600142e-30, 1.6001514267421292e-47],
    [0.4, 0.2, 2, 2.01, 8.018486686031749e-32, 1.0803335220148314e-32],
    [0.01, 2, -0.125, 0.25, 0.9827898420705368, 0.9814487614400097],
  ])('a sampled Gaussian, a record replaced: rate %d, μ %d, [%d, %d)', (rate, mu, a, b, p, q) => {
    expectCell(replacedInPoisson(rate, mu), [a, b], [p, q]);
  });

  it.each([
    ['remove', 0.5, 0.51, 0.0040466016047083, 0.002442171229901229],
    ['remove', 20, 20.1, 6.498443386051078e-42, 1.2840243978107476e-50],
    ['remove', -6, -5.5, 2.0488392562101262e-26, 5.258424753156847e-24],
    ['add', 0.75, 1, 0.11731909799134596, 0.04939878010812102],
    ['add', -9, -8.9, 1.4463088039749156e-14, 1.1106189415702e-10],
  ] as const)('a mixture that moves by 0.5 or 1.5: %s, [%d, %d)', (direction, a, b, p, q) => {
    expectCell(gaussianMixtureLossDistribution([1.5, 0.5], [0.3, 0.7], direction), [a, b], [p, q]);
  });
});
