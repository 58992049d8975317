import { LetheError, type Adjacency, type Budget, type Problem, type Run, type Vector } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { normOf } from '../../engines/norms.js';
import type { Subject } from '../../law/subject.js';
import { viewOf, type PlainRecord } from './records.js';
import { budget, iteratesOf, planned, radius, settingsOf, type Setting } from './settings.js';

/** A problem with known risk for which a plan shows a bound on the excess risk. */
export interface KnownRisk {
  readonly name: string;
  readonly setting: Setting;
  readonly run: Run;
  readonly bound: number;
  /** Of equal weight; records of a run are drawn from these. */
  readonly population: readonly PlainRecord[];
  readonly start: Vector;
  readonly excess: (at: Vector) => number;
}

interface Instance {
  readonly name: string;
  readonly budget: Budget;
  readonly population: (setting: Setting) => readonly PlainRecord[];
  /** Distance of the start to the minimiser, as a share of the greatest one. */
  readonly near: number;
  /** On the whole space: facts say where the minimiser is, and nothing keeps the iterates there. */
  readonly unbounded?: true;
}

/** Facts on which a bound may rest that do not follow from the bounds of the records. */
const inventedFacts = ({ plugin }: Subject<'optimizer'>, { problem }: Setting): readonly string[] =>
  ['lipschitz', 'smoothness', ...Object.keys(plugin.facts)].filter(
    (name) =>
      problem.facts[name]?.provenance !== 'from-domain' &&
      name !== 'diameter' &&
      !name.startsWith('gradientMoment.'),
  );

/** Eight records, from the farthest start. */
const mixed: Instance = {
  name: 'records drawn from eight',
  budget,
  near: 1,
  population: ({ dimension, labels }) =>
    Array.from({ length: 8 }, (_, i): PlainRecord => ({
      features: Array.from(
        { length: dimension },
        (_x, j) => (j === i % dimension || j === 0 ? 1 : 0) / Math.SQRT2,
      ),
      label: labels[i % 4 === 3 ? 1 % labels.length : 0],
    })),
};

/** Every record the same: the risk of the population and that of the records are one. */
const alike = (slots: number, epsilon: number, near: number): Instance => ({
  name: `${slots} equal records, ε = ${epsilon}`,
  budget: { epsilon, delta: budget.delta },
  near,
  population: ({ labels }) => [{ features: [1], label: labels[0] }],
});
/** With much noise and with little, with a start whose distance is declared. */
const alone: readonly (readonly [slots: number, Instance])[] = [
  [24, alike(24, 1, 1)],
  [100, alike(100, 4, 1)],
  [24, alike(24, 1, 1 / 8)],
  [100, alike(100, 1e4, 1 / 8)],
  [400, { ...alike(400, 1, 1 / 2), name: '400 equal records on the whole space', unbounded: true }],
];

/**
 * Problems on which the bound of a plan is measured. A bound that is claimed to be one on the risk of the
 * population is tried on records drawn from eight; every bound is tried where all records are equal, with the
 * loss whose start comes nearest to the bound.
 */
export function* knownRisks(
  subject: Subject<'optimizer'>,
  adjacency: Adjacency,
  setting: Setting,
): Generator<KnownRisk> {
  if (subject.claims.some(({ property }) => property === 'utility')) {
    const known = planFor(subject, setting, mixed);
    if (known !== undefined) yield known;
  }
  // Planning for another budget can take long, and most optimizers show no bound at any.
  const [[few]] = alone;
  const bounded = settingsOf(subject, adjacency, { sizes: [[few, 1]] }).filter(
    (one) => planFor(subject, one, alike(few, budget.epsilon, 1)) !== undefined,
  );
  for (const [slots, instance] of bounded.length === 0 ? [] : alone) {
    const fitting = settingsOf(subject, adjacency, { sizes: [[slots, 1]] }).flatMap((one) => {
      const known = bounded.some(({ loss }) => loss.plugin.name === one.loss.plugin.name)
        ? planFor(subject, one, instance)
        : undefined;
      return known === undefined ? [] : [known];
    });
    const share = ({ excess, start, bound }: KnownRisk): number => excess(start) / bound;
    const [first] = fitting.toSorted((a, b) => share(b) - share(a));
    if (first !== undefined) yield first;
  }
}

/**
 * The plan of an instance; `undefined` where it is refused, shows no bound, or the bound rests on no fact.
 */
function planFor(subject: Subject<'optimizer'>, setting: Setting, instance: Instance): KnownRisk | undefined {
  if (inventedFacts(subject, setting).length > 0) return undefined;
  const unbounded = instance.unbounded === true;
  // Constants of other losses hold in the ball only.
  if (unbounded && setting.problem.capabilities.lipschitz !== true) return undefined;
  const population = instance.population(setting);
  const { excess, optimum, farthest } = riskOf(subject, setting, population);
  if (unbounded && normOf('l2', optimum) > radius / 2) return undefined;
  const start = optimum.map((x, j) => x + instance.near * (farthest[j] - x));
  const distance = normOf(
    'l2',
    start.map((x, j) => x - optimum[j]),
  );
  const known = { value: distance, scope: 'population', provenance: 'declared' } as const;
  const { facts } = setting.problem;
  const problem: Problem =
    instance.near === 1
      ? setting.problem
      : {
          ...setting.problem,
          facts: { ...facts, startDistance: known, ...(unbounded ? { diameter: known } : {}) },
          ...(unbounded ? { domain: { kind: 'domain', name: 'whole-space', params: {} } } : {}),
        };
  try {
    const run = planned(subject, problem, { budget: instance.budget });
    const bound = run.plan.utility?.bound;
    if (bound === undefined) return undefined;
    return { name: instance.name, setting: { ...setting, problem }, run, bound, population, start, excess };
  } catch (error) {
    // What may be refused, and how, is the matter of optimizer/runs and optimizer/refusals.
    if (error instanceof LetheError) return undefined;
    throw error;
  }
}

function riskOf(
  subject: Subject<'optimizer'>,
  { loss: { plugin, params }, dimension, problem }: Setting,
  population: readonly PlainRecord[],
): {
  readonly excess: (at: Vector) => number;
  readonly optimum: Vector;
  readonly farthest: Vector;
} {
  const views = population.map(viewOf);
  const domain = iteratesOf(subject, problem);
  const risk = (at: Vector): number =>
    views.reduce((sum, view) => sum + plugin.value(params, at, view) / views.length, 0);
  const gradient = (at: Vector): Vector =>
    views.reduce((sum, view) => {
      const out = new Float64Array(dimension);
      plugin.gradientInto(params, out, at, view);
      return sum.map((x, j) => x + out[j] / views.length);
    }, new Float64Array(dimension));
  const optimum = minimiser(gradient, domain, 1 / Math.max(problem.facts['smoothness'].value, 1e-2));
  const size = normOf('l2', optimum) || 1;
  const best = risk(optimum);
  return {
    excess: (at) => Math.max(0, risk(at) - best),
    optimum,
    farthest: optimum.map((x) => (-x * radius) / size),
  };
}

/** Near enough: a point that is not the best only makes the excess look smaller. */
function minimiser(gradient: (at: Vector) => Vector, domain: Domain, step: number): Vector {
  let at = new Float64Array(domain.dimension);
  for (let i = 0; i < 2000; i++) {
    const slope = gradient(at);
    const next = at.map((x, j) => x - step * slope[j]);
    domain.projectInto(next, next);
    // From a point that stays where it is all further steps lead nowhere.
    if (next.every((x, j) => x === at[j])) break;
    at = next;
  }
  return at;
}
