import { resolvePlugin, type Clip, type Problem, type ProblemParts, type Ref } from '@lethe/core';
import { noiseOfSums } from '../common/noise-of-sums.js';
import { boundedOnly, lipschitzOf } from '../common/problem-facts.js';
import { startDistanceOf } from '../heavy-tails/facts.js';

/** What a bound on the risk depends on of a plan. */
interface FtrlPlan {
  readonly rounds: number;
  readonly batchSize: number;
  readonly epochs: number;
  readonly clip: Ref<'clip'>;
  readonly quantile: object | null;
  readonly prefixSum: Ref<'prefixSum'>;
  readonly stepSize: number;
  readonly momentum: number;
  readonly noiseMultiplier: number;
  readonly average: 'last' | 'polyak';
  readonly sampling?: object | undefined;
}
type Posed = { readonly problem: Problem } & Pick<ProblemParts, 'domain' | 'registry'>;

/**
 * Bound on the expected excess population risk of the mean of the iterates at which gradients were taken:
 * `D²/(2ηT) + ηL²/2 + (ηL/T) Σ_t E‖N_t‖`, `N_t` the noise of the sum after round `t < T`, or why there is
 * none.
 *
 * Without noise this is the regret of follow-the-regularised-leader. Noise `N` in a sum moves the iterate
 * after it by at most `η‖N‖`, since projections do not expand, and so the linear loss of the next round by
 * `ηL‖N‖`. Batches are independent of the iterates before them, so that regret bounds the risk.
 *
 * Facts: `lipschitz` of every record; `startDistance` or `diameter`, or a bounded domain.
 *
 * @see McMahan 2017, Theorem 1, for the regret; Kairouz et al. 2021, Theorem 5.1, bounds the same run with
 * high probability, up to a constant.
 */
export function ftrlUtility(plan: FtrlPlan, posed: Posed) {
  const { rounds, stepSize } = plan;
  const lipschitz = lipschitzOf(posed.problem);
  const distance = startDistanceOf(posed.problem, posed.domain);
  const uncovered =
    obstacleIn(plan, posed) ??
    cutBy(plan, posed, lipschitz) ??
    (distance < Infinity ? null : "the domain is unbounded, and the fact 'startDistance' is missing");
  if (uncovered !== null || lipschitz === null) return { utility: null, uncovered };
  const bound =
    distance ** 2 / (2 * stepSize * rounds) +
    (stepSize * lipschitz ** 2) / 2 +
    (stepSize * lipschitz * noiseBetween(plan, posed)) / rounds;
  const source =
    'expected excess population risk of the mean iterate; Kairouz et al. 2021, Theorem 5.1, with constants';
  return { utility: { bound, source }, uncovered };
}

/** Why the theorem says nothing of a run. */
function obstacleIn(
  { epochs, momentum, average, sampling, quantile }: FtrlPlan,
  { problem, domain }: Posed,
): string | null {
  const { loss, capabilities } = problem;
  if (capabilities.convex !== true) return `the loss '${loss.name}' is not convex`;
  if (sampling !== undefined) return 'the bound is for disjoint batches, and these are sampled';
  if (quantile !== null) return 'the norm that a quantile finds may cut gradients';
  if (epochs > 1) return 'the bound is for one epoch';
  if (momentum > 0) return 'the bound is for momentum 0';
  if (average !== 'polyak') return "the bound is for the mean of the iterates, average 'polyak'";
  return boundedOnly(problem, domain);
}

/** Why gradients may be cut, as far as clip and facts tell. */
function cutBy({ clip }: FtrlPlan, { registry }: Posed, lipschitz: number | null): string | null {
  const { plugin, params } = resolvePlugin<Clip>(registry, clip);
  const radius = plugin.radius(params);
  if (!plugin.isProjection) return `clip '${clip.name}' does not leave short gradients as they are`;
  if (lipschitz === null)
    return "the clip may cut gradients: no fact 'lipschitz' of every record says how long they are";
  return radius >= lipschitz
    ? null
    : `the clip cuts gradients: its radius ${radius} is below their Lipschitz constant ${lipschitz}`;
}

/** Upper bound on `Σ_t E‖N_t‖` over the sums after which a gradient is taken. */
function noiseBetween(
  { rounds, batchSize, clip, prefixSum, noiseMultiplier }: FtrlPlan,
  { problem: { dimension, adjacency }, registry }: Posed,
): number {
  const { plugin, params } = resolvePlugin<Clip>(registry, clip);
  const stream = { registry, prefixSum, dimension, adjacency, noiseMultiplier };
  const { deviations } = noiseOfSums(stream, rounds);
  const total = deviations.subarray(0, rounds - 1).reduce((sum, deviation) => sum + deviation, 0);
  return (Math.sqrt(dimension) * total * plugin.radius(params)) / batchSize;
}
