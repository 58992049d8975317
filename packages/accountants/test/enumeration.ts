/** A probability law on outcomes of any kind, by name. */
import { defined } from '@lethe/numerics';

export type Distribution = ReadonlyMap<string, number>;

/** A batch, as positions with repetitions, and its probability. */
export interface Batch {
  readonly positions: readonly number[];
  readonly probability: number;
}

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

/** Every subset of `n` positions. */
export const subsets = (n: number): readonly (readonly number[])[] =>
  range(2 ** n).map((mask) => range(n).filter((i) => (mask >> i) & 1));

/** Uniform subsets of a size. */
export function uniformSubsets(n: number, size: number): readonly Batch[] {
  const all = subsets(n).filter((positions) => positions.length === size);
  return all.map((positions) => ({ positions, probability: 1 / all.length }));
}

/** `size` independent uniform draws. */
export const draws = (n: number, size: number): readonly Batch[] =>
  range(n ** size).map((code) => ({
    positions: range(size).map((i) => Math.floor(code / n ** i) % n),
    probability: n ** -size,
  }));

/** A Poisson sample, cut to a uniform subset of `most`. */
export const truncatedDraws = (n: number, rate: number, most: number): readonly Batch[] =>
  subsets(n).flatMap((drawn) => {
    const probability = rate ** drawn.length * (1 - rate) ** (n - drawn.length);
    if (drawn.length <= most) return [{ positions: drawn, probability }];
    return uniformSubsets(drawn.length, most).map((kept) => ({
      positions: kept.positions.map((i) => drawn[i]),
      probability: probability * kept.probability,
    }));
  });

/** Integer sum of a batch under discrete Laplace noise of the given ε per unit. */
export function noisySum(epsilon: number, reach = Math.ceil(45 / epsilon)): (sum: number) => Distribution {
  const ratio = Math.exp(-epsilon);
  return (sum) =>
    new Map(
      range(2 * reach + 21).map((i) => [
        `${i - reach - 10}`,
        ((1 - ratio) / (1 + ratio)) * ratio ** Math.abs(i - reach - 10 - sum),
      ]),
    );
}

/**
 * What a release shows of a data set: a mixture over batches of the
 * release of a batch's sum, and what else is `revealed` of the batch.
 */
export function released(
  data: readonly number[],
  batches: readonly Batch[],
  channel: (sum: number) => Distribution,
  revealed: (batch: Batch) => string = () => '',
): Distribution {
  const law = new Map<string, number>();
  for (const batch of batches) {
    const sum = batch.positions.reduce((total, i) => total + data[i], 0);
    for (const [outcome, probability] of channel(sum)) {
      const name = `${revealed(batch)}|${outcome}`;
      law.set(name, (law.get(name) ?? 0) + probability * batch.probability);
    }
  }
  return law;
}

/** `Σ max(0, P − e^ε Q)`. */
export function hockeyStick(p: Distribution, q: Distribution, epsilon: number): number {
  let sum = 0;
  for (const [name, probability] of p)
    sum += Math.max(0, probability - Math.exp(epsilon) * (q.get(name) ?? 0));
  return sum;
}

/** `log Σ P^α Q^(1−α) / (α − 1)`. */
export function renyi(p: Distribution, q: Distribution, alpha: number): number {
  let sum = 0;
  for (const [name, probability] of p)
    if (probability > 0) sum += probability * (probability / defined(q.get(name))) ** (alpha - 1);
  return Math.log(sum) / (alpha - 1);
}
