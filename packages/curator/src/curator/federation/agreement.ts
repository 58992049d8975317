import {
  deepFreeze,
  findPlugin,
  type Optimizer,
  type PrivacyEvent,
  type Program,
  type Registry,
  type Run,
  type StoredPlan,
  type Vector,
} from '@lethe/core';
import { hexOf, InvalidParameter, randomFromKey, Unsupported, type RandomSource } from '@lethe/numerics';
import { storedPlan } from '../../optimizer/store-plan.js';
import { assertHeld } from './held-query.js';
import { isJoint, secureTrust } from './trust.js';
import { priceInSilo } from '../../pricing/run-price.js';

/** What the silos of a run agree to before the first query, as JSON. All of it is public. */
export interface Agreement {
  readonly format: 1;
  /** Name of the run in every ledger. */
  readonly run: string;
  /** The planned run; its problem has a trust model of several silos, and the slots of each. */
  readonly plan: StoredPlan;
  /** Where the optimizer begins. */
  readonly start: readonly number[];
  /** Key of the optimizer's public coins, in hexadecimal; the name is that of format 1, which silos check. */
  readonly coins: string;
}

/**
 * The agreement that a server proposes for a planned run.
 *
 * @param options - `random` is the source that the run is driven with.
 * @throws {InvalidParameter} for a run that no optimizer prepared, or of another trust model.
 */
export function agreementFor(
  run: Run,
  { name, start, random }: { readonly name: string; readonly start: Vector; readonly random: RandomSource },
): Agreement {
  const agreement: Agreement = {
    format: 1,
    run: name,
    plan: storedPlan(run),
    start: [...start],
    coins: hexOf(random.key()),
  };
  assertForm(agreement, 0);
  return deepFreeze(agreement);
}

/** One silo's part of an agreement, before it is kept. */
export interface AgreedPart {
  readonly run: Run;
  /** What the run costs this silo's records: set aside whole before the first answer. */
  readonly event: PrivacyEvent;
  /** Queries of the run. */
  readonly queries: number;
  /** Per-record gradients of this silo, at most. */
  readonly gradients: number;
  /** Records of this silo. */
  readonly slots: number;
}

/** The same program, of queries that a silo can hold a server to. */
function* heldTo(program: Program<Vector>): Program<Vector> {
  let next = program.next();
  while (next.done !== true) {
    assertHeld(next.value);
    next = program.next(yield next.value);
  }
  return next.value;
}

/** Queries of a plan at most: they take minutes to work out. */
const mostQueries = 2 ** 20;

/**
 * Reads an agreement as one silo: the optimizer of its own registry takes the plan, and the cost is worked
 * out from the steps of the plan, not believed.
 *
 * @throws {InvalidParameter} for an agreement of another form, or without such a silo.
 * @throws {Unsupported} for one of another trust model, of more than 2²⁰ queries, of queries that silos
 * cannot hold a server to, or of an optimizer that the registry does not have.
 * @throws {IncompatiblePlugins} and {Corrupt} as `Optimizer.fromPlan`.
 */
export function agreedPart(agreement: Agreement, silo: number, registry: Registry): AgreedPart {
  assertForm(agreement, silo);
  const { plan, coins } = agreement;
  const optimizer = findPlugin<Optimizer>(registry, 'optimizer', String(plan.optimizer));
  const random = agreedRandomness(coins);
  const run = optimizer.fromPlan({ plan, registry, random });
  const { problem } = run;
  const steps = (context: Parameters<Run['steps']>[0]): ReturnType<Run['steps']> =>
    heldTo(run.steps(context));
  const priced = { problem, registry, random, steps };
  // Rounds that are alike are one here: a plan may name as many as it likes.
  const { queries } = priceInSilo(priced, silo);
  if (queries > mostQueries)
    throw new Unsupported(
      `a silo works out each query of a plan beforehand, ${mostQueries} of them at most, and this plan of ` +
        `'${plan.optimizer}' has ${queries}; take fewer rounds`,
      { queries, most: mostQueries },
    );
  const price = priceInSilo({ ...priced, unrolled: true }, silo);
  return {
    run,
    event: price.event,
    queries: price.queries,
    gradients: price.gradients,
    slots: problem.slots[silo],
  };
}

function assertForm({ format, run, plan, start, coins }: Agreement, silo: number): void {
  if (format !== 1)
    throw new InvalidParameter(`an agreement has format 1, this one ${String(format)}`, { format });
  if (typeof run !== 'string' || run === '')
    throw new InvalidParameter('an agreement names its run by a text that is not empty', {});
  const trust = plan?.problem?.trust;
  if (trust === undefined || !isJoint(trust))
    throw new InvalidParameter(
      "an agreement has a plan with the trust model 'federated' or 'secure-aggregation', this one " +
        `'${String(trust?.model)}'`,
      { trust: trust?.model },
    );
  if (trust.model === 'secure-aggregation') secureTrust(trust);
  else if (trust.simulatedShares !== undefined)
    throw new InvalidParameter(
      'the plan of an agreement has simulatedShares, which are for simulations: no protocol makes such sums',
      { simulatedShares: trust.simulatedShares },
    );
  if (!(Number.isSafeInteger(silo) && silo >= 0 && silo < trust.silos))
    throw new InvalidParameter(`the agreement has silos 0 to ${trust.silos - 1}, and no silo ${silo}`, {
      silo,
      silos: trust.silos,
    });
  if (!Array.isArray(start) || start.length !== plan.problem.dimension || !start.every(Number.isFinite))
    throw new InvalidParameter(
      `the start of an agreement is ${plan.problem.dimension} finite numbers, the dimension of its problem`,
      {},
    );
  if (typeof coins !== 'string' || !/^[0-9a-f]{64}$/u.test(coins))
    throw new InvalidParameter('the coins of an agreement are a key of 32 bytes in hexadecimal', {});
}

/** The optimizer's public coins. */
export const agreedRandomness = (hex: string): RandomSource =>
  randomFromKey(
    Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)),
    'seeded',
  );
