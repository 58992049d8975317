import type * as z from 'zod';
import type { Adjacency } from '../adjacency.js';
import {
  Corrupt,
  IncompatiblePlugins,
  InvalidParameter,
  parseOrThrow,
  Unsupported,
  type Domain,
  type Proximal,
  publicCoins,
  type RandomSource,
} from '@lethe/numerics';
import type { PrivacyEvent } from '../events/schema.js';
import { sameEvent } from '../events/canonical.js';
import { isPartOf } from '../events/part-of.js';
import { deepFreeze, type Json } from '../json.js';
import { ownCopy } from '../own-copy.js';
import type { Program } from '../query/ask.js';
import type { Loops } from '../loops/loops.js';
import type { Price } from '../pricing/price.js';
import type { Batch, Fact, TrustModel, Vector } from '../query/query.js';
import type { Calibrate } from './accountant.js';
import { calibratedNoise } from './calibrated.js';
import { assertPublicFacts } from './check-facts.js';
import { constantOf, holdsOn, type Capabilities, type Capability } from './capabilities.js';
import type { FilterMaker, FilterRequest, PrivacyFilter } from './filter.js';
import { domainAt } from './domain.js';
import { priceOfRun } from '../pricing/run-price.js';
import { plainPlugin, type Plugin, type Ref } from './plugin.js';
import { pluginMark } from './plugin-mark.js';
import { assertRegistry, eventKindsOf, type Registry } from './registry.js';
import { restingOnClips } from './resting-on-clips.js';
import { regulariserAt, type RegulariserReference } from './regulariser.js';
import { assertEvent, checkedPlan, type StoredPlan } from './stored-plan.js';
import { watchedFacts } from './watched-facts.js';

/** Public facts: all that a plan may read. Nothing here may be computed from the private records. */
export interface Problem<out Has extends Capabilities = Capabilities> {
  readonly adjacency: Adjacency;
  readonly trust: TrustModel;
  /** Entries of an iterate of the loss, for the columns of the records. */
  readonly dimension: number;
  /**
   * Slots per silo, null records counted; exact under
   * replace-one and zero-out, a public guess under add-remove.
   */
  readonly slots: readonly number[];
  /**
   * What is protected: one record, or all that one owner has; `slots` are then those of owners.
   * @defaultValue a record
   */
  readonly unit?: 'record' | 'owner';
  readonly domain: Ref<'domain'>;
  readonly loss: Ref<'loss'>;
  readonly capabilities: Has;
  readonly facts: Readonly<Record<string, Fact>>;
  /**
   * A public convex function that is added to the average loss, such as
   * `{ name: 'l2-squared', params: { strength: 0.01 } }`. It reads no record, and is in no query.
   */
  readonly regulariser?: RegulariserReference;
}
/** Privacy budget of a run: (ε, δ), in the adjacency of its problem. */
export interface Budget {
  readonly epsilon: number;
  readonly delta: number;
}

/**
 * How a run ends: always the same; a function of public coins;
 * or adaptively, under a filter's a-priori limit.
 */
export type Stopping = 'fixed' | 'public-coins' | 'adaptive';
/**
 * Regularisers by what they declare: none; a ridge; a sum over
 * coordinates, a ridge among them; any with a proximal map.
 */
export type Regularisers = 'none' | 'ridge' | 'separable' | 'any';
/** Basis of the sensitivity bound. */
export type PrivacyBasis = 'clip' | 'every-record constants' | 'convexity';

/** Cost of a run, found by running its steps without data; runs with adaptive stopping state it. */
export interface PlannedCost {
  /** The exact privacy event the run will cost. */
  readonly event: PrivacyEvent;
  /** Upper bound on the number of per-record gradients. */
  readonly gradients: number;
}
/**
 * What `plan` returns: the schedule that `steps` follow, as JSON.
 * Those whose steps cannot be priced without answers add their cost.
 */
export interface Draft extends Partial<PlannedCost> {
  /**
   * Predicted bound on the expected excess risk, with where it comes
   * from; `null` when the theory does not cover the parameters.
   */
  readonly utility: { readonly bound: number; readonly source: string } | null;
}
/** A plan is JSON: printed by `lethe plan`, recorded with results, heading of every transcript. */
export interface PublicPlan extends Draft, PlannedCost {
  readonly event: PrivacyEvent;
  readonly gradients: number;
}
/** Rejects, in the type, what JSON cannot hold. */
export type Plain<T> = Json extends T
  ? T
  : T extends (...args: never[]) => unknown
    ? 'a plan is JSON: no functions'
    : T extends Float64Array
      ? 'a plan is JSON: use number[]'
      : T extends object
        ? { readonly [K in keyof T]: Plain<T[K]> }
        : T;

