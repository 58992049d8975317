import {
  defineLoss,
  resolvePlugin,
  type Fact,
  type Loss,
  type Mean,
  type Query,
  type Registry,
  type Resolved,
  type Run,
  type Vector,
  type Statistic,
} from '@lethe/core';
import { normOf } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { inSetting } from './in-setting.js';
import { otherParams } from './other-params.js';
import { dataSets } from './records.js';
import { carryOut, scriptNames, scripts, standardPlan, standardRun, type Done } from './runs.js';
import { exempt, iteratesOf, planned, radius, underEach, type Setting } from './settings.js';

/** Passes over the records of a run at other parameters. */
const mostGradients = 40;
const far = (setting: Setting): Vector => new Float64Array(setting.dimension).fill(3 * radius);

/** Queries and output stay in the domain of the problem. */
export const inDomain = defineLaw<'optimizer'>({
  id: 'optimizer/in-domain',
  kind: 'optimizer',
  tier: 'exact',
  statement:
    'the output lies in the domain of the problem, up to rounding, for every start and any answers; ' +
    'so does every point of a query that uses a constant of the domain',
  power:
    'a point outside by more than 1e-9 of the radius, with true answers and six scripts, ' +
    'started inside and outside; at up to six other parameters, with answers far too large',
  exempt,
  cells: underEach,
  check: (subject, env) =>
    inSetting(subject, env, function* (setting) {
      yield* stays(subject, setting);
      // Steps are taken alike under every adjacency.
      if (setting.problem.adjacency === underEach(subject)[0]?.adjacency)
        yield* staysElsewhere(subject, setting);
    }),
});

/** The same at other parameters of the optimizer, with answers that lead out from inside. */
function* staysElsewhere(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const domain = iteratesOf(subject, setting.problem);
  const records = dataSets(setting)['at rest'];
  for (const params of otherParams(subject, (value) => (Number.isInteger(value) ? 3 : 1 / 8) * value)) {
    const { value: run } = attempt(() => planned(subject, setting.problem, { params })) as {
      readonly value?: Run;
    };
    if (run === undefined || run.plan.gradients > mostGradients * setting.slots) continue;
    const { value: done } = attempt(() =>
      carryOut(subject, setting, run, { records, script: scripts['far too large'] }),
    ) as { readonly value?: Done };
    const output = done?.output;
    yield output === undefined || domain.contains(output, 1e-9 * radius)
      ? undefined
      : {
          what:
            `with parameters ${JSON.stringify(params)} and answers far too large, it ends outside the ball ` +
            `of radius ${radius}, at [${Array.from(output).join(', ')}]`,
          measured: normOf('l2', output),
          allowed: radius,
        };
  }
}

function* stays(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const run = standardPlan(subject, setting);
  const domain = iteratesOf(subject, setting.problem);
  const { spread } = dataSets(setting);
  const isOut = (point: Vector): boolean => !domain.contains(point, 1e-9 * radius);
  for (const name of [undefined, ...scriptNames]) {
    const fromAfar = (): Done =>
      carryOut(subject, setting, run, {
        records: spread,
        ...(name === undefined ? {} : { script: scripts[name] }),
        drive: { start: far(setting) },
      });
    for (const [start, go] of [
      ['inside', () => standardRun(subject, setting, 'spread', name)],
      ['outside', fromAfar],
    ] as const) {
      const { output, queries } = go();
      const where = `with answers ${name ?? 'true'}, started ${start}`;
      yield isOut(output)
        ? {
            what:
              `${where}, it ends outside the ball of radius ${radius}, at ` +
              `[${Array.from(output).join(', ')}]`,
            measured: normOf('l2', output),
            allowed: radius,
          }
        : undefined;
      const outside = queries
        .flatMap((query) => (restsOn(query, subject.registry) === null ? [] : pointsOf(query)))
        .find(isOut);
      yield outside === undefined
        ? undefined
        : {
            what:
              `${where}, it relies on a constant of the domain at ` +
              `[${Array.from(outside).join(', ')}], which is outside`,
            measured: normOf('l2', outside),
            allowed: radius,
          };
    }
  }
}

function pointsOf(query: Query): readonly Vector[] {
  if (query.ask === 'mean' || query.ask === 'push') return query.of.terms.map(({ at }) => at);
  if (query.ask === 'value') return [query.at];
  if (query.ask === 'descend') return [query.start];
  if (query.ask === 'localUpdate') return [query.from];
  return query.ask === 'minimiser' ? [query.centre] : [];
}

function statisticOf(query: Query): Statistic | null {
  if (query.ask === 'select') return query.score.statistic;
  return query.ask === 'value' || query.ask === 'choose' ? query.statistic : null;
}

/** The fact whose truth the privacy of a query rests on. */
function restsOn(query: Query, registry: Registry): string | null {
  if (query.ask === 'minimiser') return query.bound.fact;
  if (query.ask === 'mean' || query.ask === 'localUpdate')
    return factOf(resolvePlugin<Mean>(registry, query.mean));
  const bound = query.ask === 'open' || query.ask === 'descend' ? query.bound : null;
  if (bound?.by === 'certificate') return bound.fact;
  const statistic = statisticOf(query);
  if (statistic === null) return null;
  if (statistic.of === 'gradient-norm')
    return statistic.bound.by === 'certificate' ? statistic.bound.fact : null;
  // A share of records changes by at most one record in any data set.
  return statistic.of === 'gradient-norm-beyond' || statistic.of === 'update-norm-beyond' ? null : 'range';
}

/**
 * The fact that a mean bounds records by: the one that its parameters name, or else the Lipschitz constant.
 */
