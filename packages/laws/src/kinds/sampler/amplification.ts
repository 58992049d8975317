import { adjacencies, type Adjacency } from '@lethe/core';
import { samplerSpecSchema } from '@lethe/core/testing';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { participationOf, slotsTaken } from './draws.js';

export type Inner = { readonly [A in Adjacency]: readonly Adjacency[] };

/** No amplification: the inner event needs the same adjacency, or a stronger one. */
export const plain: Inner = {
  'replace-one': ['replace-one'],
  'add-remove': ['add-remove'],
  'zero-out': ['zero-out', 'replace-one'],
};
/** Independent inclusion of each record: its presence matters, which a replacement covers too. */
export const ownDraw: Inner = {
  'replace-one': ['replace-one', 'zero-out', 'add-remove'],
  'add-remove': ['add-remove'],
  'zero-out': ['zero-out', 'add-remove', 'replace-one'],
};
/**
 * Fixed size: leaving out a record admits another one, so one
 * record replaces another in the batch, also under zero-out.
 */
const fixedSize: Inner = { 'replace-one': ['replace-one'], 'add-remove': [], 'zero-out': ['replace-one'] };

function wrong({ plugin, params }: Subject<'sampler'>, slots: number): Violation | undefined {
  const all = plugin.amplification(params, slots);
  const normaliser = plugin.normaliser(params, slots);
  const extra = Object.keys(all).find((name) => !adjacencies.some((adjacency) => adjacency === name));
  if (extra !== undefined)
    return { what: `it declares an amplification under '${extra}', which is not an adjacency` };
  for (const adjacency of adjacencies) {
    const declared = all[adjacency];
    if (declared === undefined) continue;
    const { sampler, inner } = declared;
    const input = { slots, adjacency, declared };
    const parsed = sampler === null ? undefined : samplerSpecSchema.safeParse(sampler);
    if (parsed?.success === false)
      return {
        what:
          `under ${adjacency} it declares a sampler no accountant knows: ` +
          `${parsed.error.issues[0]?.message}`,
        input,
      };
    if (sampler?.kind === 'core/random-allocation')
      return {
        what:
          'random allocation is the distribution of a partition into batches; ' +
          'a single draw is not amplified by it',
        input,
      };
    const allowedOf = () => {
      if (sampler === null) return plain;
      return sampler.kind === 'core/fixed-size' ? fixedSize : ownDraw;
    };
    const allowed = allowedOf()[adjacency];
    if (allowed.length === 0)
      return {
        what:
          `draws of fixed size are unsupported under ${adjacency}: the number of records is private, ` +
          'and one removal moves every later position',
        input,
      };
    if (!allowed.includes(inner))
      return {
        what:
          `under ${adjacency} the event inside ${sampler === null ? 'this draw' : `'${sampler.kind}'`} ` +
          `must be private under ${allowed.join(' or ')}; it declares ${inner}`,
        input,
      };
    if (sampler === null) continue;
    if (sampler.kind === 'core/poisson') {
      if (plugin.size === 'exact' && sampler.rate < 1)
        return {
          what: 'a Poisson sample is amplified only if its size is secret; this sampler declares it public',
          input,
        };
      if (!(Math.abs(normaliser - sampler.rate * slots) <= 2 ** -50 * slots))
        return {
          what:
            `the expected size of a Poisson sample of rate ${sampler.rate} from ${slots} slots is ` +
            `${sampler.rate * slots}; the normaliser is ${normaliser}`,
          measured: normaliser,
          allowed: sampler.rate * slots,
          input,
        };
      continue;
    }
    if (sampler.n !== slots)
      return {
        what: `the number of slots is ${slots}, and the declared sampler has n = ${sampler.n}`,
        measured: sampler.n,
        allowed: slots,
        input,
      };
    if (sampler.kind === 'core/truncated-poisson') {
      const { expected } = participationOf(sampler, slots);
      if (Math.abs(normaliser - expected) <= 1e-9 * expected) continue;
      return {
        what:
          `the expected size of a truncated sample of rate ${sampler.rate} from ${slots} slots, ` +
          `${sampler.most} at most, is ${expected}, and the normaliser is ${normaliser}`,
        measured: normaliser,
        allowed: expected,
        input,
      };
    }
    if (sampler.size !== normaliser)
      return {
        what: `the declared size is ${sampler.size}, and the normaliser is ${normaliser}`,
        measured: normaliser,
        allowed: sampler.size,
        input,
      };
  }
  return undefined;
}

/** The declared amplification of draws. */
export const amplification = defineLaw<'sampler'>({
  id: 'sampler/amplification',
  kind: 'sampler',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'under each adjacency the declared sampler matches the size and the normaliser, and the inner event ' +
    'is private under an adjacency that covers the change between the batches of neighbours',
  power: 'any wrong entry, at every supported number of slots from 1 to 5000',
  check(subject, env) {
    const taken = slotsTaken(subject, env.random('slots')).filter((slots) => slots > 0);
    for (const [index, slots] of taken.entries()) {
      const { plugin, params } = subject;
      const normaliser = plugin.normaliser(params, slots);
      if (
        !(
          normaliser > 0 &&
          normaliser < Infinity &&
          (plugin.size === 'hidden' || Number.isSafeInteger(normaliser))
        )
      ) {
        return fails(index + 1, {
          what:
            `the normaliser for ${slots} slots is ${normaliser}; it must be positive and ` +
            `finite${plugin.size === 'exact' ? ', and whole where the size is exact' : ''}`,
          measured: normaliser,
          input: { slots },
        });
      }
      const violation = wrong(subject, slots);
      if (violation !== undefined) return fails(index + 1, violation);
    }
    return holds(taken.length);
  },
});

/** Disjoint parts of one pass; for samplers with parameters `parts` and `part` that claim it. */
export const disjoint = defineLaw<'sampler'>({
  id: 'sampler/disjoint',
  kind: 'sampler',
  tier: 'exact',
  onClaim: true,
  statement:
    'with equal randomness, the draws for part = 0, 1, …, parts − 1 are disjoint, ' +
    'and leave out fewer than `parts` positions in total',
  power: 'any position drawn twice or left out, 1 to 9 parts of up to 200 slots',
  check(subject, env) {
    const { plugin, params } = subject;
    let samples = 0;
    for (const parts of [1, 2, 3, 5, 9])
      for (const slots of [9, 10, 24, 40, 64, 200]) {
        const seen = new Set<number>();
        for (let part = 0; part < parts; part++) {
          const draw = plugin.draw(
            { ...(params as object), parts, part },
            slots,
            env.random('draw').fork(`${slots} ${parts}`),
          );
          samples++;
          const twice = draw.find((position) => seen.has(position));
          if (twice !== undefined)
            return fails(samples, {
              what: `position ${twice} is in part ${part} and in an earlier one`,
              input: { slots, parts, part },
            });
          for (const position of draw) seen.add(position);
        }
        if (seen.size <= slots - parts)
          return fails(samples, {
            what: `${slots - seen.size} of ${slots} positions are in none of the ${parts} parts`,
            measured: slots - seen.size,
            allowed: parts - 1,
            input: { slots, parts },
          });
      }
    return holds(samples);
  },
});
