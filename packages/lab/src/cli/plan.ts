import { bestOf, calibrator } from '@lethe/accountants';
import {
  eventKindsOf,
  findPlugin,
  InvalidParameter,
  parseOrThrow,
  seededRandom,
  MissingFact,
  type Calibrate,
  type Optimizer,
  type PublicPlan,
  type Run,
} from '@lethe/core';
import { defined, fieldsOf } from '@lethe/numerics';
import * as z from 'zod';
import { assertSpelt } from '../experiment/fact-names.js';
import { weaknessOf } from '../experiment/protection.js';
import { setValues } from '../experiment/set-values.js';
import type { TrustSpec } from '../experiment/schema.js';
import { publicProblem } from '../run/problem.js';
import { longPlan } from '../run/long-plan.js';
import { heldFilter } from '../run/held-filter.js';
import { trustModelOf } from '../run/trust.js';
import { unreadFacts } from '../run/unread-facts.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import { registryGiven } from '../plugins/registry-given.js';
import { limited, timeGiven, toJson } from './accounting.js';
import { freeNumber } from './free-number.js';
import { isWithin, planTable } from './plan-table.js';
import type { Action, Parsed } from './command.js';
import { trustModels } from './commands/choices.js';
import { adjacencies } from './commands/shared-options.js';
import { jsonOption, pluginOption } from './json-option.js';
import { assertKnown } from './known-plugin.js';
import { chosen } from './parsed.js';

const ref = z.strictObject({ name: z.string(), params: z.record(z.string(), z.json()).default({}) });
const bounds = z.union([z.number().nonnegative(), z.array(z.number().nonnegative()).min(1)]).optional();

export const planOptimizer: Action = async (parsed, { out, error }) => {
  const registry = await registryGiven(parsed);
  const [name] = parsed.positionals;
  assertKnown(name, { kind: 'optimizer', registry });
  const optimizer = findPlugin<Optimizer>(registry, 'optimizer', name);
  const adjacency = chosen(parsed, 'adjacency', adjacencies) ?? 'replace-one';
  const whole = z.int().positive();
  const n = parseOrThrow(whole, parsed.number('n'), '--n');
  const dimension = parseOrThrow(whole, parsed.number('d'), '--d');
  const budget = { epsilon: defined(parsed.number('epsilon')), delta: parsed.number('delta') ?? 1e-6 };
  const weakness = weaknessOf(budget, n);
  if (weakness !== null) error(`lethe plan: warning: ${weakness.why}\n`);
  const regulariser = pluginOption(parsed, 'regulariser');
  const labelBound = parseOrThrow(
    z.number().positive().optional(),
    parsed.number('label-bound'),
    '--label-bound',
  );
  const sparsity = parseOrThrow(z.int().positive().optional(), parsed.number('sparsity'), '--sparsity');
  const featureBounds = parseOrThrow(bounds, jsonOption(parsed, 'feature-bounds'), '--feature-bounds');
  const spec = {
    loss: parseOrThrow(ref, pluginOption(parsed, 'loss') ?? { name: 'squared' }, '--loss'),
    domain: parseOrThrow(
      ref,
      pluginOption(parsed, 'domain') ?? { name: 'l2-ball', params: { radius: 1 } },
      '--domain',
    ),
    record: {
      ...(featureBounds === undefined ? {} : { featureBounds }),
      ...(labelBound === undefined ? {} : { labelBound }),
      ...(sparsity === undefined ? {} : { sparsity }),
    },
    ...(regulariser === undefined ? {} : { regulariser: parseOrThrow(ref, regulariser, '--regulariser') }),
    facts: factsOf(parsed),
  };
  assertSpelt(Object.keys(spec.facts), registry);
  const { problem } = publicProblem(spec, {
    registry,
    adjacency,
    n,
    columns: dimension,
    trust: trustModelOf(trustIn(parsed), n),
    columnBounds: null,
    rowNorm:
      positive(parsed.number('feature-norm'), '--feature-norm') ??
      (featureBounds === undefined ? 1 : Infinity),
  });
  const kinds = eventKindsOf(registry);
  const time = timeGiven(parsed);
  const calibrate = calibrator(accountantsIn(registry), kinds, limited(time));
  let run: Run | undefined;
  const planFor = (params: unknown, noise: Calibrate): PublicPlan =>
    withHint(optimizer, () => {
      run = optimizer.prepare({
        registry,
        problem,
        budget,
        params,
        calibrate: noise,
        filter: heldFilter(registry),
        random: seededRandom('plan'),
      });
      return run.plan;
    });
  const given = setValues(jsonOption(parsed, 'params') ?? {}, parsed.strings('set'));
  const paths = parsed.strings('free');
  const free =
    paths.length === 0
      ? undefined
      : freeNumber(given, paths, (params) => planFor(params, noiseIsGiven).event);
  const params =
    free === undefined
      ? given
      : free.filled(
          calibrate({
            make: free.event,
            target: budget,
            adjacency,
            integer: free.integer,
            ...(free.given > 0 ? { start: free.given } : {}),
          }).value,
        );
  const plan = planFor(params, calibrate);
  const unread = unreadFacts([{ declared: Object.keys(spec.facts), read: run?.factsRead?.() ?? [] }]);
  if (unread !== null) error(`lethe plan: warning: ${unread}\n`);
  const long = longPlan(plan.gradients, n);
  if (long !== null) error(`lethe plan: warning: ${long}\n`);
  const accounted = bestOf(accountantsIn(registry), kinds, time).epsilon(plan.event, {
    adjacency,
    delta: budget.delta,
    near: budget.epsilon,
  });
  const withParams = free === undefined ? {} : { params };
  if (parsed.flag('json'))
    out(
      toJson(
        {
          optimizer: name,
          problem,
          budget,
          ...withParams,
          plan,
          accounted,
          withinBudget: isWithin(accounted, budget),
        },
        2,
      ) + `\n`,
    );
  else out(planTable(plan, { accounted, budget, ...withParams }));
  return 0;
};

