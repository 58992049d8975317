import type { Ref, Run } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck, type Finding, type LawEnv, type Violation } from '@lethe/laws';
import { boxDomain, l2BallDomain, wholeSpaceDomain } from '@lethe/mechanisms';
import fc, { type Arbitrary } from 'fast-check';
import { noted, first } from '../../common/judging.js';
import { dot, norm } from '../../common/vectors.js';
import { stichSteps } from './formulas.js';
import { laws, plannedIn, plannedRun, type Law, type Planned, type Scenario } from './planned-runs.js';
import { played, type Asked, type Played } from './played.js';
import type { RunsSubject } from './subject.js';

type CheckOf = (subject: RunsSubject) => ClaimCheck;
type Point = readonly number[];

/** A set, by its projection as a formula. */
interface SetOf {
  readonly domain: Ref<'domain'>;
  readonly project: (point: Point) => Point;
  /** Projection on the part of the set in a ball. */
  readonly projectNear: (point: Point, centre: Point, radius: number) => Point;
}

const minus = (x: Point, y: Point): Point => x.map((entry, j) => entry - y[j]);
const plus = (x: Point, y: Point, factor = 1): Point => x.map((entry, j) => entry + factor * y[j]);

/** Projection on a ball. */
const intoBall = (point: Point, centre: Point, radius: number): Point => {
  const away = minus(point, centre);
  const length = norm(away);
  return length <= radius ? point : plus(centre, away, radius / length);
};

/**
 * Projection on two balls at once: on one where that is in the other, else on the sphere in which their
 * boundaries meet.
 */
function intoBalls(point: Point, own: number, centre: Point, radius: number): Point {
  const origin = centre.map(() => 0);
  const isIn = (x: Point, middle: Point, size: number): boolean =>
    norm(minus(x, middle)) <= size * (1 + 1e-12);
  const near = intoBall(point, origin, own);
  if (isIn(near, centre, radius)) return near;
  const second = intoBall(point, centre, radius);
  if (isIn(second, origin, own)) return second;
  const far = norm(centre);
  const axis = centre.map((x) => x / far);
  const along = (far ** 2 + own ** 2 - radius ** 2) / (2 * far);
  const across = plus(point, axis, -dot(point, axis));
  const wide = Math.sqrt(Math.max(0, own ** 2 - along ** 2));
  return plus(
    axis.map((x) => along * x),
    across,
    wide / norm(across),
  );
}

/** The whole space, a ball, and in one dimension an interval. */
export function setOf(shape: 'space' | 'ball' | 'interval', radius: number): SetOf {
  if (shape === 'space')
    return { domain: wholeSpaceDomain({}), project: (point) => point, projectNear: intoBall };
  if (shape === 'ball')
    return {
      domain: l2BallDomain({ radius }),
      project: (point) =>
        intoBall(
          point,
          point.map(() => 0),
          radius,
        ),
      projectNear: (point, centre, near) => intoBalls(point, radius, centre, near),
    };
  const [low, high] = [-radius / 2, radius];
  return {
    domain: boxDomain({ lower: low, upper: high }),
    project: ([x]) => [Math.max(low, Math.min(high, x))],
    projectNear: ([x], [centre], near) => [Math.max(low, centre - near, Math.min(high, centre + near, x))],
  };
}

/** A run of a listing: every point a gradient is asked for at, with the batch, and the output. */
interface Listed {
  readonly points: readonly Point[];
  readonly batches: readonly string[];
  readonly output: Point;
  /** Steps that a set or a proximal map changed, and steps that none did. */
  readonly bound: number;
  readonly free: number;
}

/** Counts steps that sets and maps change. */
function counting() {
  let [bound, free] = [0, 0];
  return {
    /** Notes whether `after` is not `before`. */
    seen(before: Point, after: Point): Point {
      if (norm(minus(before, after)) > 1e-6 * (1 + norm(before))) bound++;
      else free++;
      return after;
    },
    counts: () => ({ bound, free }),
  };
}

/** What a listing is run with: the start, the set, and the gradient of each step, noise included. */
interface Given {
  readonly start: Point;
  readonly set: SetOf;
  readonly gradientOf: (step: number) => Point;
}

