import {
  adjacencySchema,
  parseEvent,
  type EventKind,
  type PluginKind,
  type Run,
  type StoredPlan,
} from '@lethe/core';
import { anyEventSchema, version } from '@lethe/core/internal';
import {
  Corrupt,
  IncompatiblePlugins,
  InvalidParameter,
  ownCopy,
  parseOrThrow,
  type ZodSchema,
} from '@lethe/numerics';
import * as z from 'zod/mini';

/**
 * A planned run to be stored.
 *
 * @throws {InvalidParameter} for a run that no optimizer prepared.
 */
export function storedPlan({ name, mark, problem, budget, plan, price }: Run): StoredPlan {
  if (mark === undefined || budget === undefined || price === undefined)
    throw new InvalidParameter(
      `run '${name}' was not prepared by an optimizer, ` +
        'so that its plan cannot be started again; store what prepare gives',
      { run: name },
    );
  return {
    format: 1,
    lethe: version,
    optimizer: name,
    mark,
    problem,
    budget,
    plan,
    priced: price() !== null,
  };
}

const count = z.int().check(z.positive());
const written = (kind: PluginKind): ZodSchema =>
  z.looseObject({ kind: z.optional(z.literal(kind)), name: z.string().check(z.minLength(1)) });

const trust = z.discriminatedUnion('model', [
  z.strictObject({ model: z.literal('central') }),
  z.strictObject({ model: z.literal('shuffle'), honestUsers: z.int().check(z.nonnegative()) }),
  z.strictObject({
    model: z.literal('federated'),
    silos: count,
    server: z.enum(['trusted', 'untrusted']),
    weights: z.optional(z.array(z.number().check(z.positive()))),
    simulatedShares: z.optional(count),
  }),
  z.strictObject({
    model: z.literal('secure-aggregation'),
    silos: count,
    corrupted: z.int().check(z.nonnegative()),
    survivors: count,
  }),
]);

const shape = z.strictObject({
  format: z.literal(1),
  lethe: z.string(),
  optimizer: z.string(),
  mark: z.string(),
  priced: z.boolean(),
  budget: z.strictObject({ epsilon: z.number(), delta: z.number() }),
  problem: z.looseObject({
    adjacency: adjacencySchema,
    trust,
    unit: z.optional(z.enum(['record', 'owner'])),
    dimension: count,
    slots: z.array(count).check(z.minLength(1)),
    domain: written('domain'),
    loss: written('loss'),
    regulariser: z.optional(written('regulariser')),
    capabilities: z.record(z.string(), z.union([z.boolean(), z.literal('bounded')])),
    facts: z.record(z.string(), z.unknown()),
  }),
  plan: z.looseObject({
    event: anyEventSchema,
    gradients: z.number().check(z.nonnegative()),
    utility: z.nullable(
      z.looseObject({ bound: z.number().check(z.nonnegative()), source: z.string().check(z.minLength(1)) }),
    ),
  }),
});

/**
 * A copy of a stored plan.
 *
 * @throws {IncompatiblePlugins} for one of another optimizer, or of another version.
 * @throws {Corrupt} for a value of another form.
 */
export function checkedPlan(
  stored: StoredPlan,
  { name, mark }: { readonly name: string; readonly mark: string },
  schedule: ZodSchema = z.unknown(),
): StoredPlan {
  const own = asCorrupt(name, () => parseOrThrow(shape, stored, `a stored plan of '${name}'`)) as StoredPlan;
  let differs: string | null;
  if (own.optimizer !== name) differs = `optimizer '${own.optimizer}', not of '${name}'`;
  else if (own.lethe !== version) differs = `version ${own.lethe} of Lethe, and this is ${version}`;
  else if (own.mark !== mark) differs = `another version of optimizer '${name}'`;
  else differs = null;
  if (differs !== null)
    throw new IncompatiblePlugins(`the plan is of ${differs}; plan again, or start it with what planned it`, {
      optimizer: own.optimizer,
      lethe: own.lethe,
    });
  asCorrupt(name, () => parseOrThrow(schedule, own.plan, `the plan of '${name}'`));
  return ownCopy(own);
}

/** @throws {Corrupt} for a stored plan whose event is none, or of a kind that the registry does not have. */
export function assertEvent({ optimizer, plan }: StoredPlan, kinds: readonly EventKind[]): void {
  asCorrupt(optimizer, () => parseEvent(plan.event, kinds));
}

function asCorrupt<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new Corrupt(
      `this is no plan that '${name}' made: ${(cause as Error).message}`,
      { optimizer: name },
      { cause },
    );
  }
}
