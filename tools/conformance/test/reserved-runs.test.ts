import { accountants, bestOf } from '@lethe/accountants';
import {
  adjacencies,
  BudgetExceeded,
  driveSync,
  eventKindsOf,
  LetheError,
  reservationFor,
  sameEvent,
  seededRandom,
  type Adjacency,
  type Curator,
  type DomainPlugin,
  type Fact,
  type Loss,
  type Optimizer,
  type PrivacyEvent,
  type Problem,
  type Run,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type Ledger } from '@lethe/curator';
import { isPartOf } from '@lethe/curator/testing';
import { largestNorm } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { dimension, partsOf, registry, slots, type Part } from './combinations/parts.js';
import { cheapAccountant, rememberingCalibrator } from './calibrating.js';

/** Noise to a thousandth: what is compared is the same run. */
const calibrate = rememberingCalibrator([cheapAccountant], 1e-3);

const budget = { epsilon: 2, delta: 1e-5 };
const best = bestOf(accountants, eventKindsOf(registry));
const { filter } = best;
/** Of the events that plugins define the cheap accountant knows none. */
const accountantOf = (event: PrivacyEvent) =>
  JSON.stringify(event).includes('"lethe/') ? best : cheapAccountant;
const losses = [...partsOf<Loss>('loss').values()];
const domains = [...partsOf<DomainPlugin>('domain').values()];
const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });

/**
 * Bound on the norm of iterates. The constants of a minimiser follow from the points of the domain alone.
 *
 * @returns `undefined` for an example of another dimension.
 */
function normOf({ privacyRestsOn }: Optimizer, { plugin, params }: Part<DomainPlugin>): number | undefined {
  if (privacyRestsOn !== 'convexity') return 10;
  try {
    return largestNorm(plugin.build(params as never, dimension, registry));
  } catch (error) {
    if (error instanceof LetheError) return undefined;
    throw error;
  }
}

/** A problem on the small data set, with the first loss and domain that the optimizer accepts. */
function planned(
  { plugin, params }: Part<Optimizer>,
  adjacency: Adjacency,
): { readonly run: Run; readonly loss: Part<Loss> } | undefined {
  if (!plugin.adjacencies.includes(adjacency)) return undefined;
  for (const loss of losses)
    for (const domain of domains) {
      const iterateNorm = normOf(plugin, domain);
      if (iterateNorm === undefined) continue;
      const facts = {
        'gradientMoment.2': declared(4),
        populationSmoothness: declared(2),
        diameter: declared(10),
        ...loss.plugin.facts(loss.params as never, {
          columns: dimension,
          featureNorm: 1,
          labelBound: 1,
          ...(iterateNorm < Infinity ? { iterateNorm } : {}),
        }),
      };
      const problem: Problem = {
        adjacency,
        trust: { model: 'central' },
        dimension,
        slots: [slots],
        domain: domain.ref,
        loss: loss.ref,
        capabilities: loss.plugin.capabilities,
        facts,
      };
      try {
        return {
          loss,
          run: plugin.prepare({
            registry,
            problem,
            budget,
            params,
            calibrate,
            random: seededRandom('public'),
            filter,
          }),
        };
      } catch {
        /* It is made for another loss or domain. */
      }
    }
  return undefined;
}

function curatorOf(
  run: Run,
  loss: Part<Loss>,
  ledger: Ledger,
  name: string,
): ReturnType<typeof centralCurator> {
  const features = Float64Array.from({ length: slots * dimension }, (_, i) => ((i % 7) - 3) / 8);
  const labels = Float64Array.from({ length: slots }, (_, k) => (k % 2 === 0 ? 1 : -1));
  const data = attachData({
    features: {
      data: features,
      rows: slots,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels,
    loss: loss.ref,
    registry,
    ledger,
    domain: { featureNorm: 1, labelBound: 1, iterateNorm: 10 },
    outside: 'clip',
  });
  return centralCurator({
    data,
    registry,
    run: name,
    random: seededRandom(name),
    ...reservationFor(run),
    ...(ledger.adjacency === 'add-remove' ? { publicSlots: slots } : {}),
  });
}

// By day a later example is run under one adjacency, in turn.
const isFull = process.env['LETHE_EFFORT'] === 'full';
const cases = [...partsOf<Optimizer>('optimizer').values()].flatMap((part, turn) => {
  const accepted = adjacencies.filter((one) => part.plugin.adjacencies.includes(one));
  const isFirst = !/#(?!1$)\d+$/u.test(part.name);
  return (isFull || isFirst ? accepted : [accepted[turn % accepted.length] as Adjacency]).map(
    (adjacency) => ({ part, adjacency, name: `${part.name}, ${adjacency}` }),
  );
});
let ran = 0;

describe('every shipped optimizer, under a limit equal to the cost of its plan', () => {
  test.each(cases)(
    '$name: all charges are parts of its reservation, and no other run fits',
    ({ part, adjacency }) => {
      const found = planned(part, adjacency);
      if (found === undefined) {
        expect(part.plugin.adjacencies.length).toBeLessThanOrEqual(adjacencies.length);
        return;
      }
      const { run, loss } = found;
      // Not the budget: the noise may come from parameters.
      const epsilon =
        run.held === undefined
          ? accountantOf(run.plan.event).epsilon(run.plan.event, { adjacency, delta: budget.delta }).upper
          : budget.epsilon;
      const ledger = openLedger({
        adjacency,
        limit: { epsilon, delta: budget.delta, accountant: accountantOf(run.plan.event) },
      });
      const curator = curatorOf(run, loss, ledger, 'run');
      const watched: Curator<ReturnType<typeof curator.answer>> = {
        ...curator,
        answer(index, query) {
          const answered = curator.answer(index, query);
          if (run.held === undefined) expect(isPartOf(curator.charged(), run.plan.event)).toBe(true);
          else expect(run.held.admits(curator.charged())).toBe(true);
          return answered;
        },
      };
      expect(() => curatorOf(run, loss, ledger, 'beside')).toThrow(BudgetExceeded);
      driveSync(run, watched, { start: new Float64Array(dimension), random: seededRandom('public') });
      expect(sameEvent(curator.spent(), run.plan.event)).toBe(true);
      curator.end();
      expect(() => curatorOf(run, loss, ledger, 'after')).toThrow(BudgetExceeded);
      expect(ledger.runs()).toEqual(['run']);
      ran++;
    },
  );

  test('most of them ran', () => {
    expect(ran).toBeGreaterThan(cases.length / 2);
  });
});