/** The parts of a problem that its references name, found in the registry that the run was prepared with. */
export interface ProblemParts {
  readonly registry: Registry;
  /** The set of feasible iterates. */
  readonly domain: Domain;
  /** `null` where the problem has none. */
  readonly regulariser: Proximal | null;
}

/** Argument of `plan`; `params` are parsed. */
export interface PlanContext<Params, Needs extends Capabilities> extends ProblemParts {
  readonly problem: Problem<Needs>;
  readonly budget: Budget;
  readonly params: Params;
  readonly calibrate: Calibrate;
  /**
   * The least noise multiplier at which a run keeps the budget. Multipliers are remembered: a draft with the
   * event of an earlier one gets its multiplier without a search. A plan with another event than the
   * calibrated one is priced, and refused beyond the budget.
   *
   * @param draft - The part of a plan that the steps read, at that multiplier. Nothing else that changes the
   * cost may differ between drafts.
   */
  noiseFor(draft: (noiseMultiplier: number) => object): number;
  /**
   * The privacy filter of the budget, for an optimizer whose stopping is `adaptive`: the event of its plan is
   * `filter.limit`, and its run is held to the filter. Others have none.
   */
  readonly filter?: PrivacyFilter;
  /**
   * Whether several runs follow the plan, each with public coins of its own. Planning
   * then uses no coins; the event of the plan bounds the cost for all coins that a run draws in its steps.
   */
  readonly repeated: boolean;
  /** Public randomness, equal to that of `steps`; of a repeated plan it refuses to be drawn from. */
  readonly random: RandomSource;
}
/** Argument of `steps`. */
export interface StepsContext<Plan, Needs extends Capabilities> extends ProblemParts, Loops {
  readonly plan: Plan;
  readonly problem: Problem<Needs>;
  readonly start: Vector;
  readonly allRecords: Batch;
  readonly random: RandomSource;
}

/** An optimizer as its author writes it. */
export interface OptimizerDefinition<
  Name extends string,
  Params extends z.ZodType,
  Needs extends Capabilities,
  Plan extends Draft,
> extends Omit<Plugin<'optimizer', Params>, 'kind'> {
  readonly name: Name;
  /** Capabilities of the loss that it cannot do without. @defaultValue none */
  readonly needs?: Needs;
  readonly adjacencies: readonly Adjacency[];
  readonly trustModels: readonly TrustModel['model'][];
  readonly privacyRestsOn: PrivacyBasis;
  /** @defaultValue 'fixed' */
  readonly stopping?: Stopping;
  /**
   * Names of the required facts, with the reason. Other facts are read where they are declared, and may not
   * change the cost of a run unless `privacyRestsOn` says so. @defaultValue none
   */
  readonly facts?: Readonly<Record<string, string>>;
  /** The regularisers it takes into account; a problem with any other is refused. @defaultValue none */
  readonly regularisers?: Regularisers;
  /**
   * Schema of the fields of a stored plan that `steps` read; other fields
   * pass. @defaultValue no check but that of the price of its steps
   */
  readonly schedule?: z.ZodType;
  /** Must precede `steps` in the literal, so that the plan's type is known there. */
  plan(context: PlanContext<z.output<Params>, Needs>): Plan & Plain<Plan>;
  /**
   * Has no access to data: everything it does with answers is post-processing. Core also runs it with answers
   * of zeros, to price it, so that it must not read a clock or change anything outside.
   */
  steps(context: StepsContext<Plan, Needs>): Program<Vector>;
}

/** A planned run hides the plan's type, so that runs of different optimizers share one type. */
export interface Run {
  readonly name: string;
  /**
   * Identifies the version of the optimizer; a transcript is resumed with the same one only.
   */
  readonly mark?: string;
  readonly problem: Problem;
  readonly plan: PublicPlan;
  /** Budget of the plan. */
  readonly budget?: Budget;
  /** The filter that the curator of an adaptive optimizer is made with. */
  readonly held?: PrivacyFilter;
  /**
   * Price of the steps, by one iteration of each kind, or by all (`unrolled`);
   * `null` where the plan states its own cost.
   */
  price?(options?: { readonly unrolled?: boolean }): Price | null;
  /**
   * Names of the facts that plan and steps have read so far, and of the required ones. Other facts have had
   * no effect.
   */
  factsRead?(): readonly string[];
  /** Starts the optimizer; nothing is asked before the first `next`. */
  steps(
    context: Omit<StepsContext<never, Capabilities>, 'plan' | 'problem' | keyof ProblemParts>,
  ): Program<Vector>;
}

