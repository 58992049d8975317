import type { Optimizer } from '@lethe/core';
import type { Paper } from './paper.js';
import * as exportsOfPapers from './papers.js';
import { standardOptimizers } from './standard/optimizers.js';

const isPaper = (value: unknown): value is Paper =>
  typeof value === 'object' &&
  value !== null &&
  'keys' in value &&
  'claims' in value &&
  typeof value.claims === 'string';

/** The papers that ship, by the names of their folders. */
export const papers: readonly Paper[] = Object.freeze(
  Object.values(exportsOfPapers)
    .filter(isPaper)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
);

/** Every private optimizer of this package. */
export const optimizers: readonly Optimizer[] = Object.freeze([
  ...standardOptimizers,
  ...papers.flatMap((paper) => paper.optimizers),
] as readonly unknown[] as readonly Optimizer[]);
