import ledger from '@lethe/algorithms/sparse-gradients/claims.json' with { type: 'json' };
import type { Problem, Run } from '@lethe/core';
import { l2BallDomain } from '@lethe/mechanisms';
import { netBoundChecks } from '../../src/sparse-gradients/net-bounds.js';
import { netChecks } from '../../src/sparse-gradients/nets.js';
import { perturbationChecks } from '../../src/sparse-gradients/perturbation.js';
import { strengthChecks } from '../../src/sparse-gradients/strengths.js';
import {
  sparseGradientsSubject as shipped,
  type SparseGradientsSubject,
} from '../../src/sparse-gradients/subject.js';
import { testRows, type Mutant } from '../rows.js';

const mutant = (
  row: number,
  title: string,
  killedBy: string,
  subject: Partial<SparseGradientsSubject>,
  part = '',
): Mutant<SparseGradientsSubject> => ({ id: `ghazi-${row}${part}`, title, row, subject, killedBy });
const { acceleratedGradient, exponential, hinge, l2Ball, outputPerturbation, sparseExponential } = shipped;
/** A plugin with other methods; it can still be called for a reference. */
const changed = <P extends (...given: never[]) => unknown>(plugin: P, change: Partial<P>): P => {
  const called = (...given: Parameters<P>): unknown => plugin(...given);
  return Object.defineProperties(called, {
    ...Object.getOwnPropertyDescriptors(plugin),
    ...Object.getOwnPropertyDescriptors(change),
  }) as P;
};
type Solve = typeof acceleratedGradient.solve;
const solving = (change: (solution: ReturnType<Solve>) => Partial<ReturnType<Solve>>) => ({
  acceleratedGradient: changed(acceleratedGradient, {
    solve: (...given) => {
      const solution = acceleratedGradient.solve(...given);
      return { ...solution, ...change(solution) };
    },
  }),
});
const perturbing = (
  prepare: (context: Parameters<typeof outputPerturbation.prepare>[0]) => Run,
): Partial<SparseGradientsSubject> => ({ outputPerturbation: { ...outputPerturbation, prepare } });
const withFacts = (problem: Problem, facts: Readonly<Record<string, number>>): Problem['facts'] =>
  Object.fromEntries(
    Object.entries(problem.facts).map(([name, fact]) => [
      name,
      { ...fact, value: facts[name] ?? fact.value },
    ]),
  );

testRows<SparseGradientsSubject>({
  paper: 'ghazi',
  rows: [68, 82],
  checksOf: (replaced) => [
    ...perturbationChecks({ ...shipped, ...replaced }),
    ...netChecks({ ...shipped, ...replaced }),
  ],
  shippedBy: { subject: shipped, ledger },
  // What is printed is refuted by numbers alone.
  spared: (id) => id.endsWith('-printed'),
  mutants: [
    mutant(68, 'the sensitivity is 4L/(λn)', 'ghazi/minimiser-stability', {
      minimiserSensitivity: (released) =>
        shipped.minimiserSensitivity({ ...released, lipschitz: 2 * released.lipschitz }),
    }),
    mutant(69, 'gradients of other records stay as they are', 'ghazi/minimiser-stability-l1', {
      minimiserSensitivity: (released) => shipped.minimiserSensitivity({ ...released, smoothness: 0 }),
    }),
    mutant(
      69,
      'one entry of each gradient counts',
      'ghazi/minimiser-stability-l1',
      {
        minimiserSensitivity: (released) => shipped.minimiserSensitivity({ ...released, sparsity: 1 }),
      },
      '-entries',
    ),
    mutant(70, 'noise is for 4L/(λn)', 'ghazi/perturbation-noise', {
      minimiserSensitivity: (released) =>
        shipped.minimiserSensitivity({ ...released, records: released.records / 2 }),
    }),
    mutant(
      71,
      'the solver stops 10⁻⁵ short',
      'ghazi/first-order-condition',
      solving(({ point }) => ({ point: point.map((x) => x * (1 - 1e-5)) })),
    ),
    mutant(
      72,
      'the solver goes uphill',
      'ghazi/regularised-risk',
      solving(({ point }) => ({ point: point.map((x) => -x) })),
    ),
    mutant(73, 'the point of a ball is its centre', 'ghazi/nearest-in-max-norm', {
      l2Ball: (given) => ({
        ...l2Ball(given),
        nearestInMaxNormInto: (out) => out.fill(0),
      }),
    }),
    mutant(74, 'the noise counts once on every domain', 'ghazi/risk-of-nearest', {
      empiricalRisk: (setting, at) => shipped.empiricalRisk(setting, { ...at, projections: 1 }),
    }),
    mutant(
      75,
      'the certified distance is half',
      'ghazi/solver-certificate',
      solving(({ distance }) => ({ distance: distance / 2 })),
    ),
    mutant(76, 'the largest of d Gaussian entries is taken for one', 'ghazi/perturbation-risk-gaussian', {
      largestEntry: (mechanism, _dimension, failure) => shipped.largestEntry(mechanism, 1, failure),
    }),
    mutant(77, 'the largest Laplace entry is smaller by 10⁻⁶', 'ghazi/perturbation-risk-laplace', {
      largestEntry: (mechanism, dimension, failure) => {
        const found = shipped.largestEntry(mechanism, dimension, failure);
        return { ...found, likely: found.likely * (1 - 1e-6) };
      },
    }),
    mutant(78, 'a net has 1/τ² entries for every D', 'ghazi/sparse-point', {
      sparseNet: ({ dimension, distance }, spacing) => ({
        ...shipped.sparseNet({ dimension, distance }, spacing),
        entries: Math.min(dimension, Math.floor(1 / spacing ** 2)),
      }),
    }),
    mutant(79, 'the count lacks the ends of an axis', 'ghazi/net-size', {
      sparseNet: (setting, spacing, entries) => {
        const found = shipped.sparseNet(setting, spacing, entries);
        return { ...found, size: found.size - 2 * setting.dimension };
      },
    }),
    mutant(80, 'the exponent is εnF/B', 'ghazi/choice-privacy', {
      exponential: changed(exponential, {
        probabilities: (params, utilities, epsilon) =>
          exponential.probabilities?.(params, utilities, 2 * epsilon) ?? utilities,
      }),
    }),
    mutant(81, 'the bound lacks the 2', 'ghazi/choice-regret', {
      likelyRegret: (...given) => shipped.likelyRegret(...given) / 2,
    }),
    mutant(82, 'the equation is in units where D is 1', 'ghazi/net-spacing', {
      sparseNetSpacing: (setting, target) => shipped.sparseNetSpacing({ ...setting, distance: 1 }, target),
    }),
  ],
});

