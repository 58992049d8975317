import { InvalidParameter, Unsupported } from '../errors.js';
import type { PluginKind } from '../plugins/plugin.js';
import type { Query } from '../query/query.js';

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown, path: string) => void;

/**
 * Refuses what does not have the shape of a query before anything else looks at it: queries cross worker and process
 * boundaries, so their types are a promise only. Ranges, names and dimensions are left to the handlers, which know the run.
 * Written by hand because it stands before every answer; fields beyond those named here are ignored.
 *
 * @throws {InvalidParameter} naming the field.
 */
export function checkQuery(query: unknown): asserts query is Query {
  const fields = record(query, 'the query');
  const check = checks[text(fields['ask'], 'ask')];
  // What has no check has no handler: the curator says so by name.
  check?.(fields);
}

const checks: Readonly<Record<string, ((query: Fields) => void) | undefined>> = Object.assign(Object.create(null) as object, {
  draw({ sampler, from, costs }: Fields) { ref('sampler')(sampler, 'sampler'); token(from, 'from'); stated(costs, 'costs'); },
  split({ of, order, parts }: Fields) {
    token(of, 'of');
    oneOf(order, 'order', 'stored', 'shuffled');
    const { by, sizes, weights, sampler, costs } = record(parts, 'parts');
    switch (oneOf(by, 'parts.by', 'size', 'weight', 'sampler')) {
      case 'size': each(sizes, 'parts.sizes', number); break;
      case 'weight': each(weights, 'parts.weights', number); break;
      default: ref('sampler')(sampler, 'parts.sampler'); stated(costs, 'parts.costs');
    }
  },
  afford({ query }: Fields) {
    if (record(query, 'the query to afford')['ask'] === 'afford') refuse('afford', 'the query to afford', 'one that is answered from records');
    checkQuery(query);
  },
  close({ batch }: Fields) { token(batch, 'batch'); },
  mean({ of, batch, release }: Fields) {
    gradient(of);
    token(batch, 'batch');
    const { by, bound, noise: noisy, oracle, randomiser, target: goal } = record(release, 'release');
    switch (oneOf(by, 'release.by', 'noise', 'oracle', 'shuffle')) {
      case 'noise': checkBound(bound, 'release.bound'); checkNoise(noisy, 'release.noise'); break;
      case 'oracle': ref('meanOracle')(oracle, 'release.oracle'); target(goal, 'release.target'); break;
      default: ref('localRandomiser')(randomiser, 'release.randomiser'); target(goal, 'release.target');
    }
  },
  open({ prefixSum, steps, dimension, bound, noise: noisy, participation, normaliser }: Fields) {
    ref('prefixSum')(prefixSum, 'prefixSum');
    number(steps, 'steps');
    number(dimension, 'dimension');
    number(normaliser, 'normaliser');
    const { times, gap } = record(participation, 'participation');
    number(times, 'participation.times');
    number(gap, 'participation.gap');
    checkBound(bound, 'bound');
    checkNoise(noisy, 'noise');
  },
  push({ stream, of, batch }: Fields) { token(stream, 'stream'); gradient(of); token(batch, 'batch'); },
  value({ statistic: of, at, batch, noise: noisy }: Fields) { statistic(of, 'statistic'); vector(at, 'at'); token(batch, 'batch'); checkNoise(noisy, 'noise'); },
  minimiser({ lambda, centre, domain, batch, solver, tolerance, bound, norm, noise: noisy }: Fields) {
    number(lambda, 'lambda');
    number(tolerance, 'tolerance');
    number(norm, 'norm');
    vector(centre, 'centre');
    ref('domain')(domain, 'domain');
    ref('solver')(solver, 'solver');
    token(batch, 'batch');
    oneOf(record(bound, 'bound')['by'], 'bound.by', 'certificate');
    checkBound(bound, 'bound');
    checkNoise(noisy, 'noise');
  },
  choose({ candidates, statistic: of, batch, selector, target: goal }: Fields) {
    const { by, points, domain, spacing, sparsity } = record(candidates, 'candidates');
    if (oneOf(by, 'candidates.by', 'list', 'lattice') === 'list') each(points, 'candidates.points', vector);
    else { ref('domain')(domain, 'candidates.domain'); number(spacing, 'candidates.spacing'); number(sparsity, 'candidates.sparsity'); }
    statistic(of, 'statistic');
    token(batch, 'batch');
    ref('selector')(selector, 'selector');
    number(record(goal, 'target')['epsilon'], 'target.epsilon');
  },
});

