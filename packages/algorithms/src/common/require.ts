import { InvalidParameter } from '@lethe/core';
import type * as z from 'zod';

/** @throws {InvalidParameter} unless every number is finite and greater than 0. */
export function requirePositive(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!(value > 0 && value < Infinity))
      throw new InvalidParameter(`${name} is ${value}; it must be positive and finite`, { [name]: value });
  }
}

/** @throws {InvalidParameter} unless every number is finite and at least 0. */
export function requireNonNegative(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!(value >= 0 && value < Infinity))
      throw new InvalidParameter(`${name} is ${value}; it must be finite and at least 0`, { [name]: value });
  }
}

/** @throws {InvalidParameter} unless every number is whole, at least 1 and exact in a double. */
export function requireCounts(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new InvalidParameter(`${name} is ${value}; it must be a whole number, at least 1`, {
        [name]: value,
      });
  }
}

/**
 * @throws {InvalidParameter} unless every vector has that many entries, all of them finite and greater than
 * 0.
 */
export function requirePositiveVectors(
  dimension: number,
  vectors: Readonly<Record<string, ArrayLike<number>>>,
): void {
  for (const [name, vector] of Object.entries(vectors)) {
    requireLength(dimension, name, vector);
    for (let j = 0; j < dimension; j++) requirePositive({ [`${name}[${j}]`]: vector[j] });
  }
}

/**
 * @throws {InvalidParameter} unless every vector has that many entries, all of them finite and at least 0.
 */
export function requireNonNegativeVectors(
  dimension: number,
  vectors: Readonly<Record<string, ArrayLike<number>>>,
): void {
  for (const [name, vector] of Object.entries(vectors)) {
    requireLength(dimension, name, vector);
    for (let j = 0; j < dimension; j++) requireNonNegative({ [`${name}[${j}]`]: vector[j] });
  }
}

/** @throws {InvalidParameter} unless the vector has that many entries. */
export function requireLength(dimension: number, name: string, vector: ArrayLike<number>): void {
  if (vector.length !== dimension || dimension < 1)
    throw new InvalidParameter(
      `${name} has ${vector.length} entries where ${Math.max(1, dimension)} are needed`,
      { name, length: vector.length, dimension },
    );
}

type Given = Readonly<Record<string, unknown>>;

/** For `superRefine`: the number of forms in which one part is given. */
const forms =
  (allowed: string, isAllowed: (count: number) => boolean) =>
  (...names: readonly [string, ...string[]]) =>
  (given: Given, context: z.core.$RefinementCtx): void => {
    const count = names.filter((name) => given[name] !== undefined).length;
    if (!isAllowed(count))
      context.addIssue({
        code: 'custom',
        message: `give ${allowed} one of ${names.join(', ')}`,
        path: [names[0]],
      });
  };
/** For `superRefine`: a part is given in one form. */
export const exactlyOne = forms('exactly', (count) => count === 1);
/** For `superRefine`: a part is given in one form, or left out. */
export const atMostOne = forms('at most', (count) => count <= 1);
