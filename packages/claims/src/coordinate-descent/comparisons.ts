import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import fc from 'fast-check';
import type { ConvergenceSubject } from './convergence-subject.js';
import { both } from '../common/compare.js';
import { above, differs, first } from '../common/judging.js';
import { convexityOf, quadratic, quadraticInputs } from './quadratics.js';
import { referenceExperiments, type ReferenceExperimentId } from './reference-experiments.js';
import { referenceValues } from './reference-values.js';

type CheckOf = (subject: ConvergenceSubject) => ClaimCheck;

const sum = (all: ArrayLike<number>): number => Array.from(all).reduce((total, entry) => total + entry, 0);
/** Smoothness and offsets, as powers of 2. */
const problems = fc.integer({ min: 1, max: 12 }).chain((dimension) =>
  fc.record({
    smoothness: fc.array(fc.integer({ min: -10, max: 10 }), { minLength: dimension, maxLength: dimension }),
    offsets: fc.array(fc.integer({ min: -10, max: 10 }), { minLength: dimension, maxLength: dimension }),
    lipschitz: fc.array(fc.integer({ min: -4, max: 4 }), { minLength: dimension, maxLength: dimension }),
  }),
);
type Problem = typeof problems extends fc.Arbitrary<infer T> ? T : never;
const powersOf = (exponents: readonly number[]): Float64Array => Float64Array.from(exponents, (k) => 2 ** k);
const lipschitzOf =
  (constants: readonly number[]) =>
  (coordinates: ArrayLike<number>): number =>
    Math.sqrt(Array.from(coordinates).reduce((total, j) => total + 4 ** constants[j], 0));
const settingOf = ({ smoothness, offsets, lipschitz }: Problem) => ({
  smoothness: powersOf(smoothness),
  offsets: powersOf(offsets),
  lipschitz: lipschitzOf(lipschitz),
  strongConvexity: 2 ** -12,
});

/** A vector with one entry different from the others. */
const spiked = (dimension: number, one: number, others: number): Float64Array =>
  Float64Array.from({ length: dimension }, (_, j) => (j === 0 ? one : others));

/**
 * Ratio of two convex rates with one different coordinate: `d` coordinates with `M₁` and `r₁` against `M` and
 * `r`.
 */
function ratioAt(
  subject: ConvergenceSubject,
  [better, than]: readonly ['full' | 'coordinates-importance', 'dp-sgd' | 'dp-cd'],
  dimension: number,
  M: readonly [number, number],
  r: readonly [number, number],
): number {
  const setting = {
    smoothness: spiked(dimension, ...M),
    offsets: spiked(dimension, ...r),
    lipschitz: () => 1,
    strongConvexity: 1e-12,
  };
  return subject.rates[better](setting).convex / subject.rates[than](setting).convex;
}

/**
 * The ratio of the convex rates of uniform blocks and DP-SGD: four blocks of two, the first `4^bits` times as
 * rough and holding all of `L`, the distance in another.
 */
function blockRatioAt(subject: ConvergenceSubject, bits: number): number {
  const blocks = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
  ];
  const inFirst = (j: number): boolean => j < 2;
  const setting = {
    blocks,
    smoothness: Float64Array.from({ length: 8 }, (_, j) => (inFirst(j) ? 4 ** bits : 1)),
    offsets: spiked(8, 1, 0).toReversed(),
    strongConvexity: 1e-12,
    lipschitz: (coordinates: ArrayLike<number>) => (Array.from(coordinates).some(inFirst) ? 1 : 1e-12),
  };
  return subject.rates['blocks-uniform'](setting).convex / subject.rates['dp-sgd'](setting).convex;
}

/** Violation if the experiment differs from its known values, to the given digits. */
function experimentViolation(subject: ConvergenceSubject, id: ReferenceExperimentId): Violation | undefined {
  for (const { dimension, methods } of referenceValues.filter(
    (known) => known.id === id && known.dimension <= 64,
  )) {
    const computed = referenceExperiments(id, dimension, subject);
    const found = first(
      ...methods.flatMap(([method, innerSteps, bound, worst], k) => {
        const { [k]: own } = computed.methods;
        const what = `${id} in ${dimension} dimensions, ${method}`;
        return [
          differs(`${what}: K`, own.innerSteps, innerSteps),
          rounds(`${what}: the bound`, own.bound, bound),
          rounds(`${what}: the worst risk`, own.worstRisk, worst),
          above(`${what}: the worst risk`, own.worstRisk, own.bound),
        ];
      }),
    );
    if (found !== undefined) return { ...found, input: { id, dimension } };
  }
  return undefined;
}