/** Algorithm 2: `α_t = 2/(t + 1)`, `η_t = 4η/(t(t + 1))`. */
export function listedAcSa({ start, set, gradientOf }: Given, rounds: number, eta: number): Listed {
  const { seen, counts } = counting();
  let w = set.project(start);
  let aggregate = w;
  const points: Point[] = [];
  for (let t = 1; t <= rounds; t++) {
    const alpha = 2 / (t + 1);
    const proximity = (4 * eta) / (t * (t + 1));
    points.push(
      plus(
        aggregate.map((x) => (1 - alpha) * x),
        w,
        alpha,
      ),
    );
    const moved = plus(w, gradientOf(t - 1), -alpha / proximity);
    w = seen(moved, set.project(moved));
    aggregate = plus(
      aggregate.map((x) => (1 - alpha) * x),
      w,
      alpha,
    );
  }
  return { points, batches: points.map((_, k) => `part ${k + 1}`), output: aggregate, ...counts() };
}

/** Algorithm 6: `T + 1` steps, and the average of the points after each with weights `ζ_t`. */
export function listedSgd(
  { start, set, gradientOf }: Given,
  steps: readonly (readonly [eta: number, zeta: number])[],
): Listed {
  const { seen, counts } = counting();
  let w = set.project(start);
  const points: Point[] = [];
  let sum = start.map(() => 0) as Point;
  let total = 0;
  steps.forEach(([eta, zeta], t) => {
    points.push(w);
    const moved = plus(w, gradientOf(t), -eta);
    w = seen(moved, set.project(moved));
    sum = plus(sum, w, zeta);
    total += zeta;
  });
  const output = sum.map((x) => x / total);
  return { points, batches: points.map((_, k) => `part ${k + 1}`), output, ...counts() };
}

/** Algorithm 8: `w ← prox_{ηf¹}(w − ηg)`, with a proximal map for `ηf¹`. */
function listedProximal(
  { start, set, gradientOf }: Given,
  {
    rounds,
    stepSize,
    prox,
  }: {
    readonly rounds: number;
    readonly stepSize: number;
    readonly prox: (point: Point, eta: number) => Point;
  },
): Listed {
  const { seen, counts } = counting();
  let w = set.project(start);
  const points: Point[] = [];
  for (let t = 0; t < rounds; t++) {
    points.push(w);
    const moved = plus(w, gradientOf(t), -stepSize);
    w = seen(moved, set.project(prox(moved, stepSize)));
  }
  return { points, batches: points.map((_, k) => `part ${k + 1}`), output: w, ...counts() };
}

/** Algorithm 3: `w ← Π[w − η(g + λ(w − w_0))]`. */
function subgradients(
  start: Point,
  {
    rounds,
    stepSize,
    strength,
    project,
    gradientOf,
    seen,
  }: {
    readonly rounds: number;
    readonly stepSize: number;
    readonly strength: number;
    readonly project: (point: Point) => Point;
    readonly gradientOf: (t: number) => Point;
    readonly seen: (before: Point, after: Point) => Point;
  },
): { readonly points: readonly Point[]; readonly end: Point } {
  const points: Point[] = [];
  let w = start;
  for (let t = 0; t < rounds; t++) {
    points.push(w);
    const direction = plus(gradientOf(t), minus(w, start), strength);
    const moved = plus(w, direction, -stepSize);
    w = seen(moved, project(moved));
  }
  return { points, end: w };
}

function listedSubgradient(
  { start, set, gradientOf }: Given,
  { rounds, stepSize, strength }: Pick<Planned, 'rounds' | 'stepSize' | 'strength'>,
): Listed {
  const { seen, counts } = counting();
  const { points, end } = subgradients(set.project(start), {
    rounds,
    stepSize,
    strength,
    project: set.project,
    gradientOf,
    seen,
  });
  return { points, batches: points.map(() => 'everyone'), output: end, ...counts() };
}

