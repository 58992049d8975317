import { plainLoops, type Batch, type MeanQuery, type PublicPlan, type Run, type Stream } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { gaussian, l2Clip } from '@lethe/mechanisms';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { distance, planning, plus, posed, quadratic, shortened } from './paths.js';
import type { RecursiveGradientsSubject } from './subject.js';

const losses = [quadratic([0.8], [0.7]), quadratic([0.3], [-0.9])];
const [lipschitz, smoothness] = [1.36, 0.8];
const meanLoss = (x: number): number => (losses[0].value([x]) + losses[1].value([x])) / 2;
const minimiser = (0.8 * 0.7 - 0.3 * 0.9) / 1.1;

/** The numbers of a plan on independent means, but for `T`. */
interface MeanScene {
  readonly dimension: number;
  readonly adjacency: 'replace-one' | 'zero-out';
  readonly slots: number;
  readonly noiseMultiplier: number;
  /** Radius of a clip that is given; left out, gradients stay whole. */
  readonly radius?: number;
  /** From the minimiser to the start; left out, the diameter. */
  readonly startDistance?: number;
}
const meanScenes: readonly MeanScene[] = [
  { dimension: 1, adjacency: 'zero-out', slots: 60, noiseMultiplier: 4 },
  { dimension: 12, adjacency: 'replace-one', slots: 200, noiseMultiplier: 2, startDistance: 0.9 },
  { dimension: 3, adjacency: 'zero-out', slots: 33, noiseMultiplier: 0.5, radius: 1.1 },
  { dimension: 3, adjacency: 'replace-one', slots: 33, noiseMultiplier: 1, radius: 1.3, startDistance: 1.5 },
];

