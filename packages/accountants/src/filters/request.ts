import {
  type AccountingContext,
  adjacencySchema,
  assertOptions,
  type FilterRequest,
  InvalidParameter,
  parseOrThrow,
} from '@lethe/core';
import * as z from 'zod/mini';
import type { ApproximateLimit } from './limits.js';

/** Fields of every spec: the limit, and the part of δ for events that may fail. */
export const specFields = {
  epsilon: z.number().check(z.positive()),
  delta: z.number().check(z.minimum(0), z.lt(1)),
  adjacency: adjacencySchema,
  failures: z.number().check(z.minimum(0), z.lt(1)),
};
const requestSchema = z.object({
  epsilon: specFields.epsilon,
  delta: specFields.delta,
  adjacency: specFields.adjacency,
});

/** Options of filter makers that reserve a part of δ for failures. */
export interface FailureOptions {
  /** Fraction of δ, in [0, 1), reserved for events that may fail. @defaultValue 0.1 */
  readonly failureShare?: number;
}
const shareSchema = z.number().check(z.minimum(0), z.lt(1));

/** @throws {InvalidParameter} for a share outside [0, 1). */
export const parsedShare = (share: unknown, maker: string): number =>
  parseOrThrow(shareSchema, share ?? 0.1, `the failureShare of ${maker}`);

/** A validated request. */
export interface ParsedRequest extends ApproximateLimit, AccountingContext {}

/** @throws {InvalidParameter} for an invalid limit. */
export function parsedRequest(request: FilterRequest, maker: string): ParsedRequest {
  assertOptions(request, maker);
  const parsed = parseOrThrow(requestSchema, request, `the limit of ${maker}`);
  return request.kinds === undefined ? parsed : { ...parsed, kinds: request.kinds };
}

/** Like {@link parsedRequest}, for a rule that does not support δ = 0. @throws {InvalidParameter} */
export function requestWithDelta(request: FilterRequest, maker: string): ParsedRequest {
  const parsed = parsedRequest(request, maker);
  if (parsed.delta > 0) return parsed;
  throw new InvalidParameter(
    `${maker} does not support δ = 0; give a positive δ, or use basicLimit, which sums ε alone`,
    { delta: 0 },
  );
}

/** Part of δ reserved for failures, rounded to nine digits for the spec. */
export const reserveOf = (delta: number, share: number): number => Number((delta * share).toPrecision(9));
