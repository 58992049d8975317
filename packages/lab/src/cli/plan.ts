import { bestOf, calibrator } from '@lethe/accountants';
import {
  eventKindsOf,
  adjacencies,
  adjacencySchema,
  findPlugin,
  InvalidParameter,
  parseOrThrow,
  seededRandom,
  Unsupported,
  type Calibrate,
  type Optimizer,
  type PublicPlan,
  type Registry,
  type Run,
} from '@lethe/core';
import { z } from 'zod';
import { assertSpelt } from '../experiment/fact-names.js';
import { weaknessOf } from '../experiment/protection.js';
import type { TrustSpec } from '../experiment/schema.js';
import { publicProblem } from '../run/problem.js';
import { heldFilter } from '../run/held-filter.js';
import { trustModelOf } from '../run/trust.js';
import { unreadFacts } from '../run/unread-facts.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import { pluginFlag, registryGiven } from '../plugins/option.js';
import { registry as shipped } from '../registry.js';
import { toJson } from './accounting.js';
import { freeNumber } from './free-number.js';
import { isWithin, planTable } from './plan-table.js';
import { helpFlag, jsonFlag, jsonOption, required, type Command, type Parsed } from './command.js';

const ref = z.strictObject({ name: z.string(), params: z.record(z.string(), z.json()).default({}) });
const bounds = z.union([z.number().nonnegative(), z.array(z.number().nonnegative()).min(1)]).optional();
const optimizersIn = (registry: Registry): string =>
  registry
    .filter(({ kind }) => kind === 'optimizer')
    .map(({ name }) => name)
    .join(', ');

export const planCommand: Command = {
  notes: `The optimizers: ${optimizersIn(shipped)}; and those that --plugin brings.`,
  options: {
    n: { type: 'string', value: 'N', help: 'number of records (public)' },
    d: { type: 'string', value: 'D', help: 'number of features' },
    epsilon: { type: 'string', value: 'E', help: 'budget' },
    delta: { type: 'string', value: 'D', help: 'budget (default 1e-6)' },
    adjacency: { type: 'string', value: 'A', help: `${adjacencies.join(', ')} (default replace-one)` },
    trust: {
      type: 'string',
      value: 'MODEL',
      help: 'central (default), or shuffle, where the owners of the records send private messages through a shuffler',
    },
    'honest-users': {
      type: 'string',
      value: 'M',
      help: 'how many of the owners follow the protocol, with --trust shuffle (default all)',
    },
    loss: {
      type: 'string',
      value: 'JSON',
      help: '{"name":"squared","params":{}} (default), or another loss',
    },
    domain: {
      type: 'string',
      value: 'JSON',
      help: '{"name":"l2-ball","params":{"radius":1}} (default), or another domain',
    },
    'feature-norm': {
      type: 'string',
      value: 'R',
      help: "declared bound on the l2 norm of every record's features (default 1, or what follows from --feature-bounds)",
    },
    'feature-bounds': {
      type: 'string',
      value: 'JSON',
      help: 'declared bound on the size of a feature: a number, or a list with one per column',
    },
    'label-bound': {
      type: 'string',
      value: 'B',
      help: 'declared bound on the size of a label; with a bounded domain a squared loss has a Lipschitz constant by it',
    },
    regulariser: {
      type: 'string',
      value: 'JSON',
      help: '{"name":"l2-squared","params":{"strength":0.01}}, or another public function added to the average loss',
    },
    fact: {
      type: 'string',
      multiple: true,
      value: 'NAME=VALUE',
      help: 'a public fact the optimizer reads, such as startDistance=1; may be repeated',
    },
    params: {
      type: 'string',
      value: 'JSON',
      help: 'parameters of the optimizer; lethe plugins --kind optimizer --json has their names and what they mean',
    },
    free: {
      type: 'string',
      value: 'PATH',
      multiple: true,
      help: 'a number of the parameters, such as /steps, to be as little private as the budget allows, the noise being given',
    },
    plugin: pluginFlag,
    json: jsonFlag,
    help: helpFlag,
  },
  async run(parsed, { out, error }) {
    const registry = await registryGiven(parsed);
    const [name, ...more] = parsed.positionals;
    if (name === undefined || more.length > 0)
      throw new InvalidParameter(`give one optimizer: ${optimizersIn(registry)}`, {
        given: parsed.positionals,
      });
    const optimizer = findPlugin<Optimizer>(registry, 'optimizer', name);
    const adjacency = parseOrThrow(
      adjacencySchema,
      parsed.string('adjacency') ?? 'replace-one',
      '--adjacency',
    );
    const whole = z.int().positive();
    const n = parseOrThrow(whole, required(parsed, 'n'), '--n');
    const dimension = parseOrThrow(whole, required(parsed, 'd'), '--d');
    const budget = { epsilon: required(parsed, 'epsilon'), delta: parsed.number('delta') ?? 1e-6 };
    const weakness = weaknessOf(budget, n);
    if (weakness !== null) error(`lethe plan: warning: ${weakness.why}\n`);
    const regulariser = jsonOption(parsed, 'regulariser');
    const labelBound = parseOrThrow(
      z.number().positive().optional(),
      parsed.number('label-bound'),
      '--label-bound',
    );
    const featureBounds = parseOrThrow(bounds, jsonOption(parsed, 'feature-bounds'), '--feature-bounds');
    const spec = {
      loss: parseOrThrow(ref, jsonOption(parsed, 'loss') ?? { name: 'squared' }, '--loss'),
      domain: parseOrThrow(
        ref,
        jsonOption(parsed, 'domain') ?? { name: 'l2-ball', params: { radius: 1 } },
        '--domain',
      ),
      record: {
        ...(featureBounds === undefined ? {} : { featureBounds }),
        ...(labelBound === undefined ? {} : { labelBound }),
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
      rowNorm: parsed.number('feature-norm') ?? (featureBounds === undefined ? 1 : Infinity),
    });
    const kinds = eventKindsOf(registry);
    const calibrate = calibrator(accountantsIn(registry), kinds);
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
    const given = jsonOption(parsed, 'params') ?? {};
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
    const accounted = bestOf(accountantsIn(registry), kinds).epsilon(plan.event, {
      adjacency,
      delta: budget.delta,
    });
    const withParams = free === undefined ? {} : { params };
    if (parsed.flag('json'))
      out(
        `${toJson({ optimizer: name, problem, budget, ...withParams, plan, accounted, withinBudget: isWithin(accounted, budget) }, 2)}\n`,
      );
    else out(planTable(plan, { accounted, budget, ...withParams }));
    return 0;
  },
};

