import {
  domainAt,
  MissingFact,
  regulariserAt,
  type Adjacency,
  type Budget,
  type Capabilities,
  type Capability,
  type Loss,
  type Optimizer,
  type Problem,
  type ProblemParts,
  type Registry,
  type Regularisers,
  type TrustModel,
} from '@lethe/core';
import { assertRegistry } from '@lethe/core/internal';
import { IncompatiblePlugins, InvalidParameter, Unsupported, type Proximal } from '@lethe/numerics';
import { constantOf, holdsOn } from './capabilities.js';
import { assertPublicFacts } from './check-facts.js';
import { watchedFacts } from './watched-facts.js';

type Declared = Pick<Optimizer, 'name' | 'needs' | 'adjacencies' | 'trustModels'>;
type Fit = Declared & Pick<Optimizer, 'facts' | 'regularisers'>;

/** What is known of a problem before its records are read. */
export interface KnownProblem {
  readonly adjacency: Adjacency;
  readonly trust: Pick<TrustModel, 'model'>;
  readonly loss: Pick<Loss, 'name'>;
  readonly capabilities: Capabilities;
}

/**
 * Checks an optimizer against what is known of a problem before its records are read, where `prepare` would
 * refuse it whatever they are. A capability of the loss that needs bounds counts as one that it has.
 *
 * @throws {IncompatiblePlugins} for a loss without a capability that the optimizer needs.
 * @throws {Unsupported} for an adjacency or a trust model that it does not support.
 */
export function assertMayFit(optimizer: Declared, known: KnownProblem): void {
  const { capabilities } = known;
  assertDeclared(optimizer, known, (key) => capabilities[key] === true || capabilities[key] === 'bounded');
}

/** The parts of a problem, found in a registry. @throws as a registry and its plugins do */
export function partsOf({ domain, regulariser, dimension }: Problem, given: Registry): ProblemParts {
  // A frozen registry is indexed once it is checked.
  const registry = Array.isArray(given) && !Object.isFrozen(given) ? Object.freeze([...given]) : given;
  assertRegistry(registry);
  return Object.freeze({
    registry,
    domain: domainAt(registry, domain, dimension),
    regulariser: regulariser === undefined ? null : regulariserAt(registry, regulariser, dimension),
  });
}

const takes: Readonly<Record<Regularisers, { readonly what: string; fits(regulariser: Proximal): boolean }>> =
  {
    none: { what: 'none', fits: () => false },
    ridge: { what: 'a ridge, such as l2-squared', fits: ({ ridge }) => ridge !== undefined },
    separable: {
      what: 'a sum over coordinates, such as l2-squared or l1',
      fits: ({ ridge, coordinate }) => ridge !== undefined || coordinate !== undefined,
    },
    any: { what: 'any', fits: () => true },
  };

/**
 * Checks a problem against the declarations of an optimizer.
 *
 * @throws as {@link Optimizer.prepare} where they do not fit.
 */
export function assertFits(optimizer: Fit, problem: Problem, { domain, regulariser }: ProblemParts): void {
  const { name, facts, regularisers = 'none' } = optimizer;
  assertDeclared(optimizer, problem, (key) => holdsOn(key, problem, domain));
  assertPublicFacts(problem.facts);
  if (regulariser !== null && !takes[regularisers].fits(regulariser)) {
    throw new IncompatiblePlugins(
      `optimizer '${name}' ignores the regulariser '${regulariser.name}' of the problem; ` +
        `it takes ${takes[regularisers].what}. Use another optimizer, or leave it out.`,
      { optimizer: name, regulariser: regulariser.name, supported: regularisers },
    );
  }
  const { facts: known, finish } = watchedFacts(problem.facts);
  const missing = Object.keys(facts).filter((fact) => known[fact] === undefined);
  finish();
  const [first, ...others] = missing;
  if (first !== undefined) {
    throw new MissingFact(
      `optimizer '${name}' needs public facts that the problem does not declare: ` +
        missing.map((fact) => `'${fact}' (${facts[fact]})`).join(', '),
      [first, ...others],
      'all',
    );
  }
}

/** Loss, adjacency and trust model of a problem; `holds` says which capabilities its loss has. */
function assertDeclared(
  { name, needs, adjacencies, trustModels }: Declared,
  { adjacency, trust, loss, capabilities }: KnownProblem,
  holds: (capability: Capability) => boolean,
): void {
  const lacking = (Object.keys(needs) as Capability[]).filter((key) => needs[key] === true && !holds(key));
  if (lacking.length > 0) {
    const bounded = lacking
      .filter((key) => capabilities[key] === 'bounded')
      .map((key) => `'${constantOf(key)}'`);
    const instead =
      bounded.length === lacking.length
        ? `'${loss.name}' is so where records, labels and iterates are bounded. ` +
          `Take a bounded domain and declare bounds from which ${bounded.join(', ')} follows, ` +
          'or use another loss or optimizer.'
        : `'${loss.name}' does not declare it. Use another loss or optimizer.`;
    throw new IncompatiblePlugins(
      `optimizer '${name}' needs a loss that is ${lacking.join(', ')}; ${instead}`,
      { optimizer: name, loss: loss.name, missing: lacking },
    );
  }
  if (!adjacencies.includes(adjacency))
    throw new Unsupported(
      `optimizer '${name}' does not support ${adjacency}; it supports ${adjacencies.join(', ')}`,
      { adjacency, supported: adjacencies },
    );
  if (!trustModels.includes(trust.model))
    throw new Unsupported(
      `optimizer '${name}' does not run in the ${trust.model} model; it runs in ${trustModels.join(', ')}`,
      { trust: trust.model, supported: trustModels },
    );
}

/** @throws {InvalidParameter} for a budget that is none. */
export function assertBudget({ epsilon, delta }: Budget): void {
  if (!(epsilon > 0) || !Number.isFinite(epsilon))
    throw new InvalidParameter(`budget.epsilon is ${epsilon}; it must be positive and finite`, { epsilon });
  if (!(delta >= 0) || !(delta < 1))
    throw new InvalidParameter(`budget.delta is ${delta}; it must be in [0, 1)`, { delta });
}
