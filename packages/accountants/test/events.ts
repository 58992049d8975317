import { gaussianEvent, type PrivacyEvent, repeatedEvent, sampledEvent, type Sensitivity } from '@lethe/core';

/** A sum whose records have norm at most 1: presence moves it by 1, replacement by 2. */
const sum: Sensitivity = { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 };

export const gaussian = (sigma: number): PrivacyEvent => gaussianEvent(sigma, sum);
export const gaussians = (sigma: number, count: number): PrivacyEvent =>
  repeatedEvent(gaussian(sigma), count);
export const poisson = (rate: number, event: PrivacyEvent): PrivacyEvent =>
  sampledEvent({ kind: 'core/poisson', rate }, event);
export const sgd = (rate: number, sigma: number, steps: number): PrivacyEvent =>
  repeatedEvent(poisson(rate, gaussian(sigma)), steps);

export const laplace = (scale: number): PrivacyEvent =>
  plain({ kind: 'core/laplace', v: 1, scale, sensitivity: sum });
export const pure = (epsilon: number): PrivacyEvent => plain({ kind: 'core/pure', v: 1, epsilon });
export const approximate = (epsilon: number, delta: number): PrivacyEvent =>
  plain({ kind: 'core/approximate', v: 1, epsilon, delta });
export const concentrated = (rho: number): PrivacyEvent => plain({ kind: 'core/zcdp', v: 1, rho });
export const response = (p: number, categories: number): PrivacyEvent =>
  plain({ kind: 'core/randomized-response', v: 1, p, categories });
export const exponential = (epsilon: number): PrivacyEvent =>
  plain({
    kind: 'core/exponential',
    v: 1,
    epsilon,
    sensitivity: { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 },
  });
export const failing = (delta: number, event: PrivacyEvent): PrivacyEvent =>
  plain({ kind: 'core/failing', v: 1, delta, event });

/** An event given as JSON. */
export const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