/** Violation if a number differs from its given digits. */
const rounds = (what: string, measured: number, digits: string): Violation | undefined => {
  const unit = 10 ** -(digits.split('.')[1] ?? '').length;
  return Math.abs(measured - Number(digits)) <= 0.501 * unit
    ? undefined
    : { what: `${what}: ${measured} is not ${digits}`, measured, allowed: Number(digits) };
};

const dimensions = fc.constantFrom(4, 16, 64, 256);

/** Row 48: all coordinates at once against DP-SGD. */
export const againstDpSgd: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/against-dp-sgd',
    tier: 'search',
    statement:
      'In the convex case the rate with all coordinates at once over that of DP-SGD is at least 1/√d, ' +
      'attained in the limit when one coordinate is far smoother and has the whole distance; ' +
      'it is at most (Tr(M⁻¹) M_max/d)^½, attained in the limit when the least smooth coordinate has the ' +
      'whole distance. With uniform blocks of one size the ratio tends to (M_min/M_max)^½ when one block ' +
      'is far less smooth and has the whole Lipschitz constant but none of the distance: ' +
      'the gain is unbounded. The experiments X-FULL and X-BLOCK give their known numbers.',
    power:
      'A lost root or square in either rate; the experiments agree to all digits that are known of them.',
    run: (env) =>
      both(
        env.forAll(
          problems,
          (problem) => {
            const setting = settingOf(problem);
            const { smoothness } = setting;
            const d = smoothness.length;
            const ratio = subject.rates.full(setting).convex / subject.rates['dp-sgd'](setting).convex;
            return first(
              above('1/√d, against the ratio of the rates', 1 / Math.sqrt(d), ratio),
              above(
                'the ratio of the rates',
                ratio,
                Math.sqrt((sum(smoothness.map((M) => 1 / M)) * Math.max(...smoothness)) / d),
              ),
            );
          },
          { runs: 300 },
        ),
        env.forAll(
          dimensions,
          (d) => {
            const pair = ['full', 'dp-sgd'] as const;
            const better = ratioAt(subject, pair, d, [1, 1e12], [1, 1e-9]);
            const worse = ratioAt(subject, pair, d, [1e12, 1], [1, 1e-9]);
            return first(
              differs('the ratio in the limit', better * Math.sqrt(d), 1, 1e-3),
              differs(
                'the ratio where the roughest coordinate holds the distance',
                worse,
                1e6 * Math.sqrt((d - 1) / d),
                1e-3,
              ),
            );
          },
          { runs: 8 },
        ),
        env.forAll(
          fc.integer({ min: 0, max: 25 }),
          (bits) =>
            differs(
              'the ratio with uniform blocks over (M_min/M_max)^½',
              blockRatioAt(subject, bits) * 2 ** bits,
              1,
              1e-6,
            ),
          { runs: 10 },
        ),
        env.forAll<ReferenceExperimentId>(
          fc.constantFrom('X-FULL', 'X-BLOCK'),
          (id) => experimentViolation(subject, id),
          { runs: 2, examples: ['X-FULL', 'X-BLOCK'] },
        ),
      ),
  });

/** Row 48, as printed: fails. */
export const printedBlockNorm: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/block-norm-printed',
    tier: 'exact',
    statement:
      'If one block of one coordinate is far less smooth and its Lipschitz constant far larger, ' +
      '‖L_A‖_{M⁻¹} is about L_max/M_max, within a factor of 2.',
    power: 'It is about L_max/√M_max: off by a factor of 100 at the example.',
    run: (env) =>
      env.forAll(
        fc.constant(1e4),
        (rough) => {
          const lipschitz = spiked(4, 100, 1e-3);
          const norm = subject.weightedNorm(lipschitz, spiked(4, 1 / rough, 1));
          return above('‖L_A‖_{M⁻¹} over what is printed', norm / (100 / rough), 2);
        },
        { runs: 1 },
      ),
  });

