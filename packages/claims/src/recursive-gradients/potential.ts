import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { boxDomain } from '@lethe/mechanisms';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { norm, squaredNorm } from '../common/vectors.js';
import {
  averageOf,
  distance,
  drawnInstance,
  drawsOf,
  inner,
  linearLoss,
  minus,
  pathOf,
  plus,
  quadratic,
  type Instance,
  type Path,
  type RecordLoss,
} from './paths.js';
import type { RecursiveGradientsSubject } from './subject.js';

/** One step of a run, as the potential argument sees it, for a risk with smoothness 1 in the unit ball. */
interface Step {
  readonly t: number;
  readonly beta: number;
  readonly zScale: number;
  readonly weight: number;
  readonly sum: number;
  /** `ΔΦ_t` for the coefficient `β/(2s)`, and for a printed one. */
  readonly drop: (coefficient?: number) => number;
  /** `q_t`, `q̃_t`, `b_t`, `∇_t`. */
  readonly q: readonly number[];
  readonly qNoisy: readonly number[];
  readonly b: readonly number[];
  readonly nabla: readonly number[];
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly zBefore: readonly number[];
  readonly z: readonly number[];
  readonly comparator: readonly number[];
  readonly risk: RecordLoss;
}

const diameter = 2;

function stepsOf(subject: RecursiveGradientsSubject, instance: Instance, name: string): readonly Step[] {
  const path: Path = pathOf(subject, instance);
  const risk = averageOf(instance.losses);
  const draws = drawsOf(name);
  const comparator = draws.vector(instance.dimension, draws.uniform(0, 1));
  const { beta, zScale, noise } = instance;
  return path.x.map((x, t) => {
    const potential = (at: number, coefficient: number): number =>
      ((at * (at + 1)) / 2) * (risk.value(path.y[at]) - risk.value(comparator)) +
      coefficient * distance(path.z[at], comparator) ** 2;
    return {
      t,
      beta,
      zScale,
      weight: t + 1,
      sum: ((t + 1) * (t + 2)) / 2,
      drop: (coefficient = beta / (2 * zScale)) => potential(t + 1, coefficient) - potential(t, coefficient),
      q: minus(path.nabla[t], risk.gradient(x)),
      qNoisy: minus(path.noisy[t], risk.gradient(x)),
      b: noise[t],
      nabla: path.nabla[t],
      x,
      y: path.y[t + 1],
      zBefore: path.z[t],
      z: path.z[t + 1],
      comparator,
      risk,
    };
  });
}

const count = 60;
/** The modes in which the potential is proved to drop: A, B and C. */
const modes = [
  { zScale: 1, betaOf: (rounds: number) => (rounds + 1) / 2 },
  { zScale: 0.5, betaOf: () => 1 },
  { zScale: 0.25, betaOf: () => 1 },
] as const;
const small = { zScale: 0.5, betaOf: () => 2 } as const;

