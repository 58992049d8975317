import type { Adjacency, CoreEvent, PrivacyEvent, SamplerSpec } from '@lethe/core';
import { Unsupported, addUp, divideUp, multiplyUp, sumUp } from '@lethe/numerics';
import { drawnAtAll } from './drawn-at-all.js';
import { chainedApproximate } from './group/chain.js';
import { failureOfAny } from './selection/index.js';

/** An event without its ways to fail, and the probability of any of them. */
export interface WithoutFailures { readonly event: PrivacyEvent; readonly delta: number }

/**
 * Takes the δ out of an event, so that a curve of the rest can be computed: the cost of `event` is at most that of the
 * result plus `delta`, at every ε.
 *
 * An (ε, δ)-private release is dominated by one that fails with probability δ and is ε-private otherwise, so failures add up
 * under composition whatever else happens. In a sample they are as rare as being drawn; a selection fails when any of its runs does.
 *
 * @param event - As `parseEvent` returns it.
 * @throws {Unsupported} for an (ε, δ) inside a sample where more than two batches have to be compared, such as Poisson sampling under
 * replace-one.
 */
export function withoutFailures(event: PrivacyEvent, adjacency: Adjacency): WithoutFailures {
  const core = event as CoreEvent;
  switch (core.kind) {
    case 'core/approximate': case 'core/shuffled': {
      const sound: CoreEvent = { ...core, delta: 0 };
      return { event: sound, delta: core.delta };
    }
    case 'core/failing': {
      const inner = withoutFailures(core.event, adjacency);
      return { event: inner.event, delta: Math.min(1, addUp(core.delta, inner.delta)) };
    }
    case 'core/filtered': {
      const inner = withoutFailures(core.limit, adjacency);
      return { event: { ...core, limit: inner.event } as PrivacyEvent, delta: inner.delta };
    }
    case 'core/compose': {
      const parts = core.parts.map(({ event: part, count }) => ({ ...withoutFailures(part, adjacency), count }));
      const delta = sumUp(parts.map((part) => (part.delta === 0 ? 0 : multiplyUp(part.delta, part.count))));
      return { event: { ...core, parts: parts.map(({ event: part, count }) => ({ event: part, count })) } as PrivacyEvent, delta: Math.min(1, delta) };
    }
    case 'core/parallel': {
      const parts = core.parts.map((part) => withoutFailures(part, adjacency));
      return { event: { ...core, parts: parts.map((part) => part.event) } as PrivacyEvent, delta: Math.max(0, ...parts.map((part) => part.delta)) };
    }
    case 'core/sampled': return sampledWithoutFailures(core, adjacency);
    case 'core/selection': {
      const inner = withoutFailures(core.base, adjacency);
      return inner.delta === 0 ? { event, delta: 0 } : { event: { ...core, base: inner.event } as PrivacyEvent, delta: failureOfAny(core, inner.delta) };
    }
    case 'core/group': return groupWithoutFailures(core, adjacency);
    default: return { event, delta: 0 };
  }
}

/** Groups of stated guarantees and of compositions; of what else may fail, only an (ε, δ) is known. */
function groupWithoutFailures(event: CoreEvent<'core/group'>, adjacency: Adjacency): WithoutFailures {
  const { size } = event, inner = event.event as CoreEvent;
  if (size === 1) return withoutFailures(inner, adjacency);
  if (withoutFailures(inner, adjacency).delta === 0) return { event, delta: 0 };
  switch (inner.kind) {
    case 'core/approximate': case 'core/shuffled': return withoutFailures({ ...inner, ...chainedApproximate(inner, size) } as PrivacyEvent, adjacency);
    case 'core/group': return withoutFailures({ ...inner, size: size * inner.size } as PrivacyEvent, adjacency);
    case 'core/compose': return withoutFailures({ ...inner, parts: inner.parts.map((part) => ({ ...part, event: { ...event, event: part.event } })) } as PrivacyEvent, adjacency);
    default: return { event, delta: 0 };
  }
}

/**
 * A sample in which something may fail, with `γ` the probability that the record is drawn: only then does a failure tell of it.
 *
 * Where δ is that of a coin ('core/failing'), batches with and without the record, or with another in its place, are the same batch but
 * with probability `γ`, and all of them toss the same coin: what fails beside the record is no loss, under any adjacency. Of an (ε, δ) that is only
 * stated, δ is about two batches at a time: where the record of either side may be drawn or not, three batches would have to be compared.
 */
function sampledWithoutFailures(event: CoreEvent<'core/sampled'>, adjacency: Adjacency): WithoutFailures {
  const { sampler } = event;
  const fixed = sampler.kind === 'core/fixed-size' && (sampler.replacement || sampler.size < sampler.n);
  // In a batch of fixed size another record takes the place of one that is not drawn.
  const inner = withoutFailures(event.event, fixed ? 'replace-one' : adjacency);
  if (inner.delta === 0) return { event, delta: 0 };
  if (!failsByRandomness(event.event, adjacency)) requireTwoBatches(sampler, adjacency);
  return { event: { ...event, event: inner.event } as PrivacyEvent, delta: multiplyUp(drawn(sampler), inner.delta) };
}

/** Probability, rounded up, of the record's being in the batch; of a deal, in one of its batches. */
function drawn(sampler: SamplerSpec): number {
  switch (sampler.kind) {
    case 'core/poisson': return sampler.rate;
    case 'core/truncated-poisson': return Math.min(sampler.rate, divideUp(sampler.most, sampler.n));
    case 'core/fixed-size': return sampler.replacement ? drawnAtAll(sampler.n, sampler.size) : divideUp(sampler.size, sampler.n);
    case 'core/random-allocation': return 1;
  }
}

/** Whether all that may fail does so by a coin of its own, not as a bound allows it to. */
function failsByRandomness(event: PrivacyEvent, adjacency: Adjacency): boolean {
  const core = event as CoreEvent;
  switch (core.kind) {
    case 'core/approximate': case 'core/shuffled': return core.delta === 0;
    case 'core/failing': case 'core/sampled': return failsByRandomness(core.event, adjacency);
    case 'core/compose': return core.parts.every((part) => failsByRandomness(part.event, adjacency));
    case 'core/parallel': return core.parts.every((part) => failsByRandomness(part, adjacency));
    default: return withoutFailures(event, adjacency).delta === 0;
  }
}

/** @throws {Unsupported} where a batch with the record is compared with one that has another record, or several times the same. */
function requireTwoBatches(sampler: SamplerSpec, adjacency: Adjacency): void {
  const refuse = (what: string): never => { throw new Unsupported(what, { kind: 'core/sampled', adjacency }); };
  if (sampler.kind === 'core/poisson' && sampler.rate < 1 && adjacency === 'replace-one') {
    refuse('a release of which an (ε, δ) is stated, inside a Poisson sample, cannot be accounted under replace-one; use zero-out or add-remove');
  }
  if (sampler.kind === 'core/truncated-poisson' && adjacency !== 'zero-out') {
    refuse(`a release of which an (ε, δ) is stated, inside a truncated Poisson sample, cannot be accounted under ${adjacency}; use zero-out`);
  }
  if (sampler.kind === 'core/fixed-size' && sampler.replacement) {
    refuse('a release of which an (ε, δ) is stated cannot be accounted inside draws with replacement, where a record may occur several times; draw without replacement');
  }
}
