import type { Domain } from '@lethe/numerics';
import { defined } from '@lethe/numerics';
import type { Fact } from './fact.js';
import { coordinateFact } from './coordinate-facts.js';

/**
 * Whether a property of a loss holds everywhere, nowhere, or (`'bounded'`) for bounded records, labels and
 * iterates, with the constant in `facts`. Absent if it is not declared.
 */
export type Holds = boolean | 'bounded';

/** Declared properties of a loss. */
export interface Capabilities {
  readonly convex?: boolean;
  readonly lipschitz?: Holds;
  readonly smooth?: Holds;
  readonly coordinateLipschitz?: Holds;
  readonly coordinateSmooth?: Holds;
  /** It has a `linear` form. */
  readonly linear?: boolean;
  /** The gradient of a record of zeros is zero. */
  readonly nullRecord?: boolean;
  /** No value is below 0. */
  readonly nonNegative?: boolean;
  /** The gradient is affine in the iterate: one Hessian is that of every point. */
  readonly quadratic?: boolean;
}
/** A key of {@link Capabilities}. */
export type Capability = keyof Capabilities;

const constants: Partial<Record<Capability, string>> = {
  lipschitz: 'lipschitz',
  smooth: 'smoothness',
  coordinateLipschitz: 'coordinateLipschitz',
  coordinateSmooth: 'coordinateSmoothness',
};

/** The fact that states the constant of a capability, where it has one. */
export const constantOf = (capability: Capability): string | undefined => constants[capability];

/**
 * Whether a loss has a capability on a problem. One that holds where all is bounded does on a bounded domain,
 * if the facts, which follow from the bounds, state its constant for every record.
 */
export function holdsOn(
  capability: Capability,
  {
    capabilities,
    facts,
  }: { readonly capabilities: Capabilities; readonly facts: Readonly<Record<string, Fact>> },
  domain: Domain,
): boolean {
  const holds = capabilities[capability];
  if (holds !== 'bounded') return holds === true;
  const fact = defined(constantOf(capability));
  return (
    domain.diameter < Infinity && (facts[fact] ?? coordinateFact(facts, fact, 0))?.scope === 'every-record'
  );
}