/** The trust model of the command line. */
function trustIn(parsed: Parsed): TrustSpec {
  const model = chosen(parsed, 'trust', trustModels) ?? 'central';
  if (model === 'central') return model;
  const honestUsers = parseOrThrow(
    z.int().positive().optional(),
    parsed.number('honest-users'),
    '--honest-users',
  );
  return { model, honestUsers };
}

/** Adds the options that declare a missing constant to its error. */
function withHint<T>({ params }: Optimizer, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof MissingFact) || !error.missing.includes('lipschitz')) throw error;
    const shape = fieldsOf(params) ?? {};
    const clip = [{ clip: { radius: 1 } }, { clip: 1 }, { clipNorm: 1 }].find((one) =>
      Object.entries(one).every(([key, value]) => shape[key]?.safeParse(value).success === true),
    );
    const ways = [
      '--label-bound 1 (with a bounded --domain)',
      '--loss \'{"name":"logistic"}\'',
      ...(clip === undefined ? [] : [`--params '${JSON.stringify(clip)}'`]),
    ];
    throw new MissingFact(
      `${error.message}. On the command line: ${ways.slice(0, -1).join(', ')} or ${ways.at(-1)}`,
      error.missing,
      error.need,
    );
  }
}

/** Refuses to calibrate noise beside another free number. */
const noiseIsGiven: Calibrate = () => {
  throw new InvalidParameter(
    '--free frees a number of the parameters, so the noise has to be one of them that is given; ' +
      'set noiseMultiplier in --params',
    {},
  );
};

function factsOf(parsed: Parsed): Record<string, { value: number; why: string }> {
  return Object.fromEntries(
    parsed.strings('fact').map((text) => {
      const [name, value] = [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)];
      if (name === '' || value.trim() === '' || !Number.isFinite(Number(value)))
        throw new InvalidParameter(`--fact is '${text}'; write it as name=number`, { fact: text });
      return [name, { value: Number(value), why: 'given on the command line' }] as const;
    }),
  );
}

function positive(value: number | undefined, name: string): number | undefined {
  return value === undefined ? undefined : parseOrThrow(z.number().positive(), value, name);
}
