import { renyiLimit } from '@lethe/accountants';
import {
  adjacencies,
  driveSync,
  LetheError,
  sameEvent,
  seededRandom,
  type Adjacency,
  type DomainPlugin,
  type Fact,
  type Loss,
  type Optimizer,
  type Problem,
  type Run,
} from '@lethe/core';
import { mechanisms } from '@lethe/mechanisms';
import { defined, largestNorm, type Domain } from '@lethe/numerics';
import { expect } from 'vitest';
import { cheapAccountant, rememberingCalibrator } from '../calibrating.js';
import { rowsOf, strengthOfRun } from './cells.js';
import { testGrid } from './grid.js';
import { dimension, namesOf, partsOf, pointsOf, slots, tinyCurator, type Part } from './parts.js';

const optimizers = partsOf<Optimizer>('optimizer');
/** Those that others run. */
const repeated = [...optimizers.values()].map(({ plugin }) => plugin);
const losses = partsOf<Loss>('loss');
const domains = partsOf<DomainPlugin>('domain');
const axes = {
  optimizer: namesOf(optimizers),
  loss: namesOf(losses),
  domain: namesOf(domains),
  adjacency: adjacencies,
};
const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });
/** Noise to a thousandth: compared is the cost of the run that was planned with it. */
const calibrate = rememberingCalibrator([cheapAccountant], 1e-3);

/** Declared facts of the small data set, for all optimizers. */
function problemOf(
  { plugin: optimizer }: Part<Optimizer>,
  loss: Part<Loss>,
  domain: Part<DomainPlugin>,
  adjacency: Adjacency,
): Problem {
  const { plugin, params, ref } = loss;
  const set = setOf(domain, loss);
  // The constants of a minimiser, and the range of losses, follow from the points of the domain alone.
  const isOfDomain = optimizer.privacyRestsOn === 'convexity' || 'range' in optimizer.facts;
  const iterateNorm = isOfDomain && set !== undefined ? largestNorm(set) : 10;
  const facts = {
    'gradientMoment.2': declared(4),
    'uniformGradientMoment.4': declared(8),
    populationSmoothness: declared(2),
    diameter: declared(10),
    ...plugin.facts(params as never, {
      columns: dimension,
      featureNorm: 1,
      labelBound: 1,
      ...(iterateNorm < Infinity ? { iterateNorm } : {}),
    }),
  };
  return {
    adjacency,
    trust: { model: 'central' },
    dimension: pointsOf(loss),
    slots: [slots],
    domain: domain.ref,
    loss: ref,
    capabilities: plugin.capabilities,
    facts,
  };
}

/** The set; undefined for an example with another dimension than the points. */
function setOf({ plugin, params }: Part<DomainPlugin>, loss: Part<Loss>): Domain | undefined {
  try {
    return plugin.build(params as never, pointsOf(loss), mechanisms);
  } catch (error) {
    if (error instanceof LetheError) return undefined;
    throw error;
  }
}

/** Expected reason for a refusal of a plan, from the declarations of optimizer, loss and domain. */
function refusalOf(
  { plugin }: Part<Optimizer>,
  loss: Part<Loss>,
  domain: Part<DomainPlugin>,
  { adjacency, facts }: Problem,
): string | undefined {
  const set = setOf(domain, loss);
  if (set === undefined) return 'the domain is of another dimension';
  const has = (need: string): boolean => {
    const holds = (loss.plugin.capabilities as Record<string, unknown>)[need];
    return (
      holds === true ||
      (holds === 'bounded' &&
        set.diameter < Infinity &&
        facts[need === 'smooth' ? 'smoothness' : need] !== undefined)
    );
  };
  if (!plugin.adjacencies.includes(adjacency)) return 'the optimizer does not declare the adjacency';
  if (!Object.entries(plugin.needs).every(([need, wanted]) => wanted !== true || has(need)))
    return 'the loss lacks what the optimizer needs';
  return Object.keys(plugin.facts).every((fact) => fact in facts)
    ? undefined
    : 'the problem lacks a fact that the optimizer reads';
}

testGrid({
  axes,
  rows: rowsOf(axes, { strength: strengthOfRun }),
  by: 'optimizer',
  statement: 'runs, and the ledger says what the plan said',
  cell(row) {
    const optimizer = defined(optimizers.get(row.optimizer));
    const loss = defined(losses.get(row.loss));
    const domain = defined(domains.get(row.domain));
    const problem = problemOf(optimizer, loss, domain, row.adjacency);
    const refusal = refusalOf(optimizer, loss, domain, problem);
    const prepare = (): Run =>
      optimizer.plugin.prepare({
        registry: [...mechanisms, ...repeated],
        problem,
        budget: { epsilon: 2, delta: 1e-5 },
        params: optimizer.params as never,
        calibrate,
        filter: renyiLimit(),
        random: seededRandom('plan'),
      });
    return {
      refusal,
      check() {
        if (refusal !== undefined) {
          expect(prepare).toThrow(LetheError);
          return;
        }
        const run = prepare();
        const curator = tinyCurator(row.adjacency, loss.ref, JSON.stringify(row), run.held);
        const { output } = driveSync(run, curator, {
          start: new Float64Array(pointsOf(loss)),
          random: seededRandom('public'),
        });
        expect(output.every(Number.isFinite)).toBe(true);
        curator.end();
        expect(sameEvent(curator.spent(), run.plan.event)).toBe(true);
      },
    };
  },
});
