import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  defined,
  gaussianEvent,
  negativeBinomialSelectionEvent,
  poissonSelectionEvent,
  selectionEvent,
  type PrivacyEvent,
} from '@lethe/core';
import { gaussianDelta } from '../../gaussian/gaussian-curve.js';
import { pld } from '../../pld/pld.js';
import { createResolver, resolveEvent } from '../resolve.js';
import { runsOf, type SelectionEvent, someFails } from './index.js';

const adjacency = 'zero-out';
const pure = (epsilon: number): PrivacyEvent => ({ kind: 'core/pure', v: 1, epsilon }) as PrivacyEvent;

/** A number of runs: the event over a base, and `P(K = k)` from 1 on. */
interface Case {
  readonly over: (base: PrivacyEvent) => SelectionEvent;
  readonly law: readonly number[];
}
/** Probabilities that each are a multiple of the one before. */
function scaled(ratio: (k: number) => number): readonly number[] {
  const weights = [1];
  for (let k = 1; k < 3000 && weights[k - 1] > 1e-30; k++) weights.push(weights[k - 1] * ratio(k));
  const total = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / total);
}
const cases: readonly Case[] = [
  ...[1, 0, -0.5, 3].map((shape): Case => ({
    over: (base) => negativeBinomialSelectionEvent(base, { shape, stopProbability: 0.1 }),
    law: scaled((k) => (0.9 * (k + shape)) / (k + 1)),
  })),
  ...[0.3, 8].map((mean): Case => ({
    over: (base) => poissonSelectionEvent(base, { mean }),
    law: scaled((k) => mean / (k + 1)),
  })),
  {
    over: (base) => selectionEvent(base, { stopProbability: 0.1, cap: 20 }),
    law: Array.from({ length: 20 }, (_, i) => (i < 19 ? 0.1 : 1) * 0.9 ** i),
  },
];

/** The law of the best of K outputs that are numbered from the worst. */
function best({ law }: Case, outputs: readonly number[]): readonly number[] {
  const all = (x: number): number => law.reduceRight((sum, weight) => (sum + weight) * x, 0);
  let [below, before] = [0, 0];
  return outputs.map((p) => {
    below += p;
    const [from, to] = [before, all(Math.min(1, below))];
    before = to;
    return to - from;
  });
}

it('the number of runs has the slope, the mean and the failures of its sums', () => {
  for (const { over, law } of cases) {
    const event = over(pure(1));
    const runs = defined(runsOf(event));
    const mean = law.reduce((sum, weight, i) => sum + weight * (i + 1), 0);
    expect(runs.logMean).toBeCloseTo(Math.log(mean), 9);
    for (const s of [0, 1e-12, 1e-4, 0.3, 0.8, 1]) {
      const slope = law.reduce((sum, weight, i) => sum + weight * (i + 1) * (1 - s) ** i, 0);
      expect(runs.logSlope(s)).toBeCloseTo(Math.log(slope), 9);
      const fails = law.reduce((sum, w, i) => sum + w * -Math.expm1((i + 1) * Math.log1p(-s)), 0);
      expect(runs.all(1 - s, s)).toBeCloseTo(1 - fails, 12);
      if (s > 0) expect(someFails(event, s) / fails).toBeCloseTo(1, 9);
    }
  }
});

it('some run fails at least as often as one, where products of small numbers underflow', () => {
  for (const [event, delta] of [
    [poissonSelectionEvent(pure(1), { mean: 5e-324 }), 1e-6],
    [negativeBinomialSelectionEvent(pure(1), { shape: 1e-60, stopProbability: 1 - 2 ** -53 }), 1e-250],
    [negativeBinomialSelectionEvent(pure(1), { shape: 1, stopProbability: 1 - 2 ** -53 }), 1e-310],
  ] as const) {
    const fails = someFails(event, delta);
    expect(fails).toBeGreaterThanOrEqual(delta);
    expect(fails).toBeLessThan(delta * (1 + 1e-9));
  }
});

it('a selection costs what the best of three outputs tells in the limit', () => {
  for (const one of cases.slice(0, -1))
    for (const epsilon of [0.2, 1, 3]) {
      // The likelier bit, of which a small part is the second best output.
      const [heavy, light] = [1 / (1 + Math.exp(-epsilon)), 1 / (1 + Math.exp(epsilon))];
      const outputs = (bit: number): readonly number[] => [bit * (1 - 1e-6), bit * 1e-6, 1 - bit];
      const told = Math.log(best(one, outputs(heavy))[1] / best(one, outputs(light))[1]);
      const cost = resolveEvent(one.over(pure(epsilon)), 'pure', { adjacency });
      expect(cost).toBeGreaterThan(told - 1e-9);
      expect(cost).toBeLessThan(told + 1e-4);
    }
});

const outputs = fc
  .array(fc.integer({ min: 1, max: 60 }), { minLength: 3, maxLength: 3 })
  .map((weights) => weights.map((weight) => weight / weights.reduce((a, b) => a + b)));
function renyi(p: readonly number[], q: readonly number[], alpha: number): number {
  const logs = p.map((mass, i) => alpha * Math.log(mass) + (1 - alpha) * Math.log(q[i]));
  const most = Math.max(...logs);
  return (most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0))) / (alpha - 1);
}

