import { type EventKind, parseOrThrow, type PrivacyFilter } from '@lethe/core';
import * as z from 'zod';
import { basicOfSpec, basicSpecSchema } from './basic-limit.js';
import { bestOfSpec, bestSpecSchema } from './best-limit.js';
import { gaussianOfSpec, gaussianSpecSchema } from './gaussian-limit.js';
import { renyiOfSpec, renyiSpecSchema } from './renyi-limit.js';
import { zcdpOfSpec, zcdpSpecSchema } from './zcdp-limit.js';

const specSchema = z.discriminatedUnion('rule', [
  renyiSpecSchema,
  zcdpSpecSchema,
  gaussianSpecSchema,
  basicSpecSchema,
  bestSpecSchema,
]);

/**
 * Rebuilds a filter from its `spec`, for example the one stored in a ledger. It decides like the original
 * filter.
 *
 * @param kinds - Event kinds beyond core's; a spec does not contain them.
 * @throws {InvalidParameter} when `spec` is not the spec of a filter of this package.
 */
export function filterOfSpec(spec: unknown, kinds?: readonly EventKind[]): PrivacyFilter {
  const parsed = parseOrThrow(specSchema, spec, 'the spec of a privacy filter');
  switch (parsed.rule) {
    case 'renyi':
      return renyiOfSpec(parsed, kinds);
    case 'zcdp':
      return zcdpOfSpec(parsed, kinds);
    case 'gaussian':
      return gaussianOfSpec(parsed, kinds);
    case 'best':
      return bestOfSpec(parsed, kinds);
    case 'basic':
      return basicOfSpec(parsed, kinds);
  }
}
