import { adjacencies, type Json } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';

/** A name for experiment files, with parameters to try. */
export interface NamedChoice {
  readonly name: string;
  readonly params?: Arbitrary<{ readonly [key: string]: Json }>;
}

/** Names available to experiment files. */
export interface ExperimentShape {
  readonly kind: 'evaluation' | 'release';
  readonly optimizers: readonly NamedChoice[];
  readonly losses: readonly NamedChoice[];
  readonly domains: readonly NamedChoice[];
  /** Sources of data, as in the file: `{ generate: … }`, or a table with its design. */
  readonly data: readonly Json[];
  readonly lowerBounds?: readonly NamedChoice[];
  /** Names of facts that problems declare. @defaultValue none */
  readonly facts?: readonly string[];
  /** Maximum number of training records. @defaultValue 1000 */
  readonly size?: number;
  /** Maximum number of seeds of an evaluation. @defaultValue 3 */
  readonly seeds?: number;
}

/** A file as JSON. */
export type ExperimentJson = { readonly [key: string]: Json };

const fields = (
  of: Readonly<Record<string, Arbitrary<Json>>>,
  optional: Readonly<Record<string, Arbitrary<Json>>> = {},
): Arbitrary<ExperimentJson> =>
  fc.record(
    { ...of, ...optional },
    { requiredKeys: Object.keys(of), noNullPrototype: true },
  ) as Arbitrary<ExperimentJson>;

const refTo = (choices: readonly NamedChoice[]): Arbitrary<ExperimentJson> =>
  fc.oneof(
    { withCrossShrink: true },
    ...choices.map(({ name, params }) =>
      fields({ name: fc.constant(name) }, params === undefined ? {} : { params }),
    ),
  );

const distinctly =
  (name: string, field: string) =>
  (list: readonly ExperimentJson[]): readonly ExperimentJson[] =>
    list.map((item, i) => ({ ...item, [field]: `${name}-${i + 1}` }));

/**
 * Experiment files of format version 1, as JSON: valid as files, whether or not their plugins accept them.
 * Problems have distinct names and optimizers distinct labels; optional fields are sometimes absent.
 */
export function experimentOf({
  kind,
  optimizers,
  losses,
  domains,
  data,
  lowerBounds = [],
  facts = [],
  size = 1000,
  seeds = 3,
}: ExperimentShape): Arbitrary<ExperimentJson> {
  const fact = fields({
    value: fc.integer({ min: -6, max: 6 }).map((power) => 2 ** power),
    why: fc.constant('chosen before the data were seen'),
  });
  const problem = fields(
    {
      name: fc.constant('problem'),
      title: fc.constant('A problem'),
      data: fc.constantFrom(...data),
      loss: refTo(losses),
      domain: refTo(domains),
    },
    {
      record: fields({}, { featureNorm: fc.constantFrom(1, 0.5, 10), labelBound: fc.constantFrom(1, 100) }),
      ...(facts.length > 0 ? { facts: fields(Object.fromEntries(facts.map((name) => [name, fact]))) } : {}),
    },
  );
  const budget = fields(
    { epsilon: fc.constantFrom(1, 0.1, 0.5, 4) },
    { delta: fc.constantFrom(1e-6, 1e-9, 0) },
  );
  const records = fc.integer({ min: 1, max: size });
  const shared = {
    lethe: fc.constant(1),
    kind: fc.constant(kind),
    name: fc.constantFrom('experiment', 'a', '0-1'),
    title: fc.constantFrom('An experiment', 'ε ≤ 1 <b>&'),
  };
  const described = {
    about: fc.constantFrom('', 'Why it is done.'),
    adjacency: fc.constantFrom(...adjacencies),
  };
  if (kind === 'release') {
    return fields(
      { ...shared, problem, optimizer: refTo(optimizers), budget },
      { ...described, size: records, limit: budget },
    );
  }
  const some = <T>(one: Arbitrary<T>, most: number): Arbitrary<T[]> =>
    fc.array(one, { minLength: 1, maxLength: most, size: 'max' });
  return fields(
    {
      ...shared,
      problems: some(problem, 2).map(distinctly('problem', 'name')),
      optimizers: some(refTo(optimizers), 3).map(distinctly('optimizer', 'label')),
      budgets: some(budget, 3),
      seeds: fields({ count: fc.integer({ min: 1, max: seeds }) }, { first: fc.nat(1000) }),
    },
    {
      ...described,
      sizes: some(records, 3),
      ...(lowerBounds.length > 0 ? { lowerBound: refTo(lowerBounds) } : {}),
    },
  );
}
