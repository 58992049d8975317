import { plainLoops, type Batch, type Fact, type Problem, type PublicPlan, type Ref } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { logistic } from '@lethe/losses';
import { l2BallDomain } from '@lethe/mechanisms';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { dot } from '../common/vectors.js';
import { planning, quadratic, shortened } from '../recursive-gradients/paths.js';
import type { FederatedSubject } from './subject.js';

const every = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });

/** What a plan of the comparison is made for: `G`, `L`, a ball, silos and who adds the noise. */
interface Scene {
  readonly dimension: number;
  readonly adjacency: 'replace-one' | 'zero-out';
  readonly lipschitz: number;
  readonly smoothness: number;
  readonly radius: number;
  readonly slots: readonly number[];
  readonly rounds: number;
  readonly noiseMultiplier: number;
  readonly step: 'smooth' | 'lipschitz';
  readonly weights?: readonly number[];
  readonly server?: 'trusted' | 'untrusted';
  /** Shares for which the noise of a trusted server stands. */
  readonly simulatedShares?: number;
}

type Capabilities = typeof logistic.capabilities;
function problemOf({ server, weights, simulatedShares, slots, ...scene }: Scene): Problem<Capabilities> {
  return {
    adjacency: scene.adjacency,
    dimension: scene.dimension,
    slots,
    trust:
      server === undefined
        ? { model: 'central' }
        : {
            model: 'federated',
            silos: slots.length,
            server,
            ...(weights === undefined ? {} : { weights }),
            ...(simulatedShares === undefined ? {} : { simulatedShares }),
          },
    domain: l2BallDomain({ radius: scene.radius }),
    loss: logistic({}),
    capabilities: logistic.capabilities,
    facts: { lipschitz: every(scene.lipschitz), smoothness: every(scene.smoothness) },
  };
}

type Planned = PublicPlan & {
  readonly stepSize: number;
  readonly noiseMultiplier: number;
  readonly mean: Ref<'mean'>;
};

/** `E‖g − ∇f‖²` of the records of an average, and of its noise in all coordinates. */
function errorsOf({ slots, rounds, weights, ...scene }: Scene): { records: number; noise: number } {
  const sizes = slots.map((one) => Math.floor(one / rounds));
  const weightOf = (i: number): number => weights?.[i] ?? 1 / slots.length;
  const moved = (scene.adjacency === 'replace-one' ? 2 : 1) * scene.lipschitz * scene.noiseMultiplier;
  const deviations = sizes.map((size, i) => (weightOf(i) * moved) / size);
  const shares = slots.length / (scene.simulatedShares ?? slots.length);
  const entry =
    scene.server === 'trusted'
      ? shares * Math.max(...deviations) ** 2
      : deviations.reduce((sum, one) => sum + one ** 2, 0);
  return {
    records: scene.lipschitz ** 2 * sizes.reduce((sum, size, i) => sum + weightOf(i) ** 2 / size, 0),
    noise: scene.dimension * entry,
  };
}

const base: Scene = {
  dimension: 3,
  adjacency: 'replace-one',
  lipschitz: 1.5,
  smoothness: 0.8,
  radius: 0.7,
  slots: [50],
  rounds: 4,
  noiseMultiplier: 2,
  step: 'smooth',
};
const silos = { slots: [41, 26, 12], weights: [0.5, 0.3, 0.2] };
const scenes: readonly Scene[] = (['smooth', 'lipschitz'] as const).flatMap((step) => [
  { ...base, step },
  { ...base, step, adjacency: 'zero-out', dimension: 1, noiseMultiplier: 0.1 },
  { ...base, step, ...silos, server: 'untrusted' },
  { ...base, step, slots: silos.slots, server: 'untrusted', rounds: 2 },
  { ...base, step, ...silos, server: 'trusted' },
  { ...base, step, ...silos, server: 'trusted', simulatedShares: 2, smoothness: 30 },
]);

const records = [quadratic([0.8], [0.7]), quadratic([0.3], [-0.9])] as const;
const meanLoss = (x: number): number => (records[0].value([x]) + records[1].value([x])) / 2;
const minimiser = (0.8 * 0.7 - 0.3 * 0.9) / 1.1;