/** Rows 11 to 20 and 51: the potential, its bounds, and what follows for the risk. */
export function potentialChecks(subject: RecursiveGradientsSubject): readonly ClaimCheck[] {
  const { potentialDrop, riskAfter, likelyRisk, l2Ball, box, logistic } = subject;
  const all = (
    name: string,
    given: readonly { readonly zScale: 1 | 0.5 | 0.25; readonly betaOf: (rounds: number) => number }[],
    of: (step: Step, instance: Instance) => Violation | undefined,
  ) =>
    judge(
      count * given.length,
      first(
        ...given.flatMap((mode, m) =>
          each(count, (i) => {
            const instance = drawnInstance(`${name}/${m}/${i}`, { kind: 'quadratic', noise: 0.3, ...mode });
            return first(...stepsOf(subject, instance, `${name}/x/${i}`).map((step) => of(step, instance)));
          }),
        ),
      ),
    );
  return [
    defineClaimCheck({
      id: 'choquette-choo/projections',
      tier: 'search',
      statement: '⟨w − Πw, c − Πw⟩ ≤ 0 for c in the set, and projections do not expand: ball and box',
      power: 'a ball that scales points to half its radius',
      run() {
        const draws = drawsOf('projections');
        return judge(
          300,
          first(
            ...each(300, (i) => {
              const dimension = 1 + draws.index(4);
              const set =
                i % 2 === 0
                  ? l2Ball({ dimension, radius: 1 })
                  : box({
                      lower: new Float64Array(dimension).fill(-0.4),
                      upper: new Float64Array(dimension).fill(0.7),
                    });
              const at = (size: number): Float64Array => Float64Array.from(draws.vector(dimension, size));
              const [w, u] = [at(draws.uniform(0, 3)), at(draws.uniform(0, 3))];
              const projected = (v: Float64Array) => set.projectInto(new Float64Array(dimension), v);
              const inside = projected(at(draws.uniform(0, 3)));
              return first(
                above(
                  'the inner product',
                  inner(minus(w, projected(w)), minus(inside, projected(w))),
                  0,
                  1e-12,
                ),
                above('a distance', distance(projected(w), projected(u)), distance(w, u), 1e-12),
              );
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/projection-gap',
      tier: 'search',
      statement: '‖y_{t+1} − x_t‖ ≤ ‖∇̃_t‖/β, which is at most ‖∇_t‖/β + ‖b_t‖/η_t',
      power: 'steps of y that are twice as long',
      run: () =>
        all('gap', modes, ({ x, y, nabla, b, beta, weight, qNoisy, risk }) => {
          const noisy = plus([...qNoisy], 1, risk.gradient(x));
          return first(
            above('the step of y', distance(y, x), norm(noisy) / beta, 1e-10),
            above('the gradient', norm(noisy) / beta, norm(nabla) / beta + norm(b) / weight, 1e-10),
          );
        }),
    }),
    defineClaimCheck({
      id: 'choquette-choo/potential',
      tier: 'search',
      statement:
        'the change of the potential is at most −η_{0:t}⟨q̃, y − x⟩ − η⟨q̃, z − x°⟩ + [βη²/(2η_{0:t}) − ' +
        'β/(2s)]‖z′ − z‖² − η_{0:t}[β‖v − y‖²/2 + (β − M)‖y − x‖²/2], for every s and β ≥ M',
      power: 'noise of z of another scale than that of y',
      run: () =>
        all(
          'potential',
          ([1, 0.5, 0.25] as const).map((zScale) => ({ zScale, betaOf: () => 1 })),
          ({ weight, sum, beta, zScale, drop, qNoisy, x, y, z, zBefore, comparator }) => {
            const v = plus([...x], weight / sum, minus(z, zBefore));
            const bound =
              -sum * inner(qNoisy, minus(y, x)) -
              weight * inner(qNoisy, minus(zBefore, comparator)) +
              ((beta * weight ** 2) / (2 * sum) - beta / (2 * zScale)) * squaredNorm(minus(z, zBefore)) -
              sum * ((beta / 2) * squaredNorm(minus(v, y)) + ((beta - 1) / 2) * squaredNorm(minus(y, x)));
            return above('the change of the potential', drop(), bound, 1e-9 * (1 + beta * sum));
          },
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/drop-with-gradients',
      tier: 'search',
      statement:
        'in modes A, B and C it is at most η_{0:t}[‖q‖‖∇‖/β ' +
        '+ ‖q‖‖b‖/η + ‖b‖‖∇‖/η + β‖b‖²/η²] + η‖q‖D + β‖b‖D',
      power: 'mirror scale 1 with β below the smoothness times T',
      run: () =>
        all('gradients', modes, ({ weight, sum, beta, drop, q, b, nabla }) => {
          const [error, noise, gradient] = [norm(q), norm(b), norm(nabla)];
          const bound =
            sum *
              ((error * gradient) / beta +
                (error * noise) / weight +
                (noise * gradient) / weight +
                (beta * noise ** 2) / weight ** 2) +
            weight * error * diameter +
            beta * noise * diameter;
          return above('the change of the potential', drop(), bound, 1e-9 * (1 + beta * sum));
        }),
    }),
    defineClaimCheck({
      id: 'choquette-choo/drop-by-errors',
      tier: 'search',
      statement:
        'it is at most η_{0:t}‖q̃‖²/(2C_t) − η⟨q̃, z − x°⟩, C_t = β − M for s ≤ 1/2, and 2β/(t + 2) − M ' +
        'for s = 1; and for s ≤ 1/2, β ≥ 2M at most what Lemma 4 prints',
      power: 'C_t = β for all scales',
      run() {
        const byErrors = all(
          'errors',
          [{ zScale: 1, betaOf: (rounds) => 0.55 * (rounds + 1) }, ...modes.slice(1)],
          ({ t, weight, sum, beta, zScale, drop, qNoisy, zBefore, comparator }) => {
            const divisor = potentialDrop({ beta, smoothness: 1, zScale: zScale as 1 }, t);
            const bound =
              (sum * squaredNorm(qNoisy)) / (2 * divisor) -
              weight * inner(qNoisy, minus(zBefore, comparator));
            return above('the change of the potential', drop(), bound, 1e-9 * (1 + beta * sum));
          },
        );
        if (byErrors.verdict !== 'holds') return byErrors;
        return all('lemma 4', [small, { ...small, zScale: 0.25 }], (step) => lemmaFour(step, undefined));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/lemma-4',
      tier: 'exact',
      statement:
        'for mirror scale 1/2 the potential with coefficient ' +
        'β falls where there is no noise: F = (x − 1)²/4, β = 1',
      power: 'mirror scale 1',
      run: () => judge(3, firstRise(stepsOf(subject, slowParabola(0.5), 'e3'), undefined)),
    }),
    defineClaimCheck({
      id: 'choquette-choo/lemma-4-printed',
      tier: 'exact',
      statement: 'the same for the printed step of z and coefficient 2β',
      run: () => judge(3, firstRise(stepsOf(subject, slowParabola(1), 'e3'), 2)),
    }),
    defineClaimCheck({
      id: 'choquette-choo/risk-certificate',
      tier: 'search',
      statement: 'F(y_T) − F(x°) ≤ [Σ of the bounds on the changes + β‖z₀ − x°‖²/(2s)]/(T(T + 1)/2)',
      power: 'a sum that is divided by the weights of one step more',
      run() {
        const found = modes.flatMap((mode, m) =>
          each(count, (i) => {
            const instance = drawnInstance(`risk/${m}/${i}`, { kind: 'quadratic', noise: 0.3, ...mode });
            const steps = stepsOf(subject, instance, `risk/x/${i}`);
            const { comparator, risk } = steps[0];
            const rounds = steps.length;
            const bound = riskAfter(
              {
                rounds,
                beta: instance.beta,
                zScale: instance.zScale,
                smoothness: 1,
                diameter,
                startDistance: distance(steps[0].zBefore, comparator),
              },
              (t) => norm(steps[t].qNoisy),
            );
            const last = steps[rounds - 1].y;
            return above('the excess risk', risk.value(last) - risk.value(comparator), bound, 1e-9);
          }),
        );
        return judge(found.length, first(...found, ...tightRuns(subject).map(({ over }) => over)));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/noise-free-rate',
      tier: 'exact',
      statement: 'without noise F(y_T) − F* ≤ βD²/(sT(T + 1)), which Huber losses come within 1 % of',
      power: 'a bound twice as large, or half',
      run() {
        const runs = tightRuns(subject);
        return judge(
          runs.length,
          first(
            ...runs.map(({ over }) => over),
            above('99 % of the bound', 0.99, Math.max(...runs.map(({ share }) => share))),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/self-bounding',
      tier: 'search',
      statement:
        '‖∇F(x)‖² ≤ 2M(F(x) − inf F) for quadratics, and for the logistic loss at the smoothness it declares',
      power: 'a smoothness that is declared half as large',
      run() {
        const draws = drawsOf('self-bounding');
        const { smoothness } = logistic.facts({}, { columns: 1, featureNorm: 1 });
        const cases = each(300, (i) => {
          if (i % 2 === 0) {
            const loss = quadratic([draws.uniform(0, 1), draws.uniform(0, 1)], [0.3, -0.2]);
            const at = draws.vector(2, draws.uniform(0, 3));
            return above('the square', squaredNorm(loss.gradient(at)), 2 * loss.value(at), 1e-12);
          }
          const margin = draws.uniform(-3, 8);
          const { linear } = logistic;
          const value = logistic.value({}, Float64Array.of(margin), {
            features: Float64Array.of(1),
            label: 1,
          });
          const slope = linear?.slope({}, margin, 1) ?? Number.NaN;
          return above('the square', slope ** 2, 2 * (smoothness?.value ?? 0) * value, 1e-12);
        });
        return judge(cases.length, first(...cases));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/lemma-5',
      tier: 'search',
      statement:
        'η_{0:t}(F(y) − F(x)) + η⟨∇, z − z′⟩ − (β/(2s))‖z′ − z‖² ≤ −η_{0:t}⟨q, y − x⟩ + ‖∇‖‖b‖/τ + ' +
        'β‖b‖²/(ητ) + β‖b‖D, in modes A, B and C',
      power: 'half of the diameter',
      run: () =>
        all('lemma 5', modes, ({ weight, sum, beta, zScale, risk, x, y, z, zBefore, nabla, q, b }) => {
          const share = weight / sum;
          const left =
            sum * (risk.value(y) - risk.value(x)) +
            weight * inner(nabla, minus(zBefore, z)) -
            (beta / (2 * zScale)) * squaredNorm(minus(z, zBefore));
          const right =
            -sum * inner(q, minus(y, x)) +
            (norm(nabla) * norm(b)) / share +
            (beta * squaredNorm(b)) / (weight * share) +
            beta * norm(b) * diameter;
          return above('the left side', left, right, 1e-9 * (1 + beta * sum));
        }),
    }),
    defineClaimCheck({
      id: 'choquette-choo/lemma-5-printed',
      tier: 'exact',
      statement: 'a recursive gradient is no longer than the Lipschitz constant of the losses',
      run() {
        // f₁ has slope 1, f₂ slope 0 at x₀ and 1 at x₁, to which noise moves.
        const second: RecordLoss = {
          value: (at) => (at[0] <= 0 ? 0 : at[0] - 0.5),
          gradient: (at) => [Math.max(0, Math.min(1, at[0]))],
        };
        const { nabla } = pathOf(subject, {
          dimension: 1,
          losses: [linearLoss([1]), second],
          batches: [[0], [1]],
          noise: [[3], [3]],
          beta: 1,
          zScale: 1,
        });
        return judge(1, above('‖∇₁‖', norm(nabla[1]), 1));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/likely-risk',
      tier: 'search',
      statement:
        'F(y_t) − F* ≤ E(t) for all errors of gradients up to ρ/√(t + 1) and noise up to b, s = 1/2, β ≥ 2M',
      power: 'E(t) without its third term',
      run() {
        const [sampling, noise] = [0.4, 0.03];
        const found = each(2 * count, (i) => {
          const drawn = drawnInstance(`likely/${i}`, { kind: 'common', ...small });
          const draws = drawsOf(`likely/q/${i}`);
          // Errors in one direction, the worst that they may be.
          const direction = draws.vector(drawn.dimension, 1);
          const moved = drawn.batches.map((_, t) =>
            direction.map((one) => one * (noise + ((t + 1) * sampling) / (drawn.beta * Math.sqrt(t + 1)))),
          );
          const { y } = pathOf(subject, { ...drawn, noise: moved });
          const [risk] = drawn.losses;
          const least = leastInBall(risk, drawn.dimension);
          return first(
            ...y
              .slice(1)
              .map((point, k) =>
                above(
                  `the excess risk of y_${k + 1}`,
                  risk.value(point) - least,
                  likelyRisk({ beta: drawn.beta, diameter }, { sampling, noise }, k + 1),
                ),
              ),
          );
        });
        return judge(found.length, first(...found, likelyTerms(likelyRisk)));
      },
    }),
  ];
}

/** The right side that Lemma 4 prints, with `‖q‖` for its bound on it. */
function lemmaFour(
  { weight, sum, beta, drop, q, b, risk, x }: Step,
  coefficient: number | undefined,
): Violation | undefined {
  const [error, noise, gradient] = [norm(q), norm(b), norm(risk.gradient(x))];
  const bound =
    sum *
    ((2 * error * (gradient + error)) / beta +
      (3 * error * noise) / weight +
      (error * weight * diameter) / sum +
      (3 * beta * noise * diameter) / sum +
      (beta * noise ** 2) / weight ** 2);
  return above('the change of the potential', drop(coefficient), bound, 1e-9 * (1 + beta * sum));
}

/** `F(x) = (x − 1)²/4` on [−10, 10] from 0, without noise. */
const slowParabola = (zScale: 1 | 0.5): Instance => ({
  dimension: 1,
  losses: [quadratic([0.5], [1])],
  batches: [[0], [0], [0]],
  noise: [[0], [0], [0]],
  beta: 1,
  zScale,
  domain: wideInterval(),
});
const wideInterval = (): NonNullable<Instance['domain']> => {
  const ref = boxDomain({ lower: -10, upper: 10 });
  return {
    ref,
    set: {
      projectInto: (out: Float64Array, point: Float64Array) => {
        out[0] = Math.max(-10, Math.min(10, point[0]));
        return out;
      },
    },
  };
};

/** The first rise of the potential about the minimiser 1. */
function firstRise(steps: readonly Step[], coefficient: number | undefined): Violation | undefined {
  return first(
    ...steps.map(({ t, beta, zScale, risk, z, zBefore, y }, k) => {
      const factor = coefficient ?? beta / (2 * zScale);
      const before = k === 0 ? 0 : ((t * (t + 1)) / 2) * risk.value(steps[k - 1].y);
      const after = (((t + 1) * (t + 2)) / 2) * risk.value(y) + factor * (z[0] - 1) ** 2;
      return above('the potential', after, before + factor * (zBefore[0] - 1) ** 2, 1e-12);
    }),
  );
}

/** Runs on a Huber loss of slope `λk` around 1, from 0, whose last point is nearly as bad as it may be. */
function tightRuns(
  subject: RecursiveGradientsSubject,
): readonly { readonly over: Violation | undefined; readonly share: number }[] {
  return ([0.5, 1] as const).flatMap((zScale) =>
    [5, 60, 400].flatMap((rounds) =>
      [1.32, 1.85, 1.95, 1.985].map((factor) => {
        const beta = zScale === 1 ? (rounds + 1) / 2 : 1;
        const curvature = 0.98;
        // The slope at which the minimum is only just not reached.
        const width = (factor * beta) / (zScale * curvature * rounds * (rounds + 1));
        const huber: RecordLoss = {
          value: ([at]: ArrayLike<number> & Iterable<number>) => {
            const gap = Math.abs(at - 1);
            return gap <= width ? (curvature * gap ** 2) / 2 : curvature * width * (gap - width / 2);
          },
          gradient: (at) => [curvature * Math.max(-width, Math.min(width, at[0] - 1))],
        } as RecordLoss;
        const { output } = pathOf(subject, {
          dimension: 1,
          losses: [huber],
          batches: each(rounds, () => [0]),
          noise: each(rounds, () => [0]),
          beta,
          zScale,
          domain: wideInterval(),
        });
        const bound = subject.riskAfter(
          { rounds, beta, zScale, smoothness: curvature, diameter: 1, startDistance: 1 },
          () => 0,
        );
        const gap = huber.value(output);
        return { over: above('the excess risk', gap, bound), share: gap / bound };
      }),
    ),
  );
}

/** The least value of a quadratic in the unit ball, by projected gradient steps. */
function leastInBall(risk: RecordLoss, dimension: number): number {
  let x: number[] = each(dimension, () => 0).slice();
  for (let i = 0; i < 4000; i++) {
    x = plus(x, -1, risk.gradient(x));
    const size = norm(x);
    if (size > 1) x = x.map((one) => one / size);
  }
  return risk.value(x);
}

/** The closed form, term by term. */
function likelyTerms(likelyRisk: RecursiveGradientsSubject['likelyRisk']): Violation | undefined {
  const [beta, D, t] = [3, 2, 4];
  const at = (sampling: number, noise: number): number =>
    likelyRisk({ beta, diameter: D }, { sampling, noise }, t);
  const harmonic = 1 + 1 / 2 + 1 / 3 + 1 / 4;
  const start = (2 * beta * D ** 2) / (t * (t + 1));
  return first(
    differs('E(4) of the start', at(0, 0), start),
    differs(
      'E(4) of errors',
      at(0.5, 0) - start,
      (0.25 * (t + 3)) / ((t + 1) * beta) + ((4 / 3) * 0.5 * D * Math.sqrt(t + 1)) / t,
    ),
    differs(
      'E(4) of noise',
      at(0, 0.5) - start,
      (2 * beta * 0.25 * (1 + harmonic / t)) / (t + 1) + (2 * beta * 0.5 * D) / (t + 1),
    ),
  );
}
