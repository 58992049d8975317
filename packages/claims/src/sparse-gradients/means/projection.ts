import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import fc, { type Arbitrary } from 'fast-check';
import { listOf, tenTo } from '../../common/inputs.js';
import { above, differs, first } from '../../common/judging.js';
import { dot, minus, norm } from '../../common/vectors.js';
import { answered, largest, norm1, projectedMeans, sparseRecords } from './released.js';
import type { MeansSubject } from './subject.js';

/** Points with ties and zeros, and radii around their norms. */
const points: Arbitrary<{ readonly point: readonly number[]; readonly radius: number }> = fc
  .integer({ min: 1, max: 8 })
  .chain((dimension) =>
    fc.record({ entries: listOf(dimension, -6, 6), unit: tenTo(-3, 3), radius: tenTo(-1, 1) }),
  )
  .map(({ entries, unit, radius }) => ({ point: entries.map((x) => x * unit), radius: radius * unit }));

/** `sign(x)·max(|x| − θ, 0)` with the θ at which the ℓ1 norm is the radius, by bisection. */
function softened(point: readonly number[], radius: number): Float64Array {
  const at = (theta: number): Float64Array =>
    Float64Array.from(point, (x) => Math.sign(x) * Math.max(0, Math.abs(x) - theta));
  if (norm1(point) <= radius) return Float64Array.from(point);
  let [low, high] = [0, largest(point)];
  for (let turn = 0; turn < 200; turn++) {
    const middle = (low + high) / 2;
    if (norm1(at(middle)) > radius) low = middle;
    else high = middle;
  }
  return at(high);
}

/** A point of the ball by so many Frank–Wolfe steps towards the projection of another. */
function approximated(point: readonly number[], radius: number, steps: number): Float64Array {
  const out = new Float64Array(point.length);
  for (let step = 0; step < steps; step++) {
    const left = point.map((x, j) => x - out[j]);
    const at = left.findIndex((x) => Math.abs(x) === largest(left));
    const by = 2 / (step + 2);
    for (let j = 0; j < out.length; j++)
      out[j] = (1 - by) * out[j] + (j === at ? by * radius * Math.sign(left[j]) : 0);
  }
  return out;
}

const noisy = sparseRecords.chain((given) =>
  fc.record({
    given: fc.constant(given),
    noise: listOf(given.dimension, -9, 9),
    unit: tenTo(-2, 2),
  }),
);
/** A mean of norm L on an axis, and noise of 2L against it. */
const tight = {
  given: { dimension: 3, sparsity: 1, radius: 3, records: [[-3, 0, 0]], other: [0, 0, 0] },
  noise: [2, 0, 0],
  unit: 1,
};