testRows<SparseGradientsSubject>({
  paper: 'ghazi',
  rows: [114, 120],
  checksOf: (replaced) => [
    ...strengthChecks({ ...shipped, ...replaced }),
    ...netBoundChecks({ ...shipped, ...replaced }),
  ],
  shippedBy: { subject: shipped, ledger },
  spared: (id) => id.endsWith('-printed'),
  mutants: [
    mutant(
      114,
      'the strength and the noise follow from half of H',
      'ghazi/empirical-strength',
      perturbing((context) =>
        outputPerturbation.prepare({
          ...context,
          problem: { ...context.problem, facts: withFacts(context.problem, { smoothness: 1.5 }) },
        }),
      ),
    ),
    mutant(
      115,
      'the radius of a ball is taken for its diameter',
      'ghazi/strength-by-diameter',
      perturbing((context) =>
        outputPerturbation.prepare({
          ...context,
          problem: { ...context.problem, domain: l2BallDomain({ radius: 1.25 }) },
        }),
      ),
    ),
    mutant(116, 'a net has a hundred times the points', 'ghazi/net-size-bound', {
      sparseNet: (setting, spacing, entries) => {
        const found = shipped.sparseNet(setting, spacing, entries);
        return { ...found, size: 100 * found.size };
      },
    }),
    mutant(117, 'the best point of the net is taken for the best', 'ghazi/net-choice', {
      sparseNetRisk: (_setting, _net, regret) => regret,
    }),
    mutant(
      117,
      'the shipped choice costs twice its ε',
      'ghazi/net-choice',
      {
        sparseExponential: {
          ...sparseExponential,
          prepare: ({ budget, ...context }) =>
            sparseExponential.prepare({ ...context, budget: { ...budget, epsilon: 2 * budget.epsilon } }),
        },
      },
      '-cost',
    ),
    mutant(118, 'the strength is that of Theorem 7.1', 'ghazi/population-strength', {
      populationStrength: shipped.empiricalStrength,
    }),
    mutant(
      118,
      'the noise is 300 times as large',
      'ghazi/population-strength',
      perturbing((context) => {
        const run = outputPerturbation.prepare(context);
        const { noiseScale } = run.plan as unknown as { readonly noiseScale: number };
        const plan = { ...run.plan, noiseScale: 300 * noiseScale } as Run['plan'];
        return { ...run, plan };
      }),
      '-noise',
    ),
    mutant(119, 'a loss takes iterates for bounded', 'ghazi/pure-population-range', {
      hinge: changed(hinge, {
        facts: (params, domain) => hinge.facts(params, { iterateNorm: 1, ...domain }),
      }),
    }),
    mutant(120, 'minimisers move by 4L/(λn)', 'ghazi/expected-population-risk', {
      perturbationRisk: (setting, at) =>
        shipped.perturbationRisk(setting, at) + (2 * setting.lipschitz ** 2) / (at.lambda * setting.records),
    }),
  ],
});
