import {
  Corrupt,
  IncompatiblePlugins,
  LetheError,
  sampledEvent,
  seededRandom,
  type Clip,
  type CoreEvent,
  type Mechanism,
  type Plugin,
  type PrefixSum,
  type PrivacyEvent,
  type Query,
  type Sampler,
  type SamplerStream,
  type Vector,
} from '@lethe/core';
import { centralCurator, type CentralCurator, type CentralCuratorOptions, type Ledger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import type { LawId } from '../../law/law.js';
import { failureText } from '../../law/report.js';
import { planChecks, runCheck, type LawReport } from '../../law/run.js';
import type { Subject } from '../../law/subject.js';
import { curatorLaws } from './index.js';
import { shuffleLaws } from './shuffle/index.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

type Open = Subject<'curator'>['open'];
type Options = CentralCuratorOptions;
type Entry = Parameters<Ledger['append']>[0];
const subject = (name: string, open: Open): Subject<'curator'> => ({
  kind: 'curator',
  name,
  claims: [],
  registry: [],
  open,
});

const plugins = <P extends Plugin>(
  options: Options,
  kind: P['kind'],
  change: (plugin: P) => Partial<P>,
): Options => ({
  ...options,
  registry: options.registry.map((plugin) =>
    plugin.kind === kind
      ? { ...(Object.fromEntries(Object.entries(plugin)) as unknown as P), ...change(plugin as P) }
      : plugin,
  ),
});
const withOptions =
  (change: (options: Options) => Options): Open =>
  (options) =>
    centralCurator(change(options));
const withCurator =
  (change: (inner: CentralCurator, options: Options) => Partial<CentralCurator>): Open =>
  (options) => {
    const inner = centralCurator(options);
    return { ...inner, ...change(inner, options) };
  };
const withLedger = (change: (ledger: Ledger, options: Options) => Partial<Ledger>): Open =>
  withOptions((options) => ({
    ...options,
    data: { ...options.data, ledger: { ...options.data.ledger, ...change(options.data.ledger, options) } },
  }));
const filing = (change: (entry: Entry) => Entry): Open =>
  withLedger((ledger) => ({ append: (entry) => ledger.append(change(entry)) }));
const noising = (change: (add: Mechanism['addNoise'], options: Options) => Mechanism['addNoise']): Open =>
  withOptions((options) =>
    plugins<Mechanism>(options, 'mechanism', ({ addNoise }) => ({ addNoise: change(addNoise, options) })),
  );
const times = (factor: number): Open =>
  noising((add) => (params, value, scale, random) => add(params, value, scale * factor, random));
const answers = (change: (answer: unknown, query: Query, options: Options) => unknown): Open =>
  withCurator((inner, options) => ({
    answer: (index, query) => {
      const { answer, digest } = inner.answer(index, query);
      return { answer: change(answer, query, options) as never, digest };
    },
  }));
const vectors = (change: (answer: Vector, query: Query, options: Options) => Vector): Open =>
  answers((answer, query, options) =>
    answer instanceof Float64Array ? change(answer, query, options) : answer,
  );
const onError = (act: (error: unknown, inner: CentralCurator, options: Options) => unknown): Open =>
  withCurator((inner, options) => ({
    answer(index, query) {
      try {
        return inner.answer(index, query);
      } catch (error) {
        throw act(error, inner, options) ?? error;
      }
    },
  }));
interface ScoredPoint {
  readonly point: Vector;
  readonly score: number;
}
const baseOf = (event: PrivacyEvent): PrivacyEvent => (event as CoreEvent<'core/selection'>).base;
const uncharged = filing(({ effect: { charge: _charge, ...effect }, ...entry }) => ({ ...entry, effect }));

/** Answers without the rounding to the public grid. */
const unrounded: Open = (options) => {
  let left: Vector | undefined;
  const inner = centralCurator(
    plugins<Mechanism>(options, 'mechanism', ({ addNoise }) => ({
      addNoise(params, value, scale, random) {
        addNoise(params, value, scale, random);
        left = value.slice();
      },
    })),
  );
  return {
    ...inner,
    answer(index, query) {
      const answered = inner.answer(index, query);
      return query.ask === 'mean' ? { ...answered, answer: defined(left) } : answered;
    },
  };
};

/** One bug for each law, which must detect it. */
/** A curator with changed streams of all samplers that have one. */
const withStreams = (change: (stream: SamplerStream) => Partial<SamplerStream>): Open =>
  withOptions((options) =>
    plugins<Sampler>(options, 'sampler', ({ stream }) =>
      stream === undefined ? {} : { stream: { ...stream, ...change(stream) } },
    ),
  );

const bugs: Readonly<Record<string, Open>> = {
  'curator/plain-data': withCurator((inner) => ({
    answer(index, query) {
      (query as { toJSON?: () => unknown }).toJSON?.();
      return inner.answer(index, query);
    },
  })),
  'curator/fact-scope': withOptions((options) => ({
    ...options,
    data: {
      ...options.data,
      facts: Object.fromEntries(
        Object.entries(options.data.facts).map(([name, fact]) => [
          name,
          { ...fact, scope: 'every-record' as const },
        ]),
      ),
    },
  })),
  'curator/fact-enforced': vectors((answer, query) =>
    JSON.stringify(query).includes('laws/certified') ? answer.map((x) => 10 * x) : answer,
  ),
  'curator/one-bad-record': onError((error) => (error instanceof LetheError ? error.cause : undefined)),
  'curator/only-mechanisms-tell': withCurator((inner, { data }) => ({
    answer: (index, query) => ({ ...inner.answer(index, query), longest: Math.max(...data.norms) }),
  })),
  'curator/charge-first': uncharged,
  'curator/entries': onError((_error, inner, { data, run }) => {
    data.ledger.append({ run, index: inner.recorded(), digest: '', effect: {} });
    return undefined;
  }),
  'curator/every-release-pays': uncharged,
  'curator/own-scale': withCurator((inner) => ({
    answer(index, query) {
      const { sensitivity, ...rest } = query as Query & { readonly sensitivity?: number };
      const { answer, digest } = inner.answer(index, rest as Query);
      return { digest, answer: sensitivity === undefined ? answer : (answer as Vector).map((x) => x / 2) };
    },
  })),
  'curator/limit': withOptions(({ planned: _planned, ...options }) => options),
  'curator/limit-by-upper': withOptions(({ planned: _planned, ...options }) => options),
  'curator/unprotected': withOptions((options) => ({ ...options, allowUnprotected: true })),
  'curator/last-answer': withCurator((inner) => ({
    answer: (index, query) => {
      if (index < inner.recorded()) throw new Corrupt('asked again', {});
      return inner.answer(index, query);
    },
  })),
  'curator/one-value': withCurator((inner) => ({
    answer(index, query) {
      JSON.stringify(query);
      return inner.answer(index, query);
    },
  })),
  'curator/adversary': withOptions(({ planned: _planned, ...options }) => options),
  'curator/stated-costs': filing(({ effect: { prepaid, ...effect }, ...entry }) => ({
    ...entry,
    effect: prepaid === undefined ? effect : { ...effect, charge: prepaid },
  })),
  'curator/planned': withOptions(({ planned: _planned, ...options }) => options),
  'curator/versions': withLedger((ledger) => ({
    openRun: (run, random, reservation) => ({
      ...ledger.openRun(run, random, reservation),
      uses: () => undefined,
    }),
  })),
  'curator/ended': withCurator((inner, { data, run }) => ({
    answer(index, query) {
      if (data.ledger.openRun(run, undefined as never).ended()) throw new Corrupt('over');
      return inner.answer(index, query);
    },
  })),
  'curator/options': (options) => {
    const inner = centralCurator(options);
    return { ...inner, facts: { ...inner.facts, run: options.run } };
  },
  'curator/held': withLedger((ledger) => ({ spentBy: (run) => ledger.chargedBy(run) })),
  'curator/afford': answers((answer, query) => (query.ask === 'afford' ? true : answer)),
  'curator/resume': withOptions((options) => {
    const fresh = seededRandom(`${opened++}`);
    return plugins<Sampler>(options, 'sampler', ({ draw }) => ({
      draw: (params, slots) => draw(params, slots, fresh),
    }));
  }),
  'curator/replay': withCurator(() => ({ replay: () => undefined })),
  'curator/charge-stands': withCurator((inner) => {
    let shift = 0;
    return {
      answer(index, query) {
        try {
          return inner.answer(index + shift, query);
        } catch (error) {
          if (error instanceof IncompatiblePlugins && inner.recorded() > index + shift) shift++;
          throw error;
        }
      },
    };
  }),
  'curator/digests': withCurator((inner) => ({
    answer: (index, query) => ({ ...inner.answer(index, query), digest: '0123456789abcdef' }),
  })),
  'curator/arrays-lent': vectors((answer) => {
    buffer.set(answer);
    return buffer.subarray(0, answer.length);
  }),
  'curator/public-grid': unrounded,
  'curator/unrelated-noise': noising(
    (add, { random }) =>
      (params, value, scale) =>
        add(params, value, scale, defined(random).fork('noise')),
  ),
  'curator/scale': times(0.99),
  'curator/noise': times(0.5),
  'curator/audit': times(0.5),
  'curator/stream-cost': times(0.5),
  'curator/public-size': noising(
    (add, { data }) =>
      (params, value, scale, random) =>
        add(params, value, scale / data.slots, random),
  ),
  'curator/covered-values': withOptions((options) =>
    plugins<Mechanism>(options, 'mechanism', () => ({ numerics: 'idealised' })),
  ),
  'curator/choice': answers((answer, query) =>
    query.ask === 'choose' && query.candidates.by === 'list' ? query.candidates.points[0] : answer,
  ),
  'curator/public-normaliser': vectors((answer, _query, { data }) =>
    answer.map((x) => (x * 8) / (data.slots - 1)),
  ),
  'curator/empty-batch': noising((add) => (params, value, scale, random) => {
    if (value.some((x) => x !== 0)) add(params, value, scale, random);
  }),
  'curator/no-sizes-under-add-remove': withOptions(({ publicSlots: _guess, ...options }) => ({
    ...options,
    data: { ...options.data, ledger: { ...options.data.ledger, adjacency: 'zero-out' } },
  })),
  'curator/splits': answers((answer, query) =>
    query.ask === 'split'
      ? (answer as readonly unknown[]).map(() => (answer as readonly unknown[])[0])
      : answer,
  ),
  'curator/cost-by-membership': filing((entry) =>
    entry.effect.charge === undefined
      ? entry
      : {
          ...entry,
          effect: {
            ...entry.effect,
            charge: { ...entry.effect.charge, on: { space: 'all', from: entry.index, to: entry.index + 1 } },
          },
        },
  ),
  'curator/draws': withOptions((options) =>
    plugins<Sampler>(options, 'sampler', ({ draw }) => ({
      draw: (params, slots) => draw(params, slots, seededRandom('public')),
    })),
  ),
  'curator/samples': filing((entry) => {
    const { charge } = entry.effect;
    if (charge?.event.kind !== 'core/sampled') return entry;
    const { sampler } = charge.event as CoreEvent<'core/sampled'>;
    return {
      ...entry,
      effect: { ...entry.effect, charge: { ...charge, event: sampledEvent(sampler, charge.event) } },
    };
  }),
  'curator/scopes': filing((entry) =>
    entry.effect.space === undefined
      ? entry
      : { ...entry, effect: { ...entry.effect, space: { ...entry.effect.space, sampler: null } } },
  ),
  'curator/dead-batches': filing(({ effect: { closes: _closes, ...effect }, ...entry }) => ({
    ...entry,
    effect,
  })),
  'curator/amplification': withOptions((options) =>
    plugins<Sampler>(options, 'sampler', ({ amplification }) => ({
      amplification: (params, slots) => {
        const all = amplification(params, slots);
        const one = defined(all['replace-one']);
        return { 'replace-one': one, 'add-remove': one, 'zero-out': one };
      },
    })),
  ),
  'curator/tokens': answers((answer, query) =>
    query.ask === 'draw' ? { ...(answer as object), count: 3 } : answer,
  ),
  'curator/stream-participation': withLedger((ledger) => ({
    openRun(run, random) {
      const record = ledger.openRun(run, random);
      const withoutPush = (entry: Entry): Entry =>
        entry.effect.push === undefined ? entry : { ...entry, effect: {} };
      const { entries } = record;
      return {
        ...record,
        entries: {
          ...entries,
          get length() {
            return entries.length;
          },
          entry: (index) => withoutPush(entries.entry(index)),
          effectAt: (index) => withoutPush(entries.entry(index)).effect,
        },
      };
    },
  })),
  'curator/stream-noise': withOptions((options) =>
    plugins<PrefixSum>(options, 'prefixSum', ({ begin }) => ({
      begin(params, shape) {
        const run = begin(params, shape);
        return { nextInto: (out, noise) => run.nextInto(out, (_row, into) => noise(0, into)) };
      },
    })),
  ),
  'curator/restored-copies': withOptions((options) =>
    plugins<PrefixSum>(options, 'prefixSum', ({ begin }) => ({
      begin(params, shape) {
        const run = begin(params, shape);
        return {
          nextInto: (out, noise) =>
            run.nextInto(out, (row, into) => {
              noise(row, into);
              seededRandom(`row ${row}`).gaussianInto(into);
            }),
        };
      },
    })),
  ),
  'curator/sampled-stream-batches': withStreams(() => ({
    begin: (_params, slots) => () => Uint32Array.from({ length: slots }, (_, i) => i),
  })),
  'curator/sampled-stream-charge': withStreams(({ event }) => ({
    event: (params, stream) => event(params, { ...stream, steps: 1 }),
  })),
  'curator/whole-streams': withOptions((options) =>
    plugins<Mechanism>(options, 'mechanism', ({ addNoise, numerics }) => ({
      addNoise: (params, value, scale, random) =>
        addNoise(params, value, numerics === 'exact' ? scale / 2 : scale, random),
    })),
  ),
  'curator/verified-stream': withStreams(() => ({ logRatio: () => () => 0 })),
  'curator/many-queries': withCurator((inner) => ({ recorded: () => Math.min(inner.recorded(), 250) })),
  'curator/simulation-label': withCurator((inner) => ({ facts: { ...inner.facts, simulation: false } })),
  'curator/sensitivity': vectors((answer) => answer.map((x) => 1.5 * x)),
  'curator/finite-answers': vectors((answer) => answer.map((x) => (Math.abs(x) > 1e200 ? Infinity : x))),
  'curator/broken-plugins': withOptions((options) =>
    plugins<Sampler>(options, 'sampler', ({ draw }) => ({
      draw: (params, slots, random) =>
        Uint32Array.from(new Set(draw(params, slots, random).filter((row) => row < slots))).toSorted(),
    })),
  ),
  'curator/mean-contract': filing((entry) => {
    const { charge } = entry.effect;
    return charge?.event.kind === 'core/failing'
      ? {
          ...entry,
          effect: {
            ...entry.effect,
            charge: { ...charge, event: (charge.event as CoreEvent<'core/failing'>).event },
          },
        }
      : entry;
  }),
  'curator/minimiser': answers((answer, query) =>
    query.ask === 'minimiser' ? (answer as Vector).map((x) => x / 9) : answer,
  ),
  'curator/sparse-minimiser': answers((answer, query) =>
    query.ask === 'minimiser' && query.norm === 1 ? (answer as Vector).map((x) => x / 2) : answer,
  ),
  'curator/descend': answers((answer, query) =>
    query.ask === 'descend' ? (answer as Vector).map((x) => x / 2) : answer,
  ),
  'curator/selection': answers((answer, query) =>
    query.ask === 'select'
      ? { ...(answer as ScoredPoint), score: (answer as ScoredPoint).score / 2 }
      : answer,
  ),
  'curator/selection-cost': filing((entry) => {
    const { charge } = entry.effect;
    return charge?.event.kind === 'core/selection'
      ? { ...entry, effect: { ...entry.effect, charge: { ...charge, event: baseOf(charge.event) } } }
      : entry;
  }),
  'curator/selection-held': withCurator((inner) => ({
    answer(index, query) {
      try {
        return inner.answer(index, query);
      } catch (error) {
        if (query.ask !== 'select' || !(error instanceof IncompatiblePlugins)) throw error;
        return { digest: '', answer: { point: query.start, score: 0 } };
      }
    },
  })),
  'curator/lying-means': withCurator((inner) => ({
    answer(index, query) {
      try {
        return inner.answer(index, query);
      } catch (error) {
        if (query.ask !== 'mean' || !(error instanceof IncompatiblePlugins)) throw error;
        return { digest: '', answer: new Float64Array(query.of.terms[0].at.length) };
      }
    },
  })),
  'curator/wide-mean': vectors((answer) => answer.map((x, j) => (j < 32 ? x : x + 1e-7))),
  'curator/mean-value': withCurator((inner) => ({
    answer: (index, query) =>
      inner.answer(
        index,
        query.ask === 'mean'
          ? { ...query, of: { ...query.of, terms: query.of.terms.map(({ at }) => ({ at, weight: 1 })) } }
          : query,
      ),
  })),
  'curator/owners': withOptions((options) =>
    plugins<Clip>(options, 'clip', () => ({ clipInPlace: () => undefined, clipRows: undefined })),
  ),
  'curator/null-records': withOptions((options) => ({ ...options, data: { ...options.data, nulls: null } })),
  'curator/adjacency-ratio': noising(
    (add, { data }) =>
      (params, value, scale, random) =>
        add(params, value, data.ledger.adjacency === 'replace-one' ? 3 * scale : scale, random),
  ),
};
let opened = 0;
const buffer = new Float64Array(1e5);

async function firstFailure(id: string, open: Open): Promise<LawReport | undefined> {
  for (const planned of planChecks(curatorLaws, subject('planted', open), { only: [id as LawId] })) {
    const report = await runCheck(planned as never, { effort: 0.25 });
    if (report.finding.verdict === 'fails') return report;
  }
  return undefined;
}

describe('each law detects a bug', () => {
  it('the list of bugs is complete', () =>
    expect(Object.keys(bugs).toSorted()).toEqual(
      curatorLaws
        .map(({ id }) => id)
        .filter((id) => !shuffleLaws.some((law) => law.id === id))
        .toSorted(),
    ));
  it.each(Object.entries(bugs))('%s', async (id, open) => {
    const report = await firstFailure(id, open);
    expect(report?.finding.verdict).toBe('fails');
    const text = failureText(defined(report), 'again');
    expect(text).toContain(`${id} is broken by planted`);
    expect(text).not.toContain('FLAKY');
    expect(text.split('\n')[0].length).toBeGreaterThan(60);
  });
});
