import {
  adjacencies as allAdjacencies,
  type Adjacency,
  type Budget,
  type Capabilities,
  type Fact,
  type Problem,
  type Ref,
  type TrustModel,
} from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';

/** Options for problems. References need not name existing plugins: a problem is data. */
export interface ProblemShape<Has extends Capabilities = Capabilities> {
  /** @defaultValue all */
  readonly adjacencies?: readonly Adjacency[];
  /** @defaultValue central */
  readonly trust?: TrustModel;
  /** Largest dimension. @defaultValue 8 */
  readonly dimension?: number;
  /** Maximum number of slots. @defaultValue 1e6 */
  readonly slots?: number;
  /** @defaultValue an ℓ2 ball of radius 1, 0.01 or 100 */
  readonly domain?: Arbitrary<Ref<'domain'>>;
  /** @defaultValue `squared` */
  readonly loss?: Ref<'loss'>;
  readonly capabilities: Has;
  /** Facts by name; see {@link factOf}. @defaultValue none */
  readonly facts?: Readonly<Record<string, Arbitrary<Fact>>>;
}

/** A declared fact whose value is `around` times a power of two from 2⁻¹⁰ to 2¹⁰; shrinks to `around`. */
export const factOf = (around = 1, scope: Fact['scope'] = 'population'): Arbitrary<Fact> =>
  fc
    .integer({ min: -10, max: 10 })
    .map((power) => ({ value: around * 2 ** power, scope, provenance: 'declared' }));

const ballOf: Arbitrary<Ref<'domain'>> = fc
  .constantFrom(1, 0.01, 100)
  .map((radius) => ({ kind: 'domain', name: 'l2-ball', params: { radius } }));

const upTo = (most: number, sizes: readonly number[]): Arbitrary<number> =>
  fc.constantFrom(...new Set([...sizes.filter((size) => size < most), most]));

/** Problems; they shrink to one dimension and one slot. */
export function problemOf<Has extends Capabilities>(shape: ProblemShape<Has>): Arbitrary<Problem<Has>> {
  const {
    adjacencies = allAdjacencies,
    trust = { model: 'central' },
    dimension = 8,
    slots = 1e6,
    domain = ballOf,
    loss = { kind: 'loss', name: 'squared', params: {} },
    capabilities,
    facts = {},
  } = shape;
  return fc.record(
    {
      adjacency: fc.constantFrom(...adjacencies),
      trust: fc.constant(trust),
      dimension: upTo(dimension, [1, 2, 3, 10, 100]),
      slots: upTo(slots, [1, 2, 3, 7, 10, 100, 1000, 10_000]).map((n) => [n]),
      domain,
      loss: fc.constant(loss),
      capabilities: fc.constant(capabilities),
      facts: fc.record({ ...facts }, { noNullPrototype: true }),
    },
    { noNullPrototype: true },
  );
}

/** Options for budgets. `pure` ones have δ = 0. */
export interface BudgetShape {
  readonly pure?: 'never' | 'sometimes' | 'always';
}

/** Typical budgets, and some extreme ones; shrinks to ε = 1. */
export function budgetOf({ pure = 'never' }: BudgetShape = {}): Arbitrary<Budget> {
  const deltas = pure === 'always' ? [0] : [1e-6, 1e-9, 1e-3, ...(pure === 'sometimes' ? [0] : [])];
  return fc.record(
    { epsilon: fc.constantFrom(1, 0.1, 0.5, 2, 8, 0.01, 30), delta: fc.constantFrom(...deltas) },
    { noNullPrototype: true },
  );
}
