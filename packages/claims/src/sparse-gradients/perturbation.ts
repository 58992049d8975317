import { seededRandom, type RandomSource, type Vector } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { box, defined, norm2, normalCdf, vectorNorm, wholeSpace, type Domain } from '@lethe/numerics';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { minus } from '../common/vectors.js';
import { average, gradientOf, problemOf, type Regularised } from './regularised.js';
import type { SparseGradientsSubject } from './subject.js';

const dimension = 8;
const sparsity = 2;
const records = 5;
const strengths = [0.05, 0.5, 3] as const;

/** A row with two entries of size 1/√2. */
function sparseRow(random: RandomSource): readonly number[] {
  const from = random.integer(dimension);
  const sign = random.integer(2) === 0 ? 1 : -1;
  return Array.from({ length: dimension }, (_, j) => {
    if (j === from) return Math.SQRT1_2;
    return j === (from + 3) % dimension ? sign * Math.SQRT1_2 : 0;
  });
}
const rowsOf = (seed: string): readonly (readonly number[])[] =>
  Array.from({ length: records }, (_, i) => sparseRow(seededRandom(`${seed} ${i}`)));
/** Rows 68 to 77 of the claims: minimisers, their noise, and the nearest point of the domain. */
export function perturbationChecks(subject: SparseGradientsSubject): readonly ClaimCheck[] {
  const { acceleratedGradient, minimiserSensitivity, empiricalRisk, largestEntry, l2Ball } = subject;
  const solved = (problem: Regularised): Vector =>
    acceleratedGradient.solve({ iterations: 600 }, problemOf(problem), 1e-12).point;
  const constants = (lambda: number, loss: Regularised['loss'], norm: 1 | 2) => ({
    lambda,
    lipschitz: 1,
    smoothness: loss === 'linear' ? 0 : 1,
    sparsity,
    dimension,
    records,
    norm,
    tolerance: 0,
  });
  const replaced = (lambda: number, loss: Regularised['loss'], norm: 1 | 2): number =>
    defined(minimiserSensitivity(constants(lambda, loss, norm))['replace-one']);
  const stability = (norm: 1 | 2): Violation | undefined =>
    first(
      ...strengths.flatMap((lambda) => {
        const flat = each(dimension, (j) => (j < sparsity ? 1 / Math.sqrt(sparsity) : 0));
        const opposite = flat.map((x) => 0 - x);
        const rest = rowsOf('rest').slice(1);
        const [here, there] = [flat, opposite].map((row) =>
          solved({ rows: [row, ...rest], lambda, loss: 'linear' }),
        );
        const name = norm === 1 ? 'l1' : 'l2';
        return [
          differs(
            `the distance of minimisers in ${name} for linear losses at λ = ${lambda}`,
            vectorNorm(minus(here, there), name),
            replaced(lambda, 'linear', norm),
            1e-7,
          ),
          ...each(12, (i) => {
            const rows = rowsOf(`curved ${i}`);
            const other = [...rows.slice(1), sparseRow(seededRandom(`other ${i}`))];
            const apart = minus(
              solved({ rows, lambda, loss: 'curved' }),
              solved({ rows: other, lambda, loss: 'curved' }),
            );
            return above(
              `the distance of minimisers in ${name} at λ = ${lambda}`,
              vectorNorm(apart, name),
              replaced(lambda, 'curved', norm),
            );
          }),
        ];
      }),
    );
  const onBall = (radius: number): readonly Domain[] => [
    l2Ball({ dimension, radius }),
    box({
      lower: new Float64Array(dimension).fill(-radius),
      upper: new Float64Array(dimension).fill(radius / 2),
    }),
    wholeSpace(dimension),
  ];
  /** Noised minimisers, as the algorithm has them. */
  const noised = (use: (run: Noised) => Violation | undefined): Violation | undefined =>
    first(
      ...[0.2, 2].flatMap((radius) =>
        onBall(radius).flatMap((domain) =>
          each(10, (i) => {
            const problem = { rows: rowsOf(`noised ${i}`), lambda: 0.1, loss: 'linear', domain } as const;
            const minimiser = solved(problem);
            const noise = seededRandom(`noise ${i}`)
              .gaussianInto(new Float64Array(dimension))
              .map((x) => x * 10 ** ((i % 4) - 2));
            const point = minimiser.map((x, j) => x + noise[j]);
            const nearest = defined(domain.nearestInMaxNormInto)(new Float64Array(dimension), point);
            return use({
              problem,
              minimiser,
              nearest,
              largest: vectorNorm(noise, 'linf'),
              what: `${domain.name}, ${i}`,
            });
          }),
        ),
      ),
    );
  return [
    defineClaimCheck({
      id: 'ghazi/minimiser-stability',
      tier: 'exact',
      statement:
        'minimisers of data sets that differ in a record are ' +
        '2L/(λn) apart at most in ℓ2, and linear losses attain it',
      power: 'a sensitivity of another size by 10⁻⁷, at three strengths',
      run: () => judge(39, stability(2)),
    }),
    defineClaimCheck({
      id: 'ghazi/minimiser-stability-l1',
      tier: 'exact',
      statement:
        'they are (2√s·L/(λn))(√2·H/λ + 1) apart at most in ℓ1, which linear losses attain and which is ' +
        'at most the printed (2√(2s)·L/(λn))(2H/λ + 1)',
      power: 'a sensitivity in ℓ2, or one without √s; one above the printed',
      run: () =>
        judge(
          42,
          first(
            stability(1),
            ...strengths.flatMap((lambda) => {
              const own = replaced(lambda, 'curved', 1);
              const front = (2 * Math.sqrt(sparsity)) / (lambda * records);
              return [
                differs(`the sensitivity at λ = ${lambda}`, own, front * (Math.SQRT2 / lambda + 1)),
                above(`the sensitivity at λ = ${lambda}`, own, Math.SQRT2 * front * (2 / lambda + 1)),
              ];
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/perturbation-noise',
      tier: 'exact',
      statement:
        'the printed variance 8L² ln(1.25/δ)/(λεn)² is Gaussian noise for 2L/(λn), and the printed ' +
        'Laplace scale is at least that for the ℓ1 sensitivity',
      power: 'a variance of 4 times that, as 4L/(λn) would have',
      run: () => {
        const at = {
          lambda: 0.1,
          lipschitz: 1,
          smoothness: 1,
          sparsity: 4,
          dimension: 10,
          records: 1000,
          tolerance: 0,
        };
        const sensitivity = (norm: 1 | 2): number =>
          defined(minimiserSensitivity({ ...at, norm })['replace-one']);
        return judge(
          2,
          first(
            differs(
              'the variance of the noise',
              ((sensitivity(2) * Math.sqrt(2 * Math.log(1.25 / 1e-6))) / 0.5) ** 2,
              0.04492369314969115,
            ),
            differs('the scale of the noise', sensitivity(1) / 0.5, 1.211370849898476),
            above('the scale of the noise', sensitivity(1) / 0.5, 2.3758787847867997),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/perturbation-noise-printed',
      tier: 'exact',
      statement:
        'the printed variance is enough for the sensitivity 4L/(λn) of the text: at ε = 1 and δ = 10⁻⁵ ' +
        'noise of that deviation over such a sensitivity has a δ above the target',
      run() {
        const target = 1e-5;
        const ratio = Math.sqrt(2 * Math.log(1.25 / target)) / 2;
        const delta = normalCdf(1 / (2 * ratio) - ratio) - Math.E * normalCdf(-1 / (2 * ratio) - ratio);
        return judge(1, above('δ at ε = 1', delta, target));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/first-order-condition',
      tier: 'exact',
      statement: 'on the whole space x_λ = −∇F(x_λ)/λ, so that its norm is at most L/λ',
      power: 'a point that is short of the minimiser by 10⁻⁵',
      run: () =>
        judge(
          30,
          first(
            ...strengths.flatMap((lambda) =>
              each(10, (i) => {
                const problem = { rows: rowsOf(`first ${i}`), lambda, loss: 'curved' } as const;
                const x = solved(problem);
                const gradient = gradientOf(problem, x);
                return first(
                  above(
                    'the residual',
                    norm2(x.map((entry, j) => entry + gradient[j] / lambda)),
                    1e-7 / lambda,
                  ),
                  above('the norm', norm2(x), 1 / lambda),
                );
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/regularised-risk',
      tier: 'exact',
      statement: 'F(x_λ) − F(x) ≤ (λ/2)‖x‖² for every x of the domain',
      power: 'a minimiser of another strength or sign',
      run: () =>
        judge(
          60,
          noised(({ problem, minimiser, what }) =>
            first(
              ...each(6, (k) => {
                const far = seededRandom(`far ${k}`)
                  .gaussianInto(new Float64Array(dimension))
                  .map((entry) => entry * 4 ** (k - 3));
                // Along the negative gradient the inequality is nearly attained.
                const down = gradientOf(problem, minimiser).map((entry) => -entry * 4 ** k);
                return first(
                  ...[far, down].map((given) => {
                    const x = problem.domain.projectInto(new Float64Array(dimension), given);
                    return above(
                      `the gap on ${what}`,
                      average(problem, minimiser) - average(problem, x),
                      (problem.lambda / 2) * norm2(x) ** 2,
                      1e-9,
                    );
                  }),
                );
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/nearest-in-max-norm',
      tier: 'exact',
      statement: '‖x̂ − x_λ‖∞ ≤ 2‖ξ‖∞ for the nearest point of balls and boxes, ‖ξ‖∞ on the whole space',
      power: 'a point that is not nearest, on sixty pairs of minimiser and noise',
      run: () =>
        judge(
          60,
          noised(({ problem, minimiser, nearest, largest, what }) =>
            above(
              `the distance on ${what}`,
              vectorNorm(minus(nearest, minimiser), 'linf'),
              (problem.domain.unconstrained === true ? 1 : 2) * largest,
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/risk-of-nearest',
      tier: 'exact',
      statement: 'F(x̂) − F(x) ≤ 2√s·L‖ξ‖∞ + (λ/2)‖x‖²; on a half-line the first term is attained',
      power: 'a factor below 2 on a constrained domain',
      run: () => {
        const a = 3;
        const attained = empiricalRisk(
          { sparsity: 1, lipschitz: 1, distance: 0 },
          { lambda: 1, largest: a, projections: 2 },
        );
        return judge(
          61,
          first(
            // {(t, 0): t ≥ 0} with f = x₁: from (0, 0), (a, a) is as near to (2a, 0) as to any other point.
            above('the risk on a half-line', 2 * a, attained),
            noised(({ problem, minimiser, nearest, largest, what }) => {
              const best = problem.domain.projectInto(
                new Float64Array(dimension),
                gradientOf(problem, minimiser).map((entry) => -entry / 0.3),
              );
              return above(
                `the excess risk on ${what}`,
                average(problem, nearest) - average(problem, best),
                empiricalRisk(
                  { sparsity, lipschitz: 1, distance: norm2(best) },
                  {
                    lambda: problem.lambda,
                    largest,
                    projections: problem.domain.unconstrained === true ? 1 : 2,
                  },
                ),
              );
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/risk-of-nearest-printed',
      tier: 'exact',
      statement:
        'F(x̂) − F(x) ≤ √(2s)·L‖ξ‖∞ + (λ/2)‖x‖²: on {(t, 0): t ≥ 0} with f = x₁, s = L = 1, noise (a, a) ' +
        'at the minimiser 0 may end at (2a, 0), which is nearest, with a risk of 2a',
      run: () => judge(1, above('the risk on a half-line', 2 * 3, Math.SQRT2 * 3)),
    }),
    defineClaimCheck({
      id: 'ghazi/solver-certificate',
      tier: 'exact',
      statement:
        'the certified distance of a solver is at least that to the minimiser, ' +
        'which linear losses have in closed form',
      power: 'half the distance, within four iterations',
      run: () =>
        judge(
          60,
          first(
            ...each(20, (i) =>
              first(
                ...[1, 2, 4].map((iterations) => {
                  const problem = { rows: rowsOf(`certificate ${i}`), lambda: 0.01, loss: 'linear' } as const;
                  const exact = gradientOf(problem, new Float64Array(dimension)).map(
                    (entry) => -entry / problem.lambda,
                  );
                  // A solver that is told of more smoothness than there is has a way to go.
                  const { point, distance } = acceleratedGradient.solve(
                    { iterations },
                    { ...problemOf(problem), smoothness: 1 },
                    0,
                  );
                  return above('the distance to the minimiser', norm2(minus(point, exact)), distance);
                }),
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/solver-exact-printed',
      tier: 'exact',
      statement: 'the shipped solver finds the minimiser of a curved loss to the last bit in four iterations',
      run() {
        const problem = { rows: rowsOf('exact'), lambda: 0.05, loss: 'curved' } as const;
        const { point } = acceleratedGradient.solve({ iterations: 4 }, problemOf(problem), 0);
        const gradient = gradientOf(problem, point);
        return judge(
          1,
          above('the distance to the minimiser', norm2(point.map((x, j) => x + gradient[j] / 0.05)), 0),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/perturbation-risk-gaussian',
      tier: 'exact',
      statement:
        'the largest of d Gaussian entries is above σ√(2 ln(2d/β)) with probability β at most, so that the ' +
        'excess risk is at most Q/λ + λD²/2, Q = 8L²√(s ln(1.25/δ) ln(2d/β))/(εn), with probability 1 − β',
      power: 'a quantile below that of d entries, another power of any number',
      run: () =>
        judge(
          12,
          first(
            ...[1, 10, 1e4].flatMap((d) =>
              [0.5, 0.1, 1e-3, 1e-6].map((failure) => {
                const { likely } = largestEntry({ name: 'gaussian', deviation: 1 }, d, failure);
                const beyond = -Math.expm1(d * Math.log1p(-2 * normalCdf(-likely)));
                const [n, epsilon, delta, lambda] = [1000, 0.5, 1e-6, 0.2];
                const sigma = (2 * Math.sqrt(2 * Math.log(1.25 / delta))) / (lambda * epsilon * n);
                const q =
                  (8 * Math.sqrt(sparsity * Math.log(1.25 / delta) * Math.log((2 * d) / failure))) /
                  (epsilon * n);
                return first(
                  above(`the probability for d = ${d}, β = ${failure}`, beyond, failure),
                  above(
                    `the bound for d = ${d}, β = ${failure}`,
                    empiricalRisk(
                      { sparsity, lipschitz: 1, distance: 3 },
                      { lambda, largest: sigma * likely, projections: 2 },
                    ),
                    q / lambda + (lambda * 9) / 2,
                  ),
                );
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/perturbation-risk-laplace',
      tier: 'exact',
      statement:
        'the largest of d Laplace entries is above σ ln(d/β) with probability β at most, so that the ' +
        'excess risk is at most √s·L·σ ln(d/β) + λD²/2 with probability 1 − β',
      power: 'a quantile below that of d entries, by 10⁻⁶',
      run: () =>
        judge(
          12,
          first(
            ...[1, 10, 1e4].flatMap((d) =>
              [0.5, 0.1, 1e-3, 1e-6].map((failure) => {
                const { likely } = largestEntry({ name: 'laplace', deviation: 1e9 }, d, failure);
                const beyond = -Math.expm1(d * Math.log1p(-Math.exp(-likely)));
                const sigma = 0.3;
                return first(
                  above(`the probability for d = ${d}, β = ${failure}`, beyond, failure),
                  above(
                    `the bound for d = ${d}, β = ${failure}`,
                    empiricalRisk(
                      { sparsity, lipschitz: 1, distance: 3 },
                      { lambda: 0.2, largest: sigma * likely, projections: 1 },
                    ),
                    Math.sqrt(sparsity) * sigma * Math.log(d / failure) + 0.9,
                  ),
                );
              }),
            ),
          ),
        ),
    }),
  ];
}

interface Noised {
  readonly problem: Required<Regularised>;
  readonly minimiser: Vector;
  readonly nearest: Vector;
  /** `‖ξ‖∞`. */
  readonly largest: number;
  readonly what: string;
}