/**
 * The option of a run's curator that reserves its cost: the event of the plan, or, where stopping is
 * adaptive, the filter of the run.
 */
export const reservationFor = ({
  plan,
  held,
}: Run): { readonly planned: PrivacyEvent } | { readonly held: PrivacyFilter } =>
  held === undefined ? { planned: plan.event } : { held };

/** An optimizer as its user sees it: plan and steps behind {@link Optimizer.prepare}. */
export interface Optimizer<
  Name extends string = string,
  Params extends z.ZodType = z.ZodType,
  Needs extends Capabilities = Capabilities,
> extends Plugin<'optimizer', Params> {
  readonly name: Name;
  readonly needs: Needs;
  readonly adjacencies: readonly Adjacency[];
  readonly trustModels: readonly TrustModel['model'][];
  readonly privacyRestsOn: PrivacyBasis;
  readonly stopping: Stopping;
  readonly facts: Readonly<Record<string, string>>;
  readonly regularisers?: Regularisers;
  /**
   * Plans a run from public facts alone.
   *
   * @throws {IncompatiblePlugins} when the loss lacks a capability it
   * needs, or the problem has a regulariser that it ignores.
   * @throws {Unsupported} for an adjacency, a trust model, a
   * missing fact, or facts computed from the records.
   * @throws {InvalidParameter} when a fact is not a number with a known scope and
   * provenance, or its name is nearly that of one that is looked for, or parameters
   * or budget do not fit, or lead to a number that is not finite.
   * @throws {IncompatiblePlugins} for a plan with calibrated noise that costs more than its budget, and for
   * a mean that rests on facts of the records where privacy rests on clipping.
   */
  prepare(context: PrepareContext<z.input<Params>, Needs>): Run;
  /**
   * Starts a run from a plan that was stored, without planning it again.
   *
   * @throws {IncompatiblePlugins} for a plan of another optimizer, of another version of it, or of Lethe.
   * @throws {Corrupt} for a plan of another schema, or with another cost than its steps have.
   * @throws as {@link Optimizer.prepare} where the problem does not fit.
   */
  fromPlan(context: StoredPlanContext): Run;
}

/**
 * What an optimizer is planned from. `filter` opens the filter of an adaptive one: that of an accountant,
 * such as `bestOf(accountants).filter`.
 */
export interface PrepareContext<Params, Needs extends Capabilities> extends Omit<
  PlanContext<Params, Needs>,
  'filter' | 'domain' | 'regulariser' | 'noiseFor' | 'repeated'
> {
  readonly filter?: FilterMaker | undefined;
  /**
   * Whether the plan is for several runs, such as those of a selection, each with public coins of its own. A
   * plan that draws coins itself is refused then. @defaultValue false
   */
  readonly repeated?: boolean;
}

/** Context of a stored plan; `random` as in {@link Optimizer.prepare}. */
export interface StoredPlanContext {
  readonly plan: StoredPlan;
  readonly registry: Registry;
  readonly random: RandomSource;
  readonly filter?: FilterMaker | undefined;
}

/**
 * Declares an optimizer. Core checks the problem against the declarations before it calls `plan`, prices the
 * steps by a run without data, and freezes the plan.
 */
export function defineOptimizer<
  const Name extends string,
  Params extends z.ZodType,
  const Needs extends Capabilities,
  Plan extends Draft,
