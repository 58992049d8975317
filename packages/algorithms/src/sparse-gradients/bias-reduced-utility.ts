import {
  meanShape,
  resolvePlugin,
  sensitivityUnder,
  type CentralMean,
  type Problem,
  type ProblemParts,
  type Ref,
} from '@lethe/core';
import { biasReducedBounds, projectionMeanSquaredError, projectionMechanism } from '@lethe/mechanisms';
import { centralSlots, lipschitzOf } from '../common/problem-facts.js';
import { sparsityOf } from './record-facts.js';

/** Bounds on estimates of the gradient of the average loss. */
export interface EstimateError {
  /** `b ≥ ‖E estimate − gradient‖`. */
  readonly bias: number;
  /** `ν² ≥ E‖estimate‖²`. */
  readonly meanSquare: number;
}

interface Release {
  readonly mean: Ref<'mean'>;
  readonly noiseMultiplier: number;
}
interface Posed extends Pick<ProblemParts, 'domain' | 'registry'> {
  readonly problem: Problem;
}

/**
 * Bias and second moment of bias-reduced estimates from means by the projection mechanism, for gradients that
 * it does not cut; or why nothing is known.
 *
 * @see Ghazi and others, Lemma 5.4, with the constants of `biasReducedBounds`.
 */
export function estimateError(
  { mean, noiseMultiplier }: Release,
  { problem, domain, registry }: Posed,
): EstimateError | string {
  if (mean.name !== projectionMechanism.name)
    return `the error of mean '${mean.name}' is not known; that of '${projectionMechanism.name}' is`;
  const { plugin, params } = resolvePlugin<CentralMean>(registry, mean);
  const { radius, sparsity } = projectionMechanism.params.parse(params);
  const { dimension, facts, capabilities, loss } = problem;
  const lipschitz = lipschitzOf(problem);
  if (lipschitz === null || radius < lipschitz)
    return (
      'gradients may be cut: ' +
      (lipschitz === null
        ? "no fact 'lipschitz' of every record says how long they are"
        : `the radius ${radius} of the mean is below their Lipschitz constant ${lipschitz}`)
    );
  if (sparsity < sparsityOf(problem))
    return (
      `gradients may be cut: they may have ${sparsityOf(problem)} ` +
      `entries, and the mean is for ${sparsity}`
    );
  if (capabilities.lipschitz !== true && !(domain.diameter < Infinity))
    return (
      `the loss '${loss.name}' is Lipschitz on bounded sets only, ` +
      `and the domain '${domain.name}' is unbounded`
    );
  const slots = centralSlots(problem);
  const meanSquaredError = (size: number): number => {
    const sensitivity = plugin.sensitivity(params, meanShape({ dimension, slots: size, facts, registry }));
    const scale = noiseMultiplier * sensitivityUnder(sensitivity, problem.adjacency, `mean '${plugin.name}'`);
    const l1Radius = radius * Math.sqrt(Math.min(sparsity, dimension));
    // Mean and answer lie in the ℓ2 ball of that radius.
    return Math.min(
      4 * radius ** 2,
      projectionMeanSquaredError({ noise: 'gaussian', scale, dimension, l1Radius }),
    );
  };
  return biasReducedBounds({ slots, meanSquaredError, singleMeanSquare: radius ** 2 });
}

/** Steps that are capped at a number of calls. */
export interface CappedSteps extends EstimateError {
  /** `τ`: the most calls. */
  readonly calls: number;
  readonly stepSize: number;
}

/**
 * Bound on the expected sum of excess risks over the iterates `x⁰ … x^(T∧τ)` of projected steps:
 * `D²/(2η) + (τ+1)(ην²/2 + D′b)`. `distance` is D. Where it bounds the distance of every iterate D′ is D;
 * where it bounds that of the start alone, D′ is `√(D² + (τ+1)η²ν²) + (τ+1)ηb`.
 *
 * @see Ghazi and others, Proposition 5.6; the printed one needs a bound on the distance of every iterate.
 */
export function regretBound(
  { bias, meanSquare, calls, stepSize }: CappedSteps,
  { distance, holdsFor }: { readonly distance: number; readonly holdsFor: 'every iterate' | 'start' },
): number {
  const iterates = calls + 1;
  const along =
    holdsFor === 'every iterate'
      ? distance
      : Math.sqrt(distance ** 2 + iterates * stepSize ** 2 * meanSquare) + iterates * stepSize * bias;
  return distance ** 2 / (2 * stepSize) + iterates * ((stepSize * meanSquare) / 2 + along * bias);
}

/**
 * Bound on the expected sum of squared gradient norms over the iterates `x⁰ … x^(T∧τ)` of steps without a
 * projection: `Γ/η + (τ+1)(ηHν²/2 + Lb)`, where Γ is what the risk can fall from the start.
 *
 * @see Ghazi and others, Theorem 5.8.
 */
export function stationarityBound(
  { bias, meanSquare, calls, stepSize }: CappedSteps,
  {
    initialGap,
    smoothness,
    lipschitz,
  }: { readonly initialGap: number; readonly smoothness: number; readonly lipschitz: number },
): number {
  return initialGap / stepSize + (calls + 1) * ((stepSize * smoothness * meanSquare) / 2 + lipschitz * bias);
}

/**
 * What an average over the iterates of a capped run exceeds with probability at most 1/2, by Markov's
 * inequality, where at most `early` < 1/2 of all runs end before the cap: `sum / ((τ+1)(1/2 − early))`.
 *
 * @param sum - Bound on the expected sum over the iterates, of terms that are not negative.
 */
export const medianBound = (sum: number, { calls, early }: { calls: number; early: number }): number | null =>
  early < 1 / 2 ? sum / ((calls + 1) * (1 / 2 - early)) : null;
