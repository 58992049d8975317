import { seededRandom, type Drawn, type Optimizer, type Run, type Sketch, type Vector } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck, type Finding, type LawEnv, type Violation } from '@lethe/laws';
import { boxDomain, l2BallDomain } from '@lethe/mechanisms';
import fc from 'fast-check';
import { both } from '../common/compare.js';
import { first } from '../common/judging.js';
import { noCalibration } from './no-calibration.js';
import { playedBy } from './planned-bound.js';
import {
  componentSmoothnessOf,
  lawOf,
  plannedRun,
  problemOf,
  registryOf,
  scenarios,
  sketchInputOf,
  type Extra,
  type OptimizerName,
  type Scenario,
} from './planned-runs.js';
import type { RunsSubject } from './runs-subject.js';
import { sketchCase, type DrawnSet } from './sketch-inputs.js';

type CheckOf = (subject: RunsSubject) => ClaimCheck;

/** A set or a regulariser, besides the loss: half-width of the box, radius of the ball, strengths. */
interface Constraint {
  readonly box?: number;
  readonly ball?: number;
  readonly lasso?: number;
  readonly ridge?: number;
}
const constraints: readonly Constraint[] = [
  {},
  { ridge: 0.75 },
  { lasso: 0.5 },
  { box: 1 },
  { ball: 1.5 },
  { lasso: 0.5, box: 1 },
  { lasso: 0.25, ball: 1.5 },
  { ridge: 0.75, ball: 1.5 },
];
const extraOf = ({ box, ball, lasso, ridge }: Constraint): Extra => ({
  ...(box === undefined ? {} : { domain: boxDomain({ lower: -box, upper: box }) }),
  ...(ball === undefined ? {} : { domain: l2BallDomain({ radius: ball }) }),
  ...(lasso === undefined ? {} : { regulariser: { name: 'l1', params: { strength: lasso } } }),
  ...(ridge === undefined ? {} : { regulariser: { name: 'l2-squared', params: { strength: ridge } } }),
});

/** Gradients `M_j (θ_j − target_j)/2` with other targets in every step, near and far. */
const pulls = fc.record({
  start: fc.array(
    fc.integer({ min: -8, max: 8 }).map((k) => k / 16),
    { minLength: 4, maxLength: 4 },
  ),
  targets: fc.array(fc.constantFrom<number>(-7, -5, -0.25, 0.25, 5, 7), { minLength: 24, maxLength: 24 }),
  constraint: fc.constantFrom(...constraints),
  /** Rows of `F`, for a smoothness matrix `FFᵀ + Diag(M)`; none for `Diag(M)`. */
  factors: fc.option(
    fc.array(fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 2, maxLength: 2 }), {
      minLength: 4,
      maxLength: 4,
    }),
  ),
  /** Steps that the constraint must change at least. */
  leastBound: fc.constant<number>(0),
});
type Pull = typeof pulls extends fc.Arbitrary<infer T> ? T : never;

const slopeOf = (
  { targets }: Pull,
  M: readonly number[],
  at: ArrayLike<number>,
  j: number,
  step: number,
): number => (M[j] * (at[j] - targets[(5 * step + 7 * j) % targets.length])) / 2;

/** What a listing is carried out with. */
interface Listing {
  readonly start: readonly number[];
  readonly rounds: number;
  readonly innerSteps: number;
  /** Of each coordinate: `1/M_j`, with the ridge in `M_j`. */
  readonly stepSizes: readonly number[];
  readonly constraint: Constraint;
  readonly setOf: (step: number) => readonly number[];
  /** The noisy derivative at a point, without the ridge. */
  readonly slopeAt: (theta: readonly number[], j: number, step: number) => number;
  /** A round ends in the mean of `θ¹ … θ^K`, or in `θ^K`. */
  readonly isAveraged: boolean;
}

/**
 * Every `θ^k` at which a gradient is asked for, the output,
 * and the number of steps that a constraint changed.
 */
interface Listed {
  readonly points: readonly (readonly number[])[];
  readonly output: readonly number[];
  readonly bound: number;
}

/**
 * Algorithm 1 as printed, with the proximal step of Mangold et al. along drawn coordinates, and the
 * projection of `θ` after each step.
 */