/** Rows 9 to 13 and 19: the projection onto the ℓ1 ball, and what it does to noise. */
export function projectionChecks(subject: MeansSubject): readonly ClaimCheck[] {
  const { projectL1Ball, l1Gap } = subject;
  return [
    defineClaimCheck({
      id: 'ghazi/projection-conditions',
      tier: 'search',
      statement:
        'the projection onto ‖z‖₁ ≤ R leaves points of the ball ' +
        'and shrinks all entries of others by one θ, to ‖z‖₁ = R',
      power:
        'a relative error of 10⁻⁹, against bisection on θ, in 300 points of at most eight entries with ties',
      run: (env) =>
        env.forAll(
          points,
          ({ point, radius }): Violation | undefined => {
            const projected = projectL1Ball(Float64Array.from(point), radius).point;
            const size = norm1(point);
            return first(
              above(
                'the distance from what bisection finds',
                norm(minus(projected, softened(point, radius))),
                0,
                1e-9 * size,
              ),
              size > radius ? differs('the ℓ1 norm', norm1(projected), radius) : undefined,
            );
          },
          { runs: 300 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/obtuse-angle',
      tier: 'search',
      statement: '⟨ẑ − u, ẑ − z̃⟩ ≤ 0 for the projection ẑ of z̃ and every u of the ℓ1 ball: at its corners',
      power: 'a relative error of 10⁻⁹, in 300 points of at most eight entries',
      run: (env) =>
        env.forAll(
          points,
          ({ point, radius }) => {
            const projected = projectL1Ball(Float64Array.from(point), radius).point;
            const gradient = minus(projected, point);
            const slack = 1e-9 * radius * (largest(point) + radius);
            return first(
              above(
                'the largest product with the way to a corner',
                dot(gradient, projected) + radius * largest(gradient),
                0,
                slack,
              ),
              above('the gap', l1Gap(projected, Float64Array.from(point), radius), 0, slack),
            );
          },
          { runs: 300 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/projected-error',
      tier: 'search',
      statement:
        '‖ẑ − z̄‖² ≤ 2L√s·‖ξ‖∞ for means of sparse records and every ξ; ' +
        'equality at z̄ = −Le₁, ξ = 2Le₁, s = 1',
      power: 'a relative error of 10⁻⁹, in 300 data sets with noise, for four mechanisms',
      run: (env) =>
        env.forAll(
          noisy,
          (one) => {
            const { given, noise, unit } = one;
            const { radius, sparsity } = given;
            const xi = noise.map((x) => x * unit * radius);
            return first(
              ...projectedMeans(subject).flatMap(([name, mean]) => {
                const { mean: value, answer } = answered(mean, { radius, sparsity }, given.records, xi);
                const measured = norm(minus(answer, value)) ** 2;
                const allowed = subject.lemmaBound(radius, sparsity, largest(xi));
                return [
                  above(`${name}: the squared error`, measured, allowed, 1e-9 * (allowed + radius ** 2)),
                  one === tight ? differs(`${name}: the squared error`, measured, allowed) : undefined,
                ];
              }),
            );
          },
          { runs: 300, examples: [tight] },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/projected-noise',
      tier: 'search',
      statement: '‖ẑ − z̄‖ ≤ ‖ξ‖ for means of sparse records and every ξ',
      power: 'a relative error of 10⁻⁹, in 300 data sets with noise, for four mechanisms',
      run: (env) =>
        env.forAll(
          noisy,
          ({ given, noise, unit }) => {
            const { radius, sparsity } = given;
            const xi = noise.map((x) => x * unit * radius);
            return first(
              ...projectedMeans(subject).map(([name, mean]) => {
                const { mean: value, answer } = answered(mean, { radius, sparsity }, given.records, xi);
                return above(
                  `${name}: the error`,
                  norm(minus(answer, value)),
                  norm(xi),
                  1e-9 * (norm(xi) + radius),
                );
              }),
            );
          },
          { runs: 300 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/approximate-projection',
      tier: 'search',
      statement:
        '‖ẑ − z̄‖² ≤ 2L√s·‖ξ‖∞ + η for every ẑ of the ball ' +
        'whose Frank–Wolfe gap is η, as after one to six steps',
      power: 'a gap off by 10⁻⁹ of the sizes it is made of, in 300 data sets with noise',
      run: (env) =>
        env.forAll(
          fc.tuple(noisy, fc.integer({ min: 1, max: 6 })),
          ([{ given, noise, unit }, steps]) => {
            const { radius, sparsity } = given;
            const ball = radius * Math.sqrt(sparsity);
            const xi = noise.map((x) => x * unit * radius);
            const value = answered(
              subject.laplaceProjectionMechanism,
              { radius, sparsity },
              given.records,
              xi,
            ).mean;
            const noised = value.map((x, j) => x + xi[j]);
            const candidate = approximated([...noised], ball, steps);
            const gap = l1Gap(candidate, noised, ball);
            const gradient = minus(candidate, noised);
            const allowed = subject.lemmaBound(radius, sparsity, largest(xi)) + gap;
            return first(
              above(
                'what the gap is off by',
                Math.abs(gap - dot(gradient, candidate) - ball * largest(gradient)),
                0,
                1e-9 * ball * (largest(noised) + ball),
              ),
              above(
                'the squared error',
                norm(minus(candidate, value)) ** 2,
                allowed,
                1e-9 * (allowed + ball ** 2),
              ),
            );
          },
          { runs: 300 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/clipped-projection',
      tier: 'search',
      statement: 'a clip of the answer to ‖z‖₂ ≤ L never adds error',
      power: 'a relative error of 10⁻⁹, in 300 data sets with noise',
      run: (env) =>
        env.forAll(
          noisy,
          ({ given, noise, unit }) => {
            const { radius, sparsity } = given;
            const xi = noise.map((x) => x * unit * radius);
            const { mean, answer } = answered(
              subject.l1ProjectionMechanism,
              { radius, sparsity },
              given.records,
              xi,
            );
            const clipped = answer.slice();
            subject.l2Clip.clipInPlace({ radius }, clipped);
            return first(
              above('the norm of the clipped answer', norm(clipped), radius),
              above(
                'the error of the clipped answer',
                norm(minus(clipped, mean)),
                norm(minus(answer, mean)),
                1e-9 * radius,
              ),
            );
          },
          { runs: 300 },
        ),
    }),
  ];
}