/** Row 49: importance sampling against DP-CD. */
export const againstDpCd: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/against-dp-cd',
    tier: 'search',
    statement:
      'In the convex case the rate of importance sampling over that of DP-CD is at least 1/√d, ' +
      'attained in the limit when one coordinate is far less smooth and has the whole distance; ' +
      'it is at most (Tr(M)/(d M_min))^½, attained in the limit when the smoothest coordinate has the ' +
      'whole distance. The experiments X-IMP and X-IMP-REV give their known numbers.',
    power:
      'A lost root or square in either rate; the experiments agree to all digits that are known of them.',
    run: (env) =>
      both(
        env.forAll(
          problems,
          (problem) => {
            const setting = settingOf(problem);
            const { smoothness } = setting;
            const d = smoothness.length;
            const ratio =
              subject.rates['coordinates-importance'](setting).convex /
              subject.rates['dp-cd'](setting).convex;
            return first(
              above('1/√d, against the ratio of the rates', 1 / Math.sqrt(d), ratio),
              above(
                'the ratio of the rates',
                ratio,
                Math.sqrt(sum(smoothness) / d / Math.min(...smoothness)),
              ),
            );
          },
          { runs: 300 },
        ),
        env.forAll(
          dimensions,
          (d) => {
            const pair = ['coordinates-importance', 'dp-cd'] as const;
            const better = ratioAt(subject, pair, d, [1e12, 1], [1, 1e-9]);
            const worse = ratioAt(subject, pair, d, [1, 1e12], [1, 1e-9]);
            return first(
              differs('the ratio in the limit', better * Math.sqrt(d), 1, 1e-3),
              differs(
                'the ratio where the smoothest coordinate holds the distance',
                worse,
                1e6 * Math.sqrt((d - 1) / d),
                1e-3,
              ),
            );
          },
          { runs: 8 },
        ),
        env.forAll<ReferenceExperimentId>(
          fc.constantFrom('X-IMP', 'X-IMP-REV'),
          (id) => experimentViolation(subject, id),
          { runs: 2, examples: ['X-IMP', 'X-IMP-REV'] },
        ),
      ),
  });

/** Row 49, as printed: fails. */
export const printedImportanceDistance: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/importance-distance-printed',
    tier: 'exact',
    statement:
      'If one coordinate is far less smooth and has a far larger distance, ' +
      'R_I √Tr(M) is about (M₁ r₁)^½, within a factor of 2.',
    power: 'It is about √M₁ r₁: off by a factor of 10 at the example, where r₁ = 100.',
    run: (env) =>
      env.forAll(
        fc.constant(100),
        (far) => {
          const smoothness = spiked(4, 1e6, 1);
          const offsets = spiked(4, far, 1e-3);
          const distance = subject.weightedNorm(offsets, [1, 1, 1, 1]) * Math.sqrt(sum(smoothness));
          return above('R_I √Tr(M) over what is printed', distance / Math.sqrt(1e6 * far), 2);
        },
        { runs: 1 },
      ),
  });

/** Error bound for eigenvalues of matrices of norm 1. */
const eigenvalueError = 1e-9;

/** Row 51. */
export const convexityInOtherNorms: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/convexity-in-other-norms',
    tier: 'search',
    statement:
      'Strong convexity μ in the Euclidean norm is at least μ/M_max in the norm of M; so the strongly ' +
      'convex rate of DP-CD, with d/μ_M, is at most that of uniform coordinates, with d M_max/μ.',
    power:
      'A norm that is not squared, or M_min in place of M_max; ' +
      'the rates are equal if all coordinates are equally smooth.',
    run: (env) =>
      env.forAll(
        fc.tuple(quadraticInputs(), problems),
        ([input, { lipschitz }]) => {
          const { hessian, smoothness, start } = quadratic(subject, { ...input, ridge: input.ridge ?? 0 });
          const strongConvexity = convexityOf(
            hessian,
            start.map(() => 1),
          );
          const most = Math.max(...smoothness);
          const own = convexityOf(hessian, smoothness);
          const setting = {
            smoothness,
            offsets: start.map(Math.abs),
            lipschitz: lipschitzOf([...lipschitz, 0, 0, 0, 0]),
            strongConvexity,
            smoothnessConvexity: own,
          };
          const uniform = subject.rates['coordinates-uniform'](setting).stronglyConvex;
          const alike = {
            ...setting,
            smoothness: smoothness.map(() => most),
            smoothnessConvexity: strongConvexity / most,
          };
          return first(
            above(
              '(μ/M_max) ‖x‖²_M',
              (strongConvexity / most) * subject.weightedNorm(start, smoothness) ** 2,
              strongConvexity *
                subject.weightedNorm(
                  start,
                  start.map(() => 1),
                ) **
                  2,
            ),
            above('μ/M_max, against μ_M', strongConvexity / most, own, eigenvalueError),
            above(
              'the rate of DP-CD',
              subject.rates['dp-cd'](setting).stronglyConvex,
              uniform,
              (eigenvalueError / own) * uniform,
            ),
            differs(
              'the rate of DP-CD where all are alike',
              subject.rates['dp-cd'](alike).stronglyConvex,
              subject.rates['coordinates-uniform'](alike).stronglyConvex,
            ),
          );
        },
        { runs: 200 },
      ),
  });

/** `1` to `100` in equal ratios. */
const geometric = Float64Array.from({ length: 16 }, (_, k) => 100 ** (k / 15));

