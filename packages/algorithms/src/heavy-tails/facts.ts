import { InvalidParameter, MissingFact, type Problem } from '@lethe/core';
import type { Domain, Proximal } from '@lethe/numerics';
import type { Moments } from '../common/given-mean.js';
import { lipschitzOf } from '../common/problem-facts.js';

/**
 * Over which points and entries a moment is: `sup_w E‖∇f‖^k`, `E sup_w ‖∇f‖^k`, or centred, of the worst
 * entry.
 */
export type MomentKind = 'pointwise' | 'uniform' | 'coordinate';

const prefixes = {
  pointwise: 'gradientMoment',
  uniform: 'uniformGradientMoment',
  coordinate: 'coordinateGradientMoment',
} as const satisfies Record<MomentKind, string>;

const momentName = /^(?:uniformG|coordinateG|g)radientMoment(?:\.|$)/u;
const momentOrder = /^[A-Za-z]+\.(\d+(?:\.\d+)?)$/u;
const constants: ReadonlySet<string> = new Set([
  'populationSmoothness',
  'populationStrongConvexity',
  'populationLipschitz',
  'proximalPolyakLojasiewicz',
  'startGap',
  'startDistance',
]);

/** The order in the name of a moment; `NaN` where there is none. */
const orderOf = (name: string): number => Number(momentOrder.exec(name)?.[1] ?? Number.NaN);

/**
 * Refuses moments and constants that no problem has, whether a method reads them or not. Who only checks a
 * fact does not read it: `get` would be recorded.
 */
function assertMeaningful(facts: Problem['facts']): void {
  for (const [name, { value: fact }] of Object.entries(Object.getOwnPropertyDescriptors(facts))) {
    const { value } = fact;
    const what = `the fact '${name}' is ${value}`;
    if (momentName.test(name)) {
      if (!(orderOf(name) >= 2))
        throw new InvalidParameter(
          `${what}, and its name says no order of at least 2; write the order as a number behind a ` +
            `point, such as '${name.split('.')[0]}.2', or leave the fact out`,
          { [name]: value },
        );
      if (!(value > 0 && value < Infinity))
        throw new InvalidParameter(
          `${what}; a moment, as the root (E‖∇f‖^k)^(1/k), must be positive and finite: declare an upper ` +
            'bound, or leave out an order of which none is known',
          { [name]: value },
        );
    }
    if (constants.has(name) && !(value >= 0 && value < Infinity))
      throw new InvalidParameter(`${what}; it must be finite and at least 0: correct it, or leave it out`, {
        [name]: value,
      });
  }
}

/** A moment of order `k ≥ 2`, as a root. */
export interface KnownMoment {
  readonly order: number;
  readonly moment: number;
}

/**
 * The moments a problem declares, ascending by order, as roots: facts `gradientMoment.k` (`r_k`),
 * `uniformGradientMoment.k` (`r̃_k`) or `coordinateGradientMoment.k` (`γ_k^(1/k)`). Each is at most any of a
 * higher order, and a pointwise one at most the uniform one.
 *
 * @throws {InvalidParameter} for a fact of that kind of name without an order of at least 2, or that is not
 * positive and finite.
 * @see Lowy & Razaviyayn, Assumptions 1 to 3.
 */
export function momentsOf({ facts }: Problem, kind: MomentKind): readonly KnownMoment[] {
  assertMeaningful(facts);
  const found = (of: MomentKind): readonly KnownMoment[] =>
    Object.keys(facts)
      .filter((name) => name.startsWith(`${prefixes[of]}.`))
      .map((name) => ({ order: orderOf(name), moment: facts[name].value }));
  const all = kind === 'pointwise' ? [...found('pointwise'), ...found('uniform')] : found(kind);
  return [...new Set(all.map(({ order }) => order))]
    .toSorted((a, b) => a - b)
    .map((order) => ({
      order,
      moment: Math.min(...all.filter((other) => other.order >= order).map(({ moment }) => moment)),
    }));
}

function valueOf({ facts }: Problem, ...names: readonly string[]): number | null {
  assertMeaningful(facts);
  for (const name of names) {
    const value = facts[name]?.value;
    if (value === undefined) continue;
    if (!(value >= 0 && value < Infinity))
      throw new InvalidParameter(`the fact '${name}' is ${value}; it must be finite and at least 0`, {
        [name]: value,
      });
    return value;
  }
  return null;
}

/**
 * `β`, of the population risk: `populationSmoothness`, else `smoothness`. @throws {Unsupported} without
 * either.
 */
export function smoothnessOf(problem: Problem): number {
  const value = valueOf(problem, 'populationSmoothness', 'smoothness');
  if (value !== null) return value;
  throw new MissingFact(
    "the problem declares neither the fact 'populationSmoothness', the smoothness of the risk, nor " +
      "'smoothness', that of every record; declare one",
    ['populationSmoothness', 'smoothness'],
  );
}

/**
 * `μ`, of the population risk: `populationStrongConvexity`, else `strongConvexity`; `null` without a positive
 * one.
 */
export const strongConvexityOf = (problem: Problem): number | null =>
  valueOf(problem, 'populationStrongConvexity', 'strongConvexity') || null;

/**
 * `μ` of the proximal Polyak–Łojasiewicz condition (Definition 19) at the smoothness `β` of the smooth part:
 * `proximalPolyakLojasiewicz`, or for a convex loss what follows from `m`-strong convexity of the sum: `m`
 * itself if the regulariser is not curved, else `βm/(β + m)`; `null` where nothing tells.
 *
 * For the latter take `y = w + θ(w* − w)`, `θ = m/(β + m)`, in the definition: the quadratic terms cancel.
 */