function listed({
  start,
  rounds,
  innerSteps,
  stepSizes,
  constraint,
  setOf,
  slopeAt,
  isAveraged,
}: Listing): Listed {
  const { ridge = 0, lasso = 0, box = Infinity, ball = Infinity } = constraint;
  const points: number[][] = [];
  let bound = 0;
  let w = [...start];
  for (let t = 0; t < rounds; t++) {
    let theta = [...w];
    const iterates: number[][] = [];
    for (let k = 0; k < innerSteps; k++) {
      const step = t * innerSteps + k;
      points.push(theta);
      const moved = [...theta];
      for (const j of setOf(step)) moved[j] -= stepSizes[j] * (slopeAt(theta, j, step) + ridge * theta[j]);
      const shrunk = [...moved];
      for (const j of setOf(step))
        shrunk[j] = Math.sign(moved[j]) * Math.max(0, Math.abs(moved[j]) - lasso * stepSizes[j]);
      const boxed = shrunk.map((x) => Math.max(-box, Math.min(box, x)));
      const length = Math.hypot(...boxed);
      const next = boxed.map((x) => (length > ball ? (x * ball) / length : x));
      if (next.some((x, j) => Math.abs(x - moved[j]) > 1e-3)) bound++;
      theta = next;
      iterates.push(next);
    }
    w = isAveraged
      ? w.map((_, j) => iterates.reduce((sum, iterate) => sum + iterate[j], 0) / innerSteps)
      : theta;
  }
  return { points, output: w, bound };
}

/** What a run asked for and ended in. */
interface Played {
  readonly points: readonly (readonly number[])[];
  readonly sets: readonly (readonly number[])[];
  readonly output: Vector;
}

function played(run: Run, pull: Pull, M: readonly number[]): Played {
  const points: number[][] = [];
  const sets: (readonly number[])[] = [];
  const output = playedBy(
    run,
    Float64Array.from(M, (_, j) => pull.start[j]),
    (at, coordinates, step) => {
      points.push([...at]);
      sets.push(coordinates);
      return Float64Array.from(coordinates, (j) => slopeOf(pull, M, at, j, step));
    },
  );
  return { points, sets, output };
}

/** Where a run leaves its listing. */
function left({ points, output }: Played, expected: Listed, tolerance = 1e-9): Violation | undefined {
  if (points.length !== expected.points.length)
    return {
      what: 'the number of steps',
      measured: points.length,
      allowed: expected.points.length,
    };
  const apart = (what: string, got: ArrayLike<number>, want: readonly number[]): Violation | undefined => {
    const size = Math.max(1, ...want.map(Math.abs));
    const j = want.findIndex((x, i) => !(Math.abs(x - got[i]) <= tolerance * size));
    return j < 0
      ? undefined
      : {
          what: `coordinate ${j} of ${what} is ${got[j]}, not ${want[j]}`,
          measured: got[j],
          allowed: want[j],
        };
  };
  return first(
    ...expected.points.map((point, step) => apart(`the point of step ${step}`, points[step], point)),
    apart('the output', output, expected.output),
  );
}

/** A subject whose sketches note what they draw. */
function noting(subject: RunsSubject, log: number[][]): RunsSubject {
  const noted = <S extends Sketch>(sketch: S): S =>
    ({
      ...sketch,
      draw(...given: Parameters<Sketch['draw']>): Drawn {
        const drawn = sketch.draw(...given);
        log.push([...drawn.coordinates]);
        return drawn;
      },
    }) as S;
  return {
    ...subject,
    fullSketch: noted(subject.fullSketch),
    singleCoordinate: noted(subject.singleCoordinate),
    blockSketch: noted(subject.blockSketch),
    tauNice: noted(subject.tauNice),
    independentCoordinates: noted(subject.independentCoordinates),
  };
}

/** One run of a private optimizer against the listing: with explicit `M`, to which a ridge adds. */
function againstListing(
  subject: RunsSubject,
  scenario: Scenario,
  pull: Pull,
): { readonly violation: Violation | undefined; readonly bound: number } {
  const M = componentSmoothnessOf(scenario.bounds);
  const { constraint } = pull;
  const log: number[][] = [];
  const run = plannedRun(noting(subject, log), scenario, {
    ...extraOf(constraint),
    params: { smoothness: M, noiseMultiplier: 1 },
  });
  log.length = 0;
  const found = played(run, pull, M);
  const { rounds, innerSteps } = scenario;
  const isOwnSketch = scenario.optimizer === 'dp-skgd' && scenario.sketch.family !== 'finite';
  const expected = listed({
    start: M.map((_, j) => pull.start[j]),
    rounds,
    innerSteps,
    stepSizes: M.map((constant) => 1 / (constant + (constraint.ridge ?? 0))),
    constraint,
    setOf: (step) => (isOwnSketch ? log[step] : found.sets[step]) ?? [],
    slopeAt: (theta, j, step) => slopeOf(pull, M, theta, j, step),
    isAveraged: true,
  });
  return { violation: left(found, expected), bound: expected.bound };
}

