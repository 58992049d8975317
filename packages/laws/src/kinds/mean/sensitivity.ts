import type { Adjacency, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import {
  neighbourExamples,
  neighbours,
  neighboursOf,
  type Neighbours,
} from '../../arbitraries/neighbours.js';
import type { Data, DataShape } from '../../arbitraries/vectors.js';
import { distance } from '../../engines/norms.js';
import { sensitivitySearch, type FoundSensitivity } from '../../engines/sensitivity-search.js';
import { fails, holds, type Finding, type Violation } from '../../law/finding.js';
import type { Cell, LawEnv } from '../../law/law.js';
import { defineMeanLaw } from './define-mean-law.js';
import { named, unit } from '../clip/apply.js';
import { alsoElsewhere } from '../../law/other-params.js';
import { tryHandful } from './handful.js';
import {
  declaredNorm,
  adjacenciesOf,
  feed,
  noShape,
  scaleAt,
  sensitivityAt,
  shapesOf,
  usesRandomness,
  type CentralSubject,
  type Shape,
} from './release.js';

const cellsOf = (subject: CentralSubject): readonly Cell[] => {
  const declared = adjacenciesOf(subject);
  return declared.length === 0
    ? [{ name: '' }]
    : declared.map((adjacency) => ({ name: adjacency, adjacency }));
};

/**
 * How a record leaves or changes: among full slots; by a slot that is never added; or by later records moving
 * up.
 */
type How = 'full' | 'gap' | 'shift';
const inWords: { readonly [H in How]: string } = {
  full: 'every slot is filled',
  gap: 'an absent record leaves its slot empty',
  shift: 'later records move up',
};

/** One shape and one way, with randomness held fixed. */
interface Trial {
  readonly shape: Shape;
  readonly how: How;
  readonly toss: number;
  readonly declared: number;
  readonly name: string;
}

/** Every shape in every way; where there is randomness, under a few of its draws. */
function trialsOf(subject: CentralSubject, env: LawEnv, tosses: number): readonly Trial[] {
  const adjacency = defined(env.cell.adjacency);
  const tossed = usesRandomness(subject, env.random('coins'));
  // With randomness for every slot, records that move up get others:
  // no longer the same release on neighbouring data.
  let ways: readonly How[];
  if (adjacency !== 'add-remove') ways = ['full'];
  else if (tossed) ways = ['gap'];
  else ways = ['gap', 'shift'];
  return shapesOf(subject).flatMap((shape) => {
    const declared = sensitivityAt(subject, shape)?.[adjacency];
    if (declared === undefined) return [];
    return ways.flatMap((how) =>
      Array.from({ length: tossed ? tosses : 1 }, (_, toss): Trial => ({
        shape,
        how,
        toss,
        declared,
        name: `${shape.dimension} × ${shape.slots} ${how} ${toss}`,
      })),
    );
  });
}

/**
 * What the neighbours of a trial look like: with a gap both have
 * the same slots, as under zero-out; a batch of exact size is full.
 */
function inputsOf(
  subject: CentralSubject,
  { shape: { dimension, slots }, how }: Trial,
  adjacency: Adjacency,
): DataShape & { readonly adjacency: Adjacency; readonly examples: readonly Neighbours[] } {
  const searched: Adjacency = how === 'gap' ? 'zero-out' : adjacency;
  const data = {
    dimension,
    scale: scaleAt(subject, { dimension, slots }),
    rows: slots,
    fewest: how === 'shift' ? 0 : slots,
    norm: declaredNorm(subject),
    nulls: searched === 'zero-out',
  };
  const examples = neighbourExamples(searched, data).filter(
    ({ here, there }) => how === 'shift' || (here.length === slots && there.length === slots),
  );
  return {
    ...data,
    adjacency: searched,
    examples:
      how === 'shift' || slots < 3
        ? examples
        : [
            ...examples,
            ...allButTheLast(searched, { dimension, slots }, data.scale),
            ...betweenCamps(searched, { dimension, slots }, data.scale),
          ],
  };
}

/**
 * Records that agree but for the last: where a mean decides
 * how to go on by what it has seen, the first tips the scales.
 */
function allButTheLast(
  adjacency: Adjacency,
  { dimension, slots }: Shape,
  scale: number,
): readonly Neighbours[] {
  const along = (size: number): number[] =>
    Array.from({ length: dimension }, (_, j) => (j === 0 ? 3 * size * scale : 0));
  const common = Array.from({ length: slots - 1 }, (_, slot) => along(slot === slots - 2 ? -1 : 1));
  return [neighbours(adjacency, { common, at: 0, record: along(1), other: along(-1) })];
}

/**
 * One record between two camps at opposite corners, by residues of slots or by what comes before and after
 * it: where medians of groups turn on it.
 */
function betweenCamps(
  adjacency: Adjacency,
  { dimension, slots }: Shape,
  scale: number,
): readonly Neighbours[] {
  const corner = (side: number): number[] => Array.from({ length: dimension }, () => 3 * side * scale);
  return [1, 2, 3].flatMap((back) =>
    [0, 2, 3].map((residues) => {
      const at = slots - back;
      const sideOf = (slot: number): number => {
        const holdsOf = () => {
          if (residues === 0) return slot < at;
          return (slot % residues) % 2 === 0;
        };
        return holdsOf() ? 1 : -1;
      };
      const common = Array.from({ length: slots - 1 }, (_, i) => corner(sideOf(i < at ? i : i + 1)));
      return neighbours(adjacency, { common, at, record: corner(1), other: corner(-1) });
    }),
  );
}

const valueOf =
  (subject: CentralSubject, { shape, how, toss }: Trial, env: LawEnv) =>
  (data: Data): Vector =>
    feed(subject, data, {
      shape,
      randomness: env.random(`coins ${toss}`),
      nulls: how === 'gap' ? 'absent' : 'zero',
    }).value;

function climb(subject: CentralSubject, trial: Trial, env: LawEnv): FoundSensitivity {
  const { norm, ...inputs } = inputsOf(subject, trial, defined(env.cell.adjacency));
  return sensitivitySearch({
    ...inputs,
    norm: defined(norm),
    query: valueOf(subject, trial, env),
    evaluations: env.samples(200),
    random: env.random(trial.name),
  });
}

function tooFar(
  subject: CentralSubject,
  { shape, how, declared }: Trial,
  adjacency: Adjacency,
  { here, there }: Omit<Neighbours, 'at'>,
  values: readonly [Vector, Vector],
): Violation | undefined {
  const measured = distance(declaredNorm(subject), ...values);
  const allowed = declared * (1 + roundingOf(shape));
  if (measured <= allowed) return undefined;
  const finite = values.every((value) => value.every(Number.isFinite));
  let what: string;
  if (!finite) what = 'value() is not finite';
  else if (values[0].length !== values[1].length)
    what = `value() has ${values[0].length} entries and ${values[1].length}`;
  else what = `value() moves by ${measured} in ${named(declaredNorm(subject))}`;
  return {
    what:
      `${what} between ${adjacency} neighbours (dimension ${shape.dimension}, ` +
      `${shape.slots} slots; ${inWords[how]}); the declared sensitivity is ${declared}`,
    measured,
    allowed: declared,
    input: { here, there },
  };
}

/** Sums of `slots` terms, each bounded, against one term. */
const roundingOf = ({ dimension, slots }: Shape): number => 8 * slots * (2 * dimension + slots + 16) * unit;

/** Neighbours of every trial, examples first, each under randomness of its own. */
function tryNeighbours(subject: CentralSubject, adjacency: Adjacency, env: LawEnv, effort: number): Finding {
  let samples = 0;
  for (const trial of trialsOf(subject, env, 1).filter((_, i) => effort === 1 || i < 4)) {
    const { examples, adjacency: searched, ...inputs } = inputsOf(subject, trial, adjacency);
    const found = env.forAll(
      fc.tuple(neighboursOf(searched, inputs), fc.nat(99)),
      ([pair, toss]) => {
        const value = valueOf(subject, { ...trial, toss }, env);
        return tooFar(subject, trial, adjacency, pair, [value(pair.here), value(pair.there)]);
      },
      { runs: 60 * effort, examples: examples.map((pair, i): [Neighbours, number] => [pair, i % 100]) },
    );
    samples += found.samples;
    if (found.verdict === 'fails') return { ...found, samples };
  }
  return holds(samples);
}

/** `value()` moves by no more than is declared. */
export const sensitivity = defineMeanLaw({
  id: 'mean/sensitivity',
  tier: 'search',
  invariant: 'I-2',
  statement:
    'between neighbouring data sets, with the same randomness, value() moves by at most the declared ' +
    'sensitivity in the declared norm; a batch keeps its public number of slots whatever is in them, ' +
    'and that may be an expected size, which need not be whole; at these parameters and at others',
  power:
    'any excess beyond rounding that one in 60 neighbours of up to 8 records around the declared scale ' +
    'shows, that a climb of 1 000 steps a shape reaches, or that one record among 300 makes',
  exempt: noShape,
  cells: cellsOf,
  elsewhere: 0,
  check(subject, env) {
    const { adjacency } = env.cell;
    if (adjacency === undefined) return holds(0, 'it declares no adjacency at all, and can answer nothing');
    const tried = alsoElsewhere(subject, (moved, effort) => tryNeighbours(moved, adjacency, env, effort));
    if (tried.verdict === 'fails') return tried;
    const sparse = tryHandful(subject, adjacency, env);
    let samples = tried.samples + sparse.samples;
    if (sparse.verdict === 'fails') return { ...sparse, samples };
    for (const trial of trialsOf(subject, env, 2)) {
      const { here, there, evaluations } = climb(subject, trial, env);
      const value = valueOf(subject, trial, env);
      samples += evaluations;
      const violation = tooFar(subject, trial, adjacency, { here, there }, [value(here), value(there)]);
      if (violation !== undefined) return fails(samples, violation);
    }
    return holds(samples);
  },
});

/** `value()` does move by what is declared. */
export const sensitivityAttained = defineMeanLaw({
  id: 'mean/sensitivity-attained',
  tier: 'search',
  onClaim: true,
  elsewhere: 0,
  statement:
    'some neighbours are at least 0.98 of the declared sensitivity apart, ' +
    'and replacing a record counts at most twice removing it: more would be paid for in noise',
  power: 'a sensitivity declared 2 % or more too large',
  exempt: noShape,
  cells: cellsOf,
  check(subject, env) {
    if (env.cell.adjacency === undefined) return holds(0, 'it declares no adjacency at all');
    let samples = 0;
    const best = new Map<
      Shape,
      { readonly ratio: number; readonly found: FoundSensitivity; readonly declared: number }
    >();
    for (const trial of trialsOf(subject, env, 4)) {
      const { 'replace-one': two, 'zero-out': one } = defined(sensitivityAt(subject, trial.shape));
      if (two !== undefined && one !== undefined && !(two <= 2 * one * (1 + 8 * unit)))
        return fails(samples, {
          what:
            `the sensitivity under replace-one is ${two}, more than twice the ${one} under zero-out: ` +
            'a replacement is two of those',
          measured: two,
          allowed: 2 * one,
          input: trial.shape,
        });
      const reached = best.get(trial.shape)?.ratio ?? 0;
      if (reached >= 0.98) continue;
      const found = climb(subject, trial, env);
      const ratio = found.sensitivity / trial.declared;
      samples += found.evaluations;
      if (ratio >= reached) best.set(trial.shape, { ratio, found, declared: trial.declared });
    }
    for (const [shape, { ratio, found, declared }] of best) {
      if (ratio >= 0.98) continue;
      return fails(samples, {
        what:
          `the farthest ${env.cell.adjacency} neighbours found (dimension ${shape.dimension}, ` +
          `${shape.slots} slots) are ${found.sensitivity} apart, ${ratio} of the declared ${declared}, ` +
          'which is claimed to be attained',
        measured: found.sensitivity,
        allowed: declared,
        input: { here: found.here, there: found.there },
      });
    }
    return holds(samples);
  },
});

/** Declared sensitivities are finite numbers in the range of curators. */
export const sensitivityDeclared = defineMeanLaw({
  id: 'mean/sensitivity-declared',
  tier: 'exact',
  statement:
    'every declared sensitivity is positive and finite, and depends on parameters, dimension and slots alone',
  power:
    'any entry that is 0, negative, infinite or NaN, or that changes when asked for again or after a release',
  exempt: noShape,
  check(subject, env) {
    let samples = 0;
    for (const shape of shapesOf(subject, { most: 20 })) {
      const before = defined(sensitivityAt(subject, shape));
      const scale = scaleAt(subject, shape);
      feed(
        subject,
        Array.from({ length: shape.slots }, () => Array.from({ length: shape.dimension }, () => 3 * scale)),
        { shape, randomness: env.random('coins') },
      );
      const after = defined(sensitivityAt(subject, shape));
      for (const [adjacency, value] of Object.entries(before)) {
        samples++;
        if (value !== undefined && !(value > 0 && value < Infinity))
          return fails(samples, {
            what:
              `the sensitivity under ${adjacency} is ${value} at dimension ${shape.dimension} and ` +
              `${shape.slots} slots; leave an adjacency out that is not supported`,
            measured: value,
            input: shape,
          });
        if (after[adjacency as Adjacency] !== value)
          return fails(samples, {
            what:
              `the sensitivity under ${adjacency} was ${value}, ` +
              `and ${after[adjacency as Adjacency]} after a release`,
            input: shape,
          });
      }
    }
    return holds(samples);
  },
});