function gradient(value: unknown): void {
  const { terms, coordinates } = record(value, 'of');
  each(terms, 'of.terms', term);
  if (coordinates !== undefined && !(coordinates instanceof Uint32Array)) refuse(coordinates, 'of.coordinates', 'a Uint32Array');
}

const term: Check = (value, path) => {
  const { weight, at } = record(value, path);
  number(weight, `weight of a term`);
  vector(at, `point of a term`);
};

const checkBound: Check = (value, path) => {
  const { by, clip, fact } = record(value, path);
  if (oneOf(by, 'bound.by', 'clip', 'certificate') === 'clip') ref('clip')(clip, 'bound.clip');
  else text(fact, 'bound.fact');
};

const checkNoise: Check = (value, path) => {
  const { mechanism, target: goal, targetBySilo } = record(value, path);
  ref('mechanism')(mechanism, 'noise.mechanism');
  target(goal, 'noise.target');
  if (targetBySilo !== undefined) throw new Unsupported('a curator trusted with all the data has no silos; leave targetBySilo out', {});
};

const statistic: Check = (value, path) => {
  const { of, reference, bound, radius } = record(value, path);
  const what = oneOf(of, 'statistic.of', 'risk', 'risk-difference', 'gradient-norm', 'gradient-norm-beyond');
  if (what === 'gradient-norm-beyond') number(radius, 'statistic.radius');
  if (what === 'risk-difference') vector(reference, 'statistic.reference');
  if (what === 'gradient-norm') checkBound(bound, 'statistic.bound');
};

/** Exactly one of the four forms: a target that could be read in two ways must not be read at all. */
const target: Check = (value, path) => {
  const { noiseMultiplier, rho, epsilon, delta, unprotected } = record(value, path);
  const hasBudget = epsilon !== undefined || delta !== undefined;
  const forms = Number(noiseMultiplier !== undefined) + Number(rho !== undefined) + Number(hasBudget) + Number(unprotected !== undefined);
  if (forms !== 1) refuse(value, path, 'one of { noiseMultiplier }, { rho }, { epsilon, delta } and { unprotected: true }');
  if (noiseMultiplier !== undefined) number(noiseMultiplier, 'noiseMultiplier');
  else if (rho !== undefined) number(rho, 'rho');
  else if (hasBudget) { number(epsilon, 'epsilon'); number(delta, 'delta'); }
  else if (unprotected !== true) refuse(unprotected, 'unprotected', 'true, or left out');
};

/** An event, or nothing; the handler parses it. */
function stated(value: unknown, path: string): void {
  if (value !== undefined) text(record(value, path)['kind'], `${path}.kind`);
}

function token(value: unknown, path: string): void {
  text(record(value, path)['id'], `id of ${path}`);
}

/** A reference of another kind would resolve to a plugin without the functions that are about to be called. */
const ref = (kind: PluginKind): Check => (value, path) => {
  const fields = record(value, path);
  if (fields['kind'] !== kind) refuse(fields['kind'], `${path}.kind`, `'${kind}'`);
  text(fields['name'], path);
};

function each(value: unknown, path: string, check: Check): void {
  if (!Array.isArray(value)) refuse(value, path, 'an array');
  const list = value as readonly unknown[];
  for (let i = 0; i < list.length; i++) check(list[i], path);
}

function record(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) refuse(value, path, 'a record');
  return value as Fields;
}

function text(value: unknown, path: string): string {
  return typeof value === 'string' ? value : refuse(value, path, 'a string');
}

function number(value: unknown, path: string): void {
  if (typeof value !== 'number') refuse(value, path, 'a number');
}

function vector(value: unknown, path: string): void {
  if (!(value instanceof Float64Array)) refuse(value, path, 'a Float64Array');
}

function oneOf<T extends string>(value: unknown, path: string, ...allowed: readonly T[]): T {
  return allowed.includes(value as T) ? value as T : refuse(value, path, allowed.map((name) => `'${name}'`).join(' or '));
}

function refuse(value: unknown, path: string, allowed: string): never {
  const kind = Array.isArray(value) ? 'an array' : typeof value === 'object' && value !== null ? 'an object' : String(value).slice(0, 60);
  throw new InvalidParameter(`malformed query: ${path} is ${kind}; it must be ${allowed}. Build queries with the helpers of ask.`, { path, allowed });
}