/** Rows 78 to 80: one pass of noisy steps, which corrected momentum is compared with. */
export function comparisonChecks(subject: FederatedSubject): readonly ClaimCheck[] {
  const runOf = (scene: Scene, params: object = {}, capabilities: object = {}) => {
    const problem = problemOf(scene);
    return subject.parallelSgd.prepare({
      ...planning,
      problem: { ...problem, capabilities: { ...problem.capabilities, ...capabilities } } as never,
      params: {
        rounds: scene.rounds,
        step: scene.step,
        noiseMultiplier: scene.noiseMultiplier,
        ...params,
      },
    });
  };
  const planOf = (...given: Parameters<typeof runOf>): Planned => runOf(...given).plan as Planned;

  /** The output of a run that is told these gradients, and where it asked for them. */
  function told(
    run: ReturnType<typeof runOf>,
    scene: Scene,
    gradientAt: (at: readonly number[], t: number) => readonly number[],
    from = 0.3 * scene.radius,
  ): {
    readonly points: readonly (readonly number[])[];
    readonly output: readonly number[];
    amiss?: Violation;
  } {
    const { mean, noiseMultiplier } = run.plan as Planned;
    const points: (readonly number[])[] = [];
    const [records_] = scene.slots;
    const program = run.steps({
      ...plainLoops(),
      allRecords: { id: 'all', normaliser: records_ } as Batch,
      start: Float64Array.from({ length: scene.dimension }, () => from),
      random: planning.random,
    });
    let amiss: Violation | undefined;
    let step = program.next();
    while (step.done !== true) {
      const { value: query } = step;
      if (query.ask === 'mean') {
        const t = points.length;
        const asked = query as typeof query & { batch: Batch; mean: Ref<'mean'>; target: object };
        const isPlanned =
          asked.batch.id === `${t}` &&
          JSON.stringify([asked.mean, asked.target]) === JSON.stringify([mean, { noiseMultiplier }]);
        if (!isPlanned)
          amiss ??= { what: `round ${t} asks for another mean than planned`, measured: 0, allowed: 1 };
        const at = [...query.of.terms[0].at];
        points.push(at);
        step = program.next(Float64Array.from(gradientAt(at, t)));
      } else
        step = program.next(
          each(
            scene.rounds,
            (k) => ({ id: `${k}`, normaliser: Math.floor(records_ / scene.rounds) }) as Batch,
          ),
        );
    }
    return { points, output: [...step.value], ...(amiss === undefined ? {} : { amiss }) };
  }

  return [
    defineClaimCheck({
      id: 'reshef-levy/comparison-plan',
      tier: 'exact',
      statement:
        'the planned step is 1/(L + σ√T/D), or D/√(T(G² + dV)), and the bound LD²/(2T) + Dσ/√T, or ' +
        'D²/(2ηT) + η(G² + dV)/2, with σ² = G²Σp_i²/b_i + dV and the noise V of silos, or of their server',
      power: 'a relative error of 1e-9 of a step or a bound; a bound where none is proved',
      run() {
        const found = scenes.map((scene) => {
          const { lipschitz: G, smoothness: L, rounds: T } = scene;
          const D = 2 * scene.radius;
          const { records: sampling, noise } = errorsOf(scene);
          const sigma = Math.sqrt(sampling + noise);
          const isSmooth = scene.step === 'smooth';
          const boundAt = (eta: number): number =>
            isSmooth
              ? (L * D ** 2) / (2 * T) + (D * sigma) / Math.sqrt(T)
              : D ** 2 / (2 * eta * T) + (eta * (G ** 2 + noise)) / 2;
          const eta = isSmooth ? 1 / (L + (sigma * Math.sqrt(T)) / D) : D / Math.sqrt(T * (G ** 2 + noise));
          const plan = planOf(scene);
          const other = planOf(scene, { stepSize: 0.3 * eta });
          return first(
            differs('the step', plan.stepSize, eta),
            differs('the bound', plan.utility?.bound ?? Number.NaN, boundAt(eta)),
            isSmooth
              ? unproved('another step', other)
              : differs('the bound of another step', other.utility?.bound ?? Number.NaN, boundAt(0.3 * eta)),
            unproved('gradients that are clipped', planOf(scene, { clipNorm: 0.9 * G })),
            unproved('a loss that is not convex', planOf(scene, {}, { convex: false })),
          );
        });
        return judge(scenes.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/comparison-listing',
      tier: 'exact',
      statement:
        'w ← P(w − ηg) on the planned mean of each batch in turn, with projections that bind; the result ' +
        'is the average of iterates after the steps, or before them',
      power: 'a step without its projection, an average of other iterates, a batch that is read twice',
      run() {
        const cases = scenes
          .slice(0, 8)
          .map((scene) => ({ ...base, step: scene.step, rounds: scene.rounds + 1 }));
        const found = cases.map((scene) => {
          const run = runOf(scene, { stepSize: 0.4 });
          const gradients = each(scene.rounds, (t) =>
            each(scene.dimension, (j) => Math.cos(1 + 2.3 * t + 1.7 * j) * (t % 2 === 0 ? 4 : 0.3)),
          );
          const { points, output, amiss } = told(run, scene, (_, t) => gradients[t]);
          const path = [each(scene.dimension, () => 0.3 * scene.radius)];
          gradients.forEach((gradient, t) =>
            path.push(
              shortened(
                path[t].map((one, j) => one - 0.4 * gradient[j]),
                scene.radius,
              ),
            ),
          );
          const averaged = scene.step === 'smooth' ? path.slice(1) : path.slice(0, -1);
          const apart = (a: readonly number[], b: readonly number[]): number =>
            Math.max(...a.map((one, j) => Math.abs(one - b[j])));
          const mean = each(
            scene.dimension,
            (j) => averaged.reduce((sum, point) => sum + point[j], 0) / scene.rounds,
          );
          const bound = path.slice(1).filter((point) => dot(point, point) > 0.999 * scene.radius ** 2).length;
          return first(
            amiss,
            differs('the number of means', points.length, scene.rounds),
            above('projections that should bind', 2, bound, 0),
            ...points.map((point, t) => above(`the distance of point ${t}`, apart(point, path[t]), 1e-12)),
            above('the distance of the output', apart(output, mean), 1e-12),
          );
        });
        return judge(cases.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/comparison-bound',
      tier: 'exact',
      statement:
        'the bound is above the exact mean excess risk, over all draws of two records, for T up to 6, and ' +
        'that of one usual step from afar is attained',
      power: 'a bound of usual steps that is a tenth smaller',
      run() {
        const cases = [1, 3, 6].flatMap((rounds) =>
          (['smooth', 'lipschitz'] as const).map((step) => ({
            ...base,
            rounds,
            step,
            slots: [rounds],
            dimension: 1,
            radius: 1,
            lipschitz: 1.36,
            noiseMultiplier: 1e-9,
          })),
        );
        const found = cases.map((scene) => {
          const run = runOf(scene);
          const bound = run.plan.utility?.bound ?? Number.NaN;
          const draws = 2 ** scene.rounds;
          const risk = each(draws, (draw) => {
            const { output } = told(run, scene, (at, t) => records[(draw >> t) & 1].gradient(at));
            return meanLoss(output[0]) / draws;
          }).reduce((sum, one) => sum + one, 0);
          // A slope of size G, from the end of the interval that it rises to.
          const [from, slope] = [scene.radius, scene.lipschitz];
          const { output } = told(run, scene, () => [slope], from);
          const far = slope * (output[0] + scene.radius);
          return first(
            above('the mean excess risk', risk - meanLoss(minimiser), bound),
            above('the excess of a slope', far, bound),
            scene.step === 'lipschitz' && scene.rounds === 1
              ? above('nine tenths of the bound', 0.9 * bound, far)
              : undefined,
          );
        });
        return judge(cases.length, first(...found));
      },
    }),
  ];
}

/** Violation by a plan that has a bound where none is proved. */
const unproved = (what: string, { utility }: PublicPlan): Violation | undefined =>
  utility === null
    ? undefined
    : {
        what: `a plan for ${what} has the bound ${utility.bound}`,
        measured: utility.bound,
        allowed: Infinity,
      };
