import {
  defineEvent,
  dominatingPair,
  type CharacterisationKind,
  type Characterisations,
  type DominatingPair,
  type EventKind,
  type PrivacyEvent,
} from '@lethe/core';
import { gaussianLossDistribution } from '@lethe/accountants';
import { multiplyUp } from '@lethe/numerics';
import * as z from 'zod';

/**
 * An event kind unknown to all accountants: a shift `mu` of Gaussian
 * noise under every adjacency, with the characterisation `gives` alone.
 */
export interface Probe {
  readonly kind: EventKind;
  readonly event: (mu: number) => PrivacyEvent;
}

const schemaOf = (name: string) =>
  z.strictObject({ kind: z.literal(name), v: z.literal(1), mu: z.number().nonnegative() });
type ProbeEvent = PrivacyEvent & { readonly mu: number };

const gaussianPair = (direction: DominatingPair['direction'], mu: number): DominatingPair =>
  dominatingPair(direction, gaussianLossDistribution(mu));

/** Characterisations of the probe. `pure` does not describe the noise: it is a claim of ε = mu. */
const knowledge: { readonly [C in CharacterisationKind]: (mu: number) => Characterisations[C] } = {
  pure: (mu) => mu,
  approximate: (mu) => ({ epsilon: mu, delta: 1e-12 }),
  zcdp: (mu) => multiplyUp(multiplyUp(mu, mu), 0.5),
  tcdp: (mu) => ({ rho: multiplyUp(multiplyUp(mu, mu), 0.5), omega: Infinity }),
  rdp: (mu) => (alpha) => multiplyUp(multiplyUp(alpha, multiplyUp(mu, mu)), 0.5),
  gdp: (mu) => ({ lower: 0, mu, exact: false }),
  pair: (mu) => [gaussianPair('symmetric', mu)],
};

/** The probe with the characterisation `want` alone. */
export function probeOf(want: CharacterisationKind): Probe {
  const name = `lethe-laws/known-by-${want}`;
  const kind = defineEvent({
    name,
    version: 1,
    summary: `Known by its ${want} alone.`,
    source: { id: 'lethe', item: 'laws' },
    claims: [],
    assumptions: ['laws-probe'],
    schema: schemaOf(name),
    characterise: { [want]: (event: ProbeEvent) => knowledge[want](event.mu) },
  });
  return { kind, event: (mu) => ({ kind: name, v: 1, mu }) as PrivacyEvent };
}

/**
 * A probe with different dominating pairs: `mu` when the record
 * is added, a tenth of it when it is removed, or the reverse.
 */
export function lopsided(dear: 'remove' | 'add'): Probe {
  const name = `lethe-laws/dear-to-${dear}`;
  const kind = defineEvent({
    name,
    version: 1,
    summary: `Tells more when a record is ${dear === 'add' ? 'added' : 'removed'}.`,
    source: { id: 'lethe', item: 'laws' },
    claims: [],
    schema: schemaOf(name),
    characterise: {
      pair: ({ mu }: ProbeEvent) =>
        (['remove', 'add'] as const).map((direction) =>
          gaussianPair(direction, direction === dear ? mu : mu / 10),
        ),
    },
  });
  return { kind, event: (mu) => ({ kind: name, v: 1, mu }) as PrivacyEvent };
}

/** A kind of the same name with the first kind's characterisations at twice the shift. */
export function knowingTwice(kind: EventKind): EventKind {
  const twice = Object.entries(kind.characterise).map(([want, know]) => [
    want,
    (event: ProbeEvent, ...rest: readonly unknown[]) =>
      (know as (event: ProbeEvent, ...rest: readonly unknown[]) => unknown)(
        { ...event, mu: 2 * event.mu },
        ...rest,
      ),
  ]);
  return { ...kind, characterise: Object.fromEntries(twice) as EventKind['characterise'] };
}
