import {
  findPlugin,
  InvalidParameter,
  Unsupported,
  type Adjacency,
  type Calibrate,
  type Optimizer,
  type Registry,
} from '@lethe/core';
import {
  labelOf,
  paramsOn,
  type Evaluation,
  type Experiment,
  type ProblemSpec,
  type Release,
} from '../experiment/schema.js';
import { combinationsOf, planRandomness } from '../run/combinations.js';
import { ownerOf } from '../experiment/owner-of.js';
import { loadRecords } from '../run/load.js';
import { populationOf, sizesOf } from '../run/population-of.js';
import type { Tables } from '../run/records.js';
import { publicProblem } from '../run/problem.js';
import type { Progress } from '../run/progress.js';
import { domainOf, startIn } from '../run/records-population.js';
import type { AuditCase } from './audit-case.js';

/** Restricts an audit to some combinations of an experiment. */
export interface Restriction {
  /** Label or name of an optimizer. */
  readonly optimizer?: string | undefined;
  readonly problem?: string | undefined;
  readonly epsilon?: number | undefined;
  /** Instead of the experiment's number of records. */
  readonly records?: number | undefined;
  readonly adjacency?: Adjacency | undefined;
}

interface Surroundings {
  readonly registry: Registry;
  readonly calibrate: Calibrate;
  readonly folder: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly command: string;
}

/**
 * The runs that an experiment plans: every optimizer, problem and budget of an evaluation at its smallest
 * size; the
 * run of a release. Of the records only public facts are used: the columns and, if public, the number. Where
 * owners are protected the run is that of as many owners with one record each, whose answers are those of
 * owners with several equal records.
 *
 * @throws {InvalidParameter} when the restriction leaves nothing, and for an experiment on means, which plans
 *   no run.
 */
export async function casesOfFile(
  given: Experiment,
  restriction: Restriction,
  surroundings: Surroundings,
): Promise<readonly AuditCase[]> {
  if (given.kind === 'mean' || given.kind === 'mean-error')
    throw new InvalidParameter(
      `the experiment '${given.name}' measures means and plans no run; audit an evaluation or a release`,
      { kind: given.kind },
    );
  const experiment = { ...given, adjacency: restriction.adjacency ?? given.adjacency };
  const cases =
    experiment.kind === 'release'
      ? await casesOfRelease(experiment, restriction, surroundings)
      : await casesOfEvaluation(experiment, restriction, surroundings);
  const isOneOf = <T>(wanted: T | undefined, ...those: readonly T[]): boolean =>
    wanted === undefined || those.includes(wanted);
  const chosen = cases.filter(
    ({ label, optimizer: { name }, problemName, budget }) =>
      isOneOf(restriction.optimizer, label, name) &&
      isOneOf(restriction.problem, problemName) &&
      isOneOf(restriction.epsilon, budget.epsilon),
  );
  if (chosen.length > 0) return chosen;
  throw new InvalidParameter(
    `nothing in the experiment '${given.name}' fits; its optimizers are ${listed(
      cases.map(({ label }) => label),
    )}, its problems ${listed(cases.map(({ problemName }) => problemName))}, its budgets ε = ${listed(
      cases.map(({ budget }) => budget.epsilon),
    )}`,
    { ...restriction },
  );
}

const listed = (values: readonly unknown[]): string => [...new Set(values)].join(', ');

interface NamedCase extends AuditCase {
  readonly label: string;
  readonly problemName: string;
}

async function casesOfRelease(
  experiment: Release,
  { records }: Restriction,
  { registry, folder, progress }: Surroundings,
): Promise<readonly NamedCase[]> {
  const { problem: spec, optimizer, budget, adjacency } = experiment;
  const owner = ownerOf(spec);
  if (owner !== undefined && adjacency === 'add-remove')
    throw new Unsupported(
      `'${spec.name}' protects owners ('${owner.column}'), which are known under replace-one and zero-out ` +
        'alone; take one of these as the adjacency',
      { problem: spec.name, column: owner.column },
    );
  progress.phase(`${spec.title}: reading the records`);
  const all = await loadRecords(spec, folder);
  // The plan of as many owners, each of them with one record: two such owners are neighbours as any two are.
  const n = records ?? experiment.size ?? all.owners?.slots ?? all.rows;
  if (adjacency === 'add-remove' && (records ?? experiment.size) === undefined)
    throw new InvalidParameter(
      'under add-remove the number of records is private; give --records, a public guess',
      {
        adjacency,
      },
    );
  const { problem } = publicProblem(spec, {
    registry,
    adjacency,
    n,
    columns: all.columns,
    rowNorm: all.rowNorm,
    columnBounds: all.columnBounds,
    sparsity: all.sparsity,
  });
  const planned = {
    label: labelOf(optimizer),
    optimizer: findPlugin<Optimizer>(registry, 'optimizer', optimizer.name),
    params: paramsOn(optimizer, spec.name),
    problem,
    budget,
  };
  return [caseOf(experiment, spec, planned, registry)];
}

async function casesOfEvaluation(
  experiment: Evaluation,
  { records }: Restriction,
  surroundings: Surroundings,
): Promise<readonly NamedCase[]> {
  const cases: NamedCase[] = [];
  const { registry } = surroundings;
  const tables: Tables = new Map();
  for (const spec of experiment.problems) {
    const population = await populationOf(spec, experiment, { ...surroundings, tables });
    const n = records ?? Math.min(...sizesOf(experiment, spec, population));
    cases.push(
      ...combinationsOf(experiment, spec, [n], population, registry).map((one) =>
        caseOf(experiment, spec, { ...one, label: labelOf(one.spec) }, registry),
      ),
    );
  }
  return cases;
}

type Planned = Pick<NamedCase, 'label' | 'optimizer' | 'params' | 'problem' | 'budget'>;

function caseOf(
  experiment: Evaluation | Release,
  spec: ProblemSpec,
  { label, optimizer, params, problem, budget }: Planned,
  registry: Registry,
): NamedCase {
  return {
    label,
    problemName: spec.name,
    title:
      `${label} on ${spec.name}${ownerOf(spec) === undefined ? '' : ', owners of one record'}, ` +
      `ε = ${budget.epsilon}`,
    problem,
    budget,
    params,
    optimizer,
    publicCoins: planRandomness(experiment, spec),
    start: startIn(domainOf(problem, problem.dimension, registry)),
  };
}
