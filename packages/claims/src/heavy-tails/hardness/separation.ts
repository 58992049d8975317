import { seededRandom, type Vector } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import fc from 'fast-check';
import { both } from '../../common/compare.js';
import { above, differs, first } from '../../common/judging.js';
import { apart, squaredNorm } from '../../common/vectors.js';
import type { HardnessSubject } from './subject.js';

/** A check of these rows, for any subject. */
export type CheckOf = (subject: HardnessSubject) => ClaimCheck;

const distance = (a: Vector, b: Vector): number => Math.sqrt(apart(a, b));
const draw = (seed: number, dimension: number): Vector =>
  seededRandom(seed).gaussianInto(new Float64Array(dimension));
const scaledTo = (v: Vector, length: number): Vector =>
  v.map((x) => (x * length) / Math.sqrt(squaredNorm(v)));

/** Parameters of instances: number of records, dimension, and lengths of several sizes. */
export const shapes = fc.record({
  n: fc.integer({ min: 1, max: 30 }),
  dimension: fc.integer({ min: 1, max: 24 }),
  radius: fc.constantFrom(0.01, 1, 50),
  moment: fc.constantFrom(0.03, 1, 200),
  convexity: fc.constantFrom(0.02, 1, 9),
  probability: fc.constantFrom(1, 0.4, 0.01),
  order: fc.constantFrom(2, 2.5, 4, 9),
  seed: fc.integer(),
});

/** Row C60. */
export const separation: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/hard-separation',
    tier: 'search',
    statement:
      'On both linear instances the excess risk of a point of the ball, ' +
      'over radius and length of the mean, is at least half the squared distance ' +
      'to the optimum over the squared radius, and exactly that on the sphere.',
    power: 'A factor that differs from ½ by one part in 10⁹, on the sphere.',
    run: (env) =>
      env.forAll(
        fc.tuple(shapes, fc.integer(), fc.constantFrom(0, 0.2, 0.9, 1)),
        ([given, seed, share]): Violation | undefined => {
          const { n, radius, moment, order, probability } = given;
          const length = subject.lengthOfHeavyTail({ order, moment, probability });
          const w = scaledTo(draw(seed, given.dimension), share * radius);
          const cases = [
            [subject.nonPrivateInstance(given, seededRandom(given.seed)), subject.bernoulliBias(n) * moment],
            [subject.privateInstance({ ...given, length }, seededRandom(given.seed)), probability * length],
          ] as const;
          return first(
            ...cases.flatMap(([{ optimum, excessRisk }, signal]) => {
              const gap = excessRisk(w) / (radius * signal);
              const half = distance(w, optimum) ** 2 / (2 * radius ** 2);
              return [
                above('half the squared distance', half, gap, 1e-9),
                ...(share === 1 ? [differs('the excess risk on the sphere', 1 + gap, 1 + half)] : []),
              ];
            }),
          );
        },
        { runs: 300 },
      ),
  });

/** Row C61. */
export const nearest: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/nearest-word',
    tier: 'search',
    statement:
      'For every word ν of a code and every point w, ' +
      'the word nearest to w has at most twice the distance of w from ν.',
    power: 'A word that is not the nearest, for points near a word.',
    run: (env) =>
      env.forAll(
        fc.record({
          seed: fc.integer(),
          at: fc.integer({ min: 0, max: 3 }),
          away: fc.constantFrom(0, 0.1, 0.5, 0.9, 2),
          axis: fc.integer({ min: 0, max: 39 }),
          jump: fc.boolean(),
        }),
        ({ seed, at, away, axis, jump }) => {
          const words = subject
            .codeWords(40, { count: 4 }, seededRandom('claims'))
            .map((word) => scaledTo(word, 1));
          const noise = jump
            ? Float64Array.from({ length: 40 }, (_, j) => Number(j === axis))
            : scaledTo(draw(seed, 40), 1);
          const w = words[at].map((x, j) => x + away * noise[j]);
          const found = subject.nearestWord(words, w);
          return first(
            ...words.map((word) =>
              above(
                'the distance from the nearest word',
                distance(found, word),
                2 * distance(w, word),
                1e-12,
              ),
            ),
          );
        },
        { runs: 300 },
      ),
  });

const placesApart = (a: Vector, b: Vector): number => {
  let places = 0;
  for (let j = 0; j < a.length; j++) places += Number(a[j] !== b[j]);
  return places;
};
const leastApart = (words: readonly Vector[]): number =>
  words.reduce(
    (least, a, i) => words.slice(0, i).reduce((inner, b) => Math.min(inner, placesApart(a, b)), least),
    Infinity,
  );

function codeViolation(subject: HardnessSubject, dimension: number, seed: number): Violation | undefined {
  const count = 2 ** (dimension / 20);
  const words = subject.codeWords(dimension, { count }, seededRandom(seed));
  if (words.length !== count)
    return { what: `${words.length} words instead of ${count}`, measured: words.length, allowed: count };
  return first(
    above('d/8, against the places in which two words differ', dimension / 8, leastApart(words), 0),
    ...words.slice(1).flatMap((word, i) => {
      const places = placesApart(word, words[i]);
      const squared = apart(word, words[i]);
      return [
        differs('the squared distance of two words', squared, 4 * places),
        above('½, against the squared distance of words of length 1', 0.5, squared / dimension, 1e-12),
      ];
    }),
  );
}

/** Row C64. */
export const codes: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/code-words',
    tier: 'search',
    statement:
      'Codes of 2^(d/20) words at distance d/8 are found for d = 40, 80 and 160; squared distances are ' +
      'four times those by coordinates, ½ or more between words of length 1; with the bias 1/(20√n) ' +
      "Fano's inequality proves 4.4·10⁻⁴ of D r_2/√n at every n.",
    power: 'One pair of words too near; a constant below 4.4·10⁻⁴.',
    run: (env) =>
      both(
        env.forAll(
          fc.tuple(fc.constantFrom(40, 80), fc.integer()),
          ([dimension, seed]) => codeViolation(subject, dimension, seed),
          { runs: 12 },
        ),
        env.forAll(fc.constant(160), (dimension) => codeViolation(subject, dimension, 0), { runs: 1 }),
        env.forAll(
          fc.record({ e: fc.integer({ min: 0, max: 12 }), d: fc.constantFrom(40, 41, 100, 4000) }),
          ({ e, d }) => {
            const n = 10 ** e;
            const bias = 1 / (20 * Math.sqrt(n));
            return above(
              '4.4·10⁻⁴ of r_2/√n',
              4.4e-4 / Math.sqrt(n),
              subject.fanoHeight({ n, dimension: d, bias, separation: 0.5, logWords: (d / 20) * Math.LN2 }) *
                bias,
              0,
            );
          },
        ),
      ),
  });

/** Row C64, as printed: words that differ in half of all places. */
export const printedCodes: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/code-separation-printed',
    tier: 'exact',
    statement: 'Any two words of a code of 2^(d/20) words at distance d/8 differ in d/2 places or more.',
    power: 'In 160 dimensions half of all pairs of 256 words differ in fewer.',
    run: (env) =>
      env.forAll(
        fc.constant(160),
        (dimension) => {
          const words = subject.codeWords(dimension, { count: 256, distance: 20 }, seededRandom('claims'));
          return above('d/2, against the places in which two words differ', dimension / 2, leastApart(words));
        },
        { runs: 1 },
      ),
  });