/** Algorithm 4: Algorithm 3 on a batch of its own for each phase, within `W ∩ B(w_{i−1}, D_i)`. */
function listedPhases({ start, set, gradientOf }: Given, { phases }: Planned): Listed {
  const { seen, counts } = counting();
  let w = set.project(start);
  const points: Point[] = [];
  const batches: string[] = [];
  phases.forEach(({ rounds, stepSize, strength, radius }, i) => {
    const centre = w;
    const before = points.length;
    const found = subgradients(centre, {
      rounds,
      stepSize,
      strength,
      project: (point) => set.projectNear(point, centre, radius),
      gradientOf: (t) => gradientOf(before + t),
      seen,
    });
    points.push(...found.points);
    batches.push(...found.points.map(() => `part ${i + 1}`));
    w = found.end;
  });
  return { points, batches, output: w, ...counts() };
}

/** Appendix C: `w ← Π(w − g/(λ + L))`. */
const listedDescent = (given: Given, plan: Planned, isDisjoint: boolean): Listed => {
  const listed = listedProximal(given, { ...plan, prox: (point) => point });
  return isDisjoint ? listed : { ...listed, batches: listed.points.map(() => 'everyone') };
};

/** How a listing is played: plain data. Pushes are answers over step sizes, in units of the radius. */
interface Play {
  readonly law: Law;
  readonly shape: 'space' | 'ball' | 'interval';
  readonly start: readonly number[];
  readonly pushes: readonly number[];
  readonly rounds: number;
  /** A regulariser, of Algorithm 8. */
  readonly penalty: 'none' | 'lasso' | 'ridge';
  readonly isWhole: boolean;
  readonly schedule: 'corrected' | 'printed';
  /** Steps that the set must change, and not change, at least. */
  readonly least: number;
}

const pushed = [-2.5, -1.5, -0.25, 0.25, 1.25, 3];
const plays: Arbitrary<Play> = fc.record({
  law: laws,
  shape: fc.constantFrom('space', 'ball', 'ball', 'interval'),
  start: fc.array(fc.constantFrom(-0.3, 0.2, 0.45, 2), { minLength: 3, maxLength: 3 }),
  pushes: fc.array(fc.constantFrom(...pushed), { minLength: 23, maxLength: 23 }),
  rounds: fc.integer({ min: 2, max: 9 }),
  penalty: fc.constantFrom('none', 'lasso', 'ridge'),
  isWhole: fc.boolean(),
  schedule: fc.constantFrom('corrected', 'printed'),
  least: fc.constant(0),
});

/** A run in which a set or a map changes several steps, and leaves others. */
const binding = (shape: Play['shape']): Play => ({
  law: {
    order: 3,
    moment: 1,
    thinner: 0.9,
    uniform: 1.25,
    growth: 1.5,
    slope: 0.8,
    smoothness: 1.3,
    condition: 2.5,
    radius: 1,
    near: 0.7,
    gap: 0.2,
  },
  shape,
  start: [0.45, -0.3, 0.2],
  pushes: Array.from({ length: 23 }, (_, k) => [1.25, -0.25, -1.5, 0.25, 3, -0.25, -2.5][k % 7]),
  rounds: 9,
  penalty: 'none',
  isWhole: false,
  schedule: 'corrected',
  least: 2,
});

/** A method, as a scenario to plan and a listing to compare with. */
interface Method {
  readonly scenario: (play: Play) => Pick<Scenario, 'optimizer' | 'params'> & Partial<Scenario>;
  /** Length of step `t` for a gradient of length 1. */
  readonly stepOf: (plan: Planned, t: number, play: Play) => number;
  readonly listed: (given: Given, plan: Planned, play: Play) => Listed;
  readonly shapes: readonly Play['shape'][];
  /** Radius of the set that the steps of a round stay in. */
  readonly reachOf?: (plan: Planned, t: number) => number;
}

const columnsOf = ({ shape }: Play): number => (shape === 'interval' ? 1 : 3);
const records = 40;

const scenarioOf = (method: Method, play: Play): Scenario => ({
  law: play.law,
  records,
  columns: columnsOf(play),
  adjacency: 'replace-one',
  epsilon: 1,
  delta: 1e-6,
  domain: setOf(play.shape, play.law.radius).domain,
  ...method.scenario(play),
});

