import { defined, nearestName } from '@lethe/numerics';
import * as z from 'zod';
import { count, name } from './parts.js';

/** Fields of an optimizer, in a release and in an evaluation. */
export const optimizer = z.strictObject({
  name: z.string().min(1),
  label: z.string().min(1).optional(),
  params: z.record(z.string(), z.json()).default({}),
  paramsFor: z
    .record(z.string(), z.record(z.string(), z.json()))
    .default({})
    .describe('Parameters for one problem, by its name; they go over params.'),
});

const shuffled = z.strictObject({
  model: z.literal('shuffle'),
  honestUsers: count.optional().describe('Number of record owners that follow the protocol. Default: all.'),
});
const shares = z
  .array(z.number().positive())
  .min(1)
  .optional()
  .describe('What part of the records each silo has, in proportion. Default: all have as many.');
const federated = z.strictObject({
  model: z.literal('federated'),
  silos: count.describe('Number of silos, each with a part of the records, and a ledger of its own.'),
  shares,
  weights: z
    .union([z.literal('records'), z.array(z.number().positive()).min(1)])
    .optional()
    .describe(
      'What each silo counts in averages, in proportion; records: as much as it has records. Default: all ' +
        'count alike.',
    ),
  server: z
    .enum(['untrusted', 'trusted'])
    .default('untrusted')
    .describe('untrusted: each silo adds its own noise. trusted: the server adds one noise to their sums.'),
  split: z
    .enum(['in-order', 'by-label'])
    .default('in-order')
    .describe('Which records a silo has: those that come one after another, or those with like labels.'),
});
export type FederatedSpec = z.output<typeof federated>;
const secured = z.strictObject({
  model: z.literal('secure-aggregation'),
  silos: federated.shape.silos,
  shares,
  corrupted: z
    .int()
    .nonnegative()
    .describe('Silos that may side with the server, at most: their shares of noise do not count.'),
  survivors: count.optional().describe('Silos that a sum has at least. Default: all.'),
  split: federated.shape.split,
});
/**
 * Trust model: a central curator, a shuffler of private messages, silos and their server, or silos whose sums
 * alone are seen.
 */
export const trust = z
  .union([z.literal('central'), shuffled, federated, secured])
  .superRefine((given, context) => {
    if (given === 'central' || given.model === 'shuffle') return;
    const lists = { shares: given.shares, weights: given.model === 'federated' ? given.weights : undefined };
    for (const [path, list] of Object.entries(lists))
      if (Array.isArray(list) && list.length !== given.silos)
        context.addIssue({
          code: 'custom',
          path: [path],
          message: `are ${list.length} numbers for ${given.silos} silos; give one for each`,
        });
  })
  .default('central');
export type TrustSpec = z.output<typeof trust>;

const expectation = z
  .strictObject({
    problem: name,
    epsilon: z.number().positive().optional().describe('For this budget only.'),
    n: count.optional().describe('For this number of records only.'),
    excessRisk: z.number().positive().optional().describe('Expected excess risk, computed beforehand.'),
    tolerance: z.number().nonnegative().default(0).describe('Tolerance of excessRisk, such as rounding.'),
    bound: z.number().positive().optional().describe('Bound that the plan should give.'),
    plan: z
      .record(z.string().min(1), z.number())
      .default({})
      .describe(
        'Other numbers that the plan should hold, by their place in it, such as `innerSteps` or ' +
          '`noise.exact.gaussianMu`.',
      ),
    source: z.string().min(1).describe('Source of the numbers.'),
  })
  .refine(
    ({ excessRisk, bound, plan }) =>
      excessRisk !== undefined || bound !== undefined || Object.keys(plan).length > 0,
    { message: 'give excessRisk, bound or plan' },
  );

/** An optimizer of an evaluation. */
export const compared = optimizer.extend({
  problems: z
    .array(name)
    .min(1)
    .optional()
    .describe('Names of the problems it is compared on. Default: all.'),
  trust: trust.describe(
    'Trust model: central; { model: shuffle, honestUsers }, where record owners send private messages ' +
      'through a ' +
      'shuffler; { model: federated, silos, server, split }, where the records are in several silos; or ' +
      '{ model: secure-aggregation, silos, corrupted, survivors, split }, where a server sees sums of ' +
      'silos alone.',
  ),
  unprotected: z
    .boolean()
    .default(false)
    .describe('Allows a baseline without noise, which has no privacy and is marked so.'),
  expected: z
    .array(expectation)
    .default([])
    .describe('Numbers computed beforehand, to compare with measurements.'),
});

/** The optimizer of a release. */
export const released = optimizer
  .extend({
    trust: trust.describe('central: one machine holds all records.'),
  })
  .refine(({ trust: model }) => model === 'central', {
    path: ['trust'],
    message:
      'a release is made by one machine that holds all records, which is the central model; in the ' +
      'shuffle model their owners would send messages themselves. Compare with it in an evaluation',
  });

