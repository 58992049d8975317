import {
  composedEvent,
  repeatedEvent,
  Unsupported,
  type PrivacyEvent,
  type PrivacyFilter,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import { gaussianCurve, trueDelta } from '../../divergence/index.js';
import { type Violation, judge } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { approximate, gaussian, pure } from './events.js';

const adjacency = 'zero-out';
const limits = [
  { epsilon: 0.5, delta: 0.01 },
  { epsilon: 0.1, delta: 0.3 },
  { epsilon: 1, delta: 1e-5 },
  { epsilon: 2, delta: 0.2 },
] as const;
type Limit = (typeof limits)[number];

const exempt = ({ plugin }: Subject<'accountant'>): string | undefined =>
  plugin.filter === undefined ? 'it has no privacy filter' : undefined;

/** Whether a filter admits an event; events that it cannot account are not admitted. */
const allows =
  (filter: PrivacyFilter) =>
  (event: PrivacyEvent): boolean => {
    try {
      return filter.admits(event);
    } catch (error) {
      if (error instanceof Unsupported) return false;
      throw error;
    }
  };

interface Answer {
  readonly p: number;
  readonly q: number;
}

const coin = (size: number): readonly Answer[] => {
  const likely = 1 / (1 + Math.exp(-size));
  const unlikely = 1 / (1 + Math.exp(size));
  return [
    { p: likely, q: unlikely },
    { p: unlikely, q: likely },
  ];
};
const stickOf =
  (answers: readonly Answer[]) =>
  (epsilon: number): number =>
    answers.reduce((sum, { p, q }) => sum + Math.max(0, p - Math.exp(epsilon) * q), 0);

/** Releases with a known worst pair; a larger number means a larger or smaller cost as declared. */
interface Family {
  readonly event: (size: number) => PrivacyEvent;
  /** `max over S of P(S) − e^ε Q(S)`, at any real ε. */
  readonly stick: (size: number) => (epsilon: number) => number;
}

const families: readonly Family[] = [
  { event: pure, stick: (size) => stickOf(coin(size)) },
  {
    event: (size) => approximate(0, Math.min(1, size)),
    stick: (size) => (epsilon) =>
      Math.min(1, size) + (1 - Math.min(1, size)) * Math.max(0, -Math.expm1(epsilon)),
  },
  { event: (size) => gaussian(1 / size), stick: (size) => (epsilon) => gaussianCurve(size, epsilon).lower },
];

/** The largest admitted size; 0 when none is. */
function largest(make: (size: number) => PrivacyEvent, allowed: (event: PrivacyEvent) => boolean): number {
  let [low, high] = [0, 16];
  for (let i = 0; i < 40 && high > 1e-9 && high > low * (1 + 1e-5); i++) {
    const middle = low === 0 ? high / 8 : Math.sqrt(low * high);
    if (allowed(make(middle))) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Total δ of a first release and, for each of its answers, the admitted second release with the largest δ.
 */
function adversary(
  { epsilon, delta }: Limit,
  allowed: (event: PrivacyEvent) => boolean,
  part: number,
): Violation | undefined {
  const size = part * largest(pure, allowed);
  const seconds = families
    .map((family) => ({
      family,
      size: largest(family.event, (event) => allowed(composedEvent([pure(size), event]))),
    }))
    .filter((second) => second.size > 0);
  const sticks = seconds.map(({ family, size: at }) => family.stick(at));
  const attained = coin(size).reduce(
    (sum, { p, q }) => sum + p * Math.max(0, ...sticks.map((stick) => stick(epsilon - Math.log(p / q)))),
    0,
  );
  return attained <= delta * (1 + 1e-6)
    ? undefined
    : {
        what:
          `after pure ε = ${size} the filter admits each of ${seconds.length} events; ` +
          `an adversary who chooses among them by the first answer attains δ = ${attained} at ` +
          `ε = ${epsilon}, above the limit ${delta}`,
        measured: attained,
        allowed: delta,
        input: { first: pure(size), seconds: seconds.map(({ family, size: at }) => family.event(at)) },
      };
}

const parts = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

export const filterAdaptive = defineLaw<'accountant'>({
  id: 'accountant/filter-adaptive',
  kind: 'accountant',
  tier: 'exact',
  exempt,
  statement:
    'the filter keeps its limit against an adversary who chooses the ' +
    'second release by the answer to the first',
  power:
    'an attained δ above the limit by 1e-6 of it, for randomised response followed by the same, ' +
    `Gaussian noise or a failure, at ${parts.length} sizes for each of ${limits.length} limits`,
  check: ({ plugin }) => {
    for (const [i, limit] of limits.entries()) {
      const allowed = allows(defined(plugin.filter)({ ...limit, adjacency }));
      for (const [j, part] of parts.entries()) {
        const violation = adversary(limit, allowed, part);
        if (violation !== undefined) return judge(i * parts.length + j + 1, violation);
      }
    }
    return judge(limits.length * parts.length, undefined);
  },
});

const releases: readonly PrivacyEvent[] = [
  pure(0.05),
  gaussian(20),
  approximate(0, 1e-3),
  approximate(0.02, 1e-6),
];

export const filterSums = defineLaw<'accountant'>({
  id: 'accountant/filter-sums',
  kind: 'accountant',
  tier: 'exact',
  exempt,
  statement:
    'any number of equal admitted releases, counted or listed, has a δ of at most the limit, ' +
    'and costs at most the event of the limit',
  power:
    `an attained δ above the limit by 1e-6 of it, by 1 to 4096 runs of ${releases.length} releases for ` +
    `each of ${limits.length} limits`,
  check: ({ plugin }) => {
    for (const { epsilon, delta } of limits) {
      const filter = defined(plugin.filter)({ epsilon, delta, adjacency });
      const allowed = allows(filter);
      for (const event of releases)
        for (let n = 1; n <= 4096; n *= 2) {
          for (const runs of [
            repeatedEvent(event, n),
            composedEvent(Array.from({ length: n }, () => event)),
            repeatedEvent(composedEvent([event, event]), n),
          ]) {
            const attained = allowed(runs) ? (trueDelta(runs, adjacency, epsilon)?.lower ?? 0) : 0;
            if (attained > delta * (1 + 1e-6))
              return judge(1, {
                what:
                  `the filter admits ${n} runs that have δ = ${attained} ` +
                  `at ε = ${epsilon}, above the limit ${delta}`,
                measured: attained,
                allowed: delta,
                input: { event, n },
              });
          }
        }
      const most = plugin.epsilon(filter.limit, { adjacency, delta }).upper;
      for (const event of releases)
        for (let n = 1; n <= 4096 && allowed(repeatedEvent(event, n)); n *= 2) {
          const cost = plugin.epsilon(repeatedEvent(event, n), { adjacency, delta }).upper;
          if (!(cost <= most * (1 + 1e-6)))
            return judge(1, {
              what:
                `the filter admits ${n} runs that cost ε = ${cost} at δ = ${delta}; ` +
                `the event of its limit costs ${most}`,
              measured: cost,
              allowed: most,
              input: { event, n, limit: filter.limit },
            });
        }
    }
    return judge(limits.length * releases.length, undefined);
  },
});
