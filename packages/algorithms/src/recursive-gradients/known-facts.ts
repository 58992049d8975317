import type { Problem } from '@lethe/core';
import type { Domain } from '@lethe/numerics';

/** What schedules read of a problem. */
export interface KnownFacts {
  readonly dimension: number;
  /** `L`, of every record. */
  readonly lipschitz: number;
  /** `M`, of every record. */
  readonly smoothness: number;
  /** `D`: diameter of the domain. */
  readonly diameter: number;
  /** Bound on the distance from the start to the minimiser. */
  readonly startDistance: number;
}

/** Constants of every record and of a bounded domain, or which of them is missing. */
export function knownFacts({ facts, dimension }: Problem, domain: Domain): KnownFacts | string {
  const valueOf = (name: string): number | null => {
    const fact = facts[name];
    return fact?.scope === 'every-record' && fact.value > 0 ? fact.value : null;
  };
  const lipschitz = valueOf('lipschitz');
  const smoothness = valueOf('smoothness');
  const { diameter } = domain;
  if (lipschitz === null) return "no fact 'lipschitz' holds for every record";
  if (smoothness === null) return "no fact 'smoothness' holds for every record";
  if (!(diameter < Infinity)) return `the domain '${domain.name}' is unbounded`;
  const startDistance = Math.min(diameter, facts['startDistance']?.value ?? Infinity);
  return { dimension, lipschitz, smoothness, diameter, startDistance };
}
