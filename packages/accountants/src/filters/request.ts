import { type AccountingContext, adjacencySchema, assertOptions, type FilterRequest, InvalidParameter, parseOrThrow } from '@lethe/core';
import { z } from 'zod';
import type { ApproximateLimit } from './limits.js';

/** Fields of every spec: the limit, and how much of δ is for events that may fail. */
export const specFields = {
  epsilon: z.number().positive(), delta: z.number().min(0).lt(1), adjacency: adjacencySchema, failures: z.number().min(0).lt(1),
};
const requestSchema = z.object({ epsilon: specFields.epsilon, delta: specFields.delta, adjacency: specFields.adjacency });

/** Options of the makers of filters that set a part of δ aside. */
export interface FailureOptions {
  /** The part of δ, in [0, 1), that is set aside for events that may fail. @defaultValue 0.1 */
  readonly failureShare?: number;
}
const shareSchema = z.number().min(0).lt(1);

/** @throws {InvalidParameter} for a share outside [0, 1). */
export const parsedShare = (share: unknown, maker: string): number => parseOrThrow(shareSchema, share ?? 0.1, `the failureShare of ${maker}`);

/** A request that was checked. */
export interface Asked extends ApproximateLimit, AccountingContext {}

/** @throws {InvalidParameter} for a limit that is none. */
export function parsedRequest(request: FilterRequest, maker: string): Asked {
  assertOptions(request, maker);
  const parsed = parseOrThrow(requestSchema, request, `the limit of ${maker}`);
  return request.kinds === undefined ? parsed : { ...parsed, kinds: request.kinds };
}

/** As {@link parsedRequest}, for a rule that keeps no δ = 0. @throws {InvalidParameter} */
export function requestWithDelta(request: FilterRequest, maker: string): Asked {
  const asked = parsedRequest(request, maker);
  if (asked.delta > 0) return asked;
  throw new InvalidParameter(`${maker} keeps no limit with δ = 0; give a positive δ, or take basicLimit, which adds up ε alone`, { delta: 0 });
}

/** What is set aside for failures: readable in a spec. */
export const setAside = (delta: number, share: number): number => Number((delta * share).toPrecision(9));