/** Whom the owners of the records trust, as the command line says. */
function trustIn(parsed: Parsed): TrustSpec {
  const model = parseOrThrow(z.enum(['central', 'shuffle']), parsed.string('trust') ?? 'central', '--trust');
  const honestUsers = parseOrThrow(
    z.int().positive().optional(),
    parsed.number('honest-users'),
    '--honest-users',
  );
  if (model === 'shuffle') return { model, honestUsers };
  if (honestUsers !== undefined)
    throw new InvalidParameter(
      '--honest-users is about the shuffle model; add --trust shuffle, or leave it out',
      {},
    );
  return model;
}

/** Says how a constant that is missing comes about on the command line. */
function withHint<T>({ params }: Optimizer, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Unsupported) || error.details['fact'] !== 'lipschitz') throw error;
    const shape: Readonly<Record<string, z.ZodType>> =
      params instanceof z.ZodObject ? (params.shape as Record<string, z.ZodType>) : {};
    const clip = [{ clip: { radius: 1 } }, { clip: 1 }, { clipNorm: 1 }].find((one) =>
      Object.entries(one).every(([key, value]) => shape[key]?.safeParse(value).success === true),
    );
    const ways = [
      '--label-bound 1 (with a bounded --domain)',
      '--loss \'{"name":"logistic"}\'',
      ...(clip === undefined ? [] : [`--params '${JSON.stringify(clip)}'`]),
    ];
    throw new Unsupported(
      `${error.message}. On the command line: ${ways.slice(0, -1).join(', ')} or ${ways.at(-1)}`,
      error.details,
    );
  }
}

/** With two numbers free, every value of one would do. */
const noiseIsGiven: Calibrate = () => {
  throw new InvalidParameter(
    '--free frees a number of the parameters, so the noise has to be one of them that is given; set noiseMultiplier in --params',
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