export function proximalConstantOf(
  problem: Problem,
  regulariser: Proximal | null,
  smoothness: number,
): number | null {
  const declared = valueOf(problem, 'proximalPolyakLojasiewicz');
  const convex = problem.capabilities.convex === true ? (strongConvexityOf(problem) ?? 0) : 0;
  const ridge = regulariser?.ridge;
  const strength =
    ridge === undefined || problem.capabilities.convex !== true
      ? 0
      : ridge.strength.reduce((least, one) => Math.min(least, one));
  const whole = Math.max(convex, strength);
  const isFlat = regulariser === null || regulariser.flat === true;
  const implied = isFlat ? whole : (smoothness * whole) / (smoothness + whole);
  return Math.max(declared ?? 0, implied) || null;
}

/** `L ≥ sup ‖∇F‖`: `populationLipschitz`, or any moment of the gradient; `null` without either. */
export function populationLipschitzOf(problem: Problem): number | null {
  const known = [
    valueOf(problem, 'populationLipschitz', 'lipschitz'),
    ...momentsOf(problem, 'pointwise').map(({ moment }) => moment),
  ].filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/**
 * Bound on the distance from the start to the minimiser: `startDistance`, `diameter`, the diameter of the
 * domain; the least of them. May be infinite.
 */
export const startDistanceOf = (problem: Problem, domain: Domain): number =>
  Math.min(
    valueOf(problem, 'startDistance') ?? Infinity,
    valueOf(problem, 'diameter') ?? Infinity,
    domain.diameter,
  );

/** The same for a method that cannot do without. @throws {Unsupported} where it is not bounded. */
export function knownDistanceOf(problem: Problem, domain: Domain): number {
  const distance = startDistanceOf(problem, domain);
  if (distance < Infinity) return distance;
  throw new MissingFact(
    'the distance from the start to the minimiser is not bounded: ' +
      "use a bounded domain, or declare the fact 'startDistance'",
    ['startDistance'],
  );
}

/**
 * Bound on the excess risk of the start: `startGap`, or Lipschitz
 * constant times distance. With a regulariser only the former.
 */
export function startGapOf(problem: Problem, domain: Domain): number | null {
  const gap = valueOf(problem, 'startGap');
  const lipschitz = problem.regulariser === undefined ? populationLipschitzOf(problem) : null;
  const reached = lipschitz === null ? Infinity : lipschitz * startDistanceOf(problem, domain);
  const least = Math.min(gap ?? Infinity, reached);
  return least < Infinity ? least : null;
}

/** Moments of the gradient, as roots. */
export interface DeclaredMoments {
  readonly order: number;
  readonly moment: number;
  readonly secondMoment: number;
}

/**
 * The pointwise moments a problem declares, as facts `gradientMoment.k` or `uniformGradientMoment.k`,
 * `k ≥ 2`, ascending by order. Moments grow with the order: one that is declared larger than one of a higher
 * order is replaced, and `r_2` is the least of all.
 *
 * @param only - The one order wanted.
 * @throws {Unsupported} when there is none, or not the one wanted.
 */
export function declaredMoments(problem: Problem, only?: number): readonly DeclaredMoments[] {
  const found = momentsOf(problem, 'pointwise');
  const wanted = only === undefined ? found : found.filter(({ order }) => order === only);
  if (wanted.length === 0) {
    throw new MissingFact(
      'the problem declares no ' +
        (only === undefined
          ? "gradient moment: add a fact such as 'gradientMoment.2'"
          : `fact 'gradientMoment.${only}'`) +
        ', a positive bound on (E‖∇f‖^k)^(1/k); it has orders ' +
        `${found.map((m) => m.order).join(', ') || 'none'}`,
      [`gradientMoment.${only ?? 2}`],
    );
  }
  return wanted.map(({ order, moment }) => ({ order, moment, secondMoment: found[0].moment }));
}

/**
 * `L` of every record at every iterate; `null` where none is known. One of a loss that is Lipschitz on
 * bounded sets only counts on bounded domains only.
 */
export function recordLipschitzOf(problem: Problem, { diameter }: Domain): number | null {
  const isEverywhere = problem.capabilities.lipschitz === true || diameter < Infinity;
  return isEverywhere ? lipschitzOf(problem) || null : null;
}

/**
 * The pointwise moments a method may count on: those of {@link declaredMoments}, none above the Lipschitz
 * constant `L` of every record. Where that is known, gradients have moments of every order: order `Infinity`
 * comes first, and an order that is not declared has the moment `L`.
 *
 * @param only - The one order wanted.
 * @throws {Unsupported} when there is none, or not the one wanted, and no `L` is known.
 */
export function knownMoments(problem: Problem, domain: Domain, only?: number): readonly Moments[] {
  const longest = recordLipschitzOf(problem, domain);
  if (longest === null) return declaredMoments(problem, only);
  const declared = momentsOf(problem, 'pointwise').map(({ order, moment }) => ({
    order,
    moment: Math.min(moment, longest),
  }));
  const secondMoment = Math.min(longest, ...declared.map(({ moment }) => moment));
  const bounded = { order: only ?? Infinity, moment: longest };
  const wanted =
    only === undefined ? [bounded, ...declared] : [declared.find(({ order }) => order === only) ?? bounded];
  return wanted.map((known) => ({ ...known, secondMoment, longest }));
}
