import { Unsupported, multiplyDown, multiplyUp } from '@lethe/numerics';
import type { DominatingPair, GaussianCurve } from '@lethe/core';
import { type GaussianMixture, pairsOfMixtures } from '../pairs/index.js';

const mostRecords = 256;

/** What is known of one record in the sample. */
interface Presence {
  /** Its presence or absence. */
  readonly curve: GaussianCurve;
  /** Whether some records move the release by `curve.lower`; if replaced, in opposite directions. */
  readonly attained: boolean;
  /** Whether the records are replaced by others, instead of being absent. */
  readonly replaced: boolean;
}

/**
 * Dominating pairs of a μ-Gaussian-private release from a Poisson sample, for `size` records present or
 * absent together, or replaced together. Each record is drawn independently, and with `i` of them in the
 * sample the release is `iμ`-Gaussian-private: a set `S` of probability β without them has power at most
 * `Φ(Φ⁻¹(β) + iμ)`, and at least `Φ(Φ⁻¹(β) − iμ)`, with `i` of them. Shifts `iμ` of one Gaussian attain the
 * mixture of these powers over `i`, because the optimal sets for all `i` are the same; other records in their
 * place attain the mixture of shifts `−iμ` on the same sets.
 *
 * Probabilities of `i ≥ 1` are rounded up, and the probability of `i = 0` is reduced accordingly; what some
 * neighbours come to is rounded down.
 *
 * @throws {Unsupported} when the probability of an empty intersection is below 1e-9, or the group is too
 * large.
 */
export function groupInPoisson(
  { curve: { mu, lower }, attained, replaced }: Presence,
  rate: number,
  size: number,
): readonly DominatingPair[] {
  const none = (1 - rate) ** size;
  if (size > mostRecords || none < 1e-9 || !(multiplyUp(size, mu) < Infinity)) {
    throw new Unsupported(
      `no pair is known of a group of ${size} in a Poisson sample of rate ${rate}; ` +
        'it costs no more than in every sample',
      { size, rate },
    );
  }
  const error = size * 2 ** -48;
  const outer = drawn(rate, size, { none, factor: 1 + error, shift: (i) => multiplyUp(i, mu) });
  const inner = drawn(rate, size, { none, factor: 1 - error, shift: (i) => multiplyDown(i, lower) });
  const against = ({ means, probabilities }: GaussianMixture): GaussianMixture =>
    replaced ? { means: means.map((mean) => -mean), probabilities } : { means: [0], probabilities: [1] };
  return pairsOfMixtures(
    [outer, against(outer)],
    attained && lower > 0 ? [inner, against(inner)] : undefined,
  );
}

/** Shifts by the number of records in the sample. */
function drawn(
  rate: number,
  size: number,
  {
    none,
    factor,
    shift,
  }: { readonly none: number; readonly factor: number; readonly shift: (i: number) => number },
): GaussianMixture {
  let probability = none;
  const some = Array.from({ length: size }, (_, i) => {
    probability *= ((size - i) / (i + 1)) * (rate / (1 - rate));
    return Math.min(1, probability * factor);
  });
  const rest = Math.max(0, 1 - some.reduce((sum, p) => sum + p, 0));
  return { means: [0, ...some.map((_, i) => shift(i + 1))], probabilities: [rest, ...some] };
}
