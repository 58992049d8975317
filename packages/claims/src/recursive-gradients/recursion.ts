import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { squaredNorm } from '../common/vectors.js';
import {
  averageOf,
  distance,
  drawnInstance,
  linearLoss,
  minus,
  pathOf,
  plus,
  type Instance,
} from './paths.js';
import type { RecursiveGradientsSubject } from './subject.js';

const count = 40;
const instances = (name: string, kind: 'quadratic' | 'linear' | 'common', noise = 0.1): readonly Instance[] =>
  each(count, (i) =>
    drawnInstance(`${name}/${i}`, { kind, zScale: i % 2 === 0 ? 1 : 0.5, betaOf: () => 1, noise }),
  );
const farApart = (
  what: string,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  size: number,
): Violation | undefined => above(what, distance(a, b), 1e-10 * size, 0);
const meanOf = (points: readonly (readonly number[])[]): number[] =>
  points[0].map((_, j) => points.reduce((sum, point) => sum + point[j], 0) / points.length);

/** Rows 1 to 7, 10, 53, 57 and 63: weights, recursive gradients, and the points of the listing. */
export function recursionChecks(subject: RecursiveGradientsSubject): readonly ClaimCheck[] {
  const { stepWeight, weightSum, coupling } = subject;
  /** The first violation among all steps of all instances. */
  const steps = (
    given: readonly Instance[],
    of: (path: ReturnType<typeof pathOf>, t: number, instance: Instance) => Violation | undefined,
  ) =>
    judge(
      given.length,
      first(
        ...given.flatMap((instance) => {
          const path = pathOf(subject, instance);
          return path.x.map((_, t) => of(path, t, instance));
        }),
      ),
    );
  return [
    defineClaimCheck({
      id: 'choquette-choo/weights',
      tier: 'exact',
      statement: 'η_{0:t} = Σ_{i ≤ t} (i + 1), τ_t = η_t/η_{0:t} and 1 ≤ η_t²/η_{0:t} < 2, for t up to 10⁶',
      power: 'weights t in place of t + 1',
      run() {
        let sum = 0;
        let wrong: Violation | undefined;
        for (let t = 0; t <= 1e6 && wrong === undefined; t++) {
          const weight = stepWeight(t);
          sum += t + 1;
          if (weightSum(t) !== sum) wrong = differs('η_{0:t}', weightSum(t), sum, 0);
          const ratio = weight ** 2 / weightSum(t);
          if (!(ratio >= 1 && ratio < 2)) wrong ??= above('η_t²/η_{0:t}', ratio, 2) ?? above('1', 1, ratio);
          if (Math.abs(coupling(t) * weightSum(t) - weight) > 1e-9 * weight)
            wrong ??= differs('τ_t η_{0:t}', coupling(t) * weightSum(t), weight);
        }
        return judge(1e6, wrong);
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/recursion',
      tier: 'search',
      statement: '∇_t = Δ_t/η_t + (η_{t−1}/η_t)∇_{t−1} for the differences that the run asks for',
      power: 'a weight of the earlier point that is one too large',
      run: () =>
        steps(instances('recursion', 'quadratic'), ({ nabla, differences }, t) =>
          farApart(
            `∇ at step ${t}`,
            nabla[t],
            plus(
              differences[t].map((one) => one / stepWeight(t)),
              t === 0 ? 0 : stepWeight(t - 1) / stepWeight(t),
              nabla[t - 1] ?? nabla[t],
            ),
            1,
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/telescoping',
      tier: 'search',
      statement: 'with one loss for all records ∇_t = ∇f(x_t), whatever the noise',
      power: 'the point before the last in place of the last',
      run: () =>
        steps(instances('telescoping', 'common', 1), ({ nabla, x }, t, { losses }) =>
          farApart(`∇ at step ${t}`, nabla[t], losses[0].gradient(x[t]), t + 1),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/linear-losses',
      tier: 'search',
      statement: 'for linear losses ∇_t is the mean of the gradients of all records so far',
      power: 'batches that are averaged over one record less',
      run: () =>
        steps(instances('linear', 'linear'), ({ nabla, x }, t, { losses, batches }) =>
          farApart(
            `∇ at step ${t}`,
            nabla[t],
            meanOf(batches.slice(0, t + 1).flatMap((batch) => batch.map((i) => losses[i].gradient(x[0])))),
            1,
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/quadratic-losses',
      tier: 'search',
      statement: 'for ½‖x − a‖² it is x_t less the mean of all a so far',
      power: 'as for row 4',
      run: () => {
        const unit = instances('quadratics', 'quadratic').map((instance) => {
          const centers = instance.losses.map(({ gradient }) => gradient(instance.start ?? []));
          return { instance, centers };
        });
        return judge(
          unit.length,
          first(
            ...unit.flatMap(({ instance, centers }) => {
              const losses = centers.map((center) => ({
                value: (at: ArrayLike<number>) => squaredNorm(minus(at, center)) / 2,
                gradient: (at: ArrayLike<number>) => minus(at, center),
              }));
              const { nabla, x } = pathOf(subject, { ...instance, losses });
              return x.map((point, t) =>
                farApart(
                  `∇ at step ${t}`,
                  nabla[t],
                  minus(
                    point,
                    meanOf(instance.batches.slice(0, t + 1).flatMap((batch) => batch.map((i) => centers[i]))),
                  ),
                  t + 1,
                ),
              );
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/error-identity',
      tier: 'search',
      statement: 'q_t = (1/(Bη_t)) Σ_{i ≤ t} Σ_{d in batch i} (Δ_i(d) − E Δ_i(d)) for a finite population',
      power: 'differences whose weights are one too large',
      run: () =>
        steps(instances('identity', 'quadratic'), ({ nabla, x }, t, { losses, batches }) => {
          const risk = averageOf(losses);
          const differenceOf = (loss: typeof risk, i: number): number[] =>
            plus(
              loss.gradient(x[i]).map((one) => (i + 1) * one),
              -i,
              loss.gradient(x[Math.max(0, i - 1)]),
            );
          const centred = batches
            .slice(0, t + 1)
            .flatMap((batch, i) =>
              batch.map((record) => minus(differenceOf(losses[record], i), differenceOf(risk, i))),
            );
          return farApart(
            `q at step ${t}`,
            minus(nabla[t], risk.gradient(x[t])),
            meanOf(centred).map((one) => (one * centred.length) / (batches[0].length * (t + 1))),
            t + 1,
          );
        }),
    }),
    defineClaimCheck({
      id: 'choquette-choo/error-variance',
      tier: 'exact',
      statement: 'for linear losses E‖q_t‖² = V/(B(t + 1)), over all draws of three batches of two records',
      power: 'a batch that is used twice',
      run() {
        const slopes = [
          [1, 0],
          [-0.5, 0.3],
          [0.2, -1],
        ];
        const mean = meanOf(slopes);
        const V = slopes.reduce((sum, g) => sum + squaredNorm(minus(g, mean)) / 3, 0);
        const squares = [0, 0, 0];
        for (let draw = 0; draw < 3 ** 6; draw++) {
          const records = each(6, (k) => Math.floor(draw / 3 ** k) % 3);
          const { nabla } = pathOf(subject, {
            dimension: 2,
            losses: slopes.map(linearLoss),
            batches: [records.slice(0, 2), records.slice(2, 4), records.slice(4)],
            noise: each(3, () => [0, 0]),
            beta: 2,
            zScale: 1,
          });
          nabla.forEach((one, t) => (squares[t] += squaredNorm(minus(one, mean)) / 3 ** 6));
        }
        return judge(
          3 ** 6,
          first(...squares.map((square, t) => differs(`E‖q‖² at step ${t}`, square, V / (2 * (t + 1))))),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/coupling',
      tier: 'search',
      statement:
        '(1 − τ_t)(y_t − x_t) = τ_t(x_t − z_t) for the points of a run, whose y and z are the listing’s',
      power: 'a coupling that is one step late',
      run: () =>
        steps(instances('coupling', 'quadratic'), ({ x, y, z }, t) =>
          t === 0
            ? undefined
            : farApart(
                `the point of step ${t}`,
                minus(y[t], x[t]).map((one) => (1 - 2 / (t + 2)) * one),
                minus(x[t], z[t]).map((one) => (2 / (t + 2)) * one),
                1,
              ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/gradient-count',
      tier: 'search',
      statement: 'a run takes 2n − B gradients, at two points of one step each, and says so in its plan',
      power: 'two gradients in the first batch',
      run: () => {
        const given = instances('count', 'quadratic');
        return judge(
          given.length,
          first(
            ...given.map((instance) => {
              const n = instance.batches.flat().length;
              return differs(
                'gradients',
                pathOf(subject, instance).gradients,
                2 * n - instance.batches[0].length,
                0,
              );
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/gradient-size',
      tier: 'search',
      statement: '‖∇_t‖ is at most the largest of ‖Δ_i‖, i ≤ t',
      power: 'sums that are divided by t in place of t + 1',
      run: () =>
        steps(instances('size', 'quadratic'), ({ noisy, asked }, t, { noise, beta }) => {
          const exact = plus([...noisy[t]], beta / (t + 1), noise[t]);
          return above(
            `‖∇‖ at step ${t}`,
            Math.sqrt(squaredNorm(exact)),
            Math.max(...asked.slice(0, t + 1).map((one) => Math.sqrt(squaredNorm(one)))),
            1e-9,
          );
        }),
    }),
    defineClaimCheck({
      id: 'choquette-choo/halved-weights',
      tier: 'search',
      statement: 'mirror scale 1/2 is the printed listing with weights (t + 1)/2, and clip and noise halved',
      power: 'mirror scale 1 in its place',
      run: () => {
        const given = instances('halved', 'quadratic').map((one) => ({
          ...one,
          zScale: 0.5 as const,
          clipNorm: 0.3,
        }));
        return judge(
          given.length,
          first(
            ...given.map((instance) =>
              farApart('the output', pathOf(subject, instance).output, halvedListing(instance), 1),
            ),
          ),
        );
      },
    }),
  ];
}

/** Algorithm 1 as printed, with weights `(t + 1)/2` and halved clip norm and noise, in the unit ball. */
function halvedListing({
  losses,
  batches,
  noise,
  beta,
  clipNorm = Infinity,
  start = [],
}: Instance): number[] {
  const project = (v: readonly number[]): number[] => {
    const size = Math.sqrt(squaredNorm(v));
    return size > 1 ? v.map((one) => one / size) : [...v];
  };
  let [x, before, y, z] = [project(start), project(start), project(start), project(start)];
  let S = start.map(() => 0);
  for (const [t, batch] of batches.entries()) {
    for (const record of batch) {
      const u = plus(
        losses[record].gradient(x).map((one) => ((t + 1) / 2) * one),
        -t / 2,
        losses[record].gradient(before),
      );
      const size = Math.sqrt(squaredNorm(u));
      S = plus(S, Math.min(1, clipNorm / 2 / Math.max(size, 1e-300)) / batch.length, u);
    }
    const eta = (t + 1) / 2;
    const b = noise[t].map((one) => one / 2);
    z = project(plus(plus(z, -1 / beta, S), 1, b));
    y = project(plus(plus(x, -1 / (beta * eta), S), 1 / eta, b));
    before = x;
    x = plus(y, 2 / (t + 3), minus(z, y));
  }
  return y;
}