>(given: OptimizerDefinition<Name, Params, Needs, Plan>): Optimizer<Name, Params, Needs> {
  const definition = { needs: {} as Needs, stopping: 'fixed' as const, facts: {}, ...given };
  const { plan: makePlan, steps, schedule, ...declared } = definition;
  const { name } = definition;
  const marked = Object.freeze({ ...definition, kind: 'optimizer' as const });
  const setUp = ({ problem: raw, budget, registry, random, filter }: SetUp<Needs>) => {
    // Checked before the copy, which would drop an undefined fact.
    assertPublicFacts(raw.facts);
    const posed = ownCopy(raw);
    const parts = partsOf(posed, registry);
    assertFits(definition, posed, parts);
    // Needed capabilities hold at least on this domain; the others are passed on as declared.
    const whole = { ...posed, capabilities: { ...posed.capabilities, ...definition.needs } };
    assertBudget(budget);
    const held =
      definition.stopping === 'adaptive'
        ? filterOf(name, filter, { ...budget, adjacency: whole.adjacency, kinds: eventKindsOf(registry) })
        : undefined;
    const watched = watchedFacts(whole.facts);
    const problem = { ...whole, facts: watched.facts };
    const stepsOf = (plan: Plan) => (context: RunContext) => {
      const program = steps({ ...context, ...parts, plan, problem });
      return definition.privacyRestsOn === 'clip' ? restingOnClips(program, name, parts.registry) : program;
    };
    const price = (
      plan: Plan,
      options: { readonly isEstimate?: boolean; readonly unrolled?: boolean } = {},
    ): Price => priceOfRun({ problem, registry: parts.registry, random, steps: stepsOf(plan), ...options });
    const runOf = (plan: Plan & PlannedCost, isPriced: boolean): Run => {
      assertFinite(plan, 'plan');
      if (held !== undefined && !sameEvent(plan.event, held.limit))
        throw new IncompatiblePlugins(
          `optimizer '${name}' stops by its answers, so that the event of its plan is the limit of the ` +
            'filter it is given; it plans another',
          { optimizer: name },
        );
      return Object.freeze({
        name,
        mark: pluginMark(marked),
        problem: whole,
        plan,
        budget,
        ...(held === undefined ? {} : { held }),
        factsRead: () => [...new Set([...Object.keys(definition.facts), ...watched.read()])],
        price: (options: { readonly unrolled?: boolean } = {}) => (isPriced ? price(plan, options) : null),
        steps: stepsOf(plan),
      });
    };
    return { parts, problem, held, watched, price, runOf };
  };
  return plainPlugin({
    ...declared,
    kind: 'optimizer' as const,
    prepare(context: PrepareContext<z.input<Params>, Needs>): Run {
      const { budget, params, calibrate, random, repeated = false } = context;
      const { parts, problem, held, watched, price, runOf } = setUp(context);
      const parsed = parseOrThrow(definition.params, params, `optimizer '${name}'`);
      const noise = calibratedNoise({ optimizer: name, calibrate, budget, adjacency: problem.adjacency });
      const noiseFor = (draft: (noiseMultiplier: number) => object): number =>
        noise.noiseFor((multiplier) => price(draft(multiplier) as Plan, { isEstimate: true }).event);
      const draft = makePlan({
        ...parts,
        problem,
        budget,
        params: parsed,
        calibrate,
        noiseFor,
        repeated,
        random: repeated ? noCoins(name) : publicCoins(random),
        ...(held === undefined ? {} : { filter: held }),
      });
      watched.finish();
      assertFinite(draft, 'plan');
      const cost = costStated(name, draft) ?? costOf(price(draft));
      noise.assertKept(cost.event);
      return runOf(deepFreeze({ ...draft, ...cost }), draft.event === undefined);
    },
    fromPlan({ plan: stored, ...context }: StoredPlanContext): Run {
      const own = checkedPlan(stored, { name, mark: pluginMark(marked) }, schedule);
      const { problem, budget, plan, priced } = own;
      const { parts, held, price, runOf } = setUp({ ...context, problem: problem as Problem<Needs>, budget });
      assertEvent(own, eventKindsOf(parts.registry));
      const run = runOf(deepFreeze(plan as Plan & PlannedCost), priced);
      // The plan of an adaptive run is the limit of its filter, which runOf compares.
      if (held !== undefined) return run;
      const found = priceIfAny(() => price(run.plan as Plan & PublicPlan), priced);
      const mayCostLess = !priced && definition.stopping === 'public-coins';
      if (found !== null) assertPriced(name, run.plan, found, mayCostLess);
      return run;
    },
  });
}

type RunContext = Parameters<Run['steps']>[0];
interface SetUp<Needs extends Capabilities> {
  readonly problem: Problem<Needs>;
  readonly budget: Budget;
  readonly registry: Registry;
  readonly random: RandomSource;
  readonly filter?: FilterMaker | undefined;
}

const costOf = ({ event, gradients }: Price): PlannedCost => ({ event, gradients });

/** The cost that a plan states itself. */
function costStated(name: string, { event, gradients }: Draft): PlannedCost | null {
  if (event !== undefined && gradients !== undefined) return { event, gradients };
  if (event === undefined && gradients === undefined) return null;
  throw new IncompatiblePlugins(
    `the plan of optimizer '${name}' states ${event === undefined ? 'gradients' : 'an event'} only; ` +
      'return both event and gradients, or neither',
    { optimizer: name },
  );
}

/** The price of steps; `null` where they have none without answers, unless the plan says that they have. */
function priceIfAny(price: () => Price, isSaid: boolean): Price | null {
  try {
    return price();
  } catch (error) {
    if (isSaid || !(error instanceof Unsupported)) throw error;
    return null;
  }
}

