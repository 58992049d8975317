import { adjacencies, samplerSpecSchema, type Adjacency } from '@lethe/core';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { slotsTaken } from './draws.js';

export type Inner = { readonly [A in Adjacency]: readonly Adjacency[] };

/** Nothing is amplified: the inner event stands for itself, or for something harder. */
export const plain: Inner = { 'replace-one': ['replace-one'], 'add-remove': ['add-remove'], 'zero-out': ['zero-out', 'replace-one'] };
/** Each record has its own coin: what counts is whether it is there, which replacing it covers too. */
export const ownCoin: Inner = { 'replace-one': ['replace-one', 'zero-out', 'add-remove'], 'add-remove': ['add-remove'], 'zero-out': ['zero-out', 'add-remove', 'replace-one'] };
/** A record that is left out makes room for another, so that one record replaces another in the batch, also under zero-out. */
const fixedSize: Inner = { 'replace-one': ['replace-one'], 'add-remove': [], 'zero-out': ['replace-one'] };

function wrong({ plugin, params }: Subject<'sampler'>, slots: number): Violation | undefined {
  const all = plugin.amplification(params as never, slots);
  const normaliser = plugin.normaliser(params as never, slots);
  const extra = Object.keys(all).find((name) => !adjacencies.some((adjacency) => adjacency === name));
  if (extra !== undefined) return { what: `it declares an amplification under '${extra}', which is no adjacency` };
  for (const adjacency of adjacencies) {
    const declared = all[adjacency];
    if (declared === undefined) continue;
    const { sampler, inner } = declared;
    const input = { slots, adjacency, declared };
    const parsed = sampler === null ? undefined : samplerSpecSchema.safeParse(sampler);
    if (parsed?.success === false) return { what: `under ${adjacency} it declares a sampler that no accountant knows: ${parsed.error.issues[0]?.message}`, input };
    if (sampler?.kind === 'core/random-allocation') return { what: 'random allocation is the law of a deal; a single draw is not amplified by it', input };
    const allowed = (sampler === null ? plain : sampler.kind === 'core/fixed-size' ? fixedSize : ownCoin)[adjacency];
    if (allowed.length === 0) return { what: `draws of fixed size are unsupported under ${adjacency}: the number of records they are drawn from is private, and one removal moves every later position`, input };
    if (!allowed.includes(inner)) return { what: `under ${adjacency} the event inside ${sampler === null ? 'this draw' : `'${sampler.kind}'`} must be private under ${allowed.join(' or ')}; it asks for ${inner}`, input };
    if (sampler === null) continue;
    if (sampler.kind === 'core/poisson') {
      if (plugin.size === 'exact' && sampler.rate < 1) return { what: 'a Poisson sample is amplified only while its size is secret; this sampler declares it public', input };
      if (!(Math.abs(normaliser - sampler.rate * slots) <= 2 ** -50 * slots)) return { what: `the expected size of a Poisson sample of rate ${sampler.rate} from ${slots} slots is ${sampler.rate * slots}; the normaliser is ${normaliser}`, measured: normaliser, allowed: sampler.rate * slots, input };
      continue;
    }
    if (sampler.n !== slots) return { what: `it draws from ${slots} slots and declares a draw from ${sampler.n}`, measured: sampler.n, allowed: slots, input };
    if (sampler.kind === 'core/truncated-poisson') continue;
    if (sampler.size !== normaliser) return { what: `it declares draws of ${sampler.size} and divides by ${normaliser}`, measured: normaliser, allowed: sampler.size, input };
  }
  return undefined;
}

/** The terms on which draws are amplified. */
export const amplification = defineLaw<'sampler'>({
  id: 'sampler/amplification', kind: 'sampler', tier: 'exact', invariant: 'I-6',
  statement: 'under each adjacency the declared law fits the size and the normaliser, and the inner event is private under an adjacency that covers what a neighbour does to the batch',
  power: 'any wrong entry, at every number of slots it draws from, 1 to 5000',
  check(subject, env) {
    const taken = slotsTaken(subject, env.random('slots')).filter((slots) => slots > 0);
    for (const [index, slots] of taken.entries()) {
      const { plugin, params } = subject;
      const normaliser = plugin.normaliser(params as never, slots);
      if (!(normaliser > 0 && normaliser < Infinity && (plugin.size === 'hidden' || Number.isSafeInteger(normaliser)))) {
        return fails(index + 1, { what: `the normaliser for ${slots} slots is ${normaliser}; it must be positive and finite${plugin.size === 'exact' ? ', and whole where the size is exact' : ''}`, measured: normaliser, input: { slots } });
      }
      const violation = wrong(subject, slots);
      if (violation !== undefined) return fails(index + 1, violation);
    }
    return holds(taken.length);
  },
});

/** Parts of one pass; for samplers with parameters `parts` and `part` that claim it. */
export const disjoint = defineLaw<'sampler'>({
  id: 'sampler/disjoint', kind: 'sampler', tier: 'exact', onClaim: true,
  statement: 'with the same coins, the draws for part = 0, 1, …, parts − 1 have no position in common, and leave out fewer than `parts` positions together',
  power: 'any position drawn twice or left out, 1 to 9 parts of up to 200 slots',
  check(subject, env) {
    const { plugin, params } = subject;
    let samples = 0;
    for (const parts of [1, 2, 3, 5, 9]) for (const slots of [9, 10, 24, 40, 64, 200]) {
      const seen = new Set<number>();
      for (let part = 0; part < parts; part++) {
        const draw = plugin.draw({ ...(params as object), parts, part } as never, slots, env.random('draw').fork(`${slots} ${parts}`));
        samples++;
        const twice = draw.find((position) => seen.has(position));
        if (twice !== undefined) return fails(samples, { what: `position ${twice} is in part ${part} and in an earlier one`, input: { slots, parts, part } });
        for (const position of draw) seen.add(position);
      }
      if (seen.size <= slots - parts) return fails(samples, { what: `${slots - seen.size} of ${slots} positions are in none of the ${parts} parts`, measured: slots - seen.size, allowed: parts - 1, input: { slots, parts } });
    }
    return holds(samples);
  },
});
