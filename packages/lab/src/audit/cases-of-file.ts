import {
  domainAt,
  findPlugin,
  InvalidParameter,
  resolvePlugin,
  seededRandom,
  type Adjacency,
  type Calibrate,
  type Optimizer,
  type Problem,
  type Registry,
  type Vector,
} from '@lethe/core';
import {
  isHard,
  labelOf,
  paramsOn,
  runsOn,
  type ComparedSpec,
  type Evaluation,
  type Experiment,
  type ProblemSpec,
  type Release,
} from '../experiment/schema.js';
import { generatedPopulation, isOfPopulation, type GeneratedSpec } from '../run/generated-population.js';
import { hardPopulation } from '../run/hard-population.js';
import { loadRecords } from '../run/load.js';
import type { Population } from '../run/population.js';
import { publicProblem } from '../run/problem.js';
import type { Progress } from '../run/progress.js';
import { recordsPopulation } from '../run/records-population.js';
import { trustModelOf } from '../run/trust.js';
import type { AuditCase } from './audit-case.js';

/** Which combinations of an experiment are audited. What is left out restricts nothing. */
export interface Restriction {
  /** Label of an optimizer. */
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
 * The runs that an experiment plans: every optimizer, problem and budget of an evaluation at its smallest size; the
 * run of a release. Records are read for what they say in public alone, their columns and, where it is public,
 * their number.
 *
 * @throws {InvalidParameter} when the restriction leaves nothing, and for an experiment on oracles, which plans no run.
 */
export async function casesOfFile(
  given: Experiment,
  restriction: Restriction,
  surroundings: Surroundings
): Promise<readonly AuditCase[]> {
  if (given.kind === 'oracle')
    throw new InvalidParameter(
      `the experiment '${given.name}' measures oracles and plans no run; audit an evaluation or a release`,
      { kind: given.kind }
    );
  const experiment = { ...given, adjacency: restriction.adjacency ?? given.adjacency };
  const cases =
    experiment.kind === 'release'
      ? await casesOfRelease(experiment, restriction, surroundings)
      : await casesOfEvaluation(experiment, restriction, surroundings);
  const chosen = cases.filter(({ label, problemName, budget }) =>
    [
      [restriction.optimizer, label],
      [restriction.problem, problemName],
      [restriction.epsilon, budget.epsilon],
    ].every(([wanted, is]) => wanted === undefined || wanted === is)
  );
  if (chosen.length > 0) return chosen;
  throw new InvalidParameter(
    `nothing in the experiment '${given.name}' fits; its optimizers are ${listed(
      cases.map(({ label }) => label)
    )}, its problems ${listed(cases.map(({ problemName }) => problemName))}, its budgets ε = ${listed(
      cases.map(({ budget }) => budget.epsilon)
    )}`,
    { ...restriction }
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
  { registry, folder, progress }: Surroundings
): Promise<readonly NamedCase[]> {
  const { problem: spec, optimizer, budget, adjacency } = experiment;
  progress.phase(`${spec.title}: reading the records`);
  const all = await loadRecords(spec, folder),
    n = records ?? experiment.size ?? all.rows;
  if (adjacency === 'add-remove' && (records ?? experiment.size) === undefined)
    throw new InvalidParameter('under add-remove the number of records is private; give --records, a public guess', {
      adjacency,
    });
  const { problem } = publicProblem(spec, {
    registry,
    adjacency,
    n,
    dimension: all.columns,
    rowNorm: all.rowNorm,
    columnBounds: all.columnBounds,
  });
  return [caseOf(experiment, spec, { ...optimizer, trust: 'central' }, problem, budget, registry)];
}

async function casesOfEvaluation(
  experiment: Evaluation,
  { records }: Restriction,
  surroundings: Surroundings
): Promise<readonly NamedCase[]> {
  const cases: NamedCase[] = [];
  for (const spec of experiment.problems) {
    const population = await populationOf(spec, experiment, surroundings);
    const n =
      records ??
      (experiment.sizes === undefined
        ? population.records ?? (spec as GeneratedSpec).data.generate.rows
        : Math.min(...experiment.sizes));
    for (const optimizer of experiment.optimizers.filter((one) => runsOn(one, spec.name))) {
      for (const budget of experiment.budgets)
        cases.push(
          caseOf(
            experiment,
            spec,
            optimizer,
            population.describe(n, budget, trustModelOf(optimizer.trust, n)).problem,
            budget,
            surroundings.registry
          )
        );
    }
  }
  return cases;
}

function populationOf(
  spec: ProblemSpec,
  experiment: Evaluation,
  surroundings: Surroundings
): Population | Promise<Population> {
  if (isHard(spec)) return hardPopulation(spec, experiment, surroundings);
  return isOfPopulation(spec)
    ? generatedPopulation(spec, experiment, surroundings)
    : recordsPopulation(spec, experiment, { ...surroundings, tables: new Map() });
}

type Planned = Pick<ComparedSpec, 'name' | 'params' | 'paramsFor' | 'label' | 'trust'>;

function caseOf(
  experiment: Evaluation | Release,
  spec: ProblemSpec,
  optimizer: Planned,
  problem: Problem,
  budget: AuditCase['budget'],
  registry: Registry
): NamedCase {
  const label = labelOf(optimizer);
  return {
    label,
    problemName: spec.name,
    title: `${label} on ${spec.name}, ε = ${budget.epsilon}`,
    problem,
    budget,
    params: paramsOn(optimizer, spec.name),
    optimizer: findPlugin<Optimizer>(registry, 'optimizer', optimizer.name),
    publicCoins: seededRandom(`plan/${experiment.name}/${spec.name}`),
    start: startOf(problem, registry),
  };
}

/** The point of the domain nearest to zero, where runs of an experiment begin. */
function startOf({ domain, dimension }: Problem, registry: Registry): Vector {
  return domainAt(registry, domain, dimension).projectInto(new Float64Array(dimension), new Float64Array(dimension));
}