it('the divergence of a selection covers that of the best of few outputs', () => {
  fc.assert(
    fc.property(fc.nat(cases.length - 1), outputs, outputs, fc.constantFrom(1.2, 2, 9), (i, p, q, alpha) => {
      const one = cases[i];
      const curve = (order: number): number => 1e-12 + Math.max(renyi(p, q, order), renyi(q, p, order));
      const base = { kind: 'event', name: 'test/curve', version: 1, characterise: { rdp: () => curve } };
      const event = one.over({ kind: 'test/curve', v: 1 } as PrivacyEvent);
      const claimed = createResolver([base] as never)(event, 'rdp', adjacency)(alpha);
      expect(renyi(best(one, p), best(one, q), alpha)).toBeLessThanOrEqual(claimed + 1e-9);
    }),
    { numRuns: 60 },
  );
});

it('a selection of a kind that states ε and δ alone fails when any of its runs fails', () => {
  for (const delta of [0, 1e-9, 1e-3, 0.2]) {
    const characterise = { approximate: () => ({ epsilon: 0.4, delta }) };
    const base = { kind: 'event', name: 'test/stated', version: 1, characterise };
    for (const { over, law } of cases) {
      const event = over({ kind: 'test/stated', v: 1 } as PrivacyEvent);
      const found = createResolver([base] as never)(event, 'approximate', adjacency);
      const some = law.reduce((sum, weight, i) => sum - weight * Math.expm1((i + 1) * Math.log1p(-delta)), 0);
      expect(found.delta).toBeGreaterThanOrEqual(some * (1 - 1e-9));
      expect(found.delta).toBeLessThanOrEqual(some * (1 + 1e-9) + 1e-300);
      expect(found.epsilon).toBe(createResolver()(over(pure(0.4)), 'pure', adjacency));
    }
  }
});

it('the divergence of a selection adds one number at all orders, and log E K over the order less 1', () => {
  const base = { kind: 'core/zcdp', v: 1, rho: 0.01 } as PrivacyEvent;
  // Of a Poisson number the first depends on the order.
  for (const { over, law } of cases.slice(0, 4)) {
    const logMean = Math.log(law.reduce((sum, weight, i) => sum + weight * (i + 1), 0));
    const curve = createResolver()(over(base), 'rdp', adjacency);
    const rest = [1.01, 1.5, 3, 20, 400].map((alpha) => curve(alpha) - 0.01 * alpha - logMean / (alpha - 1));
    for (const one of rest) expect(one).toBeCloseTo(rest[0], 6);
    expect(rest[0]).toBeGreaterThan(0);
  }
});

it('the lower end is what many pieces of a bit tell', () => {
  const pieces = 1000;
  const epsilon = 0.7;
  const [heavy, light] = [1 / (1 + Math.exp(-epsilon)), 1 / (1 + Math.exp(epsilon))];
  const cut = (bit: number): readonly number[] =>
    Array.from({ length: pieces }, (_, i) => (2 * (i < pieces / 2 ? bit : 1 - bit)) / pieces);
  for (const one of cases) {
    const [p, q] = [best(one, cut(heavy)), best(one, cut(light))];
    for (const at of [0.3, 0.9]) {
      const told = p.reduce((sum, mass, i) => sum + Math.max(0, mass - Math.exp(at) * q[i]), 0);
      const { lower, upper } = pld.delta(one.over(pure(epsilon)), { adjacency, epsilon: at });
      expect(lower).toBeLessThanOrEqual(told * 1.001 + 1e-12);
      expect(lower).toBeGreaterThanOrEqual(told * 0.98);
      expect(upper).toBeGreaterThanOrEqual(told);
    }
  }
});

it('the lower end of a base that may tell its side is what many pieces of a bit tell', () => {
  const pieces = 1000;
  const [epsilon, delta] = [0.7, 0.05];
  const [heavy, light] = [-epsilon, epsilon].map((sign) => (1 - delta) / (1 + Math.exp(sign)));
  const cut = (bit: number): readonly number[] =>
    Array.from({ length: pieces }, (_, i) => (2 * (i < pieces / 2 ? bit : 1 - delta - bit)) / pieces);
  const base = { kind: 'core/approximate', v: 1, epsilon, delta } as PrivacyEvent;
  for (const one of cases) {
    const [p, q] = [best(one, [...cut(heavy), delta, 0]), best(one, [...cut(light), 0, delta])];
    for (const at of [0.3, 0.9]) {
      const told = p.reduce((sum, mass, i) => sum + Math.max(0, mass - Math.exp(at) * q[i]), 0);
      const { lower, upper } = pld.delta(one.over(base), { adjacency, epsilon: at });
      expect(lower).toBeLessThanOrEqual(told * 1.001 + 1e-12);
      expect(lower).toBeGreaterThanOrEqual(told * 0.98);
      expect(upper).toBeGreaterThanOrEqual(told);
    }
  }
});

it('the divergence of a Poisson number of runs adds its mean times the δ of the base at log α/(α − 1)', () => {
  const curve = createResolver()(
    poissonSelectionEvent(gaussianEvent(2, { 'zero-out': 1 }), { mean: 8 }),
    'rdp',
    adjacency,
  );
  const logMean = Math.log(8 / -Math.expm1(-8));
  for (const alpha of [1.2, 1.7, 3, 20]) {
    const delta = gaussianDelta(0.5, Math.log(alpha / (alpha - 1))).upper;
    expect(curve(alpha)).toBeCloseTo(alpha / 8 + 8 * delta + logMean / (alpha - 1), 9);
  }
});
