import type { Problem } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import type { LossConstants } from './constants.js';

/** Constants of every record and of a bounded domain, or which of them is missing. Smoothness may be 0. */
export function knownConstants({ facts }: Problem, { diameter, name }: Domain): LossConstants | string {
  const valueOf = (fact: string): number | null =>
    facts[fact]?.scope === 'every-record' ? facts[fact].value : null;
  const lipschitz = valueOf('lipschitz');
  const smoothness = valueOf('smoothness');
  if (lipschitz === null || !(lipschitz > 0)) return "no fact 'lipschitz' holds for every record";
  if (smoothness === null) return "no fact 'smoothness' holds for every record";
  if (!(diameter < Infinity)) return `the domain '${name}' is unbounded`;
  return { lipschitz, smoothness, diameter };
}