/** Row 52. */
export const refinedCondition: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/refined-condition',
    tier: 'search',
    statement:
      '1/μ in the norm of MP⁻¹ is at most max_j (M_j/p_j)/μ, and d/μ_M for uniform coordinates; ' +
      'on a diagonal Hessian with M from 1 to 100 in 16 dimensions both are 16 against 1600, ' +
      'and 375.49 both for importance sampling.',
    power: 'The known values to one part in 10⁹.',
    run: (env) =>
      both(
        env.forAll(
          quadraticInputs(),
          (input) => {
            const { hessian, smoothness, marginals, sketch, params, start } = quadratic(subject, {
              ...input,
              ridge: input.ridge ?? 0,
            });
            const strongConvexity = convexityOf(
              hessian,
              start.map(() => 1),
            );
            const { smoothness: steepest } = subject.sketchConstants(sketch, params, {
              smoothness,
              lipschitz: () => 1,
            });
            const refined = convexityOf(
              hessian,
              smoothness.map((M, j) => M / marginals[j]),
            );
            const setting = {
              smoothness,
              offsets: start.map(Math.abs),
              lipschitz: () => 1,
              strongConvexity,
              sketchedConvexity: refined,
              sketch: { sketch, params },
            };
            const given = subject.rates['dp-skgd'](setting).stronglyConvex;
            return first(
              above(
                '1/μ_{MP⁻¹}',
                1 / refined,
                steepest / strongConvexity,
                ((eigenvalueError / refined) * steepest) / strongConvexity,
              ),
              above(
                'the refined rate',
                subject.rates.refined(setting).stronglyConvex,
                given,
                (eigenvalueError / refined) * given,
              ),
            );
          },
          { runs: 200 },
        ),
        env.forAll(
          fc.constantFrom('uniform' as const, 'importance' as const),
          (by) => {
            const params: Parameters<typeof subject.singleCoordinate.marginals>[0] = {
              choice: by === 'uniform' ? { by } : { by: 'importance', smoothness: [...geometric] },
            };
            const sketch = subject.singleCoordinate;
            const marginals = sketch.marginals(params, 16);
            const hessian = Float64Array.from({ length: 256 }, (_, at) =>
              at % 17 === 0 ? geometric[at % 16] : 0,
            );
            const refined = convexityOf(
              hessian,
              geometric.map((M, j) => M / marginals[j]),
            );
            const own = convexityOf(hessian, geometric);
            const setting = {
              smoothness: geometric,
              offsets: geometric,
              lipschitz: () => 1,
              strongConvexity: 1,
              smoothnessConvexity: own,
              sketchedConvexity: refined,
              sketch: { sketch, params },
            };
            const { noise, smoothness: steepest } = subject.sketchConstants(sketch, params, {
              smoothness: geometric,
              lipschitz: () => 1,
            });
            return first(
              differs('max_j (M_j/p_j)/μ', steepest, by === 'uniform' ? 1600 : 375.492_526_396_908_6),
              differs('1/μ_{MP⁻¹}', 1 / refined, by === 'uniform' ? 16 : 375.492_526_396_908_6, 1e-7),
              differs(
                'the rate of Theorem 4.2',
                subject.rates['dp-skgd'](setting).stronglyConvex,
                noise * steepest,
              ),
              differs('the refined rate', subject.rates.refined(setting).stronglyConvex, noise / refined),
              by === 'uniform'
                ? differs(
                    'the refined rate, against that of DP-CD',
                    subject.rates.refined(setting).stronglyConvex,
                    subject.rates['dp-cd'](setting).stronglyConvex,
                    1e-7,
                  )
                : undefined,
            );
          },
          { runs: 4, examples: ['uniform', 'importance'] },
        ),
      ),
  });

/** Row 52, as the abstract has it: fails. */
export const printedGuarantees: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/same-guarantees-printed',
    tier: 'exact',
    statement:
      'The strongly convex rate that Table 1 gives for uniform coordinates is at most that of DP-CD, ' +
      'on a diagonal Hessian with M from 1 to 100 in 16 dimensions.',
    power: 'It is 100 times as much.',
    run: (env) =>
      env.forAll(
        fc.constant(16),
        () => {
          const setting = {
            smoothness: geometric,
            offsets: geometric,
            lipschitz: () => 1,
            strongConvexity: 1,
            smoothnessConvexity: 1,
          };
          return above(
            'the rate of uniform coordinates',
            subject.rates['coordinates-uniform'](setting).stronglyConvex,
            subject.rates['dp-cd'](setting).stronglyConvex,
          );
        },
        { runs: 1 },
      ),
  });