/** Runs in which every set or penalty changes what a step comes to, again and again. */
const binding: [Scenario, Pull][] = constraints
  .filter((constraint) => Object.keys(constraint).some((name) => name !== 'ridge'))
  .map((constraint) => [
    {
      bounds: [1, 1, 1],
      records: 10,
      adjacency: 'replace-one',
      optimizer: 'dp-skgd',
      sketch: { family: 'nice', tau: 2 },
      rounds: 2,
      innerSteps: 5,
      epsilon: 1,
      delta: 1e-6,
      calibration: 'theorem',
      clip: null,
    },
    {
      start: [0.5, -0.25, 0.125, 0],
      targets: Array.from({ length: 24 }, (_, k) => [-7, 5, -5, 7][k % 4]),
      constraint,
      factors: null,
      leastBound: 5,
    },
  ]);

/** Runs against the listing, among them those in which constraints must bind in half of the steps. */
const listingFinding = (
  env: LawEnv,
  against: (scenario: Scenario, pull: Pull) => ReturnType<typeof againstListing>,
): Finding =>
  env.forAll(
    fc.tuple(scenarios(['theorem']), pulls),
    ([given, pull]) => {
      const longer = { rounds: Math.max(2, given.rounds), innerSteps: 2 + given.innerSteps };
      const { violation, bound } = against({ ...given, clip: null, ...longer }, pull);
      if (violation !== undefined || bound >= pull.leastBound) return violation;
      return { what: 'steps that a constraint changes', measured: bound, allowed: pull.leastBound };
    },
    { runs: 60, examples: binding },
  );

/**
 * Sets of 300 steps in one run on four coordinates, of which
 * each should be drawn a quarter of the time, anew.
 */
function freshness(subject: RunsSubject, optimizer: OptimizerName): Violation | undefined {
  const scenario: Scenario = {
    bounds: [1, 1, 1, 1],
    records: 10,
    adjacency: 'replace-one',
    optimizer,
    sketch: { family: 'single', choice: 'uniform' },
    rounds: 3,
    innerSteps: 100,
    epsilon: 1,
    delta: 1e-6,
    calibration: 'theorem',
    clip: null,
  };
  const run = plannedRun(subject, scenario);
  const sets: number[] = [];
  playedBy(run, new Float64Array(4), (_, [j]) => {
    sets.push(j);
    return Float64Array.of(0);
  });
  const often = (what: string, count: number): Violation | undefined =>
    count >= 45 && count <= 110 ? undefined : { what, measured: count, allowed: 75 };
  return first(
    ...[0, 1, 2, 3].map((j) =>
      often(`draws of coordinate ${j} among 300`, sets.filter((k) => k === j).length),
    ),
    ...[1, 2, 64, 100].map((lag) =>
      often(
        `draws of 300 that are as those ${lag} steps later`,
        sets.filter((k, step) => k === sets[(step + lag) % 300]).length,
      ),
    ),
  );
}

const listing =
  (id: string, optimizer: OptimizerName, statement: string): CheckOf =>
  (subject) =>
    defineClaimCheck({
      id: `maranjyan/${id}`,
      tier: 'search',
      statement,
      power:
        'A relative error of 1e-9 of any point of 60 runs of up to 3 rounds of 8 steps, on the whole ' +
        'space, a box and a ball, with a ridge and an ℓ1 penalty, which change several steps of each run.',
      run: (env) =>
        both(
          listingFinding(env, (scenario, pull) => againstListing(subject, { ...scenario, optimizer }, pull)),
          () =>
            env.forAll(
              fc.constant(optimizer),
              (name) => (name === 'noisy-gradient-descent' ? undefined : freshness(subject, name)),
              { runs: 1 },
            ),
        ),
    });

/** Row 60. */
export const listingOfSketchedDescent = listing(
  'listing-sketched-descent',
  'dp-skgd',
  'DP-SkGD is Algorithm 1 line by line: fresh sets, steps Γ C (∇f + η) with Γ = PM⁻¹, ' +
    'then the proximal map along the drawn coordinates and the projection of θ, ' +
    'averages of θ¹ to θ^K, rounds from the average.',
);

/** Row 61. */
export const listingOfCoordinateDescent = listing(
  'listing-coordinate-descent',
  'dp-cd',
  'DP-CD is the listing of Mangold et al.: one uniform coordinate j a step, ' +
    'θ_j ← prox(θ_j − (∂_j f + η_j)/M_j), averages of θ¹ to θ^K, rounds from the average.',
);

