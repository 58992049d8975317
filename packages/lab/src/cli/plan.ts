import { accountants, bestOf, calibrator } from '@lethe/accountants';
import { eventKindsOf, adjacencies, adjacencySchema, findPlugin, InvalidParameter, parseOrThrow, seededRandom, type Calibrate, type Optimizer, type PublicPlan } from '@lethe/core';
import { z } from 'zod';
import { publicProblem } from '../run/problem.js';
import { registry } from '../registry.js';
import { toJson } from './accounting.js';
import { freeNumber } from './free-number.js';
import { helpFlag, jsonFlag, jsonOption, required, type Command, type Parsed } from './command.js';

const ref = z.strictObject({ name: z.string(), params: z.record(z.string(), z.json()).default({}) });
const bounds = z.union([z.number().nonnegative(), z.array(z.number().nonnegative()).min(1)]).optional();
const optimizers = registry.filter(({ kind }) => kind === 'optimizer').map(({ name }) => name);

export const planCommand: Command = {
  name: 'plan',
  arguments: 'OPTIMIZER',
  summary: `The schedule, the noise, the privacy event and the predicted bound of an optimizer (${optimizers.join(', ')}). Touches no data.`,
  options: {
    n: { type: 'string', value: 'N', help: 'number of records (public)' },
    d: { type: 'string', value: 'D', help: 'number of features' },
    epsilon: { type: 'string', value: 'E', help: 'budget' },
    delta: { type: 'string', value: 'D', help: 'budget (default 1e-6)' },
    adjacency: { type: 'string', value: 'A', help: `${adjacencies.join(', ')} (default replace-one)` },
    loss: { type: 'string', value: 'JSON', help: '{"name":"squared","params":{}} (default), or another loss' },
    domain: { type: 'string', value: 'JSON', help: '{"name":"l2-ball","params":{"radius":1}} (default), or another domain' },
    'feature-norm': { type: 'string', value: 'R', help: 'declared bound on the l2 norm of every record\'s features (default 1, or what follows from --feature-bounds)' },
    'feature-bounds': { type: 'string', value: 'JSON', help: 'declared bound on the size of a feature: a number, or a list with one per column' },
    regulariser: { type: 'string', value: 'JSON', help: '{"name":"l2-squared","params":{"strength":0.01}}, or another public function added to the average loss' },
    fact: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'a public fact the optimizer reads; may be repeated' },
    params: { type: 'string', value: 'JSON', help: 'parameters of the optimizer' },
    free: { type: 'string', value: 'PATH', multiple: true, help: 'a number of the parameters, such as /steps, to be as little private as the budget allows, the noise being given' },
    json: jsonFlag, help: helpFlag,
  },
  run(parsed, { out }) {
    const [name, ...more] = parsed.positionals;
    if (name === undefined || more.length > 0) throw new InvalidParameter(`give one optimizer: ${optimizers.join(', ')}`, { given: parsed.positionals });
    const optimizer = findPlugin<Optimizer>(registry, 'optimizer', name);
    const adjacency = parseOrThrow(adjacencySchema, parsed.string('adjacency') ?? 'replace-one', '--adjacency');
    const whole = z.int().positive();
    const n = parseOrThrow(whole, required(parsed, 'n'), '--n');
    const dimension = parseOrThrow(whole, required(parsed, 'd'), '--d');
    const budget = { epsilon: required(parsed, 'epsilon'), delta: parsed.number('delta') ?? 1e-6 };
    const regulariser = jsonOption(parsed, 'regulariser');
    const featureBounds = parseOrThrow(bounds, jsonOption(parsed, 'feature-bounds'), '--feature-bounds');
    const spec = {
      loss: parseOrThrow(ref, jsonOption(parsed, 'loss') ?? { name: 'squared' }, '--loss'),
      domain: parseOrThrow(ref, jsonOption(parsed, 'domain') ?? { name: 'l2-ball', params: { radius: 1 } }, '--domain'),
      record: featureBounds === undefined ? {} : { featureBounds },
      ...(regulariser === undefined ? {} : { regulariser: parseOrThrow(ref, regulariser, '--regulariser') }),
      facts: factsOf(parsed),
    };
    const { problem } = publicProblem(spec, { registry, adjacency, n, dimension, columnBounds: null, rowNorm: parsed.number('feature-norm') ?? (featureBounds === undefined ? 1 : Infinity) });
    const kinds = eventKindsOf(registry), calibrate = calibrator(accountants, kinds);
    const planFor = (params: unknown, noise: Calibrate): PublicPlan => optimizer.prepare({ problem, budget, params, calibrate: noise, random: seededRandom('plan') }).plan;
    const given = jsonOption(parsed, 'params') ?? {}, paths = parsed.strings('free');
    const free = paths.length === 0 ? undefined : freeNumber(given, paths, (params) => planFor(params, noiseIsGiven).event);
    const params = free === undefined ? given : free.filled(calibrate({ make: free.event, target: budget, adjacency, integer: free.integer, ...(free.given > 0 ? { start: free.given } : {}) }).value);
    const plan = planFor(params, calibrate);
    const accounted = bestOf(accountants, kinds).epsilon(plan.event, { adjacency, delta: budget.delta });
    if (parsed.flag('json')) out(`${toJson({ optimizer: name, problem, budget, ...(free === undefined ? {} : { params }), plan, accounted }, 2)}\n`);
    else {
      if (free !== undefined) out(`${'params'.padEnd(18)} ${JSON.stringify(params)}\n`);
      for (const [key, value] of Object.entries(plan).flatMap(linesOf)) out(`${key.padEnd(18)} ${value}\n`);
      out(`${'accounted'.padEnd(18)} epsilon in [${accounted.lower}, ${accounted.upper}] at delta ${budget.delta} (${accounted.certificate}, ${accounted.method})\n`);
    }
    return Promise.resolve(0);
  },
};

/** A part of a plan in a line, or in several where it holds alternatives, such as two calibrations. */
function linesOf([key, value]: readonly [string, unknown]): readonly (readonly [string, string])[] {
  const isRecord = (one: unknown): one is object => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (isRecord(value) && Object.values(value).some(isRecord) && Object.values(value).every((inner) => inner === null || isRecord(inner))) return Object.entries(value).flatMap(([inner, of]) => linesOf([`${key}.${inner}`, of]));
  if (Array.isArray(value) && value.length > mostShown) return [[key, `${JSON.stringify(value.slice(0, mostShown)).slice(0, -1)}, … ${value.length} in all]`]];
  if (isRecord(value) && Object.values(value).every((inner) => typeof inner === 'number')) return [[key, Object.entries(value).map(([name, number]) => `${name} ${String(number)}`).join(', ')]];
  return [[key, typeof value === 'object' ? JSON.stringify(value) : String(value)]];
}
const mostShown = 16;

/** With two numbers free, every value of one would do. */
const noiseIsGiven: Calibrate = () => {
  throw new InvalidParameter('--free frees a number of the parameters, so the noise has to be one of them that is given; set noiseMultiplier in --params', {});
};

function factsOf(parsed: Parsed): Record<string, { value: number; why: string }> {
  return Object.fromEntries(parsed.strings('fact').map((text) => {
    const [name, value] = [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)];
    if (name === '' || value.trim() === '' || !Number.isFinite(Number(value))) throw new InvalidParameter(`--fact is '${text}'; write it as name=number`, { fact: text });
    return [name, { value: Number(value), why: 'given on the command line' }] as const;
  }));
}