/**
 * @throws {Corrupt} unless the steps of a stored plan have its cost. Where the plan states its cost itself,
 * and public coins decide how long the steps are, theirs may be a part of it.
 */
function assertPriced(
  name: string,
  plan: PublicPlan,
  { event, gradients }: Price,
  mayCostLess: boolean,
): void {
  if (sameEvent(event, plan.event) && gradients === plan.gradients) return;
  if (mayCostLess && gradients <= plan.gradients && isPartOf(event, plan.event)) return;
  throw new Corrupt(
    `the steps of the stored plan of '${name}' cost another event, or other gradients, than it says: ` +
      'it was changed, or is of other plugins. Plan again.',
    { optimizer: name },
  );
}

/** The coins of a repeated plan. */
function noCoins(name: string): RandomSource {
  const refuse = (): never => {
    throw new Unsupported(
      `the plan of optimizer '${name}' draws public coins, so that runs that follow it would share them; ` +
        'repeat an optimizer that draws in its steps',
      { optimizer: name },
    );
  };
  return new Proxy({} as RandomSource, { get: refuse });
}

function filterOf(name: string, open: FilterMaker | undefined, request: FilterRequest): PrivacyFilter {
  if (open === undefined)
    throw new Unsupported(
      `optimizer '${name}' stops by its answers, which only a privacy filter makes private; ` +
        'give filter, such as bestOf(accountants).filter',
      { optimizer: name },
    );
  return open(request);
}

/** Refuses numbers that JSON cannot hold; no run could follow them. */
function assertFinite(value: unknown, path: string): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new InvalidParameter(
      `the ${path} came out as ${value}; some fact, parameter or budget is out of proportion to the others`,
      { path, value: String(value) },
    );
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    for (const [name, inner] of Object.entries(value)) assertFinite(inner, `${path}.${name}`);
}

type Fit = Pick<Optimizer, 'name' | 'needs' | 'adjacencies' | 'trustModels' | 'facts' | 'regularisers'>;

function partsOf({ domain, regulariser, dimension }: Problem, given: Registry): ProblemParts {
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

function assertFits(
  { name, needs, adjacencies, trustModels, facts, regularisers = 'none' }: Fit,
  problem: Problem,
  { domain, regulariser }: ProblemParts,
): void {
  const lacking = (Object.keys(needs) as Capability[]).filter(
    (key) => needs[key] === true && !holdsOn(key, problem, domain),
  );
  if (lacking.length > 0) {
    const bounded = lacking
      .filter((key) => problem.capabilities[key] === 'bounded')
      .map((key) => `'${constantOf(key)}'`);
    const instead =
      bounded.length === lacking.length
        ? `'${problem.loss.name}' is so where records, labels and iterates are bounded. ` +
          `Take a bounded domain and declare bounds from which ${bounded.join(', ')} follows, ` +
          'or use another loss or optimizer.'
        : `'${problem.loss.name}' does not declare it. Use another loss or optimizer.`;
    throw new IncompatiblePlugins(
      `optimizer '${name}' needs a loss that is ${lacking.join(', ')}; ${instead}`,
      { optimizer: name, loss: problem.loss.name, missing: lacking },
    );
  }
  if (!adjacencies.includes(problem.adjacency)) {
    throw new Unsupported(
      `optimizer '${name}' does not support ${problem.adjacency}; it supports ${adjacencies.join(', ')}`,
      { adjacency: problem.adjacency, supported: adjacencies },
    );
  }
  if (!trustModels.includes(problem.trust.model)) {
    throw new Unsupported(
      `optimizer '${name}' does not run in the ${problem.trust.model} model; ` +
        `it runs in ${trustModels.join(', ')}`,
      { trust: problem.trust.model, supported: trustModels },
    );
  }
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
  if (missing.length > 0) {
    throw new Unsupported(
      `optimizer '${name}' needs the public fact${missing.length > 1 ? 's' : ''} ` +
        `${missing.map((f) => `'${f}' (${facts[f]})`).join(', ')}; declare it in the problem`,
      { missing },
    );
  }
}

function assertBudget({ epsilon, delta }: Budget): void {
  if (!(epsilon > 0) || !Number.isFinite(epsilon))
    throw new InvalidParameter(`budget.epsilon is ${epsilon}; it must be positive and finite`, { epsilon });
  if (!(delta >= 0) || !(delta < 1))
    throw new InvalidParameter(`budget.delta is ${delta}; it must be in [0, 1)`, { delta });
}