/** Row 62. */
export const listingOfGradientDescent = listing(
  'listing-gradient-descent',
  'noisy-gradient-descent',
  'Noisy gradient descent is θ ← θ − M⁻¹(∇f + η) over all records, then the proximal map and the ' +
    'projection, averages of θ¹ to θ^K, rounds from the average.',
);

/** `E[C Λ C]` over listed sets. */
function sketchedMatrix(
  matrix: readonly (readonly number[])[],
  law: readonly DrawnSet[],
  marginals: ArrayLike<number>,
): number[][] {
  const out = matrix.map((row) => row.map(() => 0));
  for (const { coordinates, probability } of law)
    for (const i of coordinates)
      for (const j of coordinates) out[i][j] += (probability * matrix[i][j]) / marginals[i] / marginals[j];
  return out;
}

/** The largest eigenvalue of a positive semi-definite matrix, as the root of the trace of a high power. */
function largestEigenvalue(matrix: readonly (readonly number[])[]): number {
  const squarings = 30;
  let power = matrix.map((row) => [...row]);
  let log = 0;
  for (let k = 0; k <= squarings; k++) {
    const trace = power.reduce((sum, row, i) => sum + row[i], 0);
    log += Math.log(trace) / 2 ** k;
    const scaled = power.map((row) => row.map((entry) => entry / trace));
    power = scaled.map((row) =>
      row.map((_, j) => row.reduce((sum, entry, i) => sum + entry * scaled[i][j], 0)),
    );
  }
  return Math.exp(log);
}

/** One run of SkGD against its listing: `θ ← θ − γ C ∇f(θ)` with `γ = 1/λ_max(E[C Λ C])`. */
function againstSkgd(
  subject: RunsSubject,
  given: Scenario,
  pull: Pull,
): { readonly violation: Violation | undefined; readonly bound: number } {
  const scenario: Scenario = { ...given, optimizer: 'dp-skgd' };
  const { factors } = pull;
  const { lasso: _lasso, ...constraint } = pull.constraint;
  const own = componentSmoothnessOf(scenario.bounds);
  const M = own.map((constant) => constant + (constraint.ridge ?? 0));
  const { sketch, params } = sketchCase(subject, sketchInputOf(scenario), Float64Array.from(own));
  const { law, marginals } = lawOf(subject, scenario, own);
  const matrix =
    factors
      ?.slice(0, M.length)
      .map((row, i) =>
        M.map((_, j) => row.reduce((sum, x, k) => sum + x * factors[j][k], 0) + (i === j ? own[j] : 0)),
      ) ?? null;
  const whole = (matrix ?? own.map((constant, i) => own.map((_, j) => (i === j ? constant : 0)))).map(
    (row, i) => row.map((entry, j) => entry + (i === j ? (constraint.ridge ?? 0) : 0)),
  );
  const size = 1 / largestEigenvalue(sketchedMatrix(whole, law, marginals));
  const steps = scenario.rounds * scenario.innerSteps;
  const run = (subject.skgd as Optimizer).prepare({
    registry: registryOf(subject),
    problem: problemOf(subject, scenario, extraOf(constraint)),
    budget: { epsilon: 1, delta: 1e-6 },
    calibrate: noCalibration,
    random: seededRandom('coins of a listing'),
    params: {
      steps,
      sketch: { name: sketch.name, params },
      ...(matrix === null ? { smoothness: own } : { matrix }),
    },
  });
  const found = played(run, pull, own);
  const expected = listed({
    start: own.map((_, j) => pull.start[j]),
    rounds: 1,
    innerSteps: steps,
    stepSizes: own.map((_, j) => size / marginals[j]),
    constraint,
    setOf: (step) => found.sets[step] ?? [],
    slopeAt: (theta, j, step) => slopeOf(pull, own, theta, j, step),
    isAveraged: false,
  });
  return {
    violation: left(found, expected, 1e-6),
    bound: constraint.box === undefined && constraint.ball === undefined ? pull.leastBound : expected.bound,
  };
}

/** Row 63. */
export const listingOfSkgd: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/listing-skgd',
    tier: 'search',
    statement:
      'SkGD, the ancestor without noise, is θ ← θ − γ C ∇f(θ), projected, with γ = 1/λ_max(E[C Λ C]) for ' +
      'a smoothness matrix Λ, by default Diag(M); it returns its last point.',
    power:
      'A relative error of 1e-6 of a step, over 60 runs of up to 24 steps, on the whole space, ' +
      'a box and a ball, which change several steps of each run, with a ridge and without.',
    run: (env) => listingFinding(env, (scenario, pull) => againstSkgd(subject, scenario, pull)),
  });
