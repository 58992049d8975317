import { sensitivityAt, shapesOf, type CentralSubject, type Shape } from './release.js';

/** Numbers of entries and of slots around those at which code changes its way, in pairs. */
const pairs: readonly (readonly [number, number])[] = [
  [5, 33],
  [7, 10],
  [12, 3],
  [16, 17],
  [17, 64],
  [31, 5],
  [33, 50],
  [48, 2],
  [65, 100],
  [129, 127],
  [2, 40],
  [3, 200],
  [1, 1000],
  [2, 1003.5],
  [2, 5001],
  [3, 2 ** 17 + 1],
  [1, 2 ** 20],
];
const slotsElsewhere = [5, 10, 17, 33, 64, 127, 500, 5001, 2 ** 20];

/**
 * Shapes beyond the usual ones that the mean takes: of up to 129 entries, and up to 2²⁰ slots. What is
 * declared for them costs nothing to ask, and a handful of records shows most of what it is about.
 */
export function otherShapes(subject: CentralSubject): readonly Shape[] {
  const usual = shapesOf(subject)[0];
  const found = pairs.map(([dimension, slots]): Shape => ({ dimension, slots }));
  const like = usual === undefined ? [] : slotsElsewhere.map((slots): Shape => ({ ...usual, slots }));
  return [...found, ...like].filter((shape) => sensitivityAt(subject, shape) !== undefined);
}
