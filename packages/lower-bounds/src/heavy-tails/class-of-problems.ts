import { InvalidParameter, type Fact, type HardProblem } from '@lethe/core';
import * as z from 'zod';
import { alignmentOfInformation, informationOfHeavyTails, type Alignment } from './hidden-signs.js';
import { lengthOfHeavyTail, probabilityOfHeavyTail } from './records.js';

const positive = z.number().positive();

/** Common parameters of both bounds: the class of problems, and how to evaluate the bound. */
export const classParams = {
  n: z.int().positive().describe('Number of records.'),
  dimension: z.int().positive().describe('d.'),
  rho: positive.describe(
    'The algorithm is ρ-zCDP under replace-one; the paper’s ε is √(2ρ). For proved constants zero-out ' +
      'is enough.',
  ),
  momentOrder: z.number().min(2).default(2).describe('k.'),
  moment: positive.describe(
    'The bound on the class. A1: r̃_k = (E sup_w ‖∇f‖^k)^(1/k); A2: r_k = sup_w (E‖∇f‖^k)^(1/k); ' +
      'A3: γ_k^(1/k), for each coordinate of ∇f − ∇F.',
  ),
  secondMoment: positive.optional().describe('The moment bound of order 2, at most moment. Default: moment.'),
  assumption: z
    .enum(['A1', 'A2', 'A3'])
    .default('A1')
    .describe('The moment assumption: part 1, 2 or 3 of the theorem.'),
  constants: z
    .enum(['proved', 'hidden'])
    .default('proved')
    .describe('proved: a bound with proved constants; hidden: the printed rate with constants 1.'),
  regime: z
    .enum(['checked', 'ignored'])
    .default('checked')
    .describe(
      'ignored: allows the printed rate outside d ≥ 40, ρ ≤ d; only with hidden constants. ' +
        'Proved bounds need no regime.',
    ),
  instance: z.enum(['non-private', 'private']).default('non-private').describe('The hard instance to draw.'),
  coupling: positive
    .max(1)
    .default(0.25)
    .describe(
      'c in the probability min{1, c√d/(n√ρ)} of a non-null record, in the private instance and in the ' +
        'proved bound of its term.',
    ),
};

interface Given {
  readonly n: number;
  readonly dimension: number;
  readonly rho: number;
  readonly momentOrder: number;
  readonly moment: number;
  readonly secondMoment?: number | undefined;
  readonly assumption: 'A1' | 'A2' | 'A3';
  readonly constants: 'proved' | 'hidden';
  readonly regime: 'checked' | 'ignored';
  readonly coupling: number;
}

/** Reports inconsistent parameters as schema issues. */
export function assertConsistent(
  {
    constants,
    regime,
    moment,
    secondMoment,
  }: Pick<Given, 'constants' | 'regime' | 'moment' | 'secondMoment'>,
  issue: (path: string, message: string) => void,
): void {
  if (constants === 'proved' && regime === 'ignored')
    issue('regime', 'regime may be ignored only with hidden constants');
  if (secondMoment !== undefined && secondMoment > moment)
    issue('secondMoment', 'the moment of order 2 is at most that of order k');
}

/** Moments of whole gradients: `r_k` and `r_2`; under A3 `√d γ_k^(1/k)` and `√d γ_2^½`. */
export function rootsOf({
  assumption,
  dimension,
  moment,
  secondMoment = moment,
}: Pick<Given, 'assumption' | 'dimension' | 'moment' | 'secondMoment'>): {
  readonly moment: number;
  readonly secondMoment: number;
} {
  const factor = assumption === 'A3' ? Math.sqrt(dimension) : 1;
  return { moment: factor * moment, secondMoment: factor * secondMoment };
}

/**
 * Facts of every instance in the class: the declared moments, and under A3 also the implied moments of whole
 * gradients.
 */
function momentFacts(given: Given): Readonly<Record<string, Fact>> {
  const { momentOrder: order, assumption, moment, secondMoment = moment } = given;
  const roots = rootsOf(given);
  const declared = (name: string, second: number, high: number): readonly (readonly [string, number])[] => [
    [`${name}.2`, second],
    [`${name}.${order}`, order === 2 ? second : high],
  ];
  return factsOf([
    ...declared('gradientMoment', roots.secondMoment, roots.moment),
    ...declared('uniformGradientMoment', roots.secondMoment, roots.moment),
    ...(assumption === 'A3' ? declared('coordinateGradientMoment', secondMoment, moment) : []),
  ]);
}

/**
 * Problem of instances over the centred ball of `radius`: records of norm `featureNorm` with entries of equal
 * size.
 */
export const problemOnBall = (
  given: Given,
  {
    loss,
    radius,
    featureNorm,
    facts,
  }: Pick<HardProblem, 'loss'> & {
    readonly radius: number;
    readonly featureNorm: number;
    readonly facts: readonly (readonly [string, number])[];
  },
): HardProblem => ({
  loss,
  domain: { kind: 'domain', name: 'l2-ball', params: { radius } },
  record: {
    columns: given.dimension,
    featureNorm,
    featureBounds: Array.from({ length: given.dimension }, () => featureNorm / Math.sqrt(given.dimension)),
    iterateNorm: radius,
  },
  facts: { ...momentFacts(given), ...factsOf(facts) },
});

/** Numbers as declared population facts. */
const factsOf = (entries: readonly (readonly [string, number])[]): Readonly<Record<string, Fact>> =>
  Object.fromEntries(
    entries.map(([name, value]) => [name, { value, scope: 'population', provenance: 'declared' } as const]),
  );

/**
 * Rare records of the private instance, of `share` times the length that the moments allow, and the alignment
 * bound.
 */
export function rareRecordsOf(
  given: Given,
  share = 1,
): { readonly probability: number; readonly length: number; readonly alignment: Alignment } {
  const probability = probabilityOfHeavyTail(given);
  const roots = rootsOf(given);
  return {
    probability,
    length: share * lengthOfHeavyTail({ ...roots, order: given.momentOrder, probability }),
    alignment: alignmentOfInformation(informationOfHeavyTails({ ...given, probability })),
  };
}

/** `min{1, √d/(√ρ n)}`, the privacy factor of the printed rate. */
export const printedPrice = ({ n, dimension, rho }: Pick<Given, 'n' | 'dimension' | 'rho'>): number =>
  Math.min(1, Math.sqrt(dimension) / (Math.sqrt(rho) * n));

/** @throws {InvalidParameter} for the printed rate outside its regime. */
export function assertRegime({
  constants,
  regime,
  dimension,
  rho,
}: Pick<Given, 'constants' | 'regime' | 'dimension' | 'rho'>): void {
  if (constants === 'proved' || regime === 'ignored') return;
  const hint = "For the rate alone give regime 'ignored'; constants 'proved' have no such condition.";
  if (dimension < 40)
    throw new InvalidParameter(`dimension is ${dimension}; the printed rate is stated for d ≥ 40. ${hint}`, {
      dimension,
    });
  if (rho > dimension)
    throw new InvalidParameter(
      `rho is ${rho}; the printed rate is stated for ρ ≤ d = ${dimension}. ${hint}`,
      { rho, dimension },
    );
}