/** Where a run leaves its listing. */
function left({ asked, output }: Played, expected: Listed): Violation | undefined {
  if (asked.length !== expected.points.length)
    return { what: 'the number of steps', measured: asked.length, allowed: expected.points.length };
  const apart = (what: string, got: ArrayLike<number>, want: Point): Violation | undefined => {
    const size = Math.max(...expected.points.map(norm), norm(want), 1e-300);
    const j = want.findIndex((x, i) => !(Math.abs(x - got[i]) <= 1e-9 * size));
    if (j < 0) return undefined;
    return { what: `entry ${j} of ${what} is ${got[j]}, not ${want[j]}`, measured: got[j], allowed: want[j] };
  };
  const batchOf = ({ batch, drawn }: Asked): string => drawn?.from ?? batch.id;
  const misdealt = asked.findIndex((one, k) => batchOf(one) !== expected.batches[k]);
  return first(
    ...expected.points.map((point, k) => apart(`the point of step ${k}`, asked[k].at, point)),
    misdealt < 0
      ? undefined
      : {
          what: `step ${misdealt} is on ${batchOf(asked[misdealt])}, not ${expected.batches[misdealt]}`,
          measured: misdealt,
          allowed: asked.length,
        },
    apart('the output', output, expected.output),
  );
}

/** A played run against its listing. */
function against(
  subject: RunsSubject,
  method: Method,
  play: Play,
): { readonly run: Run; readonly found: Played; readonly expected: Listed } {
  const scenario = scenarioOf(method, play);
  const run = plannedRun(subject, scenario);
  const plan = plannedIn(run);
  const columns = columnsOf(play);
  const start = play.start.slice(0, columns).map((x) => x * play.law.radius);
  const gradientOf = (step: number): Point =>
    Array.from(
      { length: columns },
      (_, j) =>
        (play.pushes[(5 * step + 7 * j) % play.pushes.length] *
          (method.reachOf?.(plan, step) ?? play.law.radius)) /
        method.stepOf(plan, step, play),
    );
  const found = played(run, { start, records }, (_, step) => gradientOf(step));
  const expected = method.listed({ start, set: setOf(play.shape, play.law.radius), gradientOf }, plan, play);
  return { run, found, expected };
}

/** Runs of a method against its listing, among them those in which sets must bind several times. */
function listingFinding(
  env: LawEnv,
  subject: RunsSubject,
  method: Method,
  also: (found: Played, play: Play, plan: Planned) => Violation | undefined = () => undefined,
): Finding {
  let [bound, steps] = [0, 0];
  const examples = method.shapes
    .filter((shape) => shape !== 'space' || method.reachOf !== undefined)
    .map(binding);
  return noted(
    env.forAll(
      plays.filter(({ shape }) => method.shapes.includes(shape)),
      (play): Violation | undefined => {
        const { run, found, expected } = against(subject, method, play);
        bound += expected.bound;
        steps += expected.points.length;
        const rare = Math.min(expected.bound, expected.free);
        return first(
          left(found, expected),
          also(found, play, plannedIn(run)),
          rare >= play.least
            ? undefined
            : { what: 'steps that the set changes, or leaves', measured: rare, allowed: play.least },
        );
      },
      { runs: 60, examples },
    ),
    () => `a set or a map changes ${bound} of ${steps} steps`,
  );
}

const listing =
  (
    id: string,
    method: Method,
    { statement, also }: { readonly statement: string; readonly also?: Parameters<typeof listingFinding>[3] },
  ): CheckOf =>
  (subject) =>
    defineClaimCheck({
      id: `lowy/${id}`,
      tier: 'search',
      statement,
      power:
        'A relative error of 1e-9 of any point, the wrong batch of any step, or one step more or less, ' +
        'in 60 runs of up to 40 steps whose sets bind in some steps and not in others.',
      run: (env) => listingFinding(env, subject, method, also),
    });

