import { InvalidParameter } from '@lethe/core';
import type { Evidence, Process } from './e-process.js';
import { noteJudged } from './judged.js';
import { logThreshold } from './wealth.js';

/** The current wealth of a process, which may be averaged. Peaks may not, so they are absent. */
export type Share = Pick<Evidence, 'logE' | 'samples' | 'reach'>;

/**
 * Average wealth of processes about one hypothesis, fed elsewhere, in any order and under any dependence:
 * again an e-process. It reads all parts when it is evaluated, and its peak is over those times.
 *
 * @param weights - Non-negative; only their ratios matter. @defaultValue all equal
 * @throws {InvalidParameter} for no parts, or weights that do not fit.
 */
export function pool(parts: readonly Share[], weights?: readonly number[]): Evidence {
  const average = averageOf(parts, weights);
  const reach = averageOf(parts, weights, 'reach');
  let peak = 0;
  const look = (): number => {
    const logE = average();
    if (logE > peak) peak = logE;
    return logE;
  };
  const pooled: Evidence = {
    get logE() {
      return look();
    },
    get peak() {
      look();
      return peak;
    },
    get samples() {
      return parts.reduce((sum, { samples }) => sum + samples, 0);
    },
    get reach() {
      return reach();
    },
    rejects(alpha) {
      look();
      return noteJudged(pooled, alpha, peak >= logThreshold(alpha));
    },
  };
  return pooled;
}

/**
 * Average wealth of processes that are all fed the same observations: again an e-process. Costs `ln(parts)`
 * nats against the best of them. Feed the mixture, not the parts.
 */
export function mixture<Observation extends readonly unknown[]>(
  parts: readonly (Share & Pick<Process<Observation>, 'push'>)[],
  weights?: readonly number[],
): Process<Observation> {
  return averaged(
    parts,
    (...observation) => {
      for (const part of parts) part.push(...observation);
    },
    weights,
  );
}

/** The average of `parts`; `feed` passes every observation to them. */
export function averaged<Observation extends readonly unknown[]>(
  parts: readonly Share[],
  feed: (...observation: Observation) => void,
  weights?: readonly number[],
): Process<Observation> {
  const average = averageOf(parts, weights);
  const reach = averageOf(parts, weights, 'reach');
  let peak = 0;
  let samples = 0;
  const process: Process<Observation> = {
    push(...observation) {
      feed(...observation);
      samples++;
      // An average is at most the largest share: mostly it need not be worked out.
      if (parts.some((part) => part.logE > peak)) peak = Math.max(peak, average());
    },
    get logE() {
      return samples === 0 ? 0 : average();
    },
    get peak() {
      return peak;
    },
    get samples() {
      return samples;
    },
    get reach() {
      return reach();
    },
    rejects: (alpha) => noteJudged(process, alpha, peak >= logThreshold(alpha)),
  };
  return process;
}

/** `ln Σ weight·wealth`, read from the parts at each call. */
function averageOf(
  parts: readonly Share[],
  weights: readonly number[] = parts.map(() => 1),
  of: 'logE' | 'reach' = 'logE',
): () => number {
  const total = weights.reduce((sum, weight) => sum + (weight >= 0 ? weight : NaN), 0);
  if (weights.length !== parts.length || !(total > 0 && total < Infinity)) {
    throw new InvalidParameter(
      `${parts.length} parts with weights [${weights.join(', ')}]; give at least one part, ` +
        'and one finite weight a part, none negative, not all 0',
      { parts: parts.length, weights },
    );
  }
  const held = parts.flatMap((part, i) =>
    weights[i] > 0 ? [{ part, logWeight: Math.log(weights[i] / total) }] : [],
  );
  const logShares = new Float64Array(held.length);
  return () => {
    let most = -Infinity;
    for (let i = 0; i < held.length; i++)
      most = Math.max(most, (logShares[i] = held[i].logWeight + held[i].part[of]));
    if (!Number.isFinite(most)) return most;
    let sum = 0;
    for (const logShare of logShares) sum += Math.exp(logShare - most);
    return most + Math.log(sum);
  };
}
