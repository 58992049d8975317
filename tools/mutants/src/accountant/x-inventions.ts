import { gdp, pld, rdp, zcdp } from '@lethe/accountants';
import {
  adjacencies,
  composedEvent,
  freeEvent,
  Unsupported,
  type CoreEvent,
  type PrivacyEvent,
} from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { changed, mapped, misreading } from './plant.js';

const isEvent = (event: unknown): event is PrivacyEvent =>
  event !== null && typeof event === 'object' && 'kind' in event;
const otherwise = <T>(ask: () => T, instead: () => T): T => {
  try {
    return ask();
  } catch (error) {
    if (error instanceof Unsupported) return instead();
    throw error;
  }
};

export const strangersAreFree = defineMutant({
  id: 'accountant/event-unknown-kind-costs-nothing',
  kind: 'accountant',
  title: 'an event of an unknown kind costs nothing',
  source: 'generic',
  killedBy: ['accountant/unknown-kind'],
  within: 1,
  plant: () =>
    misreading(rdp, (event) =>
      event.kind?.startsWith('core/') || event.kind.startsWith('lethe-laws/') ? event : freeEvent,
    ),
});

export const anyAdjacency = defineMutant({
  id: 'accountant/missing-sensitivity-taken-another-adjacency',
  kind: 'accountant',
  title: 'a missing sensitivity is taken from another adjacency',
  source: 'generic',
  killedBy: ['accountant/missing-adjacency'],
  within: 3,
  plant: () =>
    changed(gdp, {
      epsilon: (event, query) =>
        otherwise(
          () => gdp.epsilon(event, query),
          () =>
            gdp.epsilon(
              mapped(event, (inner) => {
                const noise = inner as CoreEvent<'core/gaussian'>;
                const known = adjacencies
                  .map((adjacency) => noise.sensitivity?.[adjacency])
                  .find((value) => value !== undefined);
                return known === undefined
                  ? inner
                  : ({
                      ...noise,
                      sensitivity: { ...noise.sensitivity, [query.adjacency]: known },
                    } as PrivacyEvent);
              }),
              query,
            ),
        ),
    }),
});

export const silentFailure = defineMutant({
  id: 'accountant/ways-fail-counted-once-however-many-runs',
  kind: 'accountant',
  title: 'the failure probability is charged once for many runs',
  source: 'generic',
  killedBy: ['accountant/failing', 'accountant/count'],
  within: 30,
  plant: () =>
    misreading(rdp, (event) => {
      const core = event as CoreEvent;
      if (core.kind !== 'core/compose') return event;
      return composedEvent([
        {
          ...core,
          parts: core.parts.map((part) =>
            part.event.kind === 'core/failing'
              ? { ...part, event: (part.event as CoreEvent<'core/failing'>).event }
              : part,
          ),
        } as PrivacyEvent,
        ...core.parts.filter((part) => part.event.kind === 'core/failing').map((part) => part.event),
      ]);
    }),
});

export const cheaperInParallel = defineMutant({
  id: 'accountant/disjoint-slots-first-part-alone-charged',
  kind: 'accountant',
  title: 'on disjoint slots the first part alone is charged',
  source: 'generic',
  killedBy: ['accountant/parallel'],
  within: 30,
  plant: () =>
    misreading(zcdp, (event) => {
      const core = event as CoreEvent;
      return core.kind === 'core/parallel' && core.parts[0] !== undefined ? core.parts[0] : event;
    }),
});

export const squaredRate = defineMutant({
  id: 'accountant/sampling-rate-q-credited-sampling-q2',
  kind: 'accountant',
  title: 'sampling at rate q is charged as sampling at q²',
  source: 'generic',
  killedBy: ['accountant/truth'],
  within: 60,
  plant: () =>
    misreading(rdp, (event) => {
      const core = event as CoreEvent;
      return core.kind === 'core/sampled' &&
        core.sampler.kind === 'core/poisson' &&
        core.sampler.rate > 0 &&
        core.sampler.rate < 1
        ? ({ ...core, sampler: { ...core.sampler, rate: core.sampler.rate ** 2 } } as PrivacyEvent)
        : event;
    }),
});

