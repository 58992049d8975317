import {
  deepFreeze,
  eventKindsOf,
  sameEvent,
  type Budget,
  type Capabilities,
  type Draft,
  type FilterMaker,
  type FilterRequest,
  type Optimizer,
  type PlannedCost,
  type PrepareContext,
  type Price,
  type PrivacyFilter,
  type Problem,
  type PublicPlan,
  type Registry,
  type Run,
  type StoredPlanContext,
} from '@lethe/core';
import { plainPlugin, type RunContext } from '@lethe/core/internal';
import {
  Corrupt,
  IncompatiblePlugins,
  InvalidParameter,
  ownCopy,
  parseOrThrow,
  publicCoins,
  type RandomSource,
  Unsupported,
  type ZodSchema,
} from '@lethe/numerics';
import type * as z from 'zod';
import { isPartOf } from '../events/part-of.js';
import { allMissing } from './all-missing-facts.js';
import { calibratedNoise } from './calibrated.js';
import { assertPublicFacts } from './check-facts.js';
import type { OptimizerDefinition } from './definition.js';
import { assertEvent, checkedPlan } from './store-plan.js';
import { watchedFacts } from './watched-facts.js';
import { answersOf, type Answers } from '../curator/handlers.js';
import { centralPrice, priceOfRun, type PricedRun } from '../pricing/run-price.js';
import { markedBy, pluginMark } from './plugin-mark.js';
import { assertBudget, assertFits, partsOf } from './problem-fit.js';
import { restingOnClips } from './resting-on-clips.js';

/**
 * Declares an optimizer. `prepare` checks the problem against the declarations before it calls `plan`, prices
 * the steps by a run without data, and freezes the plan.
 */
export const defineOptimizer = <
  const Name extends string,
  Params extends ZodSchema,
  const Needs extends Capabilities,
  Plan extends Draft,
>(
  definition: OptimizerDefinition<Name, Params, Needs, Plan>,
): Optimizer<Name, Params, Needs> => optimizerPricedBy(priceOfRun, definition);

/**
 * The same for an optimizer of the central model that asks a few kinds of queries alone: those that the parts
 * answer. Programs with it do not contain the others.
 *
 * @throws {Unsupported} in `prepare`, for steps that ask anything else.
 */
export const defineCentralOptimizer = <
  const Name extends string,
  Params extends ZodSchema,
  const Needs extends Capabilities,
  Plan extends Draft,
>(
  parts: readonly Answers[],
  definition: Omit<OptimizerDefinition<Name, Params, Needs, Plan>, 'trustModels'>,
): Optimizer<Name, Params, Needs> => {
  const { handlers } = answersOf(parts);
  return optimizerPricedBy((run) => centralPrice(handlers, run), {
    ...definition,
    trustModels: ['central'],
  } as OptimizerDefinition<Name, Params, Needs, Plan>);
};

function optimizerPricedBy<
  const Name extends string,
  Params extends ZodSchema,
  const Needs extends Capabilities,
  Plan extends Draft,
>(
  priceRun: (run: PricedRun) => Price,
  given: OptimizerDefinition<Name, Params, Needs, Plan>,
): Optimizer<Name, Params, Needs> {
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
    ): Price => priceRun({ problem, registry: parts.registry, random, steps: stepsOf(plan), ...options });
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
  type Context = PrepareContext<z.input<Params>, Needs>;
  /** The plan without its cost; one that is only tried ends where noise is calibrated. */
  const draftOf = (context: Context, isTried = false) => {
    const { budget, params, random, repeated = false } = context;
    const known = setUp(context);
    const { parts, problem, held, price } = known;
    const parsed = parseOrThrow(definition.params, params, `optimizer '${name}'`);
    definition.fits?.(parsed, parts.registry);
    const calibrate = isTried ? uncalibrated : context.calibrate;
    const noise = calibratedNoise({ optimizer: name, calibrate, budget, adjacency: problem.adjacency });
    const noiseFor = (draft: (noiseMultiplier: number) => object): number =>
      noise.noiseFor((multiplier) => price(draft(multiplier) as Plan, { isEstimate: true }).event);
    const draft = makePlan({
      ...parts,
      problem,
      budget,
      params: parsed,
      calibrate,
      noiseFor: isTried ? uncalibrated : noiseFor,
      repeated,
      random: repeated ? noRandomness(name) : publicCoins(random),
      ...(held === undefined ? {} : { filter: held }),
    });
    return { draft, noise, ...known };
  };
  const prepared = (context: Context): Run => {
    const { draft, noise, watched, price, runOf } = draftOf(context);
    watched.finish();
    assertFinite(draft, 'plan');
    const cost = costStated(name, draft) ?? costOf(price(draft));
    noise.assertKept(cost.event);
    return runOf(deepFreeze({ ...draft, ...cost }), draft.event === undefined);
  };
  const optimizer = plainPlugin({
    ...declared,
    kind: 'optimizer' as const,
    prepare(context: PrepareContext<z.input<Params>, Needs>): Run {
      try {
        return prepared(context);
      } catch (error) {
        const { problem } = context;
        throw allMissing(error, problem.facts, (more) => {
          draftOf({ ...context, problem: { ...problem, facts: { ...problem.facts, ...more } } }, true);
        });
      }
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
  return markedBy(optimizer, marked);
}

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

/** In place of a calibration. A plan that is only tried ends here: with made-up facts it could take hours. */
const uncalibrated = (): never => {
  throw new Unsupported('a plan that is only tried has no noise', {});
};

/** The randomness of a repeated plan. */
function noRandomness(name: string): RandomSource {
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
