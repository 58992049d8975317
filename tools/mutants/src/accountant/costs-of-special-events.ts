import { gdp, rdp, zcdp } from '@lethe/accountants';
import { gaussianEvent, type CoreEvent, type Interval, type PrivacyEvent } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { changed, misreading } from './plant.js';

const source = 'generic';

export const finiteWithoutDelta = defineMutant({
  id: 'accountant/delta-0-taken-smallest-delta-logarithm',
  kind: 'accountant',
  title: 'δ = 0 is replaced by the smallest δ with a logarithm',
  source,
  killedBy: ['accountant/no-pure-cost'],
  within: 1,
  plant: () =>
    changed(rdp, {
      epsilon: (event, query) => rdp.epsilon(event, query.delta === 0 ? { ...query, delta: 1e-300 } : query),
    }),
});

export const cappedCount = defineMutant({
  id: 'accountant/counts-end-hundred-thousand',
  kind: 'accountant',
  title: 'counts are capped at 100 000',
  source,
  killedBy: ['accountant/large-costs'],
  within: 10,
  plant: () =>
    misreading(rdp, (event) => {
      const core = event as CoreEvent;
      return core.kind === 'core/compose'
        ? ({
            ...core,
            parts: core.parts.map((part) => ({ ...part, count: part.count > 1e5 ? 1e5 : part.count })),
          } as PrivacyEvent)
        : event;
    }),
});

/** Repeated Poisson-sampled Gaussian noise as one Gaussian, by the central limit. */
function limitOf(event: PrivacyEvent): PrivacyEvent {
  const core = event as CoreEvent;
  const [part] = core.kind === 'core/compose' ? core.parts : [];
  const drawn = part?.event as CoreEvent | undefined;
  if (
    part === undefined ||
    part.count <= 50 ||
    drawn?.kind !== 'core/sampled' ||
    drawn.sampler.kind !== 'core/poisson' ||
    drawn.event.kind !== 'core/gaussian'
  )
    return event;
  const { sigma, sensitivity } = drawn.event as CoreEvent<'core/gaussian'>;
  return gaussianEvent(
    1 / (drawn.sampler.rate * Math.sqrt(part.count * Math.expm1(sigma ** -2))),
    sensitivity,
  );
}

export const centralLimit = defineMutant({
  id: 'accountant/central-limit-stands-cost-many-samples',
  kind: 'accountant',
  title: 'a central limit replaces the cost of many samples',
  source: 'generic: asymptotics as a bound',
  killedBy: ['accountant/rare-draws'],
  within: 20,
  plant: () =>
    changed(gdp, {
      epsilon: (event, query) => gdp.epsilon(limitOf(event), query),
      delta: (event, query) => gdp.delta(limitOf(event), query),
    }),
});

export const kindsForgotten = defineMutant({
  id: 'accountant/answers-remembered-event-adjacency-delta-whatever-kinds',
  kind: 'accountant',
  title: 'answers are cached by event, adjacency and δ, without the kinds',
  source,
  killedBy: ['accountant/wants'],
  within: 3,
  plant: () => {
    const known = new Map<string, Interval>();
    return changed(rdp, {
      epsilon: (event, query) => {
        const key = JSON.stringify([event, query?.adjacency, query?.delta]);
        const answer = known.get(key) ?? rdp.epsilon(event, query);
        known.set(key, answer);
        return answer;
      },
    });
  },
});

export const failureForFree = defineMutant({
  id: 'accountant/probability-failing-compared-delta-not-taken-off',
  kind: 'accountant',
  title: 'the failure probability is compared with δ and not subtracted from it',
  source,
  killedBy: ['accountant/failing'],
  within: 5,
  plant: () =>
    changed(rdp, {
      epsilon: (event, query) => {
        const core = event as CoreEvent;
        return core?.kind === 'core/failing' && query.delta >= core.delta
          ? rdp.epsilon(core.event, query)
          : rdp.epsilon(event, query);
      },
    }),
});

export const averageTail = defineMutant({
  id: 'accountant/sample-low-rate-gaussian-noise-averaged-shift',
  kind: 'accountant',
  title: 'a sample at a low rate is charged as Gaussian noise with the mean shift',
  source,
  killedBy: ['accountant/truth'],
  within: 90,
  plant: () =>
    misreading(zcdp, (event) => {
      const core = event as CoreEvent;
      if (
        core.kind !== 'core/sampled' ||
        core.sampler.kind !== 'core/poisson' ||
        core.sampler.rate >= 0.05 ||
        core.event.kind !== 'core/gaussian'
      )
        return event;
      const { sigma, sensitivity } = core.event as CoreEvent<'core/gaussian'>;
      return gaussianEvent(sigma / (2 * core.sampler.rate), sensitivity);
    }),
});

export const leastNoiseInParallel = defineMutant({
  id: 'accountant/disjoint-parts-one-least-noise-charged-whatever',
  kind: 'accountant',
  title: 'of parallel parts the one with the least noise is charged, for any sensitivity',
  source,
  killedBy: ['accountant/truth', 'accountant/parallel'],
  within: 90,
  plant: () =>
    misreading(gdp, (event) => {
      const core = event as CoreEvent;
      if (
        core.kind !== 'core/parallel' ||
        core.parts.length < 2 ||
        !core.parts.every((part) => part.kind === 'core/gaussian')
      )
        return event;
      return (core.parts as unknown as readonly CoreEvent<'core/gaussian'>[]).reduce((least, part) =>
        part.sigma < least.sigma ? part : least,
      );
    }),
});