export const halfPresence = defineMutant({
  id: 'accountant/under-sampling-half-sensitivity-replacement-stands-presence',
  kind: 'accountant',
  title: 'under sampling, half of the sensitivity to replacement is used for that to presence',
  source: 'docs/decisions/0010',
  killedBy: ['accountant/sampled-replacement'],
  within: 2,
  plant: () =>
    misreading(rdp, (event) => {
      const core = event as CoreEvent;
      if (core.kind !== 'core/sampled' || core.event.kind !== 'core/gaussian') return event;
      const { sensitivity } = core.event as CoreEvent<'core/gaussian'>;
      const replaced = sensitivity?.['replace-one'];
      return replaced === undefined || sensitivity['zero-out'] !== undefined
        ? event
        : ({
            ...core,
            event: { ...core.event, sensitivity: { ...sensitivity, 'zero-out': replaced / 2 } },
          } as PrivacyEvent);
    }),
});

export const silentAssumptions = defineMutant({
  id: 'accountant/certificates-not-say-real-arithmetic-taken-granted',
  kind: 'accountant',
  title: 'certificates omit the assumption of real arithmetic',
  source: 'generic',
  killedBy: ['accountant/interval'],
  within: 2,
  plant: () =>
    changed(gdp, { epsilon: (event, query) => ({ ...gdp.epsilon(event, query), assumptions: [] }) }),
});

export const expectedForFound = defineMutant({
  id: 'accountant/epsilon-expected-near-given-for-found',
  kind: 'accountant',
  title: 'ε is what was expected, where that is a tenth below the upper end or less',
  source: 'generic',
  killedBy: ['accountant/options'],
  within: 8,
  plant: () =>
    changed(gdp, {
      epsilon: (event, query) => {
        const answer = gdp.epsilon(event, query);
        const { near } = query;
        if (near === undefined || !(near < answer.upper && near >= 0.9 * answer.upper)) return answer;
        return { ...answer, lower: Math.min(answer.lower, near), upper: near, certificate: 'certified' };
      },
    }),
});

export const halfWidthBelow = defineMutant({
  id: 'accountant/wide-answers-half-width-too-low',
  kind: 'accountant',
  title: 'an answer that may be wide is lower by half the width',
  source: 'generic',
  killedBy: ['accountant/options'],
  within: 8,
  plant: () =>
    changed(gdp, {
      epsilon: (event, query) => {
        const answer = gdp.epsilon(event, query);
        const upper = Math.max(0, answer.upper - (query.width ?? 0) / 2);
        return { ...answer, lower: Math.min(answer.lower, upper), upper, certificate: 'certified' };
      },
    }),
});

export const remembersTooLittle = defineMutant({
  id: 'accountant/answers-remembered-kind-count-whatever-noise',
  kind: 'accountant',
  title: 'answers are cached by kind and count, without the noise',
  source: 'generic',
  killedBy: ['accountant/truth', 'accountant/count', 'accountant/monotone-in-cost'],
  within: 60,
  plant: () => {
    const seen = new Map<string, number>();
    return changed(gdp, {
      epsilon: (event, query) => {
        const answer = gdp.epsilon(event, query);
        const core = event as CoreEvent;
        const key = isEvent(event)
          ? `${event.kind} ` +
            (core.kind === 'core/compose'
              ? core.parts.map((part) => `${part.event.kind}×${part.count}`).join()
              : '') +
            ` ${query.adjacency} ${query.delta}`
          : '';
        const upper = seen.get(key) ?? answer.upper;
        seen.set(key, upper);
        return { ...answer, lower: Math.min(answer.lower, upper), upper, certificate: 'certified' };
      },
    });
  },
});