/** Rows 55, 56, 74, 75 and 89: independent batches, and what recursion saves. */
export function independentChecks(subject: RecursiveGradientsSubject): readonly ClaimCheck[] {
  const { acceleratedDpSgd, recursiveDpSgd } = subject;
  const factsOf = (value: number) => ({ value, scope: 'every-record', provenance: 'declared' }) as const;
  const problemOf = (slots: number) =>
    posed(1, slots, { facts: { lipschitz: factsOf(lipschitz), smoothness: factsOf(smoothness) } });
  const runOf = (rounds: number, beta: number, batchSize = 1) =>
    acceleratedDpSgd.prepare({
      ...planning,
      problem: problemOf(rounds * batchSize),
      params: { rounds, beta, noiseMultiplier: 1e-9 },
    });
  /** A run whose batches are of given records, and its points. */
  const played = (
    run: ReturnType<typeof runOf>,
    batches: readonly (readonly number[])[],
  ): { readonly output: number; readonly points: readonly number[]; readonly steps: readonly number[] } => {
    const points: number[] = [];
    const steps: number[] = [];
    const tokens = batches.map((_, k) => ({ id: `${k}`, normaliser: batches[0].length }) as Batch);
    const program = run.steps({
      ...plainLoops(),
      allRecords: { id: 'all', normaliser: batches.flat().length } as Batch,
      start: Float64Array.of(0),
      random: planning.random,
    });
    let step = program.next();
    while (step.done !== true) {
      const { value: query } = step;
      if (query.ask === 'split') step = program.next(tokens);
      else {
        const at = (query as MeanQuery).of.terms[0].at[0];
        const batch = batches[points.length];
        points.push(at);
        const gradient = batch.reduce((sum, i) => sum + losses[i].gradient([at])[0], 0) / batch.length;
        steps.push(gradient);
        step = program.next(Float64Array.of(gradient));
      }
    }
    return { output: step.value[0], points, steps };
  };
  const allDraws = (rounds: number): readonly (readonly (readonly number[])[])[] =>
    each(2 ** rounds, (draw) => each(rounds, (t) => [(draw >> t) & 1]));
  return [
    defineClaimCheck({
      id: 'choquette-choo/independent-errors',
      tier: 'exact',
      statement:
        'E‖q‖² ≤ 4L²/B for independent batches, and E[−⟨q, ' +
        'y′ − x⟩] = E‖q‖²/β for y′ = x − ∇/β, over all draws',
      power: 'a batch that is used twice',
      run() {
        const beta = 3;
        let [square, product] = [0, 0];
        const draws = allDraws(3);
        for (const batches of draws) {
          const { points, steps } = played(runOf(3, beta), batches);
          const x = points[2];
          const q = steps[2] - (losses[0].gradient([x])[0] + losses[1].gradient([x])[0]) / 2;
          square += q ** 2 / draws.length;
          product += (q * steps[2]) / (beta * draws.length);
        }
        return judge(
          draws.length,
          first(
            above('E‖q‖²', square, 4 * lipschitz ** 2),
            differs('E[−⟨q, y′ − x⟩]', product, square / beta, 1e-9),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/unaccelerated-variance',
      tier: 'exact',
      statement:
        'on the path x_i = −ia/β, losses ax ± Mx²/2 give recursive gradients the variance ' +
        '4a²M²Σi²/(β²η_t²), by all draws: it grows with t',
      power: 'gradients of independent batches',
      run() {
        const [a, M, beta, rounds] = [0.1, 1, 6, 4];
        const run = recursiveDpSgd.prepare({
          ...planning,
          problem: posed(1, rounds),
          params: { rounds, beta, clipNorm: 100, noiseMultiplier: 1e-9 },
        });
        const found: (Violation | undefined)[] = [];
        const draws = 2 ** rounds;
        const sums = each(rounds, () => [] as number[]);
        for (let draw = 0; draw < draws; draw++) {
          const program = run.steps({
            ...plainLoops(),
            allRecords: { id: 'all', normaliser: rounds } as Batch,
            start: Float64Array.of(0),
            random: planning.random,
          });
          let step = program.next();
          let [t, sum] = [0, 0];
          while (step.done !== true) {
            const { value: query } = step;
            if (query.ask === 'push') {
              const sign = ((draw >> t) & 1) === 0 ? 1 : -1;
              sum += query.of.terms.reduce(
                (total, { weight, at }) => total + weight * (a + sign * M * at[0]),
                0,
              );
              sums[t].push(sum / (t + 1));
              t++;
              // The path is frozen: each step is told the mean gradient.
              step = program.next(Float64Array.of(a));
            } else
              step = program.next(
                query.ask === 'split'
                  ? each(rounds, (k) => ({ id: `${k}`, normaliser: 1 }) as Batch)
                  : ({ id: 's' } as Stream),
              );
          }
        }
        sums.forEach((values, t) => {
          const variance = values.reduce((total, one) => total + (one - a) ** 2, 0) / draws;
          // Per draw of sign ±: (t x_t − (t − 1) x_{t−1} in weights t + 1 and t) is −2ia/β at step i.
          const squares = each(t + 1, (i) => i ** 2).reduce((x, y) => x + y, 0);
          found.push(
            differs(
              `the variance at step ${t}`,
              variance,
              (4 * a ** 2 * M ** 2 * squares) / (beta * (t + 1)) ** 2,
              1e-9,
            ),
          );
        });
        return judge(draws, first(...found.slice(1)));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/theorem-15',
      tier: 'exact',
      statement:
        'the corrected bound is above the exact mean excess risk, over all draws of two records, T up to ' +
        '6; runs are the listing, with projections that bind',
      power: 'a bound that is divided by the weights of three times the steps; a mirror step of weight t + 2',
      run() {
        const cases = [2, 4, 6].flatMap((rounds) => [1.7, 4, 20].map((beta) => ({ rounds, beta })));
        return judge(
          cases.length,
          first(
            ...cases.map(({ rounds, beta }) => {
              const draws = allDraws(rounds);
              const run = runOf(rounds, beta);
              const { zScale } = run.plan as PublicPlan & { readonly zScale: number };
              const runs = draws.map((batches) => played(run, batches));
              const excess =
                runs.reduce((sum, { output }) => sum + meanLoss(output), 0) / draws.length -
                meanLoss(minimiser);
              const bound = run.plan.utility?.bound ?? Number.NaN;
              return first(
                above('the mean excess risk', excess, bound),
                differs('the bound', bound, byHand(rounds, beta), 1e-6),
                ...runs.map(({ output, steps }) =>
                  above(
                    'the distance of the output from the listing',
                    Math.abs(output - listed(steps, beta, zScale)),
                    1e-12,
                  ),
                ),
              );
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/noise-of-means',
      tier: 'exact',
      statement:
        'the planned bound is v(T + 2)/(6(β − M)) + bD + 2βD₀²/(T(T + 1)) with the square error v = b² + ' +
        'L²/B + dσ² of a mean, σ by its adjacency, at the β where that is least; points that are told ' +
        'other gradients are the listing, with both projections binding',
      power:
        'a relative error of 1e-4 of the least bound, and of 1e-9 of that at a β; a step without projection',
      run() {
        const found = meanScenes.flatMap((scene) => {
          const { dimension: d, slots, noiseMultiplier, radius, startDistance = 2 } = scene;
          const facts = {
            lipschitz: factsOf(lipschitz),
            smoothness: factsOf(smoothness),
            ...(scene.startDistance === undefined ? {} : { startDistance: factsOf(startDistance) }),
          };
          const problem = { ...posed(d, slots, { facts }), adjacency: scene.adjacency };
          const given =
            radius === undefined
              ? {}
              : { mean: { name: 'clipped', params: { clip: l2Clip({ radius }), mechanism: gaussian({}) } } };
          const prepared = (params: object) =>
            acceleratedDpSgd.prepare({
              ...planning,
              problem,
              params: { noiseMultiplier, ...given, ...params } as never,
            });
          return [2, 5].map((T) => {
            const B = Math.floor(slots / T);
            const size = radius ?? lipschitz;
            const bias = lipschitz - size;
            const moved = (scene.adjacency === 'replace-one' ? 2 : 1) * size;
            const v = bias ** 2 + size ** 2 / B + d * ((noiseMultiplier * moved) / B) ** 2;
            const boundAt = (beta: number): number =>
              (v * (T + 2)) / (6 * (beta - smoothness)) +
              2 * bias +
              (2 * beta * startDistance ** 2) / (T * (T + 1));
            const least = smoothness + Math.sqrt((v * (T + 2) * T * (T + 1)) / 12) / startDistance;
            const run = prepared({ rounds: T });
            const fixed = prepared({ rounds: T, beta: 7 });
            const gradients = each(T, (t) => each(d, (j) => (t + 1) * 9 * Math.cos(1.3 * t + j)));
            return first(
              differs('the bound at β = 7', fixed.plan.utility?.bound ?? Number.NaN, boundAt(7)),
              differs('the least bound', run.plan.utility?.bound ?? Number.NaN, boundAt(least), 1e-4),
              above(
                'the distance of the output from the listing',
                distance(toldOutput(fixed, d, gradients), listedIn(gradients, 7, 0.5)),
                1e-12,
              ),
            );
          });
        });
        const cut = acceleratedDpSgd.prepare({
          ...planning,
          problem: problemOf(12),
          params: { rounds: 3, clipNorm: 0.99 * lipschitz },
        });
        const { utility } = cut.plan;
        return judge(
          found.length + 1,
          first(
            ...found,
            utility === null
              ? undefined
              : { what: 'a bound where the clip cuts gradients', measured: utility.bound, allowed: Infinity },
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/cost-of-independence',
      tier: 'exact',
      statement:
        'with noise on each batch the bound has a term of LD√d·T/(nμ): ' +
        'twice the noise doubles it, and more rounds raise it',
      power: 'noise of a tenth of the size',
      run() {
        const n = 4096;
        const at = (rounds: number, noiseMultiplier: number): number =>
          acceleratedDpSgd.prepare({
            ...planning,
            problem: { ...problemOf(n), dimension: 100 },
            params: { rounds, noiseMultiplier },
          }).plan.utility?.bound ?? Number.NaN;
        const shareOf = (rounds: number): number => (at(rounds, 40) / at(rounds, 20)) * 1;
        return judge(
          3,
          first(
            above('the factor of twice the noise', shareOf(64), 2.1),
            above('1.8', 1.8, shareOf(64)),
            above('twice the bound of 16 rounds', 1.8 * at(16, 20), at(64, 20)),
          ),
        );
      },
    }),
  ];
}

/** The listing on [−1, 1] from 0, told these gradients: `z ← P(z − (s(t + 1)/β)g)`, `y = P(x − g/β)`. */
function listed(gradients: readonly number[], beta: number, zScale: number): number {
  const projected = (point: number): number => Math.max(-1, Math.min(1, point));
  let [x, y, z] = [0, 0, 0];
  gradients.forEach((gradient, t) => {
    z = projected(z - (zScale * (t + 1) * gradient) / beta);
    y = projected(x - gradient / beta);
    const tau = 2 / (t + 3);
    x = (1 - tau) * y + tau * z;
  });
  return y;
}

/** The same in the unit ball. */
function listedIn(
  gradients: readonly (readonly number[])[],
  beta: number,
  zScale: number,
): readonly number[] {
  let x: readonly number[] = gradients[0].map(() => 0);
  let [y, z] = [x, x];
  gradients.forEach((gradient, t) => {
    z = shortened(plus(z, (-zScale * (t + 1)) / beta, gradient), 1);
    y = shortened(plus(x, -1 / beta, gradient), 1);
    const tau = 2 / (t + 3);
    x = y.map((one, j) => (1 - tau) * one + tau * z[j]);
  });
  return y;
}

/** What a run returns that is told these gradients. */
function toldOutput(
  run: Run,
  dimension: number,
  gradients: readonly (readonly number[])[],
): readonly number[] {
  const program = run.steps({
    ...plainLoops(),
    allRecords: { id: 'all', normaliser: gradients.length } as Batch,
    start: new Float64Array(dimension),
    random: planning.random,
  });
  let [step, t] = [program.next(), 0];
  while (step.done !== true)
    step = program.next(
      step.value.ask === 'split'
        ? gradients.map((_, k) => ({ id: `${k}`, normaliser: 1 }) as Batch)
        : Float64Array.from(gradients[t++]),
    );
  return [...step.value];
}

/** Theorem 15, corrected: `v(T + 2)/(6(β − M)) + 2βD²/(T(T + 1))`, one record a batch, no noise. */
const byHand = (T: number, beta: number): number =>
  (lipschitz ** 2 * (T + 2)) / (6 * (beta - smoothness)) + (2 * beta * 4) / (T * (T + 1));