/** Row C78. */
export const listingOfAcSa = listing(
  'listing-ac-sa',
  {
    scenario: ({ rounds, schedule }) => ({
      optimizer: 'noisyClippedAcSa',
      params: { rounds, clipNorm: 1, schedule },
    }),
    stepOf: ({ eta }, t) => (t + 1) / (2 * eta),
    listed: (given, { rounds, eta }) => listedAcSa(given, rounds, eta),
    shapes: ['ball', 'interval'],
  },
  {
    statement:
      'Algorithm 2 line by line: gradients at w_t^md = (1 − α_t)w_{t−1}^ag + α_t w_{t−1} on batch t, ' +
      'w_t = Π_W(w_{t−1} − (α_t/η_t)g_t), w_t^ag = α_t w_t + (1 − α_t)w_{t−1}^ag, with α_t = 2/(t + 1) and ' +
      'η_t = 4η/(t(t + 1)); it returns w_T^ag.',
  },
);

/** Row C79. */
export const listingOfSgd = listing(
  'listing-sgd',
  {
    scenario: ({ rounds, isWhole, schedule }) => ({
      optimizer: 'noisyClippedSgd',
      params: { rounds, clipNorm: 1, schedule },
      ...(isWhole ? { without: ['populationStrongConvexity'] } : {}),
    }),
    stepOf: ({ stepSize, smoothness }) => stepSize ?? 1 / smoothness,
    listed: (given, { stepSize, smoothness, convexity, rounds }, { schedule }) =>
      listedSgd(
        given,
        convexity === null
          ? Array.from({ length: rounds + 1 }, () => [stepSize, 1] as const)
          : stichSteps(schedule === 'printed' ? convexity / 2 : convexity, smoothness, rounds),
      ),
    shapes: ['ball', 'interval'],
  },
  {
    statement:
      'Algorithm 6 line by line: T + 1 steps w_{t+1} = Π_W(w_t − η_t g_t) on batches of their own, ' +
      'projected each, and the average of w_1 to w_{T+1} with weights ζ_t; steps and weights of Lemma 33 ' +
      'at a = μ, as printed μ/2, and steps of one size and equal weights without strong convexity.',
  },
);

/** `prox` of the penalty of a play. */
const proxOf =
  ({ penalty, law }: Play) =>
  (point: Point, eta: number): Point => {
    const strength = law.smoothness / 4;
    if (penalty === 'ridge') return point.map((x) => x / (1 + eta * strength));
    const cut = penalty === 'lasso' ? eta * strength * law.radius : 0;
    return point.map((x) => Math.sign(x) * Math.max(0, Math.abs(x) - cut));
  };
const regulariserOf = ({ penalty, law }: Play): Partial<Scenario> => {
  if (penalty === 'ridge')
    return { regulariser: { name: 'l2-squared', params: { strength: law.smoothness / 4 } } };
  return penalty === 'lasso'
    ? { regulariser: { name: 'l1', params: { strength: (law.smoothness / 4) * law.radius } } }
    : {};
};

/** Row C80. */
export const listingOfProximalSgd = listing(
  'listing-proximal-sgd',
  {
    scenario: (play) => ({
      optimizer: 'noisyClippedProximalSgd',
      params: { rounds: play.rounds, clipNorm: 1, schedule: play.schedule },
      ...(play.shape === 'ball' ? {} : regulariserOf(play)),
    }),
    stepOf: ({ smoothness }) => 1 / (2 * smoothness),
    listed: (given, { rounds, smoothness }, play) =>
      listedProximal(given, {
        rounds,
        stepSize: 1 / (2 * smoothness),
        prox: proxOf(play.shape === 'ball' ? { ...play, penalty: 'none' } : play),
      }),
    shapes: ['space', 'ball', 'interval'],
  },
  {
    statement:
      'Algorithm 8 line by line: w_{t+1} = prox_{η f¹}(w_t − η g_t) with η = 1/(2β) on batches of their ' +
      'own, for an ℓ1 penalty, a ridge, a ball and intervals; it returns w_T.',
  },
);

const subgradientParams = ({ rounds, law, isWhole }: Play) => ({
  rounds,
  stepSize: 0.5 / law.smoothness,
  strength: (isWhole ? 0 : 0.75) * law.smoothness,
});