export const exactForAll = defineMutant({
  id: 'accountant/every-answer-called-exact',
  kind: 'accountant',
  title: 'every answer has the certificate exact',
  source: 'generic',
  killedBy: ['accountant/interval'],
  within: 20,
  plant: () =>
    changed(rdp, { epsilon: (event, query) => ({ ...rdp.epsilon(event, query), certificate: 'exact' }) }),
});

export const lowerEndTooHigh = defineMutant({
  id: 'accountant/upper-bound-given-lower-end-too',
  kind: 'accountant',
  title: 'the lower end equals the upper end',
  source: 'generic',
  killedBy: ['accountant/truth'],
  within: 60,
  plant: () =>
    changed(rdp, {
      delta: (event, query) => {
        const answer = rdp.delta(event, query);
        return { ...answer, lower: answer.upper };
      },
    }),
});

export const twoCurves = defineMutant({
  id: 'accountant/delta-epsilon-converted-old-bound-epsilon-delta',
  kind: 'accountant',
  title: 'δ(ε) uses an older conversion than ε(δ)',
  source: 'generic',
  killedBy: ['accountant/conversion'],
  within: 40,
  plant: () =>
    changed(rdp, {
      delta: (event, query) => {
        const answer = rdp.delta(event, query);
        return { ...answer, upper: Math.min(1, answer.upper * 2), certificate: 'certified' };
      },
    }),
});

export const notNumbers = defineMutant({
  id: 'accountant/exponentials-overflow-nan-large-epsilon',
  kind: 'accountant',
  title: 'exponentials overflow to NaN at large ε',
  source: 'generic',
  killedBy: ['accountant/extremes', 'accountant/interval'],
  within: 120,
  plant: () =>
    changed(gdp, {
      delta: (event, query) => {
        const answer = gdp.delta(event, query);
        return { ...answer, upper: (answer.upper * Math.exp(query.epsilon)) / Math.exp(query.epsilon) };
      },
    }),
});

export const deltaWithinRounding = defineMutant({
  id: 'accountant/delta-below-rounding-read-as-rounding',
  kind: 'accountant',
  title: 'ε(δ) reads a δ below the rounding error of 1 as that error',
  source: 'generic',
  killedBy: ['accountant/small-delta'],
  within: 4,
  plant: () =>
    changed(gdp, {
      epsilon: (event, query) =>
        gdp.epsilon(
          event,
          query?.delta > 0 ? { ...query, delta: Math.max(query.delta, Number.EPSILON) } : query,
        ),
    }),
});

export const largeLossesForgotten = defineMutant({
  id: 'accountant/rare-large-losses-left-out-many-steps',
  kind: 'accountant',
  title: 'where a few large losses among many steps decide, ε(δ) is that of the other losses',
  source: 'generic',
  killedBy: ['accountant/small-delta'],
  within: 9,
  plant: () =>
    changed(pld, {
      epsilon(event, query) {
        const answer = pld.epsilon(event, query);
        const core = event as CoreEvent;
        const steps = core.kind === 'core/compose' ? (core.parts[0]?.count ?? 1) : 1;
        return steps >= 1000 && query.delta < 1e-10
          ? { ...answer, lower: answer.lower / 2, upper: answer.upper / 2 }
          : answer;
      },
    }),
});

export const versionsAlike = defineMutant({
  id: 'accountant/event-later-version-read-one-first',
  kind: 'accountant',
  title: 'an event of a later version is read as version 1',
  source: 'generic',
  killedBy: ['accountant/unknown-kind'],
  within: 40,
  plant: () => misreading(rdp, (event) => (event.kind?.startsWith('core/') ? known(event) : event)),
});
const known = (event: PrivacyEvent): PrivacyEvent =>
  event.v > 1 && event.kind === 'core/gaussian'
    ? ({
        kind: event.kind,
        v: 1,
        sigma: 1,
        sensitivity: (event as CoreEvent<'core/gaussian'>).sensitivity,
      } as PrivacyEvent)
    : event;
