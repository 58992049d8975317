import {
  adjacencySchema,
  defineAccountant,
  InvalidParameter,
  normalEvent,
  parseEvent,
  parseOrThrow,
  type Accountant,
  type AccountingContext,
  type CoreEvent,
  type Interval,
  type PrivacyEvent,
} from '@lethe/core';
import { assumptionsOf, resolveEvent, withoutFailures } from '@lethe/accountants';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { pureCurve } from '../../divergence/index.js';
import { subjectsOf } from '../../law/make-subject.js';
import { failureText } from '../../law/report.js';
import { runLaws, type LawReport } from '../../law/run.js';
import type { Subject } from '../../law/subject.js';
import { accountantLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';

/** ε of an event from its pure characterisation alone. */
function study(
  input: PrivacyEvent,
  { adjacency: given, kinds }: AccountingContext,
): { readonly pure: number; readonly failing: number; readonly assumptions: readonly string[] } {
  const adjacency = parseOrThrow(adjacencySchema, given, 'adjacency');
  const event = parseEvent(input, kinds);
  const { event: sound, delta } = withoutFailures(event, adjacency);
  return {
    pure: resolveEvent(normalEvent(sound), 'pure', { adjacency, ...(kinds === undefined ? {} : { kinds }) }),
    failing: delta,
    assumptions: assumptionsOf(event, kinds),
  };
}
const interval = (upper: number, assumptions: readonly string[]): Interval => ({
  lower: 0,
  upper,
  certificate: 'certified',
  method: 'pure',
  assumptions,
});
const requireWithin = (name: string, value: number, most: number): void => {
  if (!(typeof value === 'number' && value >= 0 && value <= most))
    throw new InvalidParameter(`${name} is ${String(value)}`, {});
};

/** A small correct accountant. */
const byPure: Accountant = defineAccountant({
  name: 'by-pure',
  summary: 'Adds up ε.',
  source: { id: 'test', item: '1' },
  claims: [
    { property: 'free', statement: 'Free events cost nothing.' },
    { property: 'conversion', statement: 'ε(δ) and δ(ε) are one curve.' },
  ],
  params: z.strictObject({}),
  wants: ['pure'],
  epsilon(event, { delta, ...context }) {
    requireWithin('delta', delta, 1);
    const { pure, failing, assumptions } = study(event, context);
    const lost = (delta - failing) * (1 + Math.exp(-pure));
    if (delta === 1 || lost >= 1) return interval(0, assumptions);
    const boundOf = () => {
      if (lost < 0) return Infinity;
      if (pure === Infinity) return Infinity;
      return Math.max(0, pure + Math.log1p(-lost) * (1 - 1e-12));
    };
    return interval(boundOf(), assumptions);
  },
  delta(event, { epsilon, ...context }) {
    requireWithin('epsilon', epsilon, Infinity);
    const { pure, failing, assumptions } = study(event, context);
    const remaining = () => {
      if (epsilon === Infinity) return 0;
      return pure === Infinity ? 1 : pureCurve(pure, epsilon);
    };
    return interval(Math.min(1, failing + remaining()), assumptions);
  },
});

const run = (change: Partial<Accountant>, only?: readonly string[]): Promise<readonly LawReport[]> =>
  runLaws(
    accountantLaws,
    subjectsOf(defineAccountant({ ...byPure, ...change }))[0] as Subject<'accountant'>,
    lawsAlone(only),
  );
const broken = (reports: readonly LawReport[]): readonly string[] => [
  ...new Set(reports.filter(({ finding }) => finding.verdict === 'fails').map(({ law }) => law)),
];
/** An accountant that answers for a different event than the one in the query. */
const reading = (read: (event: CoreEvent) => PrivacyEvent): Partial<Accountant> => ({
  epsilon: (event, query) => byPure.epsilon(read(event as CoreEvent), query),
  delta: (event, query) => byPure.delta(read(event as CoreEvent), query),
});
const withUpper = (change: (upper: number, at: number) => number): Partial<Accountant> => ({
  epsilon: (event, query) => {
    const answer = byPure.epsilon(event, query);
    return { ...answer, upper: change(answer.upper, query.delta) };
  },
  delta: (event, query) => {
    const answer = byPure.delta(event, query);
    return { ...answer, upper: change(answer.upper, query.epsilon) };
  },
});

describe('laws of accountants', () => {
  test('hold for a small correct one', async () => expect(broken(await run({}))).toEqual([]));

  // Sound but loose: one bound that says less than the other is no contradiction, unless it is claimed.
  test.each<[string, Partial<Accountant>]>([
    [
      'has no δ below 1',
      {
        delta: (event, query) => {
          const answer = byPure.delta(event, query);
          return { ...answer, upper: answer.upper > 0 ? 1 : 0 };
        },
      },
    ],
    [
      'says ε = .25 where less holds',
      {
        epsilon: (event, query) => {
          const answer = byPure.epsilon(event, query);
          return { ...answer, upper: answer.upper > 0 ? Math.max(answer.upper, 0.25) : 0 };
        },
      },
    ],
    [
      'has no δ below ε = .25',
      {
        delta: (event, query) => {
          const answer = byPure.delta(event, query);
          return query.epsilon < 0.25 && answer.upper > 0 ? { ...answer, upper: 1 } : answer;
        },
      },
    ],
  ])('hold for one that %s', async (_name, change) =>
    expect(broken(await run({ claims: [], ...change }))).toEqual([]),
  );

  test.each([
    ['refuses every event', 'accountant/answers', { wants: [], ...withUpper(() => Infinity) }],
    ['returns NaN', 'accountant/interval', withUpper((upper) => (upper > 1 ? NaN : upper))],
    ['has an upper bound below the truth', 'accountant/truth', withUpper((upper) => upper * 0.999)],
    [
      'ignores counts',
      'accountant/count',
      reading((event) =>
        event?.kind === 'core/compose'
          ? { ...event, parts: event.parts.map((part) => ({ ...part, count: 1 })) }
          : event,
      ),
    ],
    [
      'counts the first part only',
      'accountant/regrouping',
      reading((event) =>
        event?.kind === 'core/compose' ? { ...event, parts: event.parts.slice(0, 1) } : event,
      ),
    ],
    [
      'composes parallel parts',
      'accountant/parallel',
      reading((event) =>
        event?.kind === 'core/parallel'
          ? ({
              kind: 'core/compose',
              v: 1,
              parts: event.parts.map((each) => ({ event: each, count: 1 })),
            } as PrivacyEvent)
          : event,
      ),
    ],
    [
      'charges free events',
      'accountant/free',
      withUpper((upper, at) => (at < 1 ? Math.min(1, upper + 1e-3) : upper)),
    ],
    ['caps ε at a finite number', 'accountant/unprotected', withUpper((upper) => Math.min(upper, 1e300))],
    [
      'charges less for a composition',
      'accountant/more-costs-more',
      {
        epsilon: (event, query) => {
          const answer = byPure.epsilon(event, query);
          return event.kind === 'core/compose' ? { ...answer, upper: answer.upper / 3 } : answer;
        },
      },
    ],
    [
      'needs more ε for more δ',
      'accountant/monotone-in-delta',
      {
        epsilon: (event, query) => {
          const answer = byPure.epsilon(event, query);
          return { ...answer, upper: answer.upper * (1 + query.delta) };
        },
      },
    ],
    [
      'drops to 0 at integer ε',
      'accountant/monotone-in-epsilon',
      withUpper((upper, at) => (Number.isInteger(at) && at > 0 ? 0 : upper)),
    ],
    [
      'has an ε(δ) that does not invert δ(ε)',
      'accountant/conversion',
      {
        delta: (event, query) => {
          const answer = byPure.delta(event, query);
          return { ...answer, upper: Math.min(1, answer.upper + 1e-3) };
        },
      },
    ],
    [
      'charges a replacement as a removal',
      'accountant/adjacency',
      {
        epsilon: (event, query) =>
          byPure.epsilon(
            event,
            query?.adjacency === 'replace-one' ? { ...query, adjacency: 'zero-out' } : query,
          ),
      },
    ],
    [
      'returns 0 for a missing adjacency',
      'accountant/missing-adjacency',
      {
        epsilon: (event, query) => {
          try {
            return byPure.epsilon(event, query);
          } catch {
            return interval(0, []);
          }
        },
      },
    ],
    [
      'answers for unknown kinds of events',
      'accountant/unknown-kind',
      {
        epsilon: (event, query) => {
          try {
            return byPure.epsilon(event, query);
          } catch {
            return interval(Infinity, []);
          }
        },
      },
    ],
    [
      'answers malformed queries',
      'accountant/questions',
      { delta: (event, query) => byPure.delta(event, { ...query, epsilon: Math.abs(query.epsilon) }) },
    ],
    [
      'amplifies a sample twice',
      'accountant/sampling-everyone',
      reading((event) =>
        event?.kind === 'core/sampled' && event.sampler.kind === 'core/poisson'
          ? ({ ...event, sampler: { ...event.sampler, rate: event.sampler.rate / 2 } } as PrivacyEvent)
          : event,
      ),
    ],
    [
      'ignores failure probabilities',
      'accountant/failing',
      reading((event) => (event?.kind === 'core/failing' ? event.event : event)),
    ],
    [
      'charges nothing for filtered events',
      'accountant/filtered',
      reading((event) => (event?.kind === 'core/filtered' ? { kind: 'core/free', v: 1 } : event)),
    ],
    [
      'charges a selection like its base',
      'accountant/selection',
      reading((event) => (event?.kind === 'core/selection' ? event.base : event)),
    ],
    [
      'depends on earlier queries',
      'accountant/queries',
      (() => {
        let asked = 0;
        return withUpper((upper) => upper * (1 + 1e-6 * ++asked));
      })(),
    ],
    ['overflows', 'accountant/extremes', withUpper((upper, at) => (upper * Math.exp(at)) / Math.exp(at))],
    [
      'ignores the kinds in the query',
      'accountant/wants',
      { delta: (event, { adjacency, epsilon }) => byPure.delta(event, { adjacency, epsilon }) },
    ],
    [
      'refuses events that core can characterise',
      'accountant/knowledge',
      {
        delta: (event, query) => {
          if (event.kind === 'core/laplace')
            resolveEvent({ kind: 'core/zcdp', v: 1, rho: 1 } as PrivacyEvent, 'pure', query);
          return byPure.delta(event, query);
        },
      },
    ],
  ] satisfies readonly (readonly [string, string, Partial<Accountant>])[])(
    'find one that %s',
    async (_, law, change) => expect(broken(await run(change, [law]))).toEqual([law]),
  );

  test('a failure says what was asked, what was said and what is true', async () => {
    const report = defined(
      (
        await run(
          withUpper((upper) => upper / 2),
          ['accountant/truth'],
        )
      ).find(({ finding }) => finding.verdict === 'fails'),
    );
    expect(failureText(report, 'run')).toMatch(
      /accountant\/truth is broken by by-pure \(replace-one\): the upper bound on ε is .* at δ = 0\.000001 under replace-one, where some neighbours have δ = /u,
    );
  });
});