function factOf({ plugin, params }: Resolved<Mean>): string | null {
  if (plugin.privacyRestsOn === 'clip') return null;
  const { fact } = params as { readonly fact?: unknown };
  return typeof fact === 'string' ? fact : 'lipschitz';
}

/** The declared basis of privacy is the actual one. */
export const privacyBasis = defineLaw<'optimizer'>({
  id: 'optimizer/privacy-basis',
  kind: 'optimizer',
  tier: 'exact',
  invariant: 'I-11',
  statement:
    'an optimizer whose privacy rests on clipping never asks for a bound by certificate, ' +
    'a risk, a minimiser or a descent; one that does not rests on facts of every record, ' +
    'and refuses or does without where they are of the population only',
  power:
    'certain for every query of seven runs, and of one whose facts ' +
    'hold for the population only, if that is planned',
  exempt,
  cells: underEach,
  check: (subject, env) => inSetting(subject, env, (setting) => bases(subject, setting)),
});

function* bases(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const { privacyRestsOn } = subject.plugin;
  for (const script of [undefined, ...scriptNames]) {
    const { queries } = standardRun(subject, setting, 'spread', script);
    for (const [i, query] of queries.entries()) {
      const fact = restsOn(query, subject.registry);
      const known: Fact | undefined = fact === null ? undefined : setting.problem.facts[fact];
      if (fact === null) yield undefined;
      else if (privacyRestsOn === 'clip')
        yield {
          what: `query ${i}, a '${query.ask}', rests on the fact '${fact}'; privacyRestsOn says 'clip'`,
          input: { ask: query.ask, fact },
        };
      else {
        const findingOf = () => {
          const isOfConvex = query.ask === 'minimiser' || query.ask === 'descend';
          if (isOfConvex && privacyRestsOn !== 'convexity')
            return {
              what:
                `query ${i}, a '${query.ask}', is private for a convex loss only; ` +
                `privacyRestsOn says '${privacyRestsOn}'`,
            };
          if (known?.scope === 'population')
            return {
              what: `query ${i} rests on '${fact}', which holds for the population only`,
              input: known,
            };
          return undefined;
        };
        yield findingOf();
      }
    }
  }
  yield* onAverageOnly(subject, setting);
}

/** No sensitivity uses a population fact, under any name. */
function* onAverageOnly(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const facts = Object.fromEntries(
    Object.entries(setting.problem.facts).map(([name, fact]): [string, Fact] => [
      name,
      { ...fact, scope: 'population', provenance: 'declared' },
    ]),
  );
  const { value: run } = attempt(() => planned(subject, { ...setting.problem, facts })) as {
    readonly value?: Run;
  };
  if (run === undefined) return;
  const { queries } = carryOut(subject, setting, run, { records: dataSets(setting).spread });
  const fact = queries.map((query) => restsOn(query, subject.registry)).find((name) => name !== null);
  yield fact === undefined
    ? undefined
    : {
        what:
          'planned with facts that all hold for the population only, it asks for what rests on ' +
          `'${fact}'; planning must refuse, or do without`,
        input: { fact },
      };
}

/** The work is what was said. */
export const gradients = defineLaw<'optimizer'>({
  id: 'optimizer/gradients',
  kind: 'optimizer',
  tier: 'exact',
  statement: 'a run evaluates at most plan.gradients per-record gradients',
  power: 'certain for one gradient too many, on eight runs with different randomness',
  exempt,
  cells: underEach,
  check: (subject, env) => inSetting(subject, env, (setting) => counted(subject, setting)),
});

function* counted(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const run = standardPlan(subject, setting);
  const { spread } = dataSets(setting);
  const { plugin } = setting.loss;
  let count = 0;
  // Without its linear form a loss is asked for every gradient by itself.
  const counting = defineLoss({
    ...(plugin as Loss),
    linear: null,
    gradientInto(params, out, at, record) {
      count++;
      plugin.gradientInto(params, out, at, record);
    },
  });
  for (let k = 0; k < 8; k++) {
    count = 0;
    carryOut(subject, setting, run, { records: spread, randomness: `coins ${k}`, plugins: [counting] });
    yield count <= run.plan.gradients
      ? undefined
      : {
          what: `a run evaluates ${count} per-record gradients; the plan says at most ${run.plan.gradients}`,
          measured: count,
          allowed: run.plan.gradients,
        };
  }
}

/** Stopping of runs. */
export const stopping = defineLaw<'optimizer'>({
  id: 'optimizer/stopping',
  kind: 'optimizer',
  tier: 'exact',
  invariant: 'I-2',
  statement:
    'without adaptive stopping, the number of queries is the same for any answers; ' +
    'with fixed stopping, also for any public randomness',
  power: 'certain for a number of queries that depends on any of six scripts of answers',
  exempt: (subject) =>
    exempt(subject) ??
    (subject.plugin.stopping === 'adaptive'
      ? 'it stops adaptively; optimizer/event holds it to its limit'
      : undefined),
  cells: underEach,
  check: (subject, env) => inSetting(subject, env, (setting) => lengths(subject, setting)),
});

function* lengths(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  const { length } = standardRun(subject, setting, 'spread').queries;
  for (const name of scriptNames) {
    const { queries } = standardRun(subject, setting, 'spread', name);
    yield queries.length === length
      ? undefined
      : {
          what:
            `it sends ${length} queries with true answers and ${queries.length} when answers are ` +
            `${name}; stopping is '${subject.plugin.stopping}'`,
          measured: queries.length,
          allowed: length,
        };
  }
}
