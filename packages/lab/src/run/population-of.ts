import type { Calibrate, Registry } from '@lethe/core';
import { isHard, type Evaluation, type ProblemSpec } from '../experiment/schema.js';
import { generatedPopulation, isOfPopulation, type GeneratedSpec } from './generated-population.js';
import { hardPopulation } from './hard-population.js';
import type { Population, SharedRecords } from './population.js';
import type { Tables } from './records.js';
import { recordsPopulation } from './records-population.js';

/** Inputs of a population besides the experiment. */
export interface PopulationContext {
  readonly registry: Registry;
  readonly calibrate: Calibrate;
  /** Folder of relative paths in the experiment. */
  readonly folder: string;
  /** Cache of tables, by source. */
  readonly tables: Tables;
  /** Records that another thread has read, by problem. @defaultValue none */
  readonly shared?: ReadonlyMap<string, SharedRecords> | undefined;
}

/** The source of a problem's records: hard instances, a law, or a table, which is read. */
export async function populationOf(
  spec: ProblemSpec,
  experiment: Evaluation,
  context: PopulationContext,
): Promise<Population> {
  if (isHard(spec)) return hardPopulation(spec, experiment, context);
  if (isOfPopulation(spec)) return generatedPopulation(spec, experiment, context);
  return recordsPopulation(spec, experiment, { ...context, shared: context.shared?.get(spec.name) });
}

/** The numbers of records that an evaluation runs a problem with. */
export function sizesOf(
  { sizes }: Evaluation,
  spec: ProblemSpec,
  { records }: Population,
): readonly number[] {
  return sizes ?? [records ?? (spec as GeneratedSpec).data.generate.rows];
}
