import { coordinateFact, type Capabilities, type Capability, type Fact } from '@lethe/core';
import { defined, type Domain } from '@lethe/numerics';

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
