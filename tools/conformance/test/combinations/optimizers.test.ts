import { accountants, calibrator, renyiLimit } from '@lethe/accountants';
import { adjacencies, driveSync, LetheError, sameEvent, seededRandom, type Adjacency, type Calibrate, type DomainPlugin, type Fact, type Loss, type Optimizer, type Problem, type Run } from '@lethe/core';
import { mechanisms } from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';
import { rowsOf } from './cells.ts';
import { dimension, namesOf, partsOf, slots, tinyCurator, type Part } from './parts.ts';
import { printedTally } from './table.ts';

const optimizers = partsOf<Optimizer>('optimizer');
const losses = partsOf<Loss>('loss');
const domains = partsOf<DomainPlugin>('domain');
const axes = { optimizer: namesOf(optimizers), loss: namesOf(losses), domain: namesOf(domains), adjacency: adjacencies };
const tally = printedTally('optimizer, loss, domain and adjacency', axes);
const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });
const calibrations = new Map<string, ReturnType<Calibrate>>();
/** Losses and domains do not show in an event: what it takes to keep a budget is found once. */
const calibrate: Calibrate = (request) => {
  const key = JSON.stringify([{ ...request, make: undefined }, request.make(1), request.make(2)]), known = calibrations.get(key) ?? calibrator(accountants)(request);
  calibrations.set(key, known);
  return known;
};

/** What a data owner would declare of the tiny data for whatever an optimizer may ask. */
function problemOf({ plugin, params, ref }: Part<Loss>, domain: Problem['domain'], adjacency: Adjacency): Problem {
  const facts = { 'gradientMoment.2': declared(4), populationSmoothness: declared(2), diameter: declared(10), ...plugin.facts(params as never, { dimension, featureNorm: 1, labelBound: 1, iterateNorm: 10 }) };
  return { adjacency, trust: { model: 'central' }, dimension, slots: [slots], domain, loss: ref, capabilities: plugin.capabilities, facts };
}

/** An example may be of another dimension than the records. */
function standsIn({ plugin, params }: Part<DomainPlugin>): boolean {
  try {
    return plugin.build(params as never, dimension, mechanisms).dimension === dimension;
  } catch (error) {
    if (error instanceof LetheError) return false;
    throw error;
  }
}

describe.each(rowsOf(axes, { strength: 'cartesian' }))('$optimizer × $loss × $domain × $adjacency', (row) => {
  const { plugin: optimizer, params } = optimizers.get(row.optimizer)!;
  const loss = losses.get(row.loss)!;
  const adjacency = row.adjacency;
  const problem = problemOf(loss, domains.get(row.domain)!.ref, adjacency);
  const has = (need: string): boolean => (loss.plugin.capabilities as Record<string, boolean | undefined>)[need] === true;
  const isFit = standsIn(domains.get(row.domain)!) && optimizer.adjacencies.includes(adjacency) && Object.entries(optimizer.needs).every(([need, wanted]) => wanted !== true || has(need)) && Object.keys(optimizer.facts).every((fact) => fact in problem.facts);
  const prepare = (): Run => optimizer.prepare({ registry: mechanisms, problem, budget: { epsilon: 2, delta: 1e-5 }, params, calibrate, filter: renyiLimit(), random: seededRandom('plan') });

  test(`${isFit ? 'runs, and the ledger says what the plan said' : 'is refused when it is planned'}`, () => {
    for (const part of [row.optimizer, row.loss, row.domain]) tally.plugins.add(part);
    if (!isFit) {
      tally.refused++;
      expect(prepare).toThrow(LetheError);
      return;
    }
    tally.ran++;
    const run = prepare();
    const curator = tinyCurator(adjacency, loss.ref, JSON.stringify(row), run.held);
    const { output } = driveSync(run, curator, { start: new Float64Array(dimension), random: seededRandom('public') });
    expect(output.every(Number.isFinite)).toBe(true);
    curator.end();
    expect(sameEvent(curator.spent(), run.plan.event)).toBe(true);
  });
});
