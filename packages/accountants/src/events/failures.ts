import type { Adjacency, CoreEvent, PrivacyEvent, SamplerSpec } from '@lethe/core';
import { Unsupported, addUp, divideUp, multiplyUp, sumUp } from '@lethe/numerics';
import { drawnAtAll } from './drawn-at-all.js';
import { chainedApproximate } from './group/chain.js';
import { someFails } from './selection/some-fails.js';

/** An event without failures, and the probability of a failure. */
export interface WithoutFailures {
  readonly event: PrivacyEvent;
  readonly delta: number;
}

/**
 * Removes failure probabilities from an event, so that a privacy curve of the rest can be computed. At every
 * ε, δ of `event` is at most δ of the result plus `delta`.
 *
 * An (ε, δ)-private release is dominated by one that fails with probability δ and is ε-private otherwise, so
 * failure probabilities add up under composition. In a sample they are multiplied by the sampling
 * probability; a selection fails if any of its runs fails.
 *
 * @param event - As returned by `parseEvent`.
 * @throws {Unsupported} for an (ε, δ) guarantee inside a sample that requires comparing more than two
 * batches, such as Poisson sampling under replace-one.
 */
export function withoutFailures(event: PrivacyEvent, adjacency: Adjacency): WithoutFailures {
  const core = event as CoreEvent;
  switch (core.kind) {
    case 'core/approximate':
    case 'core/shuffled': {
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
      const parts = core.parts.map(({ event: part, count }) => ({
        ...withoutFailures(part, adjacency),
        count,
      }));
      const delta = sumUp(parts.map((part) => (part.delta === 0 ? 0 : multiplyUp(part.delta, part.count))));
      return {
        event: {
          ...core,
          parts: parts.map(({ event: part, count }) => ({ event: part, count })),
        } as PrivacyEvent,
        delta: Math.min(1, delta),
      };
    }
    case 'core/parallel': {
      const parts = core.parts.map((part) => withoutFailures(part, adjacency));
      return {
        event: { ...core, parts: parts.map((part) => part.event) } as PrivacyEvent,
        delta: Math.max(0, ...parts.map((part) => part.delta)),
      };
    }
    case 'core/sampled':
      return sampledWithoutFailures(core, adjacency);
    case 'core/selection':
    case 'core/negative-binomial-selection':
    case 'core/poisson-selection': {
      const inner = withoutFailures(core.base, adjacency);
      return inner.delta === 0
        ? { event, delta: 0 }
        : {
            event: { ...core, base: inner.event } as CoreEvent,
            delta: someFails(core, inner.delta),
          };
    }
    case 'core/group':
      return groupWithoutFailures(core, adjacency);
    default:
      return { event, delta: 0 };
  }
}

/** Groups of stated guarantees and of compositions. Other groups that may fail are left unchanged. */
function groupWithoutFailures(event: CoreEvent<'core/group'>, adjacency: Adjacency): WithoutFailures {
  const { size } = event;
  const inner = event.event as CoreEvent;
  if (size === 1) return withoutFailures(inner, adjacency);
  if (withoutFailures(inner, adjacency).delta === 0) return { event, delta: 0 };
  switch (inner.kind) {
    case 'core/approximate':
    case 'core/shuffled':
      return withoutFailures({ ...inner, ...chainedApproximate(inner, size) } as PrivacyEvent, adjacency);
    case 'core/group':
      return withoutFailures({ ...inner, size: size * inner.size } as PrivacyEvent, adjacency);
    case 'core/compose':
      return withoutFailures(
        {
          ...inner,
          parts: inner.parts.map((part) => ({ ...part, event: { ...event, event: part.event } })),
        } as PrivacyEvent,
        adjacency,
      );
    default:
      return { event, delta: 0 };
  }
}

/**
 * A sample with possible failures. A failure reveals the record only if it is drawn, with probability `γ`.
 *
 * If δ is the probability of an independent coin (`core/failing`), neighbouring data give the same batch
 * except with probability `γ`, and all batches use the same coin: a failure without the record is no loss,
 * under any adjacency. A stated (ε, δ) guarantee compares two batches: if the record of either data set may
 * be drawn or not, three batches would have to be compared.
 */
function sampledWithoutFailures(event: CoreEvent<'core/sampled'>, adjacency: Adjacency): WithoutFailures {
  const { sampler } = event;
  const fixed = sampler.kind === 'core/fixed-size' && (sampler.replacement || sampler.size < sampler.n);
  // In a batch of fixed size another record takes the place of a record that is not drawn.
  const inner = withoutFailures(event.event, fixed ? 'replace-one' : adjacency);
  if (inner.delta === 0) return { event, delta: 0 };
  if (!failsByRandomness(event.event, adjacency)) requireTwoBatches(sampler, adjacency);
  return {
    event: { ...event, event: inner.event } as PrivacyEvent,
    delta: Math.min(1, multiplyUp(drawn(sampler), inner.delta)),
  };
}

/**
 * Probability, rounded up, that the record is in the batch. For random allocation, the number of batches that
 * it is in: probabilities of their failures add up.
 */
function drawn(sampler: SamplerSpec): number {
  switch (sampler.kind) {
    case 'core/poisson':
      return sampler.rate;
    case 'core/truncated-poisson':
      return Math.min(sampler.rate, divideUp(sampler.most, sampler.n));
    case 'core/fixed-size':
      return sampler.replacement ? drawnAtAll(sampler.n, sampler.size) : divideUp(sampler.size, sampler.n);
    case 'core/random-allocation':
      return sampler.times ?? 1;
  }
}

/** Whether every failure has its own independent coin, rather than a stated δ. */
function failsByRandomness(event: PrivacyEvent, adjacency: Adjacency): boolean {
  const core = event as CoreEvent;
  switch (core.kind) {
    case 'core/approximate':
    case 'core/shuffled':
      return core.delta === 0;
    case 'core/failing':
    case 'core/sampled':
      return failsByRandomness(core.event, adjacency);
    case 'core/compose':
      return core.parts.every((part) => failsByRandomness(part.event, adjacency));
    case 'core/parallel':
      return core.parts.every((part) => failsByRandomness(part, adjacency));
    default:
      return withoutFailures(event, adjacency).delta === 0;
  }
}

/** @throws {Unsupported} when the guarantee would have to compare more than two batches. */
function requireTwoBatches(sampler: SamplerSpec, adjacency: Adjacency): void {
  const refuse = (what: string): never => {
    throw new Unsupported(what, { kind: 'core/sampled', adjacency });
  };
  if (sampler.kind === 'core/poisson' && sampler.rate < 1 && adjacency === 'replace-one') {
    refuse(
      'a stated (ε, δ) release inside a Poisson sample cannot be accounted under replace-one; ' +
        'use zero-out or add-remove',
    );
  }
  if (sampler.kind === 'core/truncated-poisson' && adjacency !== 'zero-out') {
    refuse(
      'a stated (ε, δ) release inside a truncated Poisson sample cannot ' +
        `be accounted under ${adjacency}; use zero-out`,
    );
  }
  if (sampler.kind === 'core/fixed-size' && sampler.replacement) {
    refuse(
      'a stated (ε, δ) release cannot be accounted inside draws with replacement, ' +
        'where a record may occur several times; draw without replacement',
    );
  }
}
