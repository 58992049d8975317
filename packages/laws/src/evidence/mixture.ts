import { InvalidParameter } from '@lethe/core';
import type { Evidence, Process } from './e-process.js';
import { logThreshold } from './wealth.js';

/** What of a process may be averaged: the wealth it has now. Largest wealths must not be, so they are not here. */
export type Share = Pick<Evidence, 'logE' | 'samples'>;

/**
 * Average wealth of processes about one hypothesis, fed elsewhere, in any order and under any dependence: an e-process again.
 * It looks at all parts at the moment it is asked, and its peak is over those moments.
 *
 * @param weights - Not negative; their scale does not matter. @defaultValue all equal
 * @throws {InvalidParameter} for no parts, or weights that do not fit.
 */
export function pool(parts: readonly Share[], weights?: readonly number[]): Evidence {
  const logWeights = logShares(parts.length, weights);
  let peak = 0;
  const look = (): number => {
    let most = -Infinity;
    for (let i = 0; i < parts.length; i++) most = Math.max(most, logWeights[i] + parts[i].logE);
    if (Number.isFinite(most)) {
      let sum = 0;
      for (let i = 0; i < parts.length; i++) sum += Math.exp(logWeights[i] + parts[i].logE - most);
      most += Math.log(sum);
    }
    if (most > peak) peak = most;
    return most;
  };
  return {
    get logE() { return look(); },
    get peak() { look(); return peak; },
    get samples() { return parts.reduce((sum, { samples }) => sum + samples, 0); },
    rejects(alpha) { look(); return peak >= logThreshold(alpha); },
  };
}

/**
 * Average wealth of processes that are all fed the same observations: an e-process again. Costs `ln(parts)` nats against the best
 * of them. Feed the mixture, not the parts.
 */
export function mixture<Observation extends readonly unknown[]>(parts: readonly (Share & Pick<Process<Observation>, 'push'>)[], weights?: readonly number[]): Process<Observation> {
  const pooled = pool(parts, weights);
  let samples = 0, logE = 0;
  return {
    push(...observation) {
      for (const part of parts) part.push(...observation);
      samples++;
      ({ logE } = pooled);
    },
    get logE() { return logE; },
    get peak() { return pooled.peak; },
    get samples() { return samples; },
    rejects: (alpha) => pooled.rejects(alpha),
  };
}

function logShares(count: number, weights: readonly number[] = Array.from({ length: count }, () => 1)): Float64Array {
  const total = weights.reduce((sum, weight) => sum + (weight >= 0 ? weight : NaN), 0);
  if (count === 0 || weights.length !== count || !(total > 0 && total < Infinity)) {
    throw new InvalidParameter(`${count} parts with weights [${weights.join(', ')}]; give at least one part, and one finite weight a part, none negative, not all 0`, { parts: count, weights });
  }
  return Float64Array.from(weights, (weight) => Math.log(weight / total));
}
