import { z } from 'zod';
import { InvalidParameter, parseOrThrow, Unsupported } from '../errors.js';
import { box } from './box.js';
import type { Domain } from './domain.js';
import { intersectBall } from './intersect-ball.js';
import { l1Ball } from './l1-ball.js';
import { l2Ball } from './l2-ball.js';
import { simplex } from './simplex.js';
import { requireDimension, requireLength } from './vectors.js';
import { wholeSpace } from './whole-space.js';

/** A domain as plain JSON; the dimension comes from the problem. */
export interface DomainReference {
  readonly kind?: 'domain' | undefined;
  readonly name: string;
  readonly params?: unknown;
}

/** How to make one kind of domain from plain JSON. */
export interface DomainBuilder<P = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly params: z.ZodType<P>;
  build(params: P, dimension: number): Domain;
}

const coordinates = z.array(z.number()).min(1);
const radius = z.number().positive().describe('greater than 0, in the units of the coordinates');
const centre = coordinates.optional().describe('one number per coordinate; the origin if left out');
const ballParams = z.strictObject({ radius, centre });
const bound = z.union([z.number(), coordinates]).describe('one number per coordinate, or one for all');

/** A domain reference: `{name, params?}`, or what calling a domain plugin makes. What `params` may hold depends on the name. */
export const domainReference = z.strictObject({ kind: z.literal('domain').optional(), name: z.string(), params: z.unknown().optional() });

/** The vector of one number per coordinate. @throws {InvalidParameter} on another length. */
function spread(name: string, value: number | readonly number[], dimension: number): Float64Array {
  if (typeof value === 'number') return new Float64Array(dimension).fill(value);
  requireLength(name, value, dimension);
  return Float64Array.from(value);
}

function ballOf(params: z.output<typeof ballParams>, dimension: number): { centre: Float64Array; radius: number } {
  return { centre: spread('centre', params.centre ?? 0, dimension), radius: params.radius };
}

/** Keeps a builder's parameter type between its schema and its `build`, then forgets it: `params` must be parsed first. */
function define<P>(builder: DomainBuilder<P>): DomainBuilder {
  return { ...builder, build: (params, dimension) => builder.build(parseOrThrow(builder.params, params, `domain '${builder.name}'`), dimension) };
}

/** Every kind of domain that {@link buildDomain} knows. */
export const domainBuilders: readonly DomainBuilder[] = [
  define({
    name: 'whole-space',
    summary: 'No constraint.',
    params: z.strictObject({}).prefault({}),
    build: (_, dimension) => wholeSpace(dimension),
  }),
  define({
    name: 'l2-ball',
    summary: 'Euclidean distance from the centre at most the radius.',
    params: ballParams,
    build: (params, dimension) => l2Ball(ballOf(params, dimension)),
  }),
  define({
    name: 'l1-ball',
    summary: 'Sum of absolute differences from the centre at most the radius.',
    params: ballParams,
    build: (params, dimension) => l1Ball(ballOf(params, dimension)),
  }),
  define({
    name: 'box',
    summary: 'Every coordinate between its bounds.',
    params: z.strictObject({ lower: bound, upper: bound }),
    build: ({ lower, upper }, dimension) => box({ lower: spread('lower', lower, dimension), upper: spread('upper', upper, dimension) }),
  }),
  define({
    name: 'simplex',
    summary: 'Non-negative coordinates with a given sum.',
    params: z.strictObject({ total: z.number().positive().describe('the sum of the coordinates').default(1) }).prefault({}),
    build: ({ total }, dimension) => simplex({ dimension, total }),
  }),
  define({
    name: 'intersection',
    summary: 'The points of another domain that lie in a Euclidean ball.',
    params: z.strictObject({ domain: domainReference, ball: ballParams }),
    build: ({ domain, ball }, dimension) => intersectBall(buildDomain(domain, dimension), ballOf(ball, dimension)),
  }),
];

const deepest = 16;

/** Refuses references nested so deeply that building them could exhaust the stack. */
function requireShallow(reference: unknown): void {
  let inner = reference;
  for (let depth = 0; depth <= deepest; depth++) {
    const params: unknown = typeof inner === 'object' && inner !== null && 'params' in inner ? inner.params : undefined;
    if (typeof params !== 'object' || params === null || !('domain' in params)) return;
    inner = params.domain;
  }
  throw new InvalidParameter(`domains are nested more than ${deepest} deep: give fewer intersections`, { deepest });
}

/**
 * Makes the domain that plain JSON describes: `{name: 'l2-ball', params: {radius: 1}}`.
 *
 * @throws {Unsupported} on an unknown name; `details.available` lists the known ones.
 * @throws {InvalidParameter} on parameters outside their schema, of the wrong length, or that describe no set.
 */
export function buildDomain(reference: DomainReference, dimension: number): Domain {
  const { name, params } = parseOrThrow(domainReference, reference, 'domain');
  requireDimension(dimension);
  requireShallow(reference);
  const builder = domainBuilders.find((candidate) => candidate.name === name);
  if (builder !== undefined) return builder.build(params, dimension);
  const available = domainBuilders.map((candidate) => candidate.name);
  throw new Unsupported(`there is no domain '${name}': choose one of ${available.join(', ')}`, { name, available });
}
