import type { Adjacency } from '../adjacency.js';
import { Unsupported } from '../errors.js';
import type { CoreEvent, PrivacyEvent } from '../events/schema.js';
import { addUp, multiplyUp, sumUp } from '../rounding/index.js';
import { chainedApproximate } from './group/chain.js';
import { failureOfAny } from './selection/index.js';

/** An event without its ways to fail, and the probability of any of them. */
export interface WithoutFailures { readonly event: PrivacyEvent; readonly delta: number }

/**
 * Takes the δ out of an event, so that a curve of the rest can be computed: the cost of `event` is at most that of the
 * result plus `delta`, at every ε.
 *
 * An (ε, δ)-private release is dominated by one that fails with probability δ and is ε-private otherwise, so failures add up
 * under composition whatever else happens. In a Poisson sample they are as rare as taking part; a selection fails when any of its
 * runs does.
 *
 * @param event - As `parseEvent` returns it.
 * @throws {Unsupported} for a failure inside a sample under replace-one, where two presences may fail apart.
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

function sampledWithoutFailures(event: CoreEvent<'core/sampled'>, adjacency: Adjacency): WithoutFailures {
  const { sampler } = event;
  const fixed = sampler.kind === 'core/fixed-size' && (sampler.replacement || sampler.size < sampler.n);
  // In a batch of fixed size another record takes the place of one that is not drawn.
  const inner = withoutFailures(event.event, fixed ? 'replace-one' : adjacency);
  if (inner.delta === 0) return { event, delta: 0 };
  const rate = sampler.kind === 'core/poisson' ? sampler.rate : 1;
  if (rate < 1 && adjacency === 'replace-one') {
    throw new Unsupported('a release that may fail, inside a Poisson sample, cannot be accounted under replace-one; use zero-out or add-remove', { kind: event.kind, adjacency });
  }
  if (sampler.kind === 'core/truncated-poisson' && adjacency !== 'zero-out') {
    throw new Unsupported(`a release that may fail, inside a truncated Poisson sample, cannot be accounted under ${adjacency}; use zero-out`, { kind: event.kind, adjacency });
  }
  if (sampler.kind === 'core/fixed-size' && sampler.replacement) {
    throw new Unsupported('a release that may fail cannot be accounted inside draws with replacement, where a record may occur several times; draw without replacement', { kind: event.kind, adjacency });
  }
  return { event: { ...event, event: inner.event } as PrivacyEvent, delta: multiplyUp(rate, inner.delta) };
}