/** Row C81. */
export const listingOfSubgradient = listing(
  'listing-subgradient',
  {
    scenario: (play) => ({
      optimizer: 'noisyClippedSubgradient',
      params: { ...subgradientParams(play), clipNorm: 1 },
    }),
    stepOf: (_plan, _t, play) => subgradientParams(play).stepSize,
    listed: (given, _plan, play) => listedSubgradient(given, subgradientParams(play)),
    shapes: ['space', 'ball', 'interval'],
  },
  {
    statement:
      'Algorithm 3 line by line: w_{t+1} = Π_W[w_t − η(g_t + λ(w_t − w_0))], with all records in each ' +
      'step and the regulariser outside of the mean; it returns w_T.',
  },
);

const isPhased = (optimizer: 'localizedSubgradient' | 'localizedStronglyConvex'): Method => ({
  scenario: ({ rounds, isWhole, schedule }) => ({
    optimizer,
    params: {
      mostRounds: rounds,
      clipNorm: 1,
      schedule,
      noiseMultiplier: 1,
      ...(isWhole ? { variant: 'subsampled' } : {}),
    },
    adjacency: 'zero-out',
  }),
  stepOf: ({ phases }, t) => phaseAt(phases, t).stepSize,
  reachOf: ({ phases }, t) => phaseAt(phases, t).radius,
  listed: listedPhases,
  shapes: ['space', 'ball', 'interval'],
});

/** The phase of a step. */
function phaseAt<P extends { readonly rounds: number }>(phases: readonly P[], step: number): P {
  let before = 0;
  return phases.find(({ rounds }) => step < (before += rounds)) ?? phases[phases.length - 1];
}

/** Each round of a subsampled phase draws anew, at rate `1/√n_i`; others do not draw. */
function drawsOf(found: Played, { isWhole }: Play, { phases }: Planned): Violation | undefined {
  const ids = new Set(found.asked.map(({ batch }) => batch.id));
  const wrong = found.asked.findIndex(({ drawn }, step) => {
    const rate = (drawn?.sampler.params as { readonly rate?: number } | undefined)?.rate;
    const expected = phaseAt(phases, step).records ** -0.5;
    return isWhole && expected < 1 ? !(Math.abs((rate ?? 0) - expected) <= 1e-9) : rate !== undefined;
  });
  const fresh = phases.reduce((sum, { records: own, rounds }) => sum + (isWhole && own > 1 ? rounds : 1), 0);
  return first(
    wrong < 0
      ? undefined
      : { what: `the draw of step ${wrong}`, measured: wrong, allowed: found.asked.length },
    ids.size === fresh ? undefined : { what: 'the number of batches', measured: ids.size, allowed: fresh },
  );
}

/** Row C82. */
export const listingOfLocalized = listing('listing-localized', isPhased('localizedSubgradient'), {
  statement:
    'Algorithm 4 line by line: phase i runs Algorithm 3 on its own n_i records from w_{i−1}, pulled to ' +
    'w_{i−1}, within W ∩ B(w_{i−1}, D_i), and hands its last point on; of the subsampled variant each ' +
    'round draws anew from the phase, at rate 1/√n_i.',
  also: drawsOf,
});

/** Row C83. */
export const listingOfBlocks = listing('listing-blocks', isPhased('localizedStronglyConvex'), {
  statement:
    'The method of Appendix G.3 line by line: Algorithm 4 on consecutive blocks of doubling size, each ' +
    'from the result of the one before.',
  also: drawsOf,
});

/** Row C84. */
export const listingOfDescent = listing(
  'listing-descent',
  {
    scenario: ({ rounds, isWhole }) => ({
      optimizer: 'heavyTailedGradientDescent',
      params: { rounds, batches: isWhole ? 'everyone' : 'disjoint' },
    }),
    stepOf: ({ stepSize }) => stepSize,
    listed: (given, plan, { isWhole, law }) =>
      listedDescent(
        given,
        { ...plan, stepSize: 1 / (law.smoothness + law.smoothness / law.condition) },
        !isWhole,
      ),
    shapes: ['ball', 'interval'],
  },
  {
    statement:
      'The earlier method of Appendix C: w_t = Π_W(w_{t−1} − g_t/(λ + L)), with all records in each step ' +
      'or with records of its own.',
  },
);