export type OptimizerSpec = z.output<typeof optimizer>;
/** One of the settings of a sweep. */
export interface SweepSetting {
  /** Label of the optimizer that is swept. */
  readonly of: string;
  readonly values: Readonly<Record<string, z.core.util.JSONType>>;
}
/** An optimizer at one setting; `sweep` where lists stood in the file. */
export type ComparedSpec = z.output<typeof compared> & { readonly sweep?: SweepSetting };
/** Expected numbers of an optimizer on a problem. */
export type ExpectationSpec = z.output<typeof expectation>;

/** Label of an optimizer in tables and plots. */
export const labelOf = ({
  name: id,
  label,
  trust: model = 'central',
}: {
  readonly name: string;
  readonly label?: string | undefined;
  readonly trust?: TrustSpec | undefined;
}): string => label ?? (model === 'central' ? id : `${id} (${shortTrust(model)})`);

function shortTrust(model: Exclude<TrustSpec, 'central'>): string {
  if (model.model === 'shuffle') return 'shuffle';
  if (model.model === 'federated') return `${model.silos} silos, ${model.server}`;
  return `${model.silos} silos, secure sums, ${model.corrupted} corrupted`;
}

/** Parameters of an optimizer on a problem. */
export const paramsOn = (
  { params, paramsFor }: OptimizerSpec,
  problemName: string,
): OptimizerSpec['params'] => ({ ...params, ...paramsFor[problemName] });

interface Compared {
  readonly problems: readonly { readonly name: string }[];
  readonly optimizers: readonly ComparedSpec[];
  readonly budgets: readonly { readonly epsilon: number }[];
  readonly sizes?: readonly number[] | undefined;
}

/** Whether an evaluation compares an optimizer on a problem. */
export const runsOn = (
  { problems }: { readonly problems?: readonly string[] | undefined },
  problemName: string,
): boolean => problems === undefined || problems.includes(problemName);

interface Stray {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Message for an unknown problem, with the nearest name. */
export function noProblem(given: string, known: readonly string[]): string {
  const meant = nearestName(given, known);
  return (
    `there is no problem '${given}' in this experiment; ` +
    (meant === undefined
      ? `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`
      : `write '${meant}'`)
  );
}

/**
 * Optimizers restricted to problems that are not there, or with
 * parameters for others, and problems left without any optimizer.
 */
export function strayRestrictions({
  problems,
  optimizers,
}: Pick<Compared, 'problems' | 'optimizers'>): readonly Stray[] {
  const known = problems.map(({ name: id }) => id);
  const restrictions = optimizers.flatMap((spec, i) =>
    (spec.problems ?? []).flatMap((on, k): Stray[] => {
      const path = ['optimizers', i, 'problems', k];
      if (!known.includes(on)) return [{ path, message: noProblem(on, known) }];
      return defined(spec.problems).indexOf(on) < k
        ? [{ path, message: `the problem '${on}' stands here twice` }]
        : [];
    }),
  );
  const parameters = optimizers.flatMap((spec, i) =>
    Object.keys(spec.paramsFor).flatMap((on): Stray[] => {
      const path = ['optimizers', i, 'paramsFor', on];
      if (!known.includes(on)) return [{ path, message: noProblem(on, known) }];
      return runsOn(spec, on)
        ? []
        : [
            {
              path,
              message:
                `this optimizer is not compared on '${on}'; add it to its problems, ` +
                'or leave these parameters out',
            },
          ];
    }),
  );
  const idle = known.flatMap((on, i): Stray[] =>
    optimizers.some((spec) => runsOn(spec, on))
      ? []
      : [
          {
            path: ['problems', i],
            message:
              `no optimizer is compared on the problem '${on}'; ` +
              'add it to the problems of one, or leave it out',
          },
        ],
  );
  return [...restrictions, ...parameters, ...idle];
}

/** Issues of expectations for unknown settings, and of duplicates. */
export function strayExpectations({ problems, optimizers, budgets, sizes }: Compared): readonly Stray[] {
  return optimizers.flatMap(({ expected, ...spec }, i) =>
    expected.flatMap(({ problem: on, epsilon, n }, k) => {
      const stray = (field: string, message: string): Stray[] => [
        { path: ['optimizers', i, 'expected', k, field], message },
      ];
      if (!problems.some((known) => known.name === on))
        return stray(
          'problem',
          noProblem(
            on,
            problems.map((known) => known.name),
          ),
        );
      if (!runsOn(spec, on))
        return stray(
          'problem',
          `this optimizer is not compared on '${on}'; add it to its problems, or leave the expectation out`,
        );
      if (epsilon !== undefined && !budgets.some((known) => known.epsilon === epsilon))
        return stray('epsilon', `there is no budget of epsilon ${epsilon} in this experiment`);
      if (n !== undefined && sizes !== undefined && !sizes.includes(n))
        return stray('n', `there is no size ${n} in this experiment`);
      const meets = (a: number | undefined, b: number | undefined): boolean =>
        a === undefined || b === undefined || a === b;
      const twin = expected.findIndex(
        (other, at) => at < k && other.problem === on && meets(other.epsilon, epsilon) && meets(other.n, n),
      );
      return twin < 0
        ? []
        : stray(
            'problem',
            `speaks of the same setting as expected.${twin}; give epsilon or n to tell them apart`,
          );
    }),
  );
}
