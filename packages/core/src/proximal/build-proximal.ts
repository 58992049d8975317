import { z } from 'zod';
import { buildDomain, domainReference } from '../domains/build-domain.js';
import { requireDimension, requireLength } from '../domains/vectors.js';
import { InvalidParameter, parseOrThrow, Unsupported } from '../errors.js';
import { proximalGroup } from './group.js';
import { proximalIndicator } from './indicator.js';
import { proximalL1 } from './l1.js';
import { proximalL2Squared } from './l2-squared.js';
import type { Proximal } from './proximal.js';

/** A proximal function as plain JSON; the dimension comes from the problem. */
export interface ProximalReference {
  readonly name: string;
  readonly params?: unknown;
}

/** How to make one kind of proximal function from plain JSON. */
export interface ProximalBuilder<P = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly params: z.ZodType<P>;
  build(params: P, dimension: number): Proximal;
}

const strengthParam = z.number().positive().describe('factor in front of the function, greater than 0');
const ridgeParams = z.strictObject({
  strength: z.union([strengthParam, z.array(strengthParam).min(1)]).describe('factor in front of the function, or one for each coordinate, greater than 0'),
  centre: z.array(z.number()).optional().describe('one number per coordinate; the origin if left out'),
});

/** Strength and centre of every coordinate. */
function ridgeOf({ strength, centre }: z.output<typeof ridgeParams>, dimension: number): { readonly strength: Float64Array; readonly centre: Float64Array } {
  if (typeof strength !== 'number') requireLength('strength', strength, dimension);
  if (centre !== undefined) requireLength('centre', centre, dimension);
  return { strength: typeof strength === 'number' ? new Float64Array(dimension).fill(strength) : Float64Array.from(strength), centre: Float64Array.from(centre ?? new Float64Array(dimension)) };
}

/**
 * Strength and centre of a ridge, coordinate by coordinate, for methods that take its gradient instead of its proximal map; `null` for any other reference.
 *
 * @throws {InvalidParameter} on parameters outside their schema or that do not fit the dimension.
 */
export function ridgeFrom(reference: ProximalReference, dimension: number): { readonly strength: Float64Array; readonly centre: Float64Array } | null {
  const { name, params } = parseOrThrow(proximalReference, reference, 'proximal');
  return name === 'l2-squared' ? ridgeOf(parseOrThrow(ridgeParams, params, `proximal '${name}'`), dimension) : null;
}

const proximalReference = z.strictObject({ name: z.string(), params: z.unknown().optional() });

function define<P>(builder: ProximalBuilder<P>): ProximalBuilder {
  return { ...builder, build: (params, dimension) => builder.build(parseOrThrow(builder.params, params, `proximal '${builder.name}'`), dimension) };
}

/** Every kind that {@link buildProximal} knows. */
export const proximalBuilders: readonly ProximalBuilder[] = [
  define({
    name: 'l2-squared',
    summary: 'Ridge: half the squared distance from a centre, times a strength, or one for each coordinate.',
    params: ridgeParams,
    build: (params, dimension) => proximalL2Squared(ridgeOf(params, dimension)),
  }),
  define({
    name: 'l1',
    summary: 'Lasso: strength times the sum of absolute values.',
    params: z.strictObject({ strength: strengthParam }),
    build: (params) => proximalL1(params),
  }),
  define({
    name: 'group',
    summary: 'Group lasso: strength times the sum of the Euclidean norms of disjoint groups of coordinates.',
    params: z.strictObject({ strength: strengthParam, groups: z.array(z.array(z.int().nonnegative()).min(1)).describe('coordinates of each group, counted from 0') }),
    build(params, dimension) {
      const beyond = params.groups.flat().find((index) => index >= dimension);
      if (beyond !== undefined) throw new InvalidParameter(`a group names coordinate ${beyond}: give coordinates below ${dimension}`, { index: beyond, dimension });
      return proximalGroup(params);
    },
  }),
  define({
    name: 'indicator',
    summary: 'Constraint to a domain: 0 on it, infinite off it.',
    params: z.strictObject({ domain: domainReference }),
    build: ({ domain }, dimension) => proximalIndicator(buildDomain(domain, dimension)),
  }),
];

/**
 * Makes the proximal function that plain JSON describes: `{name: 'l1', params: {strength: 0.1}}`.
 *
 * @throws {Unsupported} on an unknown name; `details.available` lists the known ones.
 * @throws {InvalidParameter} on parameters outside their schema or that do not fit the dimension.
 */
export function buildProximal(reference: ProximalReference, dimension: number): Proximal {
  const { name, params } = parseOrThrow(proximalReference, reference, 'proximal');
  requireDimension(dimension);
  const builder = proximalBuilders.find((candidate) => candidate.name === name);
  if (builder !== undefined) return builder.build(params, dimension);
  const available = proximalBuilders.map((candidate) => candidate.name);
  throw new Unsupported(`there is no proximal function '${name}': choose one of ${available.join(', ')}`, { name, available });
}
