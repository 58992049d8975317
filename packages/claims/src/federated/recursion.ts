import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { norm, squaredNorm } from '../common/vectors.js';
import { averageOf, distance, drawsOf, inner, minus, plus, quadratic } from '../recursive-gradients/paths.js';
import { drawnRuns, mu2Path, projectedStep, zeros, type Mu2Instance, type Mu2Path } from './paths.js';
import type { FederatedSubject } from './subject.js';

const farApart = (
  what: string,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  size: number,
): Violation | undefined => above(what, distance(a, b), 1e-10 * (1 + size), 0);
const meanOf = (points: readonly (readonly number[])[]): number[] =>
  points[0].map((_, j) => points.reduce((sum, point) => sum + point[j], 0) / points.length);
const sumOf = (points: readonly (readonly number[])[]): number[] =>
  points[0].map((_, j) => points.reduce((sum, point) => sum + point[j], 0));

/**
 * Rows 1 to 11, 44 to 46, 49, 54, 55, 58 and 59: weights, averages, momentum, and what holds on every path.
 */
export function recursionChecks(subject: FederatedSubject): readonly ClaimCheck[] {
  const { incrementTerms } = subject;
  /** The first violation among all rounds of all instances. */
  const rounds = (
    given: readonly Mu2Instance[],
    of: (path: Mu2Path, t: number, instance: Mu2Instance) => Violation | undefined,
    method: 'private' | 'plain' = 'private',
  ) =>
    judge(
      given.length,
      first(
        ...given.flatMap((instance) => {
          const path = mu2Path(subject, instance, method);
          return path.x.map((_, k) => of(path, k + 1, instance));
        }),
      ),
    );
  const riskOf = ({ losses }: Mu2Instance) => averageOf(losses);
  /** The mean gradient of the records of round `t` at a point. */
  const gradientAt = ({ losses, batches }: Mu2Instance, t: number, at: readonly number[]): number[] =>
    meanOf(batches[t - 1].map((record) => losses[record].gradient(at)));
  /** Points of the unit ball. */
  const points = (dimension: number): readonly number[][] => [
    zeros(dimension),
    ...each(4, (i) => drawsOf(`at/${i}`).vector(dimension, 1)),
  ];
  const search = (
    name: string,
    statement: string,
    power: string,
    run: () => ReturnType<typeof judge>,
  ): ClaimCheck => defineClaimCheck({ id: `reshef-levy/${name}`, tier: 'search', statement, power, run });

  return [
    defineClaimCheck({
      id: 'reshef-levy/weights',
      tier: 'exact',
      statement: 'gradients of round t weigh α_t = t and (1 − β_t)α_t = α_(t−1), for t up to 10⁴',
      power: 'weights t + 1',
      run() {
        const at = Float64Array.of(0);
        const state = { x: at, xBefore: at, w: at, q: at };
        let sum = 0;
        let wrong: Violation | undefined;
        for (let t = 1; t <= 1e4 && wrong === undefined; t++) {
          const [now, before] = incrementTerms(t, state);
          sum += now.weight;
          wrong = first(
            differs('α_t', now.weight, t, 0),
            differs('α_(t−1)', -(before?.weight ?? 0), (1 - 1 / t) * t, 1e-12),
            differs('α_(1:t)/α_(1:t+1)', sum / (sum + t + 1), t / (t + 2), 1e-12),
          );
        }
        return judge(1e4, wrong);
      },
    }),
    search(
      'averages',
      'x_t = Σ τ w_τ/α_(1:t) is in the domain, for the projected steps w of the sums a run was told',
      'averages of the step before',
      () =>
        rounds(drawnRuns('averages', 'quadratic'), ({ x, told }, t, instance) => {
          const w = [x[0]];
          for (let k = 1; k < t; k++) w.push(projectedStep(instance, w[k - 1], told[k - 1]));
          const mean = sumOf(w.map((one, k) => one.map((entry) => ((k + 1) * entry * 2) / (t * (t + 1)))));
          return first(
            farApart(`x of round ${t}`, x[t - 1], mean, 1),
            above('‖x‖', norm(x[t - 1]), 1, 1e-12),
          );
        }),
    ),
    search(
      'step-identity',
      '(t − 1)(x_t − x_(t−1)) = 2(w_t − x_t) and t x_t − (t − 1)x_(t−1) = 2w_t − x_t, for w by projected ' +
        'steps',
      'averages of the step before',
      () =>
        rounds(drawnRuns('steps', 'quadratic'), ({ x, w, told }, t, instance) => {
          if (t === 1) return undefined;
          const wanted = projectedStep(instance, w[t - 2], told[t - 2]);
          return first(
            farApart(
              '2(w − x)',
              minus(x[t - 1], x[t - 2]).map((one) => (t - 1) * one),
              minus(wanted, x[t - 1]).map((one) => 2 * one),
              t,
            ),
            farApart(
              '2w − x',
              plus(
                x[t - 1].map((one) => t * one),
                1 - t,
                x[t - 2],
              ),
              plus(
                wanted.map((one) => 2 * one),
                -1,
                x[t - 1],
              ),
              t,
            ),
          );
        }),
    ),
    search('momentum', 't d_t of Equation 6 is the sum q_t of Equation 8', 'weights one too large', () =>
      judge(
        30,
        first(
          ...drawnRuns('momentum', 'quadratic').flatMap((instance) => {
            const { x, q } = mu2Path(subject, instance);
            let d = zeros(instance.dimension);
            return x.map((point, k) => {
              const old = k === 0 ? d : minus(d, gradientAt(instance, k + 1, x[k - 1]));
              d = plus(gradientAt(instance, k + 1, point), k / (k + 1), old);
              return farApart(
                `q of round ${k + 1}`,
                q[k],
                d.map((one) => (k + 1) * one),
                k,
              );
            });
          }),
        ),
      ),
    ),
    search(
      'sum-of-increments',
      'q_t = Σ s_τ, each of the records of its own round',
      'the old point of another round',
      () =>
        rounds(drawnRuns('sums', 'quadratic'), ({ x, q }, t, instance) =>
          farApart(
            `q of round ${t}`,
            q[t - 1],
            sumOf(
              x.slice(0, t).map((point, k) => {
                const now = gradientAt(instance, k + 1, point);
                return k === 0 ? now : plus(now, k, minus(now, gradientAt(instance, k + 1, x[k - 1])));
              }),
            ),
            t,
          ),
        ),
    ),
    search(
      'errors-of-sums',
      'q_t − t∇f(x_t) = Σ (s_τ − s̄_τ) for the mean over a finite population',
      'the weight t left out',
      () =>
        rounds(drawnRuns('errors', 'quadratic'), ({ x, q }, t, instance) => {
          const { gradient } = riskOf(instance);
          const centred = x.slice(0, t).map((point, k) => {
            const mean = plus(
              gradient(point).map((one) => (k + 1) * one),
              -k,
              gradient(x[k - 1] ?? point),
            );
            const now = gradientAt(instance, k + 1, point);
            const s = k === 0 ? now : plus(now, k, minus(now, gradientAt(instance, k + 1, x[k - 1])));
            return minus(s, mean);
          });
          return farApart(
            `ε of round ${t}`,
            minus(
              q[t - 1],
              gradient(x[t - 1]).map((one) => t * one),
            ),
            sumOf(centred),
            t,
          );
        }),
    ),
    search(
      'telescoping',
      'with one loss for all records q_t = t∇f(x_t), whatever the noise',
      'the point before the last',
      () =>
        rounds(drawnRuns('telescoping', 'common'), ({ x, q }, t, { losses }) =>
          farApart(
            `q of round ${t}`,
            q[t - 1],
            losses[0].gradient(x[t - 1]).map((one) => t * one),
            t,
          ),
        ),
    ),
    search('quadratic-sums', 'for (λ/2)‖x − z‖² it is λ(t x_t − Σ z_τ)', 'weights one too large', () => {
      const draws = drawsOf('centres');
      const centres = each(4, () => draws.vector(2, draws.uniform(0, 2)));
      const given = drawnRuns('closed', 'quadratic').map((instance, i): Mu2Instance => ({
        ...instance,
        dimension: 2,
        start: [0.1, 0.2],
        noise: each(instance.batches.length, () => draws.vector(2, 2)),
        losses: centres.map((centre) => quadratic([1 / (1 + i), 1 / (1 + i)], centre)),
      }));
      return judge(
        given.length,
        first(
          ...given.flatMap((instance, i) => {
            const { x, q } = mu2Path(subject, instance);
            return x.map((point, k) => {
              const seen = sumOf(
                instance.batches
                  .slice(0, k + 1)
                  .map((batch) => meanOf(batch.map((record) => centres[record]))),
              );
              return farApart(
                `q of round ${k + 1}`,
                q[k],
                plus(
                  point.map((one) => (k + 1) * one),
                  -1,
                  seen,
                ).map((one) => one / (1 + i)),
                k,
              );
            });
          }),
        ),
      );
    }),
    search(
      'linear-sums',
      'for linear losses s_τ is the mean slope of round τ and q_t their sum',
      'weights one too large',
      () =>
        rounds(drawnRuns('linear', 'linear'), ({ x, q }, t, instance) =>
          farApart(
            `q of round ${t}`,
            q[t - 1],
            sumOf(each(t, (k) => gradientAt(instance, k + 1, x[0])) as number[][]),
            t,
          ),
        ),
    ),
    search(
      'general-quadratics',
      's_t = A_z(2w_t − x_t) − b_z for quadratics',
      'averages of the step before',
      () =>
        rounds(drawnRuns('general', 'quadratic'), ({ x, s, told }, t, instance) => {
          const w = [x[0]];
          for (let k = 1; k < t; k++) w.push(projectedStep(instance, w[k - 1], told[k - 1]));
          const at = plus(
            w[t - 1].map((one) => 2 * one),
            -1,
            x[t - 1],
          );
          return farApart(`s of round ${t}`, s[t - 1], gradientAt(instance, t, at), t);
        }),
    ),
    search(
      'anytime',
      'Theorem 1: α_(1:t)(f(x_t) − f(x)) ≤ Σ τ⟨∇f(x_τ), w_τ − x⟩ on every path',
      'points that are no averages',
      () =>
        rounds(drawnRuns('anytime', 'quadratic', { noise: 10 }), ({ x, told }, t, instance) => {
          const { value, gradient } = riskOf(instance);
          const w = [x[0]];
          for (let k = 1; k < t; k++) w.push(projectedStep(instance, w[k - 1], told[k - 1]));
          return first(
            ...points(instance.dimension).map((to) =>
              above(
                `the weighted risk of round ${t}`,
                ((t * (t + 1)) / 2) * (value(x[t - 1]) - value(to)),
                w.reduce((sum, one, k) => sum + (k + 1) * inner(gradient(x[k]), minus(one, to)), 0),
                1e-9 * t * t,
              ),
            ),
          );
        }),
    ),
    search(
      'projected-steps',
      'Lemma 9: Σ ⟨q̃_τ, w_(τ+1) − x⟩ ≤ D²/(2η) − Σ ‖w_τ − w_(τ+1)‖²/(2η), from a start in the domain',
      'steps of another size',
      () =>
        rounds(drawnRuns('lemma-9', 'quadratic'), ({ w, told }, t, { dimension, stepSize }) =>
          first(
            ...points(dimension).map((to) => {
              const moves = each(t - 1, (k) => squaredNorm(minus(w[k], w[k + 1]))).reduce(
                (sum, one) => sum + one,
                0,
              );
              const products = each(t - 1, (k) => inner(told[k], minus(w[k + 1], to))).reduce(
                (sum, one) => sum + one,
                0,
              );
              return above(
                `the products up to ${t}`,
                products,
                squaredNorm(minus(w[0], to)) / (2 * stepSize) - moves / (2 * stepSize),
                1e-8 * t * t,
              );
            }),
          ),
        ),
    ),
    defineClaimCheck({
      id: 'reshef-levy/projected-steps-printed',
      tier: 'exact',
      statement: 'Lemma 9 for any start: on [0, 1] from 10, with sums of 0, step 1 and x = 1',
      run() {
        const set = subject.box({ lower: Float64Array.of(0), upper: Float64Array.of(1) });
        const [next] = set.projectInto(new Float64Array(1), Float64Array.of(10));
        return judge(1, above('the products', 0, 1 / 2 - (10 - next) ** 2 / 2));
      },
    }),
    search(
      'first-order',
      '⟨q̃_t + (w_(t+1) − w_t)/η, x − w_(t+1)⟩ ≥ 0 in the domain',
      'steps of another size',
      () =>
        rounds(drawnRuns('first-order', 'quadratic'), ({ w, told }, t, { dimension, stepSize }) =>
          w[t] === undefined
            ? undefined
            : first(
                ...points(dimension).map((to) =>
                  above(
                    '−⟨slope, x − w⟩',
                    -inner(
                      plus(told[t - 1] as number[], 1 / stepSize, minus(w[t], w[t - 1])),
                      minus(to, w[t]),
                    ),
                    0,
                    1e-8 * t,
                  ),
                ),
              ),
        ),
    ),
    search(
      'master',
      'α_(1:t)(f(x_t) − f(x)) ≤ D²/(2η) + (η/2)Σ‖q̃_τ‖² − Σ⟨ε_τ + Y_τ, w_τ − x⟩ on every path',
      'steps of another size',
      () =>
        rounds(drawnRuns('master', 'quadratic', { noise: 1 }), ({ x, w, told }, t, instance) => {
          const { value, gradient } = riskOf(instance);
          const { stepSize, dimension } = instance;
          return first(
            ...points(dimension).map((to) => {
              const rest = each(t, (k) => {
                const error = plus(told[k] as number[], -(k + 1), gradient(x[k]));
                return (stepSize / 2) * squaredNorm(told[k]) - inner(error, minus(w[k], to));
              }).reduce((sum, one) => sum + one, squaredNorm(minus(w[0], to)) / (2 * stepSize));
              return above(
                `the risk of round ${t}`,
                ((t * (t + 1)) / 2) * (value(x[t - 1]) - value(to)),
                rest,
                1e-9 * t * t,
              );
            }),
          );
        }),
    ),
    search(
      'from-messages',
      'x_1 … x_T follow from the noisy sums alone, for other data and the same sums',
      'a run that reads its noise',
      () =>
        judge(
          30,
          first(
            ...drawnRuns('messages', 'quadratic').flatMap((instance) => {
              const { x, told, output } = mu2Path(subject, instance);
              const batches = instance.batches.map((batch) => batch.map((record) => (record + 1) % 4));
              const other = mu2Path(subject, {
                ...instance,
                batches,
                noise: instance.noise.map((one) => one.map((y) => -y)),
                sums: told,
              });
              return [
                ...x.map((point, k) =>
                  above(`the move of x_${k + 1}`, distance(point, other.x[k]), 0, 1e-12 * (k + 1) ** 2),
                ),
                above('the move of the result', distance(output, other.output), 0, 1e-9),
                above('the result is x_T', distance(output, x[x.length - 1]), 0, 0),
              ];
            }),
          ),
        ),
    ),
    search(
      'gradient-count',
      'a run takes 2bT − b gradients, 2T − 1 of single records, and says so in its plan',
      'two gradients in the first round',
      () =>
        judge(
          30,
          first(
            ...drawnRuns('count', 'quadratic').flatMap((instance) => {
              const [T, b] = [instance.batches.length, instance.batches[0].length];
              const { gradients, planned } = mu2Path(subject, instance);
              return [
                differs('gradients', gradients, 2 * b * T - b, 0),
                differs('planned', planned.gradients, 2 * b * T - b, 0),
              ];
            }),
          ),
        ),
    ),
    search('no-noise', 'without noise the private run is μ²-SGD on batches', 'a step of another size', () =>
      judge(
        30,
        first(
          ...drawnRuns('no-noise', 'quadratic', { noise: 0 }).map((instance) =>
            farApart(
              'the result',
              mu2Path(subject, { ...instance, smoothness: 1 }).output,
              mu2Path(subject, instance, 'plain').output,
              1,
            ),
          ),
        ),
      ),
    ),
    search('reach', '‖x_t − x_(t−1)‖ ≤ 2D(1 + 2⁻⁴⁰)/(t + 1) for every noise', 'averages that forget', () =>
      rounds(drawnRuns('reach', 'quadratic', { noise: 100 }), ({ x }, t) =>
        t === 1
          ? undefined
          : above(`the move of round ${t}`, distance(x[t - 1], x[t - 2]), (4 / (t + 1)) * (1 + 2 ** -40), 0),
      ),
    ),
  ];
}
