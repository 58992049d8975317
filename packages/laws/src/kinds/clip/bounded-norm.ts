import type { Norm, RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { along, type Row } from '../../arbitraries/vectors.js';
import { hillClimb, type Move } from '../../engines/hill-climb.js';
import { normOf } from '../../engines/norms.js';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { clipped, lengthsOf, named, radiusOf, roundingOf, tiniest } from './apply.js';
import { inUnit } from './in-unit.js';
import { alsoElsewhere } from '../../law/other-params.js';
import { anyVectorsFor, directionsOfEveryLength, justOutside, radiiLong, vectorsFor } from './vectors.js';

/** The norm with its rounding tolerance. */
const allowedFor = (radius: number, length: number): number =>
  radius * (1 + roundingOf(length)) + length * tiniest;

function tooLong(subject: Subject<'clip'>, vector: Row): Violation | undefined {
  const norm: Norm = subject.plugin.norm;
  const result = clipped(subject, vector);
  const measured = normOf(norm, result);
  const allowed = allowedFor(radiusOf(subject), vector.length);
  if (measured <= allowed) return undefined;
  const what = result.every(Number.isFinite)
    ? `the clipped vector has ${named(norm)} norm ${measured}; the declared radius is ${radiusOf(subject)}`
    : `the clipped vector has an entry that is not finite: [${result.slice(0, 8).join(', ')}]`;
  return { what, measured, allowed, input: vector };
}

const rescaled = (vector: Row, by: number): Row =>
  vector.map((x) => Math.max(-1e300, Math.min(1e300, x * by)) + 0);

/** Moves of the search: small and large steps, on all entries or one. */
const moves: readonly Move<Row>[] = [
  (vector, random) => rescaled(vector, 2 ** random.gaussianInto(new Float64Array(1))[0]),
  (vector, random) => {
    const step = 0.5 * 2 ** -random.integer(10) * (Math.min(1e290, normOf('linf', vector)) || 1);
    const by = random.gaussianInto(new Float64Array(vector.length));
    return vector.map((x, j) => Math.max(-1e300, Math.min(1e300, x + step * by[j])));
  },
  (vector, random) => {
    const j = random.integer(vector.length);
    return vector.with(j, -vector[j]);
  },
  (vector, random) => {
    const j = random.integer(vector.length);
    return vector.with(j, vector[random.integer(vector.length)]);
  },
  (vector, random) => vector.with(random.integer(vector.length), 0),
];

/** Vectors of a thousand entries, if the clip accepts them; only the last entries may be non-zero. */
function longOnes(subject: Subject<'clip'>): readonly Row[] {
  const ones = Array.from({ length: 1_003 }, () => radiusOf(subject));
  return subject.plugin.vectorLength === undefined
    ? [ones, ones.map((x, j) => (j === ones.length - 1 ? 2 * x : 0))]
    : [];
}

/** Vectors 1.5 times as long as the radius, of every length. */
const longer = (subject: Subject<'clip'>, random: RandomSource): readonly Row[] =>
  directionsOfEveryLength(subject, random).map((row) =>
    along(row, 1.5 * radiusOf(subject), subject.plugin.norm),
  );

/** Units in which the squares of radii vanish or overflow. */
const extremeUnits = [2 ** -700, 2 ** 600];

/** Vectors around the radius, or around a radius whose square over- or underflows, that stay too long. */
function aroundTheRadius(subject: Subject<'clip'>, more: readonly Row[]): Violation | undefined {
  for (const vector of [...justOutside(subject), ...more]) {
    const violation = tooLong(subject, vector);
    if (violation !== undefined) return violation;
  }
  for (const by of extremeUnits) {
    const parsed = subject.plugin.params.safeParse(inUnit(subject.params, by));
    if (!parsed.success) continue;
    const there = { ...subject, params: parsed.data };
    for (const vector of radiiLong(there, [1.5, 1e3])) {
      const violation = tooLong(there, vector);
      if (violation !== undefined)
        return { ...violation, what: `with parameters ${JSON.stringify(parsed.data)}: ${violation.what}` };
    }
  }
  return undefined;
}

/** ‖clip(z)‖ ≤ radius for every finite z. */
export const boundedNorm = defineLaw({
  id: 'clip/bounded-norm',
  kind: 'clip',
  tier: 'search',
  statement:
    'clipping a finite vector gives a norm of at most the declared radius in the declared norm, ' +
    'for any size and at other parameters too, up to rounding of (2n + 16)·2^-53 of the radius',
  power:
    'an excess beyond rounding on one vector in a thousand around the radius, ' +
    'on vectors longer than the radius by 2^-2 to 2^-46 of it, on vectors of every length up to 130 and of ' +
    'some up to 70 001, ' +
    'at radii 2^-700 and 2^600 times as large, or within a hill climb of 2 000 steps',
  elsewhere: 0,
  check: (given, env) =>
    alsoElsewhere(given, (subject, effort) => {
      const searched = env.forAll(anyVectorsFor(subject), (vector) => tooLong(subject, vector), {
        runs: 600 * effort,
        examples: longOnes(subject),
      });
      if (searched.verdict === 'fails') return searched;
      const violationThere = aroundTheRadius(
        subject,
        effort === 1 ? longer(subject, env.random('lengths')) : [],
      );
      if (violationThere !== undefined) return fails(searched.samples + 1, violationThere);
      const radius = radiusOf(subject);
      const summit = defined(
        hillClimb<Row>({
          inputs: vectorsFor(subject, 8),
          moves,
          starts: 10 * effort,
          evaluations: env.samples(200),
          random: env.random('climb'),
          objective: (vector) =>
            normOf(subject.plugin.norm, clipped(subject, vector)) / allowedFor(radius, vector.length),
        }),
      );
      const violation = tooLong(subject, summit.input);
      const samples = searched.samples + summit.evaluations;
      return violation === undefined
        ? holds(samples, `largest norm found: ${summit.value} of the radius`)
        : fails(samples, violation);
    }),
});

/** Some clipped vector has (nearly) the declared radius. */
export const attainedRadius = defineLaw({
  id: 'clip/radius-attained',
  kind: 'clip',
  tier: 'search',
  onClaim: true,
  elsewhere: 0,
  statement:
    'some clipped vector has at least 0.98 of the declared radius: ' +
    'a radius larger than needed costs unnecessary noise',
  power: 'a declared radius that is 2 % or more too large',
  check(subject, env) {
    const radius = radiusOf(subject);
    const { norm } = subject.plugin;
    const starts = lengthsOf(subject).flatMap((length) =>
      [1, 2, 1e3, 1e12].flatMap((by): Row[] => [
        Array.from({ length }, (_, j) => (j === 0 ? by * radius : 0)),
        Array.from({ length }, () => by * radius),
        Array.from({ length }, (_, j) => (j + 1) * by * radius),
      ]),
    );
    const summit = defined(
      hillClimb<Row>({
        inputs: vectorsFor(subject, 8),
        examples: starts,
        moves,
        evaluations: env.samples(200),
        random: env.random('climb'),
        objective: (vector) => normOf(norm, clipped(subject, vector)) / radius,
      }),
    );
    if (summit.value >= 0.98)
      return holds(summit.evaluations, `largest norm found: ${summit.value} of the radius`);
    return fails(summit.evaluations, {
      what:
        `the longest clipped vector found has ${summit.value} of the declared radius, ` +
        `claimed to be attained: every release would get ${1 / summit.value} times the noise it needs`,
      measured: summit.value * radius,
      allowed: radius,
      input: summit.input,
    });
  },
});

/** The radius is positive, finite and constant. */
export const radiusLaw = defineLaw({
  id: 'clip/radius',
  kind: 'clip',
  tier: 'exact',
  statement: 'the radius is positive and finite, and the same at every call',
  power: 'any radius that is zero, negative, infinite or NaN, or that changes',
  check(subject) {
    const radius = radiusOf(subject);
    const again = radiusOf(subject);
    if (!(radius > 0 && radius < Infinity))
      return fails(1, {
        what: `the radius is ${radius}; a bound must be positive and finite`,
        measured: radius,
        input: subject.params,
      });
    return radius === again
      ? holds(2)
      : fails(2, {
          what: `the radius is ${radius}, and ${again} at the second call`,
          measured: again,
          allowed: radius,
          input: subject.params,
        });
  },
});
